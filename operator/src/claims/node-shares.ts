/**
 * A node holds one address of a family (or as many as the limit says) across all resources. Where matches overlap, existing
 * addresses come before those that are still to be created, and then the oldest resource chooses first, whichever happens to
 * run first.
 */

import type { IpFamily } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/view.js";
import type { ProviderId } from "../providers/types.js";
import { type Claimant, olderFirst } from "./claimant.js";

/** How many nodes a resource asks for. */
export interface WantedNodes {
  /** Addresses of the family that wait for a node. */
  readonly wants: number;
  /** How many of them are still to be created: they serve no traffic that others could interrupt. */
  readonly missing: number;
  /** The same addresses by where they can go. @default each can go to each candidate */
  readonly groups?: readonly WantedGroup[];
}

/** Addresses that can go to the same nodes. They keep no others: no address of another region, say, waits for these. */
export interface WantedGroup extends Pick<WantedNodes, "wants" | "missing"> {
  readonly fits: (node: ProviderId) => boolean;
}

interface Requester extends Pick<Claimant, "ref" | "createdAt"> {
  /** Of its addresses: a resource with another one cannot use its machines. @default not known yet */
  readonly account?: unknown;
}

/** What a resource would do now, if it had the nodes. Withdraw it while it can't act: others need not wait then. */
export interface NodeRequest extends Requester, WantedNodes {
  /** Machines that match, most preferred first. Asked for at each decision, so that it never shows an older cluster. */
  readonly candidates: () => readonly ProviderId[];
}

/** @param account that of the addresses. */
export function requesterOf(
  { ref, createdAt }: Omit<Requester, "account">,
  account: NamedAccount | undefined,
): Requester {
  return { ref, createdAt, account: account?.inventory?.account };
}

interface NamedAccount {
  readonly inventory: { readonly account: unknown } | undefined;
}

/** How many more addresses of the family a node may take: the limit, less those held and those under way. */
export type RoomOn = (node: ProviderId) => number;

/** @param uids resources that may have more nodes now. */
export type NodeRequestListener = (uids: readonly string[]) => void;

/** The current requests of all resources. */
export class NodeRequestRegistry {
  private readonly registries: Readonly<Record<IpFamily, Map<string, NodeRequest>>> = {
    IPv4: new Map(),
    IPv6: new Map(),
  };

  constructor(private readonly onRoom: NodeRequestListener = () => undefined) {}

  /** Replaces the resource's former request. A request for no node withdraws it. */
  set(family: IpFamily, request: NodeRequest): void {
    this.withdraw(request.ref.uid, family);
    const registry = this.registries[family];
    const previous = registry.get(request.ref.uid);
    if (request.wants > 0) registry.set(request.ref.uid, request);
    else registry.delete(request.ref.uid);
    if (previous !== undefined) this.notifyLater(registry, previous, () => leavesNodes(request, previous));
  }

  /** A node has room for one more address: all that wait for a node look again. */
  noteRoom(family: IpFamily): void {
    const waiting = [...this.registries[family].keys()];
    if (waiting.length > 0) this.onRoom(waiting);
  }

  /** The resource has reserved the node that it asked for, so that nothing is left of it for others. */
  took(family: IpFamily, uid: string): void {
    this.registries[family].delete(uid);
  }

  /** The resource is gone or can't act for now. @param except the request of this family stays */
  withdraw(uid: string, except?: IpFamily): void {
    for (const [family, registry] of Object.entries(this.registries)) {
      if (family === except) continue;
      const previous = registry.get(uid);
      registry.delete(uid);
      if (previous !== undefined) this.notifyLater(registry, previous);
    }
  }

  /** The nodes that a resource may use now: what those before it leave it. In its own order. */
  share(family: IpFamily, request: NodeRequest, roomOn: RoomOn): readonly ProviderId[] {
    const own = partsOf(request);
    return shareAmong([...this.before(family, own.at(-1)), ...own], roomOn).get(request.ref.uid) ?? [];
  }

