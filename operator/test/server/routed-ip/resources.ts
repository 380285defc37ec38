/** Resources of a test as their authors write them: with the construct library. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Chart, Testing } from "cdk8s";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  type ClusterRoutedIPClassProps,
  Credentials,
  type FlipopResourceProps,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  type RoutedIPIssuerProps,
  RoutedIPJob,
  type RoutedIPProps,
  SecretRef,
  ServiceRef,
} from "cdk8s-flipop";
import type { Manifest } from "../../e2e/support/install.js";

const EXAMPLES = resolve(import.meta.dirname, "../../../../examples");
const IMAGE = "example.invalid/curl";
/** Name of the Secret with the cloud's token, in every namespace that needs one. */
export const SECRET = "cloud";
export const SERVICE = "web";

/** Text of a script of the sample implementation. */
export function script(name: "update-routed-ip" | "update-firewall"): string {
  return readFileSync(resolve(EXAMPLES, `routed-ip-jobs/${name}.sh`), "utf8");
}

export function issuer(namespace: string, name: string, props: RoutedIPIssuerProps = {}): readonly Manifest[] {
  return synth(namespace, (chart) => {
    const credentials = Credentials.fromSecretName(SECRET);
    new RoutedIPIssuer(chart, name, { metadata: { name }, region: "nyc3", credentials, ...props });
  });
}

/** Who does it: an issuer of the same namespace, or a class. */
export type Doer = { readonly issuer: string } | { readonly clusterClass: string };
export type RoutedOptions = Partial<Omit<RoutedIPProps, "implementation" | keyof FlipopResourceProps>>;

/** A RoutedIP that follows Service `web`. */
export function routedIP(namespace: string, name: string, doer: Doer, props: RoutedOptions = {}): readonly Manifest[] {
  return synth(namespace, (chart) => {
    const implementation =
      "issuer" in doer
        ? RoutedIPImplementation.issuer(RoutedIPIssuer.fromRoutedIPIssuerName(chart, "doer", doer.issuer))
        : RoutedIPImplementation.clusterClass(
            ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "doer", doer.clusterClass),
          );
    new RoutedIP(chart, name, {
      metadata: { name },
      implementation,
      service: ServiceRef.fromServiceName(SERVICE),
      ...props,
    });
  });
}

/** A container of a Job with a shell script in place of a program. */
export interface ScriptJob {
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
}

export interface JobClassOptions {
  /** @default the sample implementation */
  readonly assign?: ScriptJob;
  /** @default the sample implementation */
  readonly firewall?: ScriptJob;
  readonly allowedNamespaces?: string[];
  readonly jobNamespace?: string;
  readonly perNodeIpLimit?: number;
  readonly firewallPostAllow?: boolean;
  /** @default every address */
  readonly allowedAddresses?: string[] | "default";
  readonly allowedNames?: string[];
}

/** Most tests are not about which addresses a class allows. */
const EVERY_ADDRESS = ["Created", "0.0.0.0/0"];

/** A class whose Jobs are shell scripts. */
export function jobClass(name: string, options: JobClassOptions = {}): readonly Manifest[] {
  const { assign = { script: script("update-routed-ip") }, firewall = sampleFirewall(name), ...others } = options;
  const { allowedAddresses = EVERY_ADDRESS, ...props } = others;
  return synth(undefined, (chart) => {
    const implementation = ClassImplementation.jobs(jobOf(assign), jobOf(firewall));
    new ClusterRoutedIPClass(chart, name, {
      ...{ metadata: { name }, implementation, secrets: [SecretRef.fromSecretName(SECRET)] },
      ...(allowedAddresses === "default" ? {} : { allowedAddresses }),
      ...props,
    });
  });
}

/** Of a class that works by an issuer. */
export function issuerClass(
  name: string,
  ref: { readonly name: string; readonly namespace: string },
  props: Partial<ClusterRoutedIPClassProps> = { allowedAddresses: EVERY_ADDRESS },
) {
  return synth(undefined, (chart) => {
    const known = RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", ref.name, ref.namespace);
    const implementation = ClassImplementation.issuer(known);
    new ClusterRoutedIPClass(chart, name, { metadata: { name }, implementation, ...props });
  });
}

/** Of the sample implementation: each class has a firewall of its own. */
function sampleFirewall(className: string): ScriptJob {
  return { script: script("update-firewall"), env: { FIREWALL_NAME: className } };
}

function jobOf({ script: text, ...more }: ScriptJob): RoutedIPJob {
  return RoutedIPJob.container({ image: IMAGE, command: ["sh", "-c", text], ...more });
}

function synth(namespace: string | undefined, add: (chart: Chart) => void): readonly Manifest[] {
  const chart = new Chart(Testing.app(), "test", namespace === undefined ? {} : { namespace });
  add(chart);
  return Testing.synth(chart) as readonly Manifest[];
}
