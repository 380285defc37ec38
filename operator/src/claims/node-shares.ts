/**
 * A node holds one address of a family (or as many as the limit says) across all resources. Where matches overlap, the
 * oldest resource chooses first, whichever happens to run first.
 */

import type { IpFamily } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/types.js";
import type { ProviderId } from "../providers/types.js";
import { type Claimant, olderFirst } from "./claimant.js";

/** What a resource would do now, if it had the nodes. Withdraw it while it can't act: others need not wait then. */
export interface NodeDemand extends Pick<Claimant, "ref" | "createdAt"> {
  readonly ref: ResourceRef;
  /** Addresses of the family that wait for a node. */
  readonly wants: number;
  /** Machines that match, most preferred first. Asked for at each decision, so that it never shows an older cluster. */
  readonly candidates: () => Iterable<ProviderId>;
}

/** How many more addresses of the family a node may take: the limit, less those held and those under way. */
export type RoomOn = (node: ProviderId) => number;

/** The nodes of each resource, by uid: never more than `wants`, no node twice, no node beyond its room. */
export function shareNodes(demands: readonly NodeDemand[], roomOn: RoomOn): ReadonlyMap<string, readonly ProviderId[]> {
  const taken = new Map<ProviderId, number>();
  const shares = new Map<string, readonly ProviderId[]>();
  for (const demand of [...demands].sort(olderFirst)) {
    shares.set(demand.ref.uid, [...choose(demand, roomOn, taken)]);
  }
  return shares;
}

/** @param uids resources that may have more nodes now. */
export type DemandListener = (uids: readonly string[]) => void;

/** The demands of the moment. */
export class DemandBook {
  private readonly books: Readonly<Record<IpFamily, Map<string, NodeDemand>>> = { IPv4: new Map(), IPv6: new Map() };

  constructor(private readonly onRoom: DemandListener = () => undefined) {}

  /** Replaces the resource's former demand of this family. One for nothing withdraws it. */
  set(family: IpFamily, demand: NodeDemand): void {
    const book = this.books[family];
    const former = book.get(demand.ref.uid);
    if (demand.wants > 0) book.set(demand.ref.uid, demand);
    else book.delete(demand.ref.uid);
    if (former !== undefined && demand.wants < former.wants) this.tellYounger(book, former);
  }

  /** The resource is gone or can't act for now. */
  withdraw(uid: string): void {
    for (const book of Object.values(this.books)) {
      const former = book.get(uid);
      book.delete(uid);
      if (former !== undefined) this.tellYounger(book, former);
    }
  }

  /** The nodes that a resource may use now: what its elders leave it. In its own order. */
  share(family: IpFamily, demand: NodeDemand, roomOn: RoomOn): readonly ProviderId[] {
    const elders = [...this.books[family].values()].filter((other) => olderFirst(other, demand) < 0);
    return shareNodes([...elders, demand], roomOn).get(demand.ref.uid) ?? [];
  }

  private tellYounger(book: ReadonlyMap<string, NodeDemand>, former: NodeDemand): void {
    const younger = [...book.values()].filter((other) => olderFirst(former, other) < 0);
    if (younger.length > 0) this.onRoom(younger.map(({ ref }) => ref.uid));
  }
}

function choose(demand: NodeDemand, roomOn: RoomOn, taken: Map<ProviderId, number>): ReadonlySet<ProviderId> {
  const chosen = new Set<ProviderId>();
  for (const node of demand.wants > 0 ? demand.candidates() : []) {
    const used = taken.get(node) ?? 0;
    if (chosen.has(node) || roomOn(node) <= used) continue;
    chosen.add(node);
    taken.set(node, used + 1);
    if (chosen.size === demand.wants) break;
  }
  return chosen;
}
