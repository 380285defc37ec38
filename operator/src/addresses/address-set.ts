/** One set of addresses, and all that a decision about it reads: values of one moment, the same for each kind. */

import type {
  AddressStatus,
  CreatedAddress,
  DeletionPolicy,
  DnsRecordSet,
  DnsStatus,
  IpFamily,
  NodePreference,
  PendingCreation,
} from "cdk8s-flipop/api";
import type { NodeName } from "../claims/addresses-in-dns.js";
import type { ClaimView } from "../claims/claims.js";
import type { WantedNodes } from "../claims/node-shares.js";
import type { MassFailureView } from "../health/holder-registry.js";
import type { ProbesSnapshot } from "../health/probes-for-controllers.js";
import type { InventoryView, ResourceRef } from "../inventory/view.js";
import type { ObjectMeta } from "../kube/objects.js";
import type { MoveAllowance } from "../limits/move-limits.js";
import type { Verdict } from "../match/checks.js";
import type { NodeFacts } from "../match/node-facts.js";
import type { Problem } from "../messages/message.js";
import type { RefusedNodes } from "../messages/nodes/refused-nodes.js";
import type { GroupTurn } from "../providers/layers/group-limits.js";
import type { LimitWait } from "../providers/layers/limiter.js";
import type { AddressCapabilities, ProviderId } from "../providers/types.js";
import type { CleanupMemory } from "../reconcile/retries.js";
import type { DnsSnapshot } from "../records/record-actions.js";
import type { Stop } from "../runtime/stop-switch.js";
import type { ListObservation } from "./creation/creation-registry.js";
import type { CreationResult } from "./creation/creation-result.js";
import type { ResourceMarks } from "./marks/holder-labels-and-taints.js";
import type { RefusedWrites } from "./marks/refused-marks.js";
import type { Taken } from "./undone-writes.js";

/** What a resource asks for, and what its status says: each kind builds one from its own spec and status. */
export interface AddressSet {
  /** Of the resource. */
  readonly kind: "FloatingIPPool" | "RoutedIP";
  readonly metadata: ObjectMeta;
  /** Empty: unknown. */
  readonly provider: string;
  readonly region?: string | undefined;
  readonly family: IpFamily;
  /** The family that the spec asks for, although the addresses that it needs are of `family`. @default the same */
  readonly otherFamily?: IpFamily | undefined;
  /** Addresses that the spec lists, as written. */
  readonly listed: readonly string[];
  /** How many should be up; 0: all that are listed. */
  readonly desiredCount: number;
  readonly gracePeriodSeconds: number;
  /** Between two assignments. */
  readonly coolOffSeconds: number;
  readonly nodePreference: NodePreference;
  readonly reclaimPolicy: DeletionPolicy;
  readonly paused: boolean;
  /** The reason of `paused` is that a person stopped the operator. */
  readonly stop?: Stop | undefined;
  readonly dnsRecordSet?: DnsRecordSet | undefined;
  /** What the status says of each address. */
  readonly statuses: Readonly<Record<string, AddressStatus>>;
  readonly createdIPs: readonly CreatedAddress[];
  readonly pendingCreation?: PendingCreation | undefined;
  /** The record set that was last written. */
  readonly writtenDns?: DnsStatus | undefined;
  /** Others that the operator has begun to write. @default none */
  readonly begunRecords?: readonly DnsStatus[] | undefined;
  /** See the field of the status. */
  readonly recordsCachedUntil?: string | undefined;
  readonly lastAssignmentTime?: string | undefined;
  /** When the operator tries again what failed for the whole resource. */
  readonly retryAt?: string | undefined;
  /** Why the limits of the namespace do not allow some of its addresses, by canonical address. @default none */
  readonly refused?: ReadonlyMap<string, Problem>;
  /** What sets these limits, for messages. */
  readonly limiter?: string;
}

/** For messages. */
export function refOf({ kind, metadata: { namespace = "", name } }: AddressSet) {
  return { kind, namespace, name };
}

