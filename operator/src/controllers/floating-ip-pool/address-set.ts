/** The addresses of a pool, for the code that pools and RoutedIPs share. */

import type { IpFamily } from "cdk8s-flipop/api";
import type { AddressSet } from "../../addresses/address-set.js";
import { familyOfList } from "../../addresses/desired.js";
import type { Pool } from "./snapshot.js";

export function addressSetOf(pool: Pool): AddressSet {
  const { metadata, spec, status } = pool;
  return {
    metadata,
    provider: spec.provider,
    region: spec.region,
    family: familyOfPool(pool),
    listed: spec.ips ?? [],
    desiredCount: spec.desiredIPs ?? 0,
    gracePeriodSeconds: spec.gracePeriodSeconds ?? 0,
    coolOffSeconds: spec.assignmentCoolOffSeconds ?? 0,
    nodePreference: spec.nodePreference ?? "Stable",
    reclaimPolicy: spec.reclaimPolicy ?? "Retain",
    paused: spec.paused ?? false,
    dnsRecordSet: spec.dnsRecordSet,
    statuses: status.ips ?? {},
    createdIPs: status.createdIPs ?? [],
    pendingCreation: status.pendingCreation,
    writtenDns: status.dns,
    lastAssignmentTime: status.lastAssignmentTime,
    retryAt: status.retryAt,
  };
}

/** That of the spec, else of its first address, else IPv4. */
export function familyOfPool({ spec }: Pick<Pool, "spec">): IpFamily {
  return spec.ipFamily ?? familyOfList(spec.ips ?? []);
}