  /** The nodes that other resources get before this one, each with the resource. */
  takenBefore(
    family: IpFamily,
    { missing, ...resource }: Requester & Pick<WantedNodes, "missing">,
    roomOn: RoomOn,
  ): ReadonlyMap<ProviderId, ResourceRef> {
    const before = this.before(family, { ...resource, isNew: missing > 0 });
    const shares = shareAmong(before, roomOn);
    return new Map(before.flatMap(({ ref }) => (shares.get(ref.uid) ?? []).map((node) => [node, ref] as const)));
  }

  private before(family: IpFamily, part: Ranked | undefined): readonly Part[] {
    if (part === undefined) return [];
    const others = [...this.registries[family].values()].filter(
      ({ ref, account }) => ref.uid !== part.ref.uid && account === part.account,
    );
    return others.flatMap(partsOf).filter((other) => firstInTurn(other, part) < 0);
  }

  /** @param leaves asked only if others wait: candidates may be many. */
  private notifyLater(
    registry: ReadonlyMap<string, NodeRequest>,
    previous: NodeRequest,
    leaves: () => boolean = () => true,
  ): void {
    const [first] = partsOf(previous);
    const isLater = (part: Part) => first !== undefined && firstInTurn(first, part) < 0;
    const later = [...registry.values()].filter(
      (other) => other.ref.uid !== previous.ref.uid && partsOf(other).some(isLater),
    );
    if (later.length > 0 && leaves()) this.onRoom(later.map(({ ref }) => ref.uid));
  }
}

interface Ranked extends Requester {
  /** Its addresses are still to be created. */
  readonly isNew: boolean;
}

/** The addresses of a request that have the same rank. */
interface Part extends Ranked, Pick<NodeRequest, "wants" | "candidates">, Pick<WantedGroup, "fits"> {}

function partsOf({ wants, missing, groups, ...request }: NodeRequest): readonly Part[] {
  let known: readonly ProviderId[] | undefined;
  const candidates = () => {
    known ??= request.candidates();
    return known;
  };
  const all = groups ?? [{ wants, missing, fits: () => true }];
  const parts = [false, true].flatMap((isNew) =>
    all.map((group) => ({ ...request, candidates, isNew, fits: group.fits, wants: countOf(group, isNew) })),
  );
  return parts.filter((part) => part.wants > 0);
}

function countOf({ wants, missing }: WantedNodes, isNew: boolean): number {
  const created = Math.min(wants, missing);
  return isNew ? created : wants - created;
}

function firstInTurn(a: Ranked, b: Ranked): number {
  return Number(a.isNew) - Number(b.isNew) || olderFirst(a, b);
}

/** With another account, it uses none of the former machines. */
function leavesNodes(now: NodeRequest, before: NodeRequest): boolean {
  if (now.account !== before.account) return true;
  if (now.wants < before.wants || now.wants - now.missing < before.wants - before.missing) return true;
  const candidates = new Set(now.candidates());
  return before.candidates().some((node) => !candidates.has(node));
}

/** The nodes of each resource, by uid: never more than `wants`, no node twice, no node beyond its room. */
function shareAmong(parts: readonly Part[], roomOn: RoomOn): ReadonlyMap<string, readonly ProviderId[]> {
  const taken = new Map<ProviderId, number>();
  const shares = new Map<string, readonly ProviderId[]>();
  for (const part of [...parts].sort(firstInTurn)) {
    const own = shares.get(part.ref.uid) ?? [];
    const isFree = (node: ProviderId) => !own.includes(node) && roomOn(node) > (taken.get(node) ?? 0);
    const chosen = choose(part, isFree);
    for (const node of chosen) taken.set(node, (taken.get(node) ?? 0) + 1);
    shares.set(part.ref.uid, [...own, ...chosen]);
  }
  return shares;
}

/** Candidates may be many: it looks at no more of them than it needs. */
function choose({ wants, candidates, fits }: Part, isFree: (node: ProviderId) => boolean): readonly ProviderId[] {
  const chosen = new Set<ProviderId>();
  for (const node of candidates()) {
    if (isFree(node) && fits(node)) chosen.add(node);
    if (chosen.size === wants) break;
  }
  return [...chosen];
}
