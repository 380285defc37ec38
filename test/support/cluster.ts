import { Chart, Testing, Yaml } from "cdk8s";
import { FlipopCrds } from "cdk8s-flipop";
import { type ControlPlane, eventually } from "flipop-testbed";
import type { Manifests } from "./examples.js";

/**
 * Installs flipop's kinds and, without their schemas, those of the Prometheus operator; waits until the server serves
 * them.
 */
export async function installKinds(plane: ControlPlane): Promise<void> {
  const chart = new Chart(Testing.app(), "crds");
  new FlipopCrds(chart, "crds");
  await apply(plane, Yaml.stringify(...Testing.synth(chart), ...monitoringKinds()));
  // kubectl does not wait for a kind to which the server has given no condition yet: it fails at once.
  const established = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"];
  await eventually(async () => (await plane.kubectl(established)).code === 0, { what: "the kinds to be established" });
}

/** Applies everything except the kinds, in the order of the files. */
export function applyExample(plane: ControlPlane, manifests: Manifests): Promise<readonly string[]> {
  return apply(plane, textOf(manifests));
}

function textOf(manifests: Manifests): string {
  const rest = [...manifests].filter(([file]) => file !== "crds.k8s.yaml");
  return rest.map(([, text]) => text).join("---\n");
}

/** Runs `kubectl diff` for everything except the kinds. Returns its output, which is empty if nothing would change. */
export async function diffExample(plane: ControlPlane, manifests: Manifests): Promise<string> {
  const { stdout, stderr, code } = await plane.kubectl(["diff", "-f", "-"], { input: textOf(manifests) });
  // The exit code is 1 for differences, and higher for an error.
  if (code !== 0 && code !== 1) throw new Error(`kubectl diff: ${stderr}`);
  return `${stdout}${stderr}`;
}

/** Runs `kubectl apply` and returns the lines of both outputs, including warnings. Throws if it fails. */
export function apply(plane: ControlPlane, yaml: string): Promise<readonly string[]> {
  return kubectl(plane, ["apply", "-f", "-"], yaml);
}

async function kubectl(plane: ControlPlane, args: readonly string[], input = ""): Promise<readonly string[]> {
  const { stdout, stderr, code } = await plane.kubectl(args, { input });
  const lines = `${stderr}${stdout}`.split("\n").filter((line) => line !== "");
  if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${lines.join("\n")}`);
  return lines;
}

function monitoringKinds(): readonly object[] {
  const kinds = { ServiceMonitor: "servicemonitors", PrometheusRule: "prometheusrules" };
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  return Object.entries(kinds).map(([kind, plural]) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: { group: "monitoring.coreos.com", scope: "Namespaced", names: { kind, plural }, versions },
  }));
}
