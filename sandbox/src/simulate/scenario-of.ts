/** The scenario of a simulation: the app's objects, nodes and clouds that fit them, and the failure. */

import { type DnsRecordSet, HOLDER_LABEL_PREFIX } from "cdk8s-flipop/api";
import {
  type CloudSetup,
  DEFAULT_LEASE_MS,
  type NodeGroup,
  type NodeRef,
  type Scenario,
  type Step,
  type StepKind,
} from "../story/scenario/scenario.js";
import type { AppObjects, Resource } from "./app-objects.js";
import { labelsFor, merged } from "./labels.js";
import type { SimulatedNodes, SimulateOptions } from "./options.js";
import { type StandIn, standIns } from "./stand-ins.js";

const DEFAULT_REGION = "nyc3";
const DEFAULT_VERSION = "v1.35.4";
const DEFAULT_ZONE = "example.com";
const NODE_POOL = "doks.digitalocean.com/node-pool";
const FEWEST_NODES = 3;
const SETTLE_MS = 600_000;
/** A spare part of the account's limit, so that the limit stops no correct operator. */
const SPARE_ADDRESSES = 5;
const PLACE = "simulate";
/** The token of the simulated account, for issuers. */
const TOKEN = "dop_v1_simulated";

/** The step of the failure. */
export type FailureStep = Step & { readonly do: "fail"; readonly node: Holder };
type Holder = Exclude<NodeRef, { readonly by: "all" }>;

/** A scenario, and its step of the failure, which is one of its steps. */
export interface SimulationScenario {
  readonly scenario: Scenario;
  readonly failure: FailureStep | undefined;
}

/** Throws if the app cannot be simulated. */
export function scenarioOf(objects: AppObjects, options: SimulateOptions): SimulationScenario {
  const { pools, nodeRecords, routedIps, issuers } = objects;
  if (pools.length + nodeRecords.length + routedIps.length === 0) {
    throw new Error("the app has no FloatingIPPool, NodeDNSRecordSet or RoutedIP: add one");
  }
  refuseJobs(objects);
  const failure = failureOf(options);
  const acts = [
    { title: "the start", about: "", steps: [step({ do: "apply", objects: applied(objects) }), settle()] },
    ...(failure ? [{ title: "the failure", about: "", steps: [failure, settle()] }] : []),
    ...(failure
      ? [{ title: "the recovery", about: "", steps: [step({ do: "recover", node: { by: "all" } }), settle()] }]
      : []),
  ];
  const scenario = {
    ...{ title: "simulation", about: "", speed: undefined, acts },
    nodes: options.nodes?.map(nodeGroup) ?? [defaultNodes(objects)],
    cloud: cloudOf(objects),
    operator: { issuerNamespaces: [...new Set(issuers.map(({ metadata }) => metadata.namespace))] },
  };
  return { scenario, failure };
}

function step(fields: StepKind): Step {
  return { place: PLACE, ...fields };
}

function settle(): Step {
  return step({ do: "settle", withinMs: SETTLE_MS });
}

function failureOf({ fail }: SimulateOptions): FailureStep | undefined {
  return fail === undefined ? undefined : { place: PLACE, do: "fail", node: nodeRef(fail) };
}

function nodeRef(text: string): Holder {
  const [, namespace, name] = /^holder of ([a-z0-9.-]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) {
    return { by: "holder", address: { by: "pool", namespace, name, index: 1 } };
  }
  if (/^[a-z0-9.-]+$/.test(text)) return { by: "name", name: text };
  throw new Error(`fail: "${text}" is not a node: write a name such as node-1, or "holder of NAMESPACE/NAME"`);
}

/** Jobs are programs of the user, which a simulation cannot run. */
function refuseJobs({ classes, routedIps }: AppObjects): void {
  const withJobs = classes.filter(({ spec }) => spec.issuerRef === undefined).map(({ metadata }) => metadata.name);
  const user = routedIps.find(({ spec }) => spec.className !== undefined && withJobs.includes(spec.className));
  if (user) throw new Error(`RoutedIP ${user.metadata.name} needs Jobs, which a simulation does not run: leave it out`);
}

