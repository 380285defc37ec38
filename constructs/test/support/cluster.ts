import { type Client, type ControlPlane, controlPlaneOrSkip, eventually, type SuiteContext } from "flipop-testbed";
import { ALL_KINDS, type AnyKind, customResourceDefinitions, GROUP_VERSION, KINDS, type KindName } from "../../src/api";

/** Path of the collection of CustomResourceDefinitions. */
export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A real control plane that serves the five kinds; the suites of a process share it. */
export async function clusterWithCrds(context: SuiteContext, emulatedVersion?: string): Promise<ControlPlane> {
  const plane = await controlPlaneOrSkip(context, emulatedVersion === undefined ? {} : { emulatedVersion });
  await installCrds(plane.client());
  return plane;
}

/** Creates the missing CustomResourceDefinitions, and waits until the server serves all of them. */
export async function installCrds(client: Client): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const crd of customResourceDefinitions()) {
    const answer = await client.create(CRDS, crd);
    if (answer.status !== 201 && answer.status !== 409) throw new Error(JSON.stringify(answer.body));
    warnings.push(...answer.warnings);
  }
  for (const kind of ALL_KINDS) await served(client, kind);
  return warnings;
}

/** Path of the collection of a kind. */
export function collection(kind: KindName, namespace = "default"): string {
  const { plural, scope } = KINDS[kind];
  const root = `/apis/${GROUP_VERSION}`;
  return scope === "Namespaced" ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

/** A flipop resource, ready for creation. */
export function resource(kind: KindName, spec: unknown, name?: string) {
  const metadata = name === undefined ? { generateName: "case-" } : { name };
  return { apiVersion: GROUP_VERSION, kind, metadata, spec };
}

async function served(client: Client, kind: AnyKind): Promise<void> {
  const path = `/apis/${GROUP_VERSION}/${kind.plural}`;
  await eventually(async () => (await client.list(path)).status === 200, { what: `${kind.kind} to be served` });
}
