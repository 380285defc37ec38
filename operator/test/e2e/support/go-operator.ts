/**
 * The world as the Go operator has it: its kinds, its rights, and how it writes. From its documented behaviour; every
 * line is our own.
 */

import { API_GROUP, GROUP_VERSION } from "cdk8s-flipop/api";
import { type Client, eventually } from "flipop-testbed";
import { CRDS, type InstallParts, type Manifest } from "./install.js";

const text = { type: "string" };
const texts = { type: "array", items: text };

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[] = []) {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

const match = object({
  podNamespace: text,
  podLabel: text,
  nodeLabel: text,
  tolerations: { type: "array", items: object({ key: text, operator: text, value: text, effect: text }) },
});
const dnsRecordSet = object({ recordName: text, zone: text, ttl: { type: "integer" }, provider: text });
const address = object({ state: text, nodeName: text, providerID: text, error: text });

/** Types, and little more; none of our fields. */
const KINDS = [
  {
    names: { kind: "FloatingIPPool", plural: "floatingippools", singular: "floatingippool" },
    schema: object({
      spec: object(
        {
          provider: text,
          region: text,
          desiredIPs: { type: "integer", minimum: 0 },
          ips: texts,
          assignmentCoolOffSeconds: { type: "number", minimum: 0 },
          dnsRecordSet,
          match,
        },
        ["provider"],
      ),
      status: object({
        ips: { type: "object", additionalProperties: address },
        nodeErrors: texts,
        assignableNodes: texts,
        error: text,
      }),
    }),
  },
  {
    names: {
      ...{ kind: "NodeDNSRecordSet", plural: "nodednsrecordsets", singular: "nodednsrecordset" },
      shortNames: ["nodedns"],
    },
    schema: object({
      spec: object({ provider: text, addressType: text, dnsRecordSet, match }, ["provider"]),
      status: object({ state: text, error: text }),
    }),
  },
];

/** Its kinds, as it installs them. */
export async function installGoKinds(client: Client): Promise<void> {
  for (const { names, schema } of KINDS) {
    const version = { name: "v1alpha1", served: true, storage: true, subresources: { status: {} } };
    await client.must.create(CRDS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${names.plural}.${API_GROUP}` },
      spec: {
        ...{ group: API_GROUP, scope: "Namespaced", names: { ...names, listKind: `${names.kind}List` } },
        versions: [{ ...version, schema: { openAPIV3Schema: schema } }],
      },
    });
  }
  const served = async ({ names }: (typeof KINDS)[number]) =>
    (await client.list(`/apis/${GROUP_VERSION}/${names.plural}`)).status === 200;
  await Promise.all(KINDS.map((kind) => eventually(() => served(kind), { what: `${kind.names.plural} to be served` })));
}

const NAME = "flipop";

/**
 * Its objects: it reads nodes and pods, and writes our kinds by whole updates. So it may neither patch nodes (its
 * annotation fails with 403) nor patch a status, nor write Events of events.k8s.io.
 */
export function goInstall(namespace: string): InstallParts {
  const rbac = "rbac.authorization.k8s.io";
  const read = ["get", "watch", "list"];
  const clusterName = `${NAME}-${namespace}`;
  const subjects = [{ kind: "ServiceAccount", name: NAME, namespace }];
  const bound = (
    kind: "Role" | "ClusterRole",
    metadata: Manifest["metadata"],
    rules: readonly object[],
  ): Manifest[] => [
    { apiVersion: `${rbac}/v1`, kind, metadata, rules },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: `${kind}Binding`, metadata, subjects },
      roleRef: { apiGroup: rbac, kind, name: metadata.name },
    },
  ];
  const objects: readonly Manifest[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace } },
    ...bound("ClusterRole", { name: clusterName }, [
      { apiGroups: [""], resources: ["pods", "nodes"], verbs: read },
      { apiGroups: [API_GROUP], resources: ["nodednsrecordsets"], verbs: read },
      {
        apiGroups: [API_GROUP],
        resources: ["floatingippools", "floatingippools/status", "nodednsrecordsets/status"],
        verbs: [...read, "update"],
      },
    ]),
    ...bound("Role", { name: NAME, namespace }, [
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        verbs: [...read, "update", "create", "patch", "delete"],
      },
    ]),
  ];
  // Its Deployment gives no arguments: all is in the environment.
  return { namespace, account: NAME, objects, args: [] };
}

/** What it knows of a spec: the rest goes when it writes one. */
const SPEC_FIELDS = ["ips", "desiredIPs", "provider", "region", "assignmentCoolOffSeconds", "match", "dnsRecordSet"];
const RECORD_FIELDS = ["zone", "recordName", "ttl", "provider"];

/** A status as it writes it, on top of nothing: all that it does not know is gone. */
export interface GoStatus {
  readonly ips?: Readonly<
    Record<string, { readonly state: string; readonly nodeName?: string; readonly providerID?: string }>
  >;
  readonly assignableNodes?: readonly string[];
  readonly nodeErrors?: readonly string[];
  readonly error?: string;
}

interface Whole {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Writes a pool's status: the whole object is read into its types and sent back. Metadata stays as it is. */
export async function goUpdatesStatus(client: Client, path: string, status: GoStatus): Promise<void> {
  const whole = await client.must.get<Whole & { apiVersion: string; kind: string; metadata: never }>(path);
  await client.must.update(`${path}/status`, { ...whole, spec: typedSpec(whole.spec), status });
}

/** Appends an address that it created to `spec.ips`, in the same way. */
export async function goAppends(client: Client, path: string, ip: string): Promise<void> {
  const whole = await client.must.get<Whole & { apiVersion: string; kind: string; metadata: never }>(path);
  const spec = typedSpec(whole.spec);
  await client.must.update(path, { ...whole, spec: { ...spec, ips: [...((spec["ips"] ?? []) as string[]), ip] } });
}

function typedSpec(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const known = pick(spec, SPEC_FIELDS);
  const records = known["dnsRecordSet"] as Readonly<Record<string, unknown>> | undefined;
  // A list without entries is written as null, and match always.
  return {
    ...{ ips: null, match: {} },
    ...known,
    ...(records && { dnsRecordSet: { zone: "", recordName: "", ttl: 0, ...pick(records, RECORD_FIELDS) } }),
  };
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}
