/** All that a decision about one pool reads: values of one moment, gathered without an `await` in between. */

import {
  type CreatedAddress,
  canonicalIp,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  type IpFamily,
  isIp,
} from "cdk8s-flipop/api";
import type { AddressAccount } from "../../addresses/accounts/address-account.js";
import type { AddressSet, AddressSnapshot } from "../../addresses/address-set.js";
import type { CreationFields } from "../../addresses/creation/create-address.js";
import type { CreatedFacts } from "../../addresses/creation/creation-result.js";
import { annotatedIps } from "../../addresses/desired-addresses.js";
import { familyOfPool, otherFamilyOf } from "../../claims/pool-family.js";
import type { ProbesSnapshot } from "../../health/probes-for-controllers.js";
import type { ObjectMeta } from "../../kube/objects.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { PortlessNodes } from "../../match/node-workload.js";
import type { PublishingSnapshot } from "../../publishing/published-addresses.js";
import type { DnsView } from "../../records/dns-service.js";
import type { Stop } from "../../runtime/stop-switch.js";

export interface Pool {
  readonly metadata: ObjectMeta;
  readonly spec: FloatingIPPoolSpec;
  readonly status: FloatingIPPoolStatus;
  /** The operator is stopped, and plans as if the pool were paused. */
  readonly stop?: Stop;
}

/** `set` is of the same pool. */
export interface Snapshot extends AddressSnapshot, ProbesSnapshot, PublishingSnapshot {
  readonly pool: Pool;
  /** The key of the account that has been read. Absent: not known. */
  readonly accountKey?: string;
  /** See `Plan`. */
  readonly ignoredOfMatch?: readonly string[];
  /** Nodes that bear the address annotation of the pool's family with our name as owner, or with one of our addresses. */
  readonly annotated: readonly NodeFacts[];
  /** Of the pods that make nodes match, if `match` names no namespace. Absent: there are none. */
  readonly podNamespaces?: () => readonly string[];
  /** Whether the limits of the namespace allow an address in `ips`. Absent: there are no limits. */
  readonly mayList?: (ip: string) => boolean;
  /** Whether the machine was a node of this cluster. Absent: none was. */
  readonly hadMachine?: (machine: string) => boolean;
  /** The workloads whose pods make nodes match. Absent: there are none. */
  readonly podOwners?: () => readonly string[];
  /** Of these nodes, those whose pods open no port of the node, though those of other nodes do. Absent: there are none. */
  readonly portlessOf?: (nodes: readonly string[]) => PortlessNodes | undefined;
}

/** What the plan reads, and what its actions work with. */
export interface Gathered {
  readonly snapshot: Snapshot;
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly dns: DnsView | undefined;
}

/** The addresses of a pool, for the code that pools and RoutedIPs share. */
export function addressSetOf(pool: Pool): AddressSet {
  const { metadata, spec, status, stop } = pool;
  return {
    kind: "FloatingIPPool",
    metadata,
    provider: spec.provider,
    region: spec.region,
    family: familyOfPool(pool),
    otherFamily: otherFamilyOf(pool),
    listed: spec.ips ?? [],
    desiredCount: spec.desiredIPs ?? 0,
    gracePeriodSeconds: spec.gracePeriodSeconds ?? 0,
    coolOffSeconds: spec.assignmentCoolOffSeconds ?? 0,
    nodePreference: spec.nodePreference ?? "Stable",
    reclaimPolicy: spec.reclaimPolicy ?? "Retain",
    paused: spec.paused ?? false,
    stop,
    dnsRecordSet: spec.dnsRecordSet,
    statuses: status.ips ?? {},
    createdIPs: status.createdIPs ?? [],
    pendingCreation: status.pendingCreation,
    writtenDns: status.dns,
    begunRecords: status.begunRecords,
    recordsCachedUntil: status.recordsCachedUntil,
    lastAssignmentTime: status.lastAssignmentTime,
    retryAt: status.retryAt,
  };
}

/** Addresses that the pool names anywhere; canonical. */
export function namedAddresses({ metadata, spec, status }: Pool): readonly string[] {
  const created = [...(status.createdIPs ?? []).map(({ ip }) => ip), ...annotatedIps({ metadata })];
  const named = [...(spec.ips ?? []), ...created, ...Object.keys(status.ips ?? {})];
  return [...new Set(named.filter(isIp).map(canonicalIp))];
}

/** Where the status keeps the addresses that were created for the pool. */
export const CREATION_FIELDS: CreationFields<FloatingIPPoolStatus> = {
  createdTimes: ({ createdIPs = [] }) => createdIPs.map(({ createdTime }) => createdTime),
  isOnRecord: ({ createdIPs = [] }, { ip, inferred }) => {
    const entry = createdIPs.find((each) => isOf(each, ip));
    return entry !== undefined && (inferred !== true || entry.inferred === true);
  },
  added: (status, created) => ({
    createdIPs: [...without(status, created), entryOf(created)],
    ips: { [created.ip]: created.status, ...status.ips },
  }),
  removed: (status, created) => ({ createdIPs: without(status, created) }),
  mark: "status.createdIPs[].inferred",
};

function entryOf({ ip, createdTime, inferred }: CreatedFacts): CreatedAddress {
  return { ip, createdTime, ...(inferred === true ? { inferred } : {}) };
}

function without({ createdIPs = [] }: FloatingIPPoolStatus, { ip }: CreatedFacts): readonly CreatedAddress[] {
  return createdIPs.filter((entry) => !isOf(entry, ip));
}

export function isOf(entry: CreatedAddress, ip: string): boolean {
  return canonicalIp(entry.ip) === canonicalIp(ip);
}
