import { Chart, Testing, Yaml } from "cdk8s";
import {
  type Client,
  type ControlPlane,
  controlPlaneOrSkip,
  eventually,
  type Identity,
  type SuiteContext,
} from "flipop-testbed";
import { FlipopCrds, FlipopOperator, type FlipopOperatorProps } from "../../src";
import { installCrds } from "./cluster";

/** Operators that suites install, each in a namespace of the same name; `author` is a user without one. */
export const OPERATORS = ["wide", "narrow", "records", "guarded", "confined", "limited", "author"] as const;

/** Name of an operator, and of its namespace and ServiceAccount. */
export type OperatorName = (typeof OPERATORS)[number];

/** The user name of an operator's ServiceAccount. */
export function identityOf(name: OperatorName): string {
  return `system:serviceaccount:${name}:${name}`;
}

/** A real control plane with controllers and an identity for each operator; the suites of a process share it. */
export async function operatorCluster(context: SuiteContext): Promise<ControlPlane> {
  const identities = OPERATORS.map<Identity>((name) => ({
    name: identityOf(name),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${name}`, "system:authenticated"],
  }));
  const plane = await controlPlaneOrSkip(context, { controllerManager: true, identities });
  await apply(plane, crdsYaml() + monitoringCrds());
  // kubectl does not wait for a kind to which the server has given no condition yet: it fails at once.
  const established = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"];
  await eventually(async () => (await plane.kubectl(established)).code === 0, { what: "the kinds to be established" });
  // The server reports Established before the first list works.
  await installCrds(plane.client());
  return plane;
}

/** Synthesises an operator and applies it like a user. Returns the lines of kubectl's output. */
export function installOperator(plane: ControlPlane, props: FlipopOperatorProps): Promise<readonly string[]> {
  return apply(plane, operatorYaml(props));
}

interface Policy {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] };
  };
}

/** What the server's type check finds in a policy. Waits for the check of its current version. */
export async function typeWarnings(client: Client, path: string): Promise<readonly unknown[]> {
  const { status } = await eventually(
    async () => {
      const policy = await client.must.get<Policy>(path);
      return policy.status?.observedGeneration === policy.metadata.generation && policy;
    },
    { what: "the type check of the policy" },
  );
  return status?.typeChecking?.expressionWarnings ?? [];
}

/** The manifests of an operator. */
export function operatorYaml(props: FlipopOperatorProps, constructId = "operator"): string {
  const chart = Testing.chart();
  new FlipopOperator(chart, constructId, props);
  return Yaml.stringify(...Testing.synth(chart));
}

/** Runs `kubectl apply` and returns the lines of both outputs, including warnings. Throws if it fails. */
export function apply(plane: ControlPlane, yaml: string): Promise<readonly string[]> {
  return kubectl(plane, ["apply", "-f", "-"], yaml);
}

async function kubectl(plane: ControlPlane, args: readonly string[], input = ""): Promise<readonly string[]> {
  const { stdout, stderr, code } = await plane.kubectl(args, { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
  return `${stderr}${stdout}`.split("\n").filter((line) => line !== "");
}

function crdsYaml(): string {
  const chart = new Chart(Testing.app(), "crds");
  new FlipopCrds(chart, "crds");
  return `${Yaml.stringify(...Testing.synth(chart))}---\n`;
}

/** The kinds of the Prometheus operator, without their schemas. */
function monitoringCrds(): string {
  const kinds = { ServiceMonitor: "servicemonitors", PodMonitor: "podmonitors", PrometheusRule: "prometheusrules" };
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const definitions = Object.entries(kinds).map(([kind, plural]) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: { group: "monitoring.coreos.com", scope: "Namespaced", names: { kind, plural }, versions },
  }));
  return Yaml.stringify(...definitions);
}
