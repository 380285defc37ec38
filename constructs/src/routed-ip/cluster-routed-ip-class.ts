import type { ApiObject, Duration } from "cdk8s";
import type { Construct } from "constructs";
import type { ClusterRoutedIPClassSpec, ElectedNodeTaint as TaintFields } from "../api/kinds/cluster-routed-ip-class";
import { FlipopResource, type FlipopResourceProps, type IFlipopResource } from "../flipop-resource";
import type { TaintEffect } from "../match/taint-effect";
import { checkClassUse } from "../private/checks/check-class-use";
import { defineResource } from "../private/define-resource";
import { textOf, wholeSeconds, written } from "../private/field-values";
import type { FactsOf } from "../private/prop-shapes";
import { PART } from "../private/prop-types";
import type { Draft } from "../private/refusal-collector";
import { ImportedResource } from "../private/rights/imported-resource";
import { LIMIT_FACTS, limitFields } from "../private/write-limits";
import type { SecretRef } from "../secret-ref";
import type { ClassImplementation } from "./class-implementation";
import type { PortRange } from "./port-range";
import type { RoutedIPLimits } from "./routed-ip-limits";

/** A ClusterRoutedIPClass of this app, or one that is defined outside of it. */
export interface IClusterRoutedIPClass extends IFlipopResource {
  /** The name by which RoutedIPs use the class. No other kind has this member, so that compilers refuse references of other kinds. */
  readonly clusterRoutedIpClassName: string;

  /**
   * Namespaces whose RoutedIPs may use the class, if known at synthesis.
   *
   * @default - all namespaces, or not known
   */
  readonly allowedNamespaces?: string[] | undefined;
}

/** The taint of the node that holds an address. */
export interface ElectedNodeTaint {
  /**
   * Key of the taint. It must begin with `flipop.digitalocean.com/`.
   *
   * @default - flipop.digitalocean.com/routed-ip
   */
  readonly key?: string;

  /**
   * Value of the taint.
   *
   * @default - empty
   */
  readonly value?: string;

  /**
   * Effect of the taint. NO_EXECUTE is refused, because it would evict the pods behind the address.
   *
   * @default TaintEffect.PREFER_NO_SCHEDULE
   */
  readonly effect?: TaintEffect;
}

/** Props of a ClusterRoutedIPClass. */
export interface ClusterRoutedIPClassProps extends FlipopResourceProps, RoutedIPLimits {
  /**
   * Name by which RoutedIPs use the class. If two classes have the same name, the older one serves.
   *
   * @default - the name of the object
   */
  readonly className?: string;

  /** Implementation of the RoutedIPs of the class: a RoutedIPIssuer, or your own Jobs. */
  readonly implementation: ClassImplementation;

  /**
   * Whether the operator changes the firewall after it assigns the address (true) or before (false). With false, a first
   * firewall Job opens the elected node's ports, and a second one closes those of the previous node after the
   * assignment. Refused if the class has Jobs, but none for the firewall.
   *
   * @default false
   */
  readonly firewallPostAllow?: boolean;

  /**
   * The cluster's range of NodePorts. The operator adds no firewall rules for ports in this range: they must already be
   * open.
   *
   * @default PortRange.of(30000, 32767)
   */
  readonly nodePorts?: PortRange;

  /**
   * Maximum number of addresses on one node, 1 to 100, including those of pools. If the provider has a lower limit,
   * that limit applies; DigitalOcean's limit is 1.
   *
   * @default 1
   */
  readonly perNodeIpLimit?: number;

  /**
   * Secrets in the namespace of the Jobs, 16 at most. The Jobs get their entries as environment variables. Refused if
   * the class has an issuer.
   *
   * @default - none
   */
  readonly secrets?: SecretRef[];

  /**
   * Namespace in which the Jobs run: one of the operator's `jobNamespaces`. Refused if the class has an issuer.
   *
   * @default - the first of the operator's `jobNamespaces`, which is `flipop-jobs` by default
   */
  readonly jobNamespace?: string;

  /**
   * Time for the pod of a Job to start: whole seconds, 10 seconds to 10 minutes. After that, the Job counts as failed.
   * Refused if the class has an issuer.
   *
   * @default Duration.minutes(1)
   */
  readonly startDeadline?: Duration;

  /**
   * The taint of the node that holds an address.
   *
   * @default - flipop.digitalocean.com/routed-ip, without a value, with effect PreferNoSchedule
   */
  readonly electedNodeTaint?: ElectedNodeTaint;

  /**
   * Namespaces whose RoutedIPs may use the class, 256 at most. An empty list is refused, because no RoutedIP could use
   * the class.
   *
   * @default - all namespaces
   */
  readonly allowedNamespaces?: string[];
}

