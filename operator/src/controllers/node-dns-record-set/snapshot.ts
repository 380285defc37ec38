/** All that a decision about one record set reads: values of one moment, gathered without an `await` in between. */

import type { NodeDNSRecordSetSpec, NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import type { ObjectMeta } from "../../kube/objects.js";
import type { Verdict } from "../../match/checks.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { RecordType } from "../../providers/types.js";
import type { CleanupMemory } from "../../reconcile/cleanup.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import type { DnsSnapshot } from "../../records/dns-snapshot.js";

export interface NodeRecordSet {
  readonly metadata: ObjectMeta;
  /** Without what can't be served (`readSpec`). */
  readonly spec: Partial<NodeDNSRecordSetSpec>;
  readonly status: NodeDNSRecordSetStatus;
}

/** How far the node cache can be believed. */
export interface Absence {
  /** Since when no node at all has had the labels that the match asks for, ms since the epoch. */
  readonly since: number;
  /** The cache hears of changes at this moment. */
  readonly connected: boolean;
}

export interface Snapshot {
  readonly resource: NodeRecordSet;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** This process leads, its caches of nodes and pods are complete, and `spec.match` as it stands now is in force. */
  readonly cachesComplete: boolean;
  /** See `GraceInput.leadsSince`. */
  readonly leadsSince?: number;
  /** Why the spec can't be served: an unusable selector, an unknown provider, ... The records stay as they are. */
  readonly problem?: Problem;
  /** What of the spec is passed over, while the rest is served. */
  readonly passedOver: readonly string[];
  /** Nodes that match, in no order. */
  readonly candidates: readonly NodeFacts[];
  /** Of a node by its name; `undefined`: there is no such node. */
  readonly verdictOf: (name: string) => Verdict | undefined;
  /** How many nodes are refused and why, for the condition of a set without candidates (`tallyText`). */
  readonly refusals: string;
  /** Absent: some node has the labels that the match asks for. */
  readonly noNode?: Absence;
  readonly dns: DnsSnapshot;
  /** Types that the spec asks for and that no other resource has. */
  readonly ours: readonly RecordType[];
  /** Names that another resource has, in words. */
  readonly lost: readonly string[];
  /** When somebody else undid our writes, ms since the epoch. */
  readonly reverts: readonly number[];
  readonly cleanup: CleanupMemory;
}
