/**
 * A node holds one address of a family (or as many as the limit says) across all resources. Where matches overlap, the
 * oldest resource chooses first, whichever happens to run first.
 */

import type { IpFamily } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/view.js";
import type { ProviderId } from "../providers/types.js";
import { type Claimant, olderFirst } from "./claimant.js";

/** What a resource would do now, if it had the nodes. Withdraw it while it can't act: others need not wait then. */
export interface NodeRequest extends Pick<Claimant, "ref" | "createdAt"> {
  readonly ref: ResourceRef;
  /** Addresses of the family that wait for a node. */
  readonly wants: number;
  /** Machines that match, most preferred first. Asked for at each decision, so that it never shows an older cluster. */
  readonly candidates: () => Iterable<ProviderId>;
}

/** How many more addresses of the family a node may take: the limit, less those held and those under way. */
export type RoomOn = (node: ProviderId) => number;

/** The nodes of each resource, by uid: never more than `wants`, no node twice, no node beyond its room. */
export function shareNodes(
  nodeRequests: readonly NodeRequest[],
  roomOn: RoomOn,
): ReadonlyMap<string, readonly ProviderId[]> {
  const taken = new Map<ProviderId, number>();
  const shares = new Map<string, readonly ProviderId[]>();
  for (const request of [...nodeRequests].sort(olderFirst)) {
    shares.set(request.ref.uid, [...choose(request, roomOn, taken)]);
  }
  return shares;
}

/** @param uids resources that may have more nodes now. */
export type NodeRequestListener = (uids: readonly string[]) => void;

/** The current requests of all resources. */
export class NodeRequestRegistry {
  private readonly registries: Readonly<Record<IpFamily, Map<string, NodeRequest>>> = {
    IPv4: new Map(),
    IPv6: new Map(),
  };

  constructor(private readonly onRoom: NodeRequestListener = () => undefined) {}

  /** Replaces the resource's former request of this family. A request for no node withdraws it. */
  set(family: IpFamily, request: NodeRequest): void {
    const registry = this.registries[family];
    const previous = registry.get(request.ref.uid);
    if (request.wants > 0) registry.set(request.ref.uid, request);
    else registry.delete(request.ref.uid);
    if (previous !== undefined && request.wants < previous.wants) this.notifyYounger(registry, previous);
  }

  /** A node has room for one more address: all that wait for a node look again. */
  noteRoom(family: IpFamily): void {
    const waiting = [...this.registries[family].keys()];
    if (waiting.length > 0) this.onRoom(waiting);
  }

  /** The resource has reserved the node that it asked for, so that nothing is left of it for the younger ones. */
  took(family: IpFamily, uid: string): void {
    this.registries[family].delete(uid);
  }

  /** The resource is gone or can't act for now. */
  withdraw(uid: string): void {
    for (const registry of Object.values(this.registries)) {
      const previous = registry.get(uid);
      registry.delete(uid);
      if (previous !== undefined) this.notifyYounger(registry, previous);
    }
  }

  /** The nodes that a resource may use now: what its elders leave it. In its own order. */
  share(family: IpFamily, request: NodeRequest, roomOn: RoomOn): readonly ProviderId[] {
    return shareNodes([...this.olderThan(family, request), request], roomOn).get(request.ref.uid) ?? [];
  }

  /** The nodes that older resources get before this one, each with the resource. */
  takenByOlder(
    family: IpFamily,
    resource: Pick<Claimant, "ref" | "createdAt">,
    roomOn: RoomOn,
  ): ReadonlyMap<ProviderId, ResourceRef> {
    const older = this.olderThan(family, resource);
    const shares = shareNodes(older, roomOn);
    return new Map(older.flatMap(({ ref }) => (shares.get(ref.uid) ?? []).map((node) => [node, ref] as const)));
  }

  private olderThan(family: IpFamily, resource: Pick<Claimant, "ref" | "createdAt">): readonly NodeRequest[] {
    return [...this.registries[family].values()].filter((other) => olderFirst(other, resource) < 0);
  }

  private notifyYounger(registry: ReadonlyMap<string, NodeRequest>, previous: NodeRequest): void {
    const younger = [...registry.values()].filter((other) => olderFirst(previous, other) < 0);
    if (younger.length > 0) this.onRoom(younger.map(({ ref }) => ref.uid));
  }
}

function choose(request: NodeRequest, roomOn: RoomOn, taken: Map<ProviderId, number>): ReadonlySet<ProviderId> {
  const chosen = new Set<ProviderId>();
  for (const node of request.wants > 0 ? request.candidates() : []) {
    const used = taken.get(node) ?? 0;
    if (chosen.has(node) || roomOn(node) <= used) continue;
    chosen.add(node);
    taken.set(node, used + 1);
    if (chosen.size === request.wants) break;
  }
  return chosen;
}