const FACTS: FactsOf<ClusterRoutedIPClassProps> = {
  className: { fields: ["className"], part: PART.text },
  implementation: {
    fields: ["issuerRef", "updateRoutedIP", "updateFirewall"],
    required: true,
    part: PART.clusterClass,
  },
  firewallPostAllow: { fields: ["firewallPostAllow"] },
  nodePorts: { fields: ["nodePortRange"], part: PART.ports },
  perNodeIpLimit: { fields: ["perNodeIPLimit"] },
  secrets: { fields: ["fromSecretsRef"], part: PART.secret, list: true },
  jobNamespace: { fields: ["jobNamespace"] },
  startDeadline: { fields: ["startDeadlineSeconds"], part: PART.duration },
  electedNodeTaint: {
    fields: ["electedNodeTaint"],
    struct: { key: { part: PART.text }, value: { part: PART.text }, effect: { part: PART.text } },
  },
  allowedNamespaces: { fields: ["allowedNamespaces"], list: true },
  ...LIMIT_FACTS,
};

/**
 * A class of RoutedIPs and its implementation: a RoutedIPIssuer, or your own Jobs for any platform.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { ClassImplementation, ClusterRoutedIPClass, RoutedIPJob, SecretRef } from "cdk8s-flipop";
 *
 * const app = new App();
 * const chart = new Chart(app, "classes");
 *
 * new ClusterRoutedIPClass(chart, "public", {
 *   metadata: { name: "public" },
 *   implementation: ClassImplementation.jobs(
 *     RoutedIPJob.container({ image: "registry.example/update-ip:1.4", args: ["assign"] }),
 *     RoutedIPJob.container({ image: "registry.example/update-ip:1.4", args: ["firewall"] }),
 *   ),
 *   secrets: [SecretRef.fromSecretName("my-cloud")],
 *   allowedNamespaces: ["game"],
 * });
 * app.synth();
 */
export class ClusterRoutedIPClass extends FlipopResource implements IClusterRoutedIPClass {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /**
   * A class that is defined outside of this app.
   *
   * @param scope parent construct of the reference
   * @param id construct id of the reference
   * @param name the name by which RoutedIPs use the class
   */
  public static fromClusterRoutedIPClassName(scope: Construct, id: string, name: string): IClusterRoutedIPClass {
    return new Imported(scope, { id, kind: "ClusterRoutedIPClass", name });
  }

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  private readonly addedNamespaces: string[] = [];
  private readonly addedSecrets: SecretRef[] = [];
  private readonly givenNamespaces: string[] | undefined;
  private readonly givenName: string | undefined;

  constructor(scope: Construct, id: string, props: ClusterRoutedIPClassProps) {
    super(scope, id);
    this.givenNamespaces = props?.allowedNamespaces;
    this.givenName = props?.className;
    this.apiObject = defineResource(this, {
      kind: "ClusterRoutedIPClass",
      props,
      facts: FACTS,
      additions: { allowedNamespaces: this.addedNamespaces, secrets: this.addedSecrets },
      write: writeSpec,
      check: checkClassUse,
    });
  }

  /**
   * Namespaces whose RoutedIPs may use the class.
   *
   * @default - all namespaces
   */
  public get allowedNamespaces(): string[] | undefined {
    const { givenNamespaces: given, addedNamespaces: added } = this;
    return added.length > 0 && (given === undefined || Array.isArray(given)) ? [...(given ?? []), ...added] : given;
  }

  /**
   * Allows the RoutedIPs of namespaces to use the class. The first call on a class without `allowedNamespaces` limits it
   * to these namespaces.
   *
   * @param namespaces names of namespaces
   */
  public allowNamespace(...namespaces: string[]): void {
    this.addedNamespaces.push(...namespaces);
  }

  /**
   * Adds Secrets whose entries the Jobs get as environment variables.
   *
   * @param secrets Secrets in the namespace of the Jobs
   */
  public addSecrets(...secrets: SecretRef[]): void {
    this.addedSecrets.push(...secrets);
  }

  /** The name by which RoutedIPs use the class. */
  public get clusterRoutedIpClassName(): string {
    return this.givenName ?? this.name;
  }
}

class Imported extends ImportedResource implements IClusterRoutedIPClass {
  readonly allowedNamespaces = undefined;

  get clusterRoutedIpClassName(): string {
    return this.name;
  }
}

function writeSpec(props: ClusterRoutedIPClassProps, draft: Draft): ClusterRoutedIPClassSpec {
  const implementation = props.implementation._write(draft.at("implementation"));
  return written({
    className: props.className,
    ...implementation,
    firewallPostAllow: props.firewallPostAllow,
    nodePortRange: props.nodePorts?._write(draft.at("nodePorts")),
    perNodeIPLimit: props.perNodeIpLimit,
    fromSecretsRef: props.secrets?.map((secret, index) =>
      secret._write(draft.at(`secrets[${index}]`), props.jobNamespace),
    ),
    jobNamespace: props.jobNamespace,
    startDeadlineSeconds: wholeSeconds(props.startDeadline, draft.at("startDeadline")),
    electedNodeTaint: props.electedNodeTaint && writeTaint(props.electedNodeTaint),
    allowedNamespaces: props.allowedNamespaces,
    ...limitFields(props),
  });
}

// NoExecute is not in the field's type; the schema's check reports it.
function writeTaint({ key, value, effect }: ElectedNodeTaint): TaintFields {
  return written({ key, value, effect: textOf(effect) as TaintFields["effect"] });
}
