/** Which addresses the resources of the cluster claim, read as the operator reads them. */

import {
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  KINDS,
  type NodeDNSRecordSetSpec,
  type NodeDNSRecordSetStatus,
  normalRecordName,
  type RoutedIPSpec,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import { isKept } from "../claims/claim-rank.js";
import type { Claimant } from "../claims/claimant.js";
import { nodeRecordClaims, poolClaims, type Resource, routedIpClaims } from "../claims/read-claims.js";
import type { KubeObject } from "../kube/objects.js";
import { refText } from "../messages/claims.js";
import { CommandError } from "./command.js";
import type { KindRead, OwnObject } from "./list-objects.js";

const { RoutedIP, FloatingIPPool, NodeDNSRecordSet } = KINDS;

export const CLAIMING_KINDS = [FloatingIPPool, RoutedIP];

export function readOf(reads: readonly KindRead[], kind: string): KindRead {
  const read = reads.find((one) => one.kind.kind === kind);
  if (read === undefined) throw new CommandError(`${kind} was not read`);
  return read;
}

/** @throws CommandError if another resource claims the address, or if that is not known */
export function checkFree(reads: readonly KindRead[], ip: string, uid: string): void {
  checkRead(reads, `claims ${ip}`);
  const owner = ownersIn(reads.map((read) => ({ ...read, objects: others(read, uid) }))).get(ip);
  if (owner !== undefined) throw new CommandError(`${ip} belongs to ${owner}: remove it there first`);
}

function others({ objects }: KindRead, uid: string): readonly OwnObject[] {
  return objects.filter(({ metadata }) => metadata.uid !== uid);
}

/** @throws CommandError if a kind could not be read, since one of its resources may be the one. @param does for people */
export function checkRead(reads: readonly KindRead[], does: string): void {
  const unread = reads.find(({ problem }) => problem !== undefined);
  if (unread === undefined) return;
  throw new CommandError(`whether a ${unread.kind.kind} ${does} is not known: ${unread.problem}`);
}

/** By canonical address: `FloatingIPPool ingress/web`. */
export function ownersIn(reads: readonly KindRead[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { kind, objects } of reads) {
    for (const object of objects) {
      const { namespace, name } = object.metadata;
      for (const { ip } of claimantOf(kind.kind, object).addresses) owners.set(ip, `${kind.kind} ${namespace}/${name}`);
    }
  }
  return owners;
}

/** By canonical address: the resources, beside the one with this `uid`, that ask for it. Those that are being deleted do not count. */
export function askersBeside(reads: readonly KindRead[], uid: string): ReadonlyMap<string, readonly string[]> {
  const claimants = reads.flatMap((read) => others(read, uid).map((object) => claimantOf(read.kind.kind, object)));
  const askers = new Map<string, string[]>();
  for (const { ref, addresses } of claimants.filter(({ leaving }) => leaving !== true)) {
    for (const { ip } of addresses.filter(({ title }) => !isKept(title))) {
      askers.set(ip, [...(askers.get(ip) ?? []), refText(ref)]);
    }
  }
  return askers;
}

/** What a resource claims. The CRD of its kind has checked the types of its fields. */
export function claimantOf(kind: string, object: KubeObject): Claimant {
  if (kind === RoutedIP.kind) return routedIpClaims(object as Resource<RoutedIPSpec, RoutedIPStatus>, {});
  if (kind === NodeDNSRecordSet.kind) {
    return nodeRecordClaims(object as Resource<NodeDNSRecordSetSpec, NodeDNSRecordSetStatus>);
  }
  return poolClaims(object as Resource<FloatingIPPoolSpec, FloatingIPPoolStatus>);
}

/** Names whose records hold the address, by the status of the resource that writes them. */
export function namesWith(status: object | undefined, ip: string): readonly string[] {
  const { dns, begunRecords = [] } = (status ?? {}) as Pick<FloatingIPPoolStatus, "dns" | "begunRecords">;
  const sets = [...(dns ? [dns] : []), ...begunRecords];
  return sets.filter(({ values }) => values.includes(ip)).map((set) => normalRecordName(set).fqdn);
}