/** One set beside the facts of the cluster and the clouds. */
export interface AddressSnapshot extends ResourceMarks, Pick<ProbesSnapshot, "hasPassed"> {
  readonly set: AddressSet;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** This process leads, its caches of nodes and pods are complete, and the spec as it stands now is in force. */
  readonly cachesComplete: boolean;
  /** See `GraceInput.leadsSince`. */
  readonly leadsSince?: number;
  /** Why the spec can't be served: an unusable selector, an unknown provider, ... Addresses stay where they are. */
  readonly problem?: Problem;
  /** The last call to the provider of the addresses failed. */
  readonly providerFailure?: Problem;
  /** Calls wait long for the limits of the account. */
  readonly longWait?: LimitWait;
  /** When that is looked into again, ms since the epoch; addresses wait until then. */
  readonly providerRetryAt?: number;
  /** Nodes that match, in no order, holders included. */
  readonly candidates: readonly NodeFacts[];
  /** Of the node that stands for a machine; `undefined`: no node of this cluster does. */
  readonly verdictOf: (machine: ProviderId) => Verdict | undefined;
  readonly refusals: RefusedNodes;
  /** Nodes that the resource means and cannot use, of one region. @default not known */
  readonly refusalsIn?: (region: string) => RefusedNodes;
  /** All nodes of the cluster. @default not known */
  readonly clusterNodes?: () => Iterable<Pick<NodeFacts, "name" | "labels" | "addresses">>;
  readonly inventory: InventoryView;
  /** Absent: the provider is unknown, or has no addresses. */
  readonly capabilities?: AddressCapabilities;
  readonly claims: ClaimView;
  /** Whose an address is, of all resources (`Claims.holderOf`). */
  readonly ownerOf: (ip: string) => ResourceRef | undefined;
  /** Who lists an address and may not use it (`Claims.refusedTo`). @default no resource does */
  readonly refusedTo?: (ip: string) => ResourceRef | undefined;
  /** Resources that the operator does not watch may have an address without owner (`hasUnseenOwners`). @default false */
  readonly hasUnseenOwners?: boolean;
  /** The name of a NodeDNSRecordSet that may lead to the address (`NodeNames.of`). @default none does */
  readonly nodeNameOf?: (ip: string) => NodeName | undefined;
  /** The nodes among `candidates` that others leave to this one (`NodeRequestRegistry.share`), in the order given. */
  readonly share: (wanted: WantedNodes, candidates: readonly ProviderId[]) => readonly ProviderId[];
  /** The nodes that others get first, each with the resource (`NodeRequestRegistry.takenBefore`). @default none */
  readonly takenBefore?: (missing: number) => ReadonlyMap<ProviderId, ResourceRef>;
  /** Creations of other resources of the account and family whose end is not known, or which run now. */
  readonly otherCreations: readonly OtherCreation[];
  /** Absent: the resource has no record set, and had none. */
  readonly dns?: DnsSnapshot;
  /** The server has dropped one of our fields: nothing may be created. */
  readonly crdTooOld: boolean;
  /** Why the limits of the namespace allow no creation now. @default they allow it */
  readonly creationProblem?: () => Problem | undefined;
  /** The turn that a creation must wait for; who asks takes the turn. @default none: it may be sent now */
  readonly creationTurn?: () => GroupTurn | undefined;
  /** A creation of this resource runs now, in this process. @default false */
  readonly creating?: boolean;
  /** What is left out of the spec without harm, for people. @default none */
  readonly passedOver?: readonly string[];
  /** The stop that keeps addresses on a machine. @default none does */
  readonly massFailures?: MassFailureView;
  /** Moves that the limits allow now. Absent: any number. */
  readonly moveAllowance?: MoveAllowance;
  readonly memory: AddressMemory;
}

