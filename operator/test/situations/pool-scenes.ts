/** Scenes of a FloatingIPPool `default/web`. */

import type { ConditionType, FloatingIPPoolSpec, Match } from "cdk8s-flipop/api";
import type { CreationFailure } from "../../src/addresses/address-set.js";
import { plan } from "../../src/controllers/floating-ip-pool/plan.js";
import type { Pool, Snapshot } from "../../src/controllers/floating-ip-pool/snapshot.js";
import { NO_NODE } from "../../src/kube/cache/pods.js";
import type { SlimNode, SlimPod } from "../../src/kube/cache/slim-objects.js";
import type { ProbeFailures } from "../../src/match/checks.js";
import { MatchIndex } from "../../src/match/match-index.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { PodWorkload } from "../../src/match/node-workload.js";
import type { Tally } from "../../src/match/tally.js";
import { refusedNodes } from "../../src/messages/nodes/refused-nodes.js";
import { DIGITALOCEAN_ADDRESSES } from "../../src/providers/address-capabilities.js";
import type { MachineIds } from "../../src/providers/types.js";
import { ModelCloud } from "../controllers/floating-ip-pool/support/model-cloud.js";
import { compiled, slimNode } from "../match/cluster.js";
import { slimPod } from "../support/kube/objects.js";
import { type Seen, type Situation, seenIn } from "./situation.js";

export const [A, B, C] = ["203.0.113.7", "203.0.113.8", "203.0.113.9"];
export const TEN_PAST = Date.parse("2025-06-01T10:10:00Z");
export const DNS = { recordName: "www", zone: "example.com" };
export const PODS = { podNamespace: "shop", podLabel: "app=web" };
export const POD = slimPod("web-7d4b9", {
  namespace: "shop",
  labels: { app: "web" },
  nodeName: "node-3",
  ready: false,
});
export const EDGE = { labels: { pool: "edge" } };
export const EDGE_PODS = { ...PODS, nodeLabel: "pool=edge" };

/** Of a pool. */
export function pool(row: Omit<Situation, "kind">): Situation {
  return { kind: "FloatingIPPool", ...row };
}

export interface Scene {
  readonly nodes?: readonly (string | { readonly name: string; readonly more: Partial<SlimNode> })[];
  readonly spec?: Partial<FloatingIPPoolSpec>;
  /** Holders of addresses, by address: names of nodes, or `undefined` for none. */
  readonly held?: Readonly<Record<string, string | undefined>>;
  /** Other pools. */
  readonly others?: Readonly<Record<string, Partial<FloatingIPPoolSpec>>>;
  readonly status?: Pool["status"];
  /** What else the plan reads. */
  readonly change?: (snapshot: Snapshot, cloud: ModelCloud) => Partial<Snapshot>;
}

type Defaults = Required<Pick<Scene, "nodes" | "spec" | "held" | "others">>;
const DEFAULTS: Defaults = { nodes: ["node-1"], spec: { ips: [A] }, held: {}, others: {} };

export function cloudOf(scene: Scene): ModelCloud {
  const { nodes, spec, held, others, status }: Scene & Defaults = { ...DEFAULTS, ...scene };
  const cloud = new ModelCloud();
  for (const node of nodes) {
    if (typeof node === "string") cloud.addNode(node);
    else cloud.addNode(node.name, node.more);
  }
  for (const [name, other] of Object.entries(others)) cloud.addPool(name, other);
  cloud.addPool("web", spec);
  for (const [ip, node] of Object.entries(held)) cloud.addresses.set(ip, node && `digitalocean://${node}`);
  if (status !== undefined) cloud.edit("web", { status });
  return cloud;
}

/** What a condition of the pool says. */
export function seenOf(scene: Scene, type: ConditionType = "Fulfilled"): Seen {
  const cloud = cloudOf(scene);
  const snapshot = cloud.snapshot("web");
  return seenIn(plan({ ...snapshot, ...scene.change?.(snapshot, cloud) }), type);
}

interface RefusedNode {
  readonly node?: Partial<SlimNode>;
  readonly match?: Match;
  /** The pods of the cluster. */
  readonly pods?: readonly SlimPod[];
  readonly probeFailure?: string;
}

/** The cluster has one node, `node-3`, and the pool cannot use it. */
export function refused({ node = {}, match = {}, pods = [], probeFailure }: RefusedNode, more: Scene = {}): Seen {
  const directory = new NodeDirectory([slimNode("node-3", { providerID: "digitalocean://12", ...node })]);
  const probes = probeFailure === undefined ? undefined : { failureOf: () => probeFailure };
  const tally = tallyAmong(directory, { match, pods, machines: DIGITALOCEAN_ADDRESSES }, probes);
  return seenOf({
    nodes: [],
    ...more,
    change: () => ({ candidates: [], refusals: refusedNodes(tally, "match") }),
  });
}

interface MatchedPods {
  readonly match: Match;
  readonly pods: readonly SlimPod[];
  readonly machines?: MachineIds;
}

/** As the operator counts the nodes of a directory. */
export function tallyAmong(
  nodes: NodeDirectory,
  { match, pods, machines }: MatchedPods,
  probes?: ProbeFailures,
): Tally {
  const wanted = compiled(match, machines);
  const onNode = (_index: string, name: string) => new Set(pods.filter(({ nodeName = NO_NODE }) => nodeName === name));
  const source = { list: () => pods.values(), byIndex: onNode };
  const workload = wanted.pods && new PodWorkload(source, wanted.pods);
  return new MatchIndex(nodes, { match: wanted, ...(workload && { workload }) }, () => undefined, probes).tally();
}

/** The last creation failed. */
export function creationFailed(failure: Omit<CreationFailure, "retryAt">): NonNullable<Scene["change"]> {
  return ({ memory, now }) => ({ memory: { ...memory, creationFailure: { ...failure, retryAt: now + 60_000 } } });
}
