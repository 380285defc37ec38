/** What the operator asks of nodes for one resource: reads the workload that the resource names. */

import {
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  familyOf,
  HEALTH_CHECK_DEFAULTS,
  type IpFamily,
  type NodeDNSRecordSetSpec,
  type NodeDNSRecordSetStatus,
  type RoutedIPSpec,
  type RoutedIPStatus,
  type SelectorRequirement,
} from "cdk8s-flipop/api";
import { familyOfPool } from "../../claims/pool-family.js";
import type { PodIndex } from "../../kube/cache/pods.js";
import type { SlimPod } from "../../kube/cache/slim-objects.js";
import type { Store } from "../../kube/cache/store.js";
import { isNotFound, type KubeClient } from "../../kube/client.js";
import { type KubeObject, keyOf } from "../../kube/objects.js";
import { type CompiledMatch, compileMatch, everyNode, podScopeOf } from "../../match/compile-match.js";
import {
  isWanted,
  PodWorkload,
  podAddress,
  presenceOf,
  serves,
  type Workload,
  type WorkloadSource,
} from "../../match/node-workload.js";
import { addressCapabilities } from "../../providers/address-capabilities.js";
import type { AddressCapabilities, MachineIds } from "../../providers/types.js";
import { publishedKind } from "../../records/node-addresses.js";
import {
  EndpointWorkload,
  SERVICE_LABEL,
  type SliceFacts,
  servicePresence,
  slimSlices,
} from "../../routing/endpoint-workload.js";
import { portlessPod } from "../../routing/needed-ports.js";
import {
  type ClassObject,
  classFor,
  classNameIn,
  type IssuerObject,
  readClass,
  readIssuer,
} from "../../routing/read-resources.js";
import { type LookUp, type ResolvedClass, resolveClass } from "../../routing/resolved-class.js";
import { asReached, type ServiceFacts, serviceKeyOf, serviceProblem, slimServices } from "../../routing/service.js";
import { omitUndefined } from "../../values.js";
import { CLAIMING_KINDS, ownersIn } from "../claim-checks.js";
import { CommandError } from "../command.js";
import { type KindRead, listAll, type OwnObject } from "../list-objects.js";
import { type NearPods, readNearPods } from "./near-pods.js";
import type { Question } from "./node-explanation.js";
import { withReasons } from "./pod-notes.js";
import { type PodFacts, readPods } from "./pods.js";
import { type AskedAddresses, addressesOfPool } from "./regions.js";

export interface Reader {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly reads: readonly KindRead[];
  /** The pods from which each `match` takes its own. Absent: they are read for each. */
  readonly matchedPods?: Store<PodFacts, PodIndex>;
}

/** The part of a question that reads come up with; who holds what is known beside it. */
export interface Asked extends Omit<Question, "room" | "regions"> {
  /** Absent: its addresses go to nodes of any region. */
  readonly addresses?: AskedAddresses;
  /** Addresses that a node may hold. Absent: the resource gives nodes no address. */
  readonly limit?: number;
  /** Of the addresses that the resource needs room for: the limit counts each family by itself. */
  readonly family?: IpFamily;
  /** For people: what is asked of nodes. */
  readonly text: string;
  /** What is there instead of the pods asked for. Absent: one of them serves. */
  readonly near?: NearPods;
  /** Why no node can serve the resource, whatever the nodes are like. */
  readonly problems: readonly string[];
}

/** The address that the operator probes; `undefined`: it probes no node, or a pod. */
function probedAddress(spec: OwnObject["spec"]): Pick<Question, "probes"> {
  const { healthCheck } = (spec ?? {}) as Pick<FloatingIPPoolSpec, "healthCheck">;
  const address = healthCheck?.address ?? HEALTH_CHECK_DEFAULTS.address;
  return healthCheck === undefined || address === "PodIP" ? {} : { probes: address };
}