export interface OtherCreation {
  readonly resource: ResourceRef;
  /** The node that it creates its address on. */
  readonly node?: ProviderId;
  /** Where it creates it, without a node. */
  readonly region?: string;
  /** ms since the epoch. Absent: not known. */
  readonly startedAt?: number;
  /** Its call is on its way. @default its answer was lost */
  readonly running?: boolean;
  /** Stands for the creations of resources that the operator has not read yet since its start. */
  readonly unread?: boolean;
}

export interface CreationFailure extends Problem {
  /** ms since the epoch. */
  readonly retryAt: number;
  /** The cloud finds that the spec can't be right. */
  readonly ofSpec?: true;
}

/** What this process remembers beside the status. Losing it costs time, never an address. */
export interface AddressMemory {
  /** When an assignment was accepted last, where the status could not keep it. ms since the epoch. */
  readonly lastAssignmentAt?: number;
  /** When this process planned for the resource first, ms since the epoch. */
  readonly firstPlannedAt?: number;
  /** An assignment that counts for the cool-off has not been answered yet. */
  readonly assigning?: boolean;
  /** Nodes that refused an address lately; not before. */
  readonly nodeRetryAt: ReadonlyMap<ProviderId, number>;
  /** When an assignment to these machines failed last, for whatever reason, ms since the epoch. @default none did */
  readonly nodeFailedAt?: ReadonlyMap<ProviderId, number>;
  /** How these nodes refused it last. */
  readonly nodeProblems?: ReadonlyMap<ProviderId, Problem>;
  /** Addresses whose releases were answered. @default none */
  readonly released?: ReadonlySet<string>;
  /** The last creation was refused. */
  readonly creationFailure?: CreationFailure;
  /** How the last creation ended, where the API server does not show it yet. */
  readonly creationResult?: CreationResult;
  /** Whole lists read since a creation without an end was found, oldest first (see `withList`). */
  readonly lists: readonly ListObservation[];
  /** Of newcomers in these lists, whether they have ever been on a machine. @default not known of any */
  readonly wasAssigned?: ReadonlyMap<string, boolean>;
  /** When this process met the open creation, ms since the epoch by the clock of now. */
  readonly intentSeenAt?: number;
  /** What failed lately for any reason, by lock key; not before. @default `accountRetryAt` */
  readonly retryAt?: ReadonlyMap<string, number>;
  /** What failed lately for the account's sake, by lock key; not before. The status does not keep these. */
  readonly accountRetryAt?: ReadonlyMap<string, number>;
  /** See `Retries.refusedWrites`. @default none */
  readonly refusedWrites?: RefusedWrites;
  /** When a running action is looked at next, by address, ms since the epoch. Absent: at once. */
  readonly pollAt?: ReadonlyMap<string, number>;
  /** When somebody else undid our writes, by address, and as `records` for the record set. */
  readonly reverts: ReadonlyMap<string, readonly number[]>;
  /** Addresses that somebody else took off a node that is well, and that are on no such node yet. */
  readonly taken?: ReadonlyMap<string, Taken>;
  /** Until when resolvers may have those that are in no record, ms since the epoch. @default `recordsCachedUntil` */
  readonly leftDns?: ReadonlyMap<string, number>;
  /** Of the cleanup of a deleted resource. */
  readonly cleanup: CleanupMemory;
}

/** Before that, nothing is known: the status stays as it is, and nothing is written to a cloud or a node. */
export function isObserved({ cachesComplete, inventory }: Pick<AddressSnapshot, "cachesComplete" | "inventory">) {
  return cachesComplete && inventory.complete;
}

/** A node that has an address by the status is gone or refused, whatever the account says. */
export function hasLostHolder({ cachesComplete, set, verdictOf }: AddressSnapshot): boolean {
  const held = Object.values(set.statuses).filter(({ state }) => state === "active");
  return cachesComplete && held.some(({ providerID = "" }) => verdictOf(providerID)?.refusals.length !== 0);
}

export function isDeleting({ metadata }: Pick<AddressSet, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** It makes no call. One that is being deleted cleans up all the same. */
export function isPaused(set: Pick<AddressSet, "metadata" | "paused">): boolean {
  return set.paused && !isDeleting(set);
}
