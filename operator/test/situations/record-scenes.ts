/** Scenes of a NodeDNSRecordSet `default/nodes` with the name `nodes.example.com`. */

import type { NodeDNSRecordSetSpec } from "cdk8s-flipop/api";
import { plan } from "../../src/controllers/node-dns-record-set/plan.js";
import type { NodeRecordSet, Snapshot } from "../../src/controllers/node-dns-record-set/resource.js";
import type { SlimNode } from "../../src/kube/cache/slim-objects.js";
import { MatchIndex } from "../../src/match/match-index.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { refusedNodes } from "../../src/messages/nodes/refused-nodes.js";
import type { RecordSetFacts } from "../../src/providers/types.js";
import type { NameRemarks } from "../../src/records/name-remarks.js";
import { meta } from "../claims/resources.js";
import { compiled, slimNode } from "../match/cluster.js";
import { type Seen, seenIn } from "./situation.js";

const NOW = Date.parse("2025-06-01T10:00:00Z");
const NAME = "nodes.example.com";
/** A provider that writes any TTL. */
export const DNS = {
  capabilities: { ttl: (seconds: number) => seconds, owner: false },
  fqdn: NAME,
  previous: { records: "unknown" },
} as const;

type NamedNode = Partial<SlimNode> & { readonly name: string };

export interface RecordScene {
  readonly spec?: Partial<NodeDNSRecordSetSpec>;
  /** The nodes of the cluster, all with the label `pool=edge`. */
  readonly nodes?: readonly NamedNode[];
  readonly status?: NodeRecordSet["status"];
  /** What the zone has for the name. */
  readonly values?: readonly string[];
  readonly remarks?: NameRemarks;
  readonly change?: Partial<Snapshot>;
}

/** A node with its public address. */
export function nodeAt(name: string, address: string, more: Partial<SlimNode> = {}): NamedNode {
  return { name, addresses: [{ type: "ExternalIP", address }], ...more };
}

export function recordsSeen(scene: RecordScene, type: "DNSReady" | "Accepted" | "Conflict" = "DNSReady"): Seen {
  return seenIn(plan(snapshotOf(scene)), type);
}

function snapshotOf({ spec, nodes = [], status = {}, values = [], remarks, change }: RecordScene): Snapshot {
  const resource: NodeRecordSet = {
    metadata: { ...meta("nodes"), generation: 1 },
    spec: {
      dnsRecordSet: { zone: "example.com", recordName: "nodes" },
      match: { nodeLabel: "pool=edge" },
      ...spec,
    },
    status,
  };
  const records: RecordSetFacts = {
    ...{ zone: "example.com", fqdn: NAME, types: ["A"] },
    records: values.map((value) => ({ id: value, type: "A", value, ttl: 60 })),
  };
  return {
    ...{ resource, now: NOW, cleanup: { attempts: 0 }, cachesComplete: true, passedOver: [] },
    ...nodesOf(resource.spec, nodes),
    dns: { ...DNS, records, ...(remarks && { remarks }) },
    ...{ ours: ["A"], lost: [], reverts: [] },
    ...change,
  };
}

function nodesOf({ match = {} }: Partial<NodeDNSRecordSetSpec>, nodes: NonNullable<RecordScene["nodes"]>) {
  const slim = nodes.map(({ name, ...more }) => slimNode(name, { labels: { pool: "edge" }, ...more }));
  const index = new MatchIndex(new NodeDirectory(slim), { match: compiled(match) }, () => undefined);
  return {
    candidates: index.candidates(),
    cordoned: () => index.cordoned(),
    verdictOf: (name: string) => index.verdict(name),
    refusals: refusedNodes(index.tally(), "match"),
    leftOut: (published: ReadonlySet<string>) => index.leftOut(published),
    meant: () => index.meant(),
    ...(index.anyNodeHasLabels() ? {} : { noNode: { since: NOW - 60_000, connected: true } }),
  };
}
