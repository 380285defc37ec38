/** An install of the operator as a user makes it: the objects of `FlipopOperator`, and the ServiceAccount's own token. */

import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Chart, Testing } from "cdk8s";
import { FlipopOperator, type FlipopOperatorProps } from "cdk8s-flipop";
import { ALL_KINDS, type AnyKind, API_GROUP, customResourceDefinition, GROUP_VERSION } from "cdk8s-flipop/api";
import { type Client, type ControlPlane, eventually } from "flipop-testbed";

export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** An object that somebody wrote or synthesised. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

export interface Install {
  /** The operator's own namespace. */
  readonly namespace: string;
  /** With the token of its ServiceAccount. */
  readonly kubeconfig: string;
  /** The command line of its Deployment. */
  readonly args: readonly string[];
  /** Takes away what is not in a namespace. */
  remove(): Promise<void>;
}

/** What is not applied: there is no kubelet that would run it, and no controller that would look at it. */
const LEFT_OUT: ReadonlySet<string> = new Set(["Deployment", "PodDisruptionBudget", "Service"]);
/** Paths of the collections, of objects without a namespace first. */
const CLUSTER_PATHS: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  ValidatingAdmissionPolicy: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
};
const NAMESPACED_PATHS: Readonly<Record<string, readonly [group: string, plural: string]>> = {
  ServiceAccount: ["/api/v1", "serviceaccounts"],
  Role: ["/apis/rbac.authorization.k8s.io/v1", "roles"],
  RoleBinding: ["/apis/rbac.authorization.k8s.io/v1", "rolebindings"],
};

/** Installs an operator in a namespace of its own, so that no other one has its Lease. */
export async function installOperator(
  plane: ControlPlane,
  props: FlipopOperatorProps = {},
  server = plane.url,
): Promise<Install> {
  const namespace = `flipop-${randomBytes(3).toString("hex")}`;
  const chart = new Chart(Testing.app(), "operator", { namespace });
  const operator = new FlipopOperator(chart, "operator", props);
  const manifests = Testing.synth(chart) as readonly Manifest[];
  const args = containerArgs(manifests);
  const objects = manifests.filter(({ kind }) => !LEFT_OUT.has(kind));
  return install(plane, { namespace, account: operator.serviceAccountName, objects, args, server });
}

export interface InstallParts {
  readonly namespace: string;
  /** Name of the ServiceAccount. */
  readonly account: string;
  readonly objects: readonly Manifest[];
  readonly args: readonly string[];
  /** Where the operator finds the API server. @default - the control plane itself */
  readonly server?: string;
}

/** Creates the objects, namespaces first, and asks for a token. */
export async function install(plane: ControlPlane, parts: InstallParts): Promise<Install> {
  const { namespace, objects, args } = parts;
  const client = plane.client();
  const isNamespace = ({ kind }: Manifest) => kind === "Namespace";
  for (const object of objects.filter(isNamespace)) await client.must.create(collectionOf(object), object);
  const others = objects.filter((object) => !isNamespace(object));
  await Promise.all(others.map((object) => client.must.create(collectionOf(object), object)));
  const kubeconfig = await serviceAccountKubeconfig(plane, parts);
  const shared = others.filter(({ metadata }) => metadata.namespace === undefined);
  const remove = async () => {
    for (const object of shared) await client.delete(`${collectionOf(object)}/${object.metadata.name}`);
  };
  return { namespace, kubeconfig, args, remove };
}

function collectionOf({ kind, metadata }: Manifest): string {
  const path = CLUSTER_PATHS[kind];
  if (path !== undefined) return path;
  const known = NAMESPACED_PATHS[kind];
  if (known === undefined) throw new Error(`no path for ${kind} ${metadata.name}: add it to the tables of install.ts`);
  return `${known[0]}/namespaces/${metadata.namespace}/${known[1]}`;
}

function containerArgs(manifests: readonly Manifest[]): readonly string[] {
  const deployment = manifests.find(({ kind }) => kind === "Deployment");
  const spec = deployment?.["spec"] as
    | { readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } } }
    | undefined;
  const args = spec?.template.spec.containers[0]?.args;
  if (args === undefined) throw new Error("the manifests hold no Deployment with a container");
  return args;
}

const TOKEN_SECONDS = 3600;

async function serviceAccountKubeconfig(plane: ControlPlane, parts: InstallParts): Promise<string> {
  const { namespace, account, server = plane.url } = parts;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const request = { spec: { expirationSeconds: TOKEN_SECONDS } };
  const { status } = await plane.client().must.create<{ status: { token: string } }>(path, request);
  const authority = { "certificate-authority-data": Buffer.from(plane.caData).toString("base64") };
  const cluster = { server, ...(server === plane.url && authority) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "e2e", cluster }],
    users: [{ name: "operator", user: { token: status.token } }],
    contexts: [{ name: "e2e", context: { cluster: "e2e", user: "operator" } }],
    "current-context": "e2e",
  };
  const file = join(plane.dir, `${namespace}.kubeconfig`);
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** Applies the definitions of our kinds, over others if there are, and waits until they are served. */
export async function installKinds(client: Client, kinds: readonly AnyKind[] = ALL_KINDS): Promise<void> {
  for (const kind of kinds) {
    const definition = customResourceDefinition(kind);
    const { status } = await client.create(CRDS, definition);
    if (status !== 409) continue;
    await client.must.patch(`${CRDS}/${definition.metadata.name}`, { spec: definition.spec });
  }
  await Promise.all(kinds.map((kind) => inForce(client, kind)));
}

/** Our schemas are in force as soon as they refuse a resource without a spec. */
async function inForce(client: Client, { kind, plural, scope }: AnyKind): Promise<void> {
  const path = `/apis/${GROUP_VERSION}${scope === "Cluster" ? "" : "/namespaces/default"}/${plural}`;
  const bad = { apiVersion: GROUP_VERSION, kind, metadata: { name: "in-force" } };
  await eventually(async () => (await client.create(path, bad, { dryRun: "All" })).status === 422, {
    what: `the schema of ${plural}.${API_GROUP} to be in force`,
  });
}
