/** A RoutedIP is a pool of one address: what pools have decided well is not decided a second time. */

import { type AddressStatus, canonicalIp, type FloatingIPPoolStatus, type RoutedIPStatus } from "cdk8s-flipop/api";
import type { Snapshot as PoolSnapshot } from "../floating-ip-pool/snapshot.js";
import type { RoutedIP, Snapshot } from "./snapshot.js";

/** For the steps of a pool that fit: wish, holdings, grace, supply, pairs, creation, records, reclaim. */
export function asPool(snapshot: Snapshot): PoolSnapshot {
  const {
    routed,
    resolvedClass,
    firewall: _firewall,
    previousFirewallStates: _formers,
    taints: _taints,
    ports: _ports,
    servesAt: _serves,
    ...shared
  } = snapshot;
  const { spec } = routed;
  return {
    ...shared,
    pool: {
      metadata: routed.metadata,
      spec: {
        provider: resolvedClass?.provider ?? "",
        ...(resolvedClass?.region === undefined ? {} : { region: resolvedClass.region }),
        ips: listedIps(routed),
        desiredIPs: 1,
        gracePeriodSeconds: spec.gracePeriodSeconds ?? 0,
        reclaimPolicy: resolvedClass?.reclaimPolicy ?? "Retain",
        paused: spec.paused ?? false,
        ...(spec.dnsRecordSet === undefined ? {} : { dnsRecordSet: spec.dnsRecordSet }),
      },
      status: poolStatus(routed),
    },
    annotated: [],
  };
}

/** The address that the status says we created. */
export function createdIp({ status }: Pick<RoutedIP, "status">): string | undefined {
  return status.created === true && status.routedIP !== undefined ? canonicalIp(status.routedIP) : undefined;
}

/** What a pool's status says of one address. */
export function addressStatus(status: RoutedIPStatus): AddressStatus {
  const { state, assignedNode, providerID, error, since, graceSince, reason, actionID } = status;
  // In another state the time is that of the whole resource, and no reason for the address to wait.
  const retryAt = state === "error" || state === "disabled" ? status.retryAt : undefined;
  const entry = { state, nodeName: assignedNode, providerID, error, since, graceSince, reason, actionID, retryAt };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

/** A created address counts as listed: it is not appended anywhere, and a gone one is not replaced behind one's back. */
function listedIps(routed: RoutedIP): readonly string[] {
  const { routedIP } = routed.spec;
  if (routedIP) return [routedIP];
  const created = createdIp(routed);
  return created === undefined ? [] : [created];
}

function poolStatus(routed: RoutedIP): FloatingIPPoolStatus {
  const { status, metadata } = routed;
  const created = createdIp(routed);
  const createdTime = metadata.creationTimestamp ?? "";
  const inferred = status.inferred === true ? { inferred: true } : {};
  return {
    ...(status.routedIP === undefined ? {} : { ips: { [canonicalIp(status.routedIP)]: addressStatus(status) } }),
    ...(created === undefined ? {} : { createdIPs: [{ ip: created, createdTime, inSpec: true, ...inferred }] }),
    ...(status.pendingCreation === undefined ? {} : { pendingCreation: status.pendingCreation }),
    ...(status.dns === undefined ? {} : { dns: status.dns }),
    ...(status.retryAt === undefined ? {} : { retryAt: status.retryAt }),
  };
}