function applied(objects: AppObjects): readonly StandIn[] {
  const { pools, nodeRecords, routedIps, issuers, classes, workloads, services } = objects;
  const all = [...standIns(objects, TOKEN), ...services, ...workloads, ...issuers, ...classes, ...pools];
  const given: readonly StandIn[] = [...all, ...nodeRecords, ...routedIps];
  const names = new Set(
    given.flatMap(({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace])),
  );
  const namespaces = [...names].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
  return [...namespaces, ...given];
}

function nodeGroup({ name, count, labels = {}, region = DEFAULT_REGION }: SimulatedNodes): NodeGroup {
  return {
    name,
    count,
    region,
    labels: { [NODE_POOL]: name, ...labels },
    kubeletVersion: DEFAULT_VERSION,
    leaseMs: DEFAULT_LEASE_MS,
  };
}

const GIVE_NODES = 'give the nodes, as in nodes: [{ name: "edge", count: 3, labels: { tier: "edge" } }]';

/** Nodes that fit all resources and workloads, one more than there are addresses. */
function defaultNodes(objects: AppObjects): NodeGroup {
  const { pools, nodeRecords, workloads } = objects;
  const selectors = [...pools, ...nodeRecords].map(({ spec }) => labelsFor(spec.match?.nodeLabel ?? ""));
  const wanted = workloads.map(({ spec }) => spec.template.spec?.nodeSelector ?? {});
  const labels = merged(
    [...selectors, ...wanted].map(withoutHolderLabels),
    (key, values) =>
      `label ${key} of the nodes is both ${values.map((value) => `"${value}"`).join(" and ")}: ${GIVE_NODES}`,
  );
  const regions = regionsOf(objects);
  if (regions.length > 1) throw new Error(`the app uses the regions ${regions.join(" and ")}: ${GIVE_NODES}`);
  const count = Math.max(FEWEST_NODES, addressCount(objects) + 1);
  return nodeGroup({ name: "node", count, labels, region: regions[0] ?? DEFAULT_REGION });
}

function regionsOf({ pools, issuers }: AppObjects): readonly string[] {
  const regions = [...pools, ...issuers].map(({ spec }) => spec.region ?? "").filter((region) => region !== "");
  return [...new Set(regions)];
}

function addressCount({ pools, routedIps }: AppObjects): number {
  return pools.reduce((sum, { spec }) => sum + (spec.desiredIPs || (spec.ips ?? []).length), routedIps.length);
}

function cloudOf(objects: AppObjects): CloudSetup {
  const { pools, nodeRecords, routedIps } = objects;
  const listed = [...pools.flatMap(({ spec }) => spec.ips ?? []), ...routedIps.map(({ spec }) => spec.routedIP)];
  const records = (
    [...pools, ...nodeRecords, ...routedIps] as readonly Resource<{ dnsRecordSet?: DnsRecordSet }>[]
  ).flatMap(({ spec }) => (spec.dnsRecordSet ? [spec.dnsRecordSet] : []));
  const zones = records.map(zoneOf);
  return {
    zones: [...new Set([...zones.map(({ name }) => name), DEFAULT_ZONE])],
    zoneIds: Object.fromEntries(zones.flatMap(({ name, id }) => (id === undefined ? [] : [[name, id]]))),
    addresses: listed.filter((ip) => ip !== undefined),
    addressLimit: addressCount(objects) + SPARE_ADDRESSES,
  };
}

/** At Cloudflare, a record set may name its zone by an id. */
function zoneOf({ zone, recordName }: DnsRecordSet): { readonly name: string; readonly id?: string } {
  if (!/^[0-9a-f]{32}$/.test(zone)) return { name: zone.replace(/\.$/, "") };
  const labels = recordName.replace(/\.$/, "").split(".");
  return { name: labels.length < 2 ? DEFAULT_ZONE : labels.slice(-2).join("."), id: zone };
}

/** The operator sets these. */
function withoutHolderLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith(HOLDER_LABEL_PREFIX)));
}