/** By kind: what is asked of nodes. @throws CommandError for a spec that asks for nothing usable */
export const QUESTIONS: Readonly<Record<string, (reader: Reader, object: OwnObject) => Promise<Asked>>> = {
  FloatingIPPool: async (reader, { spec, status }) => {
    const { provider, match } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
    const capabilities = addressCapabilities(provider ?? "");
    const asked = await askMatch(reader, match, capabilities);
    const problems = capabilities === undefined ? [`no provider of addresses has the name "${provider ?? ""}"`] : [];
    const family = familyOfPool({ spec, status: status as FloatingIPPoolStatus | undefined });
    const room = { limit: limitOf(capabilities), family };
    const { nodeErrors = [] } = (status ?? {}) as Pick<FloatingIPPoolStatus, "nodeErrors">;
    const known = { failedProbes: failedProbesOf(status), refusing: new Set(nodeErrors) };
    const addresses = regionalOnly(capabilities, addressesOfPool(spec, status));
    return { ...asked, problems, ...known, ...probedAddress(spec), ...room, ...addresses };
  },
  NodeDNSRecordSet: async (reader, { spec = {}, status }) => {
    const { match } = spec as Partial<NodeDNSRecordSetSpec>;
    const asked = await askMatch(reader, match, undefined);
    const { addresses = [] } = (status ?? {}) as Pick<NodeDNSRecordSetStatus, "addresses">;
    const published = new Set(addresses.map(({ nodeName }) => nodeName));
    const probes = { failedProbes: failedProbesOf(status), ...probedAddress(spec) };
    return { ...asked, problems: [], ...probes, publishes: publishedKind(spec), published };
  },
  RoutedIP: askService,
};

/** Those in doubt move no address, but a person who asks about the node wants to see them. */
function failedProbesOf(status: OwnObject["status"]): ReadonlyMap<string, string> {
  const { failedProbes = [] } = (status ?? {}) as Pick<FloatingIPPoolStatus, "failedProbes">;
  return new Map(failedProbes.map(({ nodeName, error }) => [nodeName, error]));
}

function limitOf(capabilities: AddressCapabilities | undefined, classLimit = 1): number {
  return Math.max(1, Math.min(capabilities?.addressesPerNode ?? 1, classLimit));
}

function regionalOnly(
  capabilities: AddressCapabilities | undefined,
  addresses: AskedAddresses,
): Pick<Asked, "addresses"> {
  return capabilities?.regional === true ? { addresses } : {};
}

type Spec = Parameters<typeof compileMatch>[0];

/** Problems are those of the caller. */
async function askMatch(
  reader: Reader,
  spec: Spec,
  machines: MachineIds | undefined,
): Promise<Omit<Asked, "problems">> {
  const compiled = compileMatch(spec, machines);
  if (!compiled.ok) {
    const [mistake] = compiled.problems;
    throw new CommandError(`spec.${mistake?.field} is not usable: ${mistake?.message}`);
  }
  const { match } = compiled;
  return { match, text: matchText(spec, match), ...(await askPodsOf(reader, match)) };
}

async function askPodsOf(reader: Reader, { pods }: CompiledMatch): Promise<Pick<Asked, "workload" | "pods" | "near">> {
  if (pods === undefined) return {};
  const store = reader.matchedPods ?? (await readPods(reader, podScopeOf(pods)));
  const wanted = [...store.list()].filter((pod) => isWanted(pod, pods));
  const near = await readNearPods(reader, pods, wanted, "spec.match.podLabel");
  return { workload: withReasons(new PodWorkload(store, pods), wanted), pods: wanted, ...omitUndefined({ near }) };
}

function matchText({ nodeLabel, podLabel, podNamespace }: NonNullable<Spec> = {}, { pods }: CompiledMatch): string {
  const labels = nodeLabel ? `nodes with ${nodeLabel}` : "all nodes";
  if (pods === undefined) return labels;
  const any = podLabel ? "" : ` (podLabel is absent: every pod of namespace ${podNamespace} counts)`;
  return `${labels} that run a ready ${pods.text}${any}`;
}

async function askService(reader: Reader, object: OwnObject): Promise<Asked> {
  const { metadata, status } = object;
  const spec = specOf(object);
  const key = serviceKeyOf(metadata, spec);
  const [namespace = "", name = ""] = key.split("/");
  const [service, slices] = await Promise.all([
    readService(reader, namespace, name),
    readSlices(reader, namespace, name),
  ]);
  const resolution = resolveClass({ metadata, spec, status: status as RoutedIPStatus }, lookUpOf(reader.reads));
  const unsuitable = serviceProblem({ key, namespace: metadata.namespace ?? "", service });
  const capabilities = capabilitiesOf(resolution.resolvedClass);
  const isProviders = (each: string) => ownersIn(reader.reads.filter(isClaiming)).has(each);
  const problems = [resolution.problem, unsuitable].flatMap((problem) => problem?.message ?? []);
  const { region = "" } = resolution.resolvedClass?.by === "issuer" ? resolution.resolvedClass : {};
  const ip = addressOf(object);
  return {
    match: everyNode(capabilities),
    ...(await askPods(reader, { key, service: service && asReached(service, capabilities, isProviders), slices })),
    text: `nodes with a ready endpoint of Service ${key}`,
    failedProbes: failedProbesOf(status),
    ...probedAddress(object.spec),
    family: familyOf(ip),
    ...{ problems, limit: limitOf(capabilities, resolution.resolvedClass?.perNodeIPLimit) },
    ...regionalOnly(capabilities, { ips: ip === "" ? [] : [ip], creates: ip === "", region }),
  };
}

