/** The one address of a RoutedIP, for the code that pools and RoutedIPs share. */

import { type AddressStatus, type CreatedAddress, canonicalIp, type RoutedIPStatus } from "cdk8s-flipop/api";
import type { AddressSet } from "../../../addresses/address-set.js";
import { familyOfList } from "../../../addresses/desired.js";
import { omitUndefined } from "../../../omit-undefined.js";
import type { RoutedIP } from "../../../routing/resource.js";
import type { Snapshot } from "../snapshot.js";

export function addressSetOf({ routed, resolvedClass }: Pick<Snapshot, "routed" | "resolvedClass">): AddressSet {
  const { metadata, spec, status } = routed;
  const listed = listedIps(routed);
  return {
    metadata,
    provider: resolvedClass?.provider ?? "",
    region: resolvedClass?.region,
    family: familyOfList(listed),
    listed,
    desiredCount: 1,
    gracePeriodSeconds: spec.gracePeriodSeconds ?? 0,
    coolOffSeconds: 0,
    nodePreference: "Stable",
    reclaimPolicy: resolvedClass?.reclaimPolicy ?? "Retain",
    paused: spec.paused ?? false,
    dnsRecordSet: spec.dnsRecordSet,
    statuses: status.routedIP === undefined ? {} : { [canonicalIp(status.routedIP)]: addressStatus(status) },
    createdIPs: createdIPs(routed),
    pendingCreation: status.pendingCreation,
    writtenDns: status.dns,
    retryAt: status.retryAt,
  };
}

/** The address that the status says we created. */
export function createdIp({ status }: Pick<RoutedIP, "status">): string | undefined {
  return status.created === true && status.routedIP !== undefined ? canonicalIp(status.routedIP) : undefined;
}

/** What the status says of the address. */
export function addressStatus(status: RoutedIPStatus): AddressStatus {
  const { state, assignedNode: nodeName, providerID, error, since, graceSince, reason, actionID } = status;
  // In another state the time is that of the whole resource, and no reason for the address to wait.
  const retryAt = state === "error" || state === "disabled" ? status.retryAt : undefined;
  return omitUndefined({ state, nodeName, providerID, error, since, graceSince, reason, actionID, retryAt });
}

/** A created address counts as listed: it is not appended anywhere, and a gone one is not replaced behind one's back. */
function listedIps(routed: RoutedIP): readonly string[] {
  const { routedIP } = routed.spec;
  if (routedIP) return [routedIP];
  const created = createdIp(routed);
  return created === undefined ? [] : [created];
}

function createdIPs(routed: RoutedIP): readonly CreatedAddress[] {
  const ip = createdIp(routed);
  if (ip === undefined) return [];
  const { metadata, status } = routed;
  const inferred = status.inferred === true ? { inferred: true } : {};
  return [{ ip, createdTime: metadata.creationTimestamp ?? "", inSpec: true, ...inferred }];
}
