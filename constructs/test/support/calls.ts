import type { Client, Query } from "flipop-testbed";
import { API_GROUP, API_VERSION, type Permission, type Verb } from "../../src/api";

/** A call of the API, in RBAC's terms. */
export interface Call {
  readonly verb: Verb;
  readonly path: string;
  readonly body?: unknown;
  /** The one object of a list or watch: a rule with names allows no other. */
  readonly named?: string;
}

/** The server's response to a call. */
export interface CallAnswer {
  readonly status: number;
  /** The call and the answer, for messages. */
  readonly text: string;
}

/** Versions of the groups that the operator uses. */
const VERSIONS: Readonly<Record<string, string>> = {
  "": "/api/v1",
  [API_GROUP]: `/apis/${API_GROUP}/${API_VERSION}`,
  "coordination.k8s.io": "/apis/coordination.k8s.io/v1",
  "events.k8s.io": "/apis/events.k8s.io/v1",
  "externaldns.k8s.io": "/apis/externaldns.k8s.io/v1alpha1",
  "gateway.networking.k8s.io": "/apis/gateway.networking.k8s.io/v1",
  "discovery.k8s.io": "/apis/discovery.k8s.io/v1",
  batch: "/apis/batch/v1",
};
/** Resources that have no namespace. */
const CLUSTER_SCOPED = ["nodes", "clusterroutedipclasses"];
const METHODS: Readonly<Record<Verb, string>> = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};
/** HTTP methods of the verbs that change nothing; the tests send the others as dry runs. */
const QUERIES: Readonly<Partial<Record<Verb, Query>>> = {
  get: {},
  list: {},
  watch: { watch: true, timeoutSeconds: 1 },
};
const OBJECT_VERBS: readonly Verb[] = ["get", "update", "patch", "delete"];
/** Namespace for verbs that need one if the permission covers the whole cluster. */
const SOME_NAMESPACE = "default";

/** The calls that a permission allows, in one namespace or (undefined) in the whole cluster. */
export function callsOf(permission: Permission, namespace: string | undefined): readonly Call[] {
  const names = permission.resourceNames ?? ["missing"];
  return permission.verbs.flatMap((verb) =>
    permission.resources.flatMap((resource) =>
      names.map((name) => callOf(permission, { verb, resource, name, namespace })),
    ),
  );
}

interface Wanted {
  readonly verb: Verb;
  readonly resource: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

function callOf({ apiGroup, resourceNames }: Permission, { verb, resource, name, namespace }: Wanted): Call {
  const [plural = "", subresource] = resource.split("/");
  const onObject = OBJECT_VERBS.includes(verb);
  const inNamespace = namespace ?? (onObject || verb === "create" ? SOME_NAMESPACE : undefined);
  const scope = inNamespace === undefined || CLUSTER_SCOPED.includes(plural) ? [] : ["namespaces", inNamespace];
  const object = onObject ? [name, subresource] : [];
  const parts = [VERSIONS[apiGroup], ...scope, plural, ...object].filter((part) => part !== undefined);
  const body = verb === "create" || verb === "update" ? bodyOf(plural, name, inNamespace) : { metadata: {} };
  return { verb, path: parts.join("/"), body, ...selectionOf(resourceNames, verb, name) };
}

function selectionOf(resourceNames: Permission["resourceNames"], verb: Verb, name: string): Pick<Call, "named"> {
  return resourceNames !== undefined && (verb === "list" || verb === "watch") ? { named: name } : {};
}

/** Pod Security "restricted" allows it. */
const RESTRICTED_POD = {
  securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    {
      ...{ name: "a", image: "a" },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    },
  ],
};

/** A valid body, so that a creation can succeed. */
function bodyOf(plural: string, name: string, namespace: string | undefined): unknown {
  const metadata = { name, namespace };
  switch (plural) {
    case "leases":
      return { metadata, spec: { holderIdentity: "test" } };
    case "events":
      return {
        metadata,
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "flipop.digitalocean.com/flipop",
        reportingInstance: "test",
        action: "Test",
        reason: "Test",
        type: "Normal",
        regarding: { kind: "Node", name: "x" },
      };
    case "dnsendpoints":
      return { metadata };
    case "jobs":
      return {
        metadata,
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
      };
    case "pods":
      return { metadata, spec: RESTRICTED_POD };
    default:
      throw new Error(`no body for ${plural}: add one here`);
  }
}

/** Makes a call with the identity of the client, as a dry run. */
export async function answerTo(client: Client, { verb, path, body, named }: Call): Promise<CallAnswer> {
  const { status, body: answer } = await client.request<unknown>({
    method: METHODS[verb],
    ref: path,
    query: { ...(QUERIES[verb] ?? { dryRun: "All" }), ...(named && { fieldSelector: `metadata.name=${named}` }) },
    ...(verb === "create" || verb === "update" || verb === "patch" ? { body } : {}),
    ...(verb === "patch" ? { contentType: "application/merge-patch+json" } : {}),
  });
  return { status, text: `${verb} ${path}: ${JSON.stringify(answer)}` };
}
