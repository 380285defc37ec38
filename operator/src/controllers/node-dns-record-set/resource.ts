/**
 * A record set as it is stored, made safe to read; all that a decision about it reads: values of one moment, gathered
 * without an `await` in between; and what its plan may ask for.
 */

import type { NodeDNSRecordSetSpec, NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import type { Claimant } from "../../claims/claimant.js";
import { DEFAULT_DNS_PROVIDER, nodeRecordClaims } from "../../claims/read-claims.js";
import { ofOperator } from "../../claims/zones-of-tokens.js";
import type { Moment } from "../../clock.js";
import type { MassFailureView } from "../../health/holder-registry.js";
import type { ProbesSnapshot } from "../../health/probes-for-controllers.js";
import type { ResourceHealth } from "../../health/resource-health.js";
import type { KubeObject, ObjectMeta } from "../../kube/objects.js";
import { isUnnamed, type LimitedRecords, recordLimits, type TenantAccess } from "../../limits/tenant-limits.js";
import type { Verdict } from "../../match/checks.js";
import type { MatchFollower } from "../../match/match-feed.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { Owned } from "../../messages/claims.js";
import type { Problem } from "../../messages/message.js";
import type { RefusedNodes } from "../../messages/nodes/refused-nodes.js";
import type { RecordType } from "../../providers/types.js";
import type { Chain } from "../../reconcile/plan.js";
import {
  type Fields,
  type Finding,
  isFields,
  isIdleToleration,
  isUnusableName,
  specReader,
} from "../../reconcile/read-spec.js";
import type { CleanupMemory } from "../../reconcile/retries.js";
import { ofRegistry, type RecordRegistry } from "../../records/dns-service.js";
import type { DnsAction, DnsSnapshot, Reasoned, RecordDns } from "../../records/record-actions.js";

export const KIND = "NodeDNSRecordSet";
export const PLURAL = "nodednsrecordsets";

export interface NodeDNSMemory {
  readonly match: MatchFollower;
  /** Absent: the operator runs without feature healthchecks. */
  readonly health?: ResourceHealth;
  /** Since when no node has had the labels. */
  noNodeSince: Moment | undefined;
}

export interface RecordSetObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: NodeDNSRecordSetStatus;
}

export interface ResourceRead {
  readonly resource: NodeRecordSet;
  /** No record is changed until the spec is corrected. */
  readonly problem?: Problem;
  /** Parts of the spec that only a newer release serves. */
  readonly ignored?: readonly string[];
}

export function readResource({ metadata, spec, status }: RecordSetObject): ResourceRead {
  const { fields, ...found } = safeSpecOf(spec);
  const resource: NodeRecordSet = { metadata, spec: fields, status: isFields(status) ? status : {} };
  return { resource, ...found };
}

const safeSpecOf = specReader(KIND, isTolerated);

function isTolerated(finding: Finding, spec: Fields): boolean {
  return isIdleToleration(finding, spec) || isUnusableName(finding, spec);
}

interface Limits {
  readonly tenants: TenantAccess;
  readonly records: Pick<RecordRegistry, "zones" | "shown">;
}

export function claimsOf(
  { tenants, records, providers }: Limits & { readonly providers: Parameters<typeof ofRegistry>[0] },
  resource: NodeRecordSet,
): Claimant {
  const { metadata, spec, status } = resource;
  const { dnsRecordSet } = spec;
  const { lookUp } = records.zones;
  const desired = dnsRecordSet === undefined ? {} : { spec: { ...spec, dnsRecordSet } };
  const unnamed = isUnnamed(tenants, lookUp, limitedRecords(resource));
  const claimant = nodeRecordClaims({ metadata, status, ...desired }, lookUp, { unnamed });
  return records.shown.withZones(claimant, ofOperator(ofRegistry(providers).dnsOf));
}

/** What the limits of its namespace mean for its records. */
export function limitsOfRecords({ tenants, records }: Limits, resource: NodeRecordSet) {
  return recordLimits(tenants, records.zones.lookUp, limitedRecords(resource));
}

function limitedRecords({ metadata, spec, status }: NodeRecordSet): LimitedRecords {
  const provider = spec.dnsRecordSet?.provider || spec.provider || DEFAULT_DNS_PROVIDER;
  return { namespace: metadata.namespace ?? "", provider, wanted: spec.dnsRecordSet, last: status.dns };
}

export interface NodeRecordSet {
  readonly metadata: ObjectMeta;
  /** Without what can't be served (`specReader`). */
  readonly spec: Partial<NodeDNSRecordSetSpec>;
  readonly status: NodeDNSRecordSetStatus;
}

/** How far the node cache can be believed. */
export interface Absence {
  /** Since when no node at all has had the labels that the match asks for, ms since the epoch. */
  readonly since: number;
  /** The cache receives changes at this moment. */
  readonly connected: boolean;
}

export interface Snapshot extends ProbesSnapshot {
  readonly resource: NodeRecordSet;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** This process leads, its caches of nodes and pods are complete, and `spec.match` as it stands now is in force. */
  readonly cachesComplete: boolean;
  /** See `GraceInput.leadsSince`. */
  readonly leadsSince?: number;
  /** Why the spec can't be served: an unusable selector, an unknown provider, ... The records stay as they are. */
  readonly problem?: Problem;
  /** `problem` is that the operator lacks the provider: a former name still follows the nodes. @default false */
  readonly lacksProvider?: boolean;
  /** What of the spec is passed over, while the rest is served. */
  readonly passedOver: readonly string[];
  /** See `Plan`. */
  readonly ignoredOfMatch?: readonly string[];
  /** Nodes that match, in no order. */
  readonly candidates: readonly NodeFacts[];
  /** Nodes that would match if they were not cordoned. */
  readonly cordoned: () => readonly NodeFacts[];
  /** Of a node by its name; `undefined`: there is no such node. */
  readonly verdictOf: (name: string) => Verdict | undefined;
  readonly refusals: RefusedNodes;
  /** Nodes that are meant, do not match, and are not published, as `leftOutText` counts them. */
  readonly leftOut: (published: ReadonlySet<string>) => string;
  /** All nodes that are meant and in sight. */
  readonly meant: () => readonly Verdict[];
  /** Absent: some node has the labels that the match asks for. */
  readonly noNode?: Absence;
  readonly dns: DnsSnapshot;
  /** The stop that keeps a failed node in the name. @default none does */
  readonly massFailures?: MassFailureView;
  /** Types that the spec asks for and that no other resource has. */
  readonly ours: readonly RecordType[];
  /** Names that another resource has, in words. */
  readonly lost: readonly Owned[];
  /** When somebody else undid our writes, ms since the epoch. */
  readonly reverts: readonly number[];
  readonly cleanup: CleanupMemory;
}

/** What the API server keeps. Confirmed before the next action of the chain. */
type RecordAction =
  | RecordDns
  | (Reasoned & { readonly do: "add-finalizer" })
  /** `abandonedItems`: what was not cleaned up in time; goes to the log and an Event. */
  | (Reasoned & { readonly do: "remove-finalizer"; readonly abandonedItems: readonly string[] });

export type Action = DnsAction | RecordAction;

export type ActionChain = Chain<Action>;