function isClaiming({ kind: { kind } }: KindRead): boolean {
  return CLAIMING_KINDS.some((one) => one.kind === kind);
}

interface FollowedService {
  readonly key: string;
  readonly service: ServiceFacts | undefined;
  readonly slices: readonly SliceFacts[];
}

/** The endpoints decide. Of a node without a ready one, the pods there say why. */
async function askPods(
  reader: Reader,
  { key, service, slices }: FollowedService,
): Promise<Pick<Asked, "runsPod" | "pods" | "near"> & { readonly workload: WorkloadSource }> {
  const { namespace = "", selector } = service ?? {};
  if (selector === undefined) return { workload: new EndpointWorkload(key, () => slices) };
  const pods = await readPods(reader, { namespace, selector: { matchLabels: selector } });
  const podsOn = (node: string) => [...pods.byIndex("node", node)];
  const endpoints = new EndpointWorkload(
    key,
    () => slices,
    (node) => podAddress(podsOn(node)),
    {
      presence: () => servicePresence([...pods.list()]),
      closedOn: (node) => service && portlessPod(service, podsOn(node), pods.list()),
      podOf: (pod) => pods.get(pod),
    },
  );
  const workload: WorkloadSource = {
    text: endpoints.text,
    nodes: () => endpoints.nodes(),
    presence: () => endpoints.presence(),
    on: (node) => withPods(endpoints.on(node), podsOn(node)),
    servingOn: (node) => (endpoints.on(node).state === "serving" ? podsOn(node).filter(serves).map(keyOf).sort() : []),
    podlessOn: (node) => endpoints.podlessOn(node),
  };
  const all = [...pods.list()];
  const requirements = Object.entries(selector).map(([label, value]) => requirementFor(label, value));
  const near = await readNearPods(reader, { namespace, requirements }, all, `the selector of Service ${key}`);
  const runsPod = (node: string) => podsOn(node).length > 0;
  return { workload: withReasons(workload, all), runsPod, pods: all, ...omitUndefined({ near }) };
}

function requirementFor(key: string, value: string): SelectorRequirement {
  return { key, operator: "In", values: [value] };
}

function withPods(workload: Workload, pods: readonly SlimPod[]): Workload {
  if (workload.state === "serving" || ("pod" in workload && workload.pod !== undefined)) return workload;
  const found = presenceOf(pods, "no pod of the Service is on it");
  if (found.pods === "unknown") return workload;
  const named = workload.state === "unready" && found.pods === "some" ? { pod: found.pod } : {};
  return { ...workload, detail: `${workload.detail} (${found.detail})`, ...named };
}

/** Empty: it has none yet. */
function addressOf(object: OwnObject): string {
  const { routedIP } = (object.status ?? {}) as RoutedIPStatus;
  return specOf(object).routedIP || routedIP || "";
}

/** The CRD has checked the types of its fields. */
function specOf({ spec }: KubeObject): RoutedIPSpec {
  return spec as RoutedIPSpec;
}

function capabilitiesOf(resolved: ResolvedClass | undefined): AddressCapabilities | undefined {
  return resolved?.by === "issuer" ? addressCapabilities(resolved.provider) : undefined;
}

async function readService({ client, signal }: Reader, namespace: string, name: string) {
  const path = `/api/v1/namespaces/${namespace}/services/${name}`;
  try {
    return slimServices(await client.request<KubeObject>({ method: "GET", path, signal }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function readSlices({ client, signal }: Reader, namespace: string, name: string) {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const slices = await listAll<KubeObject>(client, { path, labelSelector: `${SERVICE_LABEL}=${name}` }, signal);
  return slices.map((slice) => slimSlices(slice));
}

/** As the operator looks them up: by its class name, the oldest class of that name. */
export function lookUpOf(reads: readonly KindRead[]): LookUp {
  const objects = (kind: string) => reads.find((read) => read.kind.kind === kind)?.objects ?? [];
  const classes = objects("ClusterRoutedIPClass") as readonly ClassObject[];
  const issuers = objects("RoutedIPIssuer") as readonly IssuerObject[];
  return {
    class: (name) => {
      const serving = classFor(name, classes);
      return readClass(classes.find(({ metadata }) => metadata.name === serving));
    },
    classNameOf: (name) => classNameIn(classes.find(({ metadata }) => metadata.name === name)),
    issuer: (key) => readIssuer(issuers.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key)),
  };
}
