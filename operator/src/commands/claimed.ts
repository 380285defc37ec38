/** Which addresses the resources of the cluster claim, read as the operator reads them. */

import {
  canonicalIp,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  KINDS,
  type NodeDNSRecordSetSpec,
  type NodeDNSRecordSetStatus,
  type RoutedIPSpec,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import type { Claimant } from "../claims/claims.js";
import { nodeRecordClaims, poolClaims, type Resource, routedIpClaims } from "../claims/read-claims.js";
import { isKept } from "../claims/titles.js";
import type { KubeObject } from "../kube/objects.js";
import { refText } from "../messages/claims.js";
import { CommandError } from "./command.js";
import type { KindRead, OwnObject } from "./read.js";

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

/** Resources that ask for an address that the one with this `uid` has. One that is being deleted does not count. */
export function othersAsking(reads: readonly KindRead[], ip: string, uid: string): readonly string[] {
  const claimants = reads.flatMap((read) => others(read, uid).map((object) => claimantOf(read.kind.kind, object)));
  const asks = ({ leaving, addresses }: Claimant) =>
    leaving !== true && addresses.some((claimed) => claimed.ip === canonicalIp(ip) && !isKept(claimed.title));
  return claimants.filter(asks).map(({ ref }) => refText(ref));
}

/** What a resource claims. The CRD of its kind has checked the types of its fields. */
export function claimantOf(kind: string, object: KubeObject): Claimant {
  if (kind === RoutedIP.kind) return routedIpClaims(object as Resource<RoutedIPSpec, RoutedIPStatus>, {});
  if (kind === NodeDNSRecordSet.kind) {
    return nodeRecordClaims(object as Resource<NodeDNSRecordSetSpec, NodeDNSRecordSetStatus>);
  }
  return poolClaims(object as Resource<FloatingIPPoolSpec, FloatingIPPoolStatus>);
}
