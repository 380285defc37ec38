/**
 * Creations of addresses that run, or whose answer was lost, and the lists in which those are looked for. The node
 * identifies a creation on a node. For one in a region there is only the account's list: it waits until no other creation
 * can add an address of that region.
 */

import { canonicalIp, type IpFamily, type PendingCreation } from "cdk8s-flipop/api";
import type { InventoryView, ResourceRef } from "../../inventory/view.js";
import type { CreateAddress, ProviderId } from "../../providers/types.js";
import { CREATION_OVER_MS, LIST_READ_MS, LISTS_KEPT } from "../../timings.js";

export interface OpenCreation {
  readonly resource: ResourceRef;
  readonly provider: string;
  readonly family: IpFamily;
  /** The account, where it is known yet; compared by identity. An unknown account may be any account. */
  readonly account: object | undefined;
  /** The node that the address is created on. */
  readonly node?: ProviderId;
  /** The region that the address is created in, of no node. A list shows the region of each address. */
  readonly region?: string;
  /** When its intent was written, ms since the epoch; by this process's clock where that is in the future. */
  readonly startedAt?: number;
  /** Its call is on its way. @default its answer was lost */
  readonly running?: boolean;
  /** Stands for the creations of resources that the operator has not read yet since its start. */
  readonly unread?: boolean;
}

/** What a creation that is about to begin has to keep apart from others. */
interface Beginning {
  /** `undefined`: it is created in a region. */
  readonly node: ProviderId | undefined;
  /** Where it is created in a region. */
  readonly region?: string;
  readonly now: number;
  /** When the list was read that the intent will remember, ms since the epoch. */
  readonly listedAt: number;
}

/** ms since the epoch: when another creation no longer holds it up; `undefined`: it does not, `Infinity`: at its end. */
export function heldUpUntil(
  { node, region, startedAt, running }: Pick<OpenCreation, "node" | "region" | "startedAt" | "running">,
  beginning: Beginning,
): number | undefined {
  if (beginning.node !== undefined) return beginning.node === node ? Number.POSITIVE_INFINITY : undefined;
  if (areApart(region, beginning.region)) return undefined;
  if (running === true || startedAt === undefined) return Number.POSITIVE_INFINITY;
  const over = startedAt + CREATION_OVER_MS;
  if (beginning.listedAt >= over) return undefined;
  // The list has to be read once more.
  return Math.max(over, beginning.now + LIST_READ_MS);
}

/** Absent: it is created on a node, or anywhere. */
export function regionOfCreation(desired: CreateAddress): Pick<OpenCreation, "region"> {
  return "region" in desired && desired.region !== "" ? { region: desired.region } : {};
}

/** A list distinguishes the addresses of two known regions. */
export function areApart(region: string | undefined, other: string | undefined): boolean {
  return region !== undefined && other !== undefined && region !== other;
}

export class CreationRegistry {
  private readonly open = new Map<string, OpenCreation>();
  private readonly waiting = new Set<string>();
  /** Resources of some kind have not been read yet: one of them may have a creation whose end is not known. */
  private incomplete = false;

  /** @param onEnd resources that waited for an end. */
  constructor(private readonly onEnd: (uids: readonly string[]) => void = () => undefined) {}

  /** Until `allKnown`, each asker finds another creation. */
  expectMore(): void {
    this.incomplete = true;
  }

  allKnown(): void {
    if (!this.incomplete) return;
    this.incomplete = false;
    this.notify();
  }

  /** Replaces the resource's former one. What is lost now holds up others for a while only: they look again. */
  set(creation: OpenCreation): void {
    const before = this.open.get(creation.resource.uid);
    this.open.set(creation.resource.uid, creation);
    if (before?.running === true && creation.running !== true) this.notify();
  }

  /** The creation has ended, or the resource is gone. */
  end(uid: string): void {
    if (this.open.delete(uid)) this.notify();
  }

  /** Namespaces of the open creations of other resources; `unread` while one may have a creation that is not known. */
  namespacesBeside({ uid }: ResourceRef): readonly string[] | "unread" {
    if (this.incomplete) return "unread";
    return [...this.open.values()].flatMap(({ resource }) => (resource.uid === uid ? [] : [resource.namespace]));
  }

  /** It is notified when a creation ends, or at the next `retry`. */
  wait({ uid }: ResourceRef): void {
    this.waiting.add(uid);
  }

  /** There is room below a limit again. */
  retry(): void {
    this.notify();
  }

  private notify(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    if (waiting.length > 0) this.onEnd(waiting);
  }

  /** The creations of other resources in the same account and family. Who can do nothing before one ends calls `wait`. */
  others(requester: Pick<OpenCreation, "resource" | "provider" | "family" | "account">): readonly OpenCreation[] {
    const others = [...this.open.values()].filter((other) => isAbout(other, requester));
    return this.incomplete ? [...others, { ...requester, resource: UNREAD, unread: true }] : others;
  }
}

/** Stands for resources that have not been read yet. */
const UNREAD: ResourceRef = { kind: "an unread resource", namespace: "*", name: "*", uid: "" };

function isAbout(
  other: OpenCreation,
  requester: Pick<OpenCreation, "resource" | "provider" | "family" | "account">,
): boolean {
  if (other.resource.uid === requester.resource.uid || other.family !== requester.family) return false;
  if (other.provider !== requester.provider) return false;
  return other.account === undefined || requester.account === undefined || other.account === requester.account;
}

/** How old a list may be, so that it shows what came of all creations of others that are over by now. */
export function freshSeconds(others: readonly Pick<OpenCreation, "startedAt" | "running">[], now: number): number {
  const ends = others.map(({ startedAt, running }) =>
    running === true || startedAt === undefined ? Number.POSITIVE_INFINITY : startedAt + CREATION_OVER_MS,
  );
  const over = ends.filter((end) => end <= now);
  return over.length === 0 ? Number.POSITIVE_INFINITY : (now - Math.max(...over)) / 1000;
}

/** Unassigned addresses of a whole list. */
export interface ListObservation {
  /** When it was asked for, ms since the epoch. */
  readonly at: number;
  readonly unassigned: ReadonlySet<string>;
}

/** Remembers a list: the first one, and the last few. */
export function withList(lists: readonly ListObservation[], list: ListObservation): readonly ListObservation[] {
  if ((lists.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= list.at) return lists;
  const kept = lists.length < LISTS_KEPT ? lists : lists.filter((_, index) => index !== 1);
  return [...kept, list];
}

/** Of one resource. Keeps monotonic times: no clock that is set tears them apart. */
export class ListObservations {
  private lists: readonly ListObservation[] = [];
  private lastAt = Number.NEGATIVE_INFINITY;
  /** The open creation, and when it was met. */
  private met: { readonly intent: PendingCreation; readonly at: number } | undefined;
  /** Of newcomers, whether they have ever been on a machine. */
  private readonly assigned = new Map<string, boolean>();

  /** @returns whether a creation is open. */
  meet(intent: PendingCreation | undefined, monotonic: number): boolean {
    if (intent === undefined) this.met = undefined;
    else if (this.met?.intent.startedAt !== intent.startedAt) this.met = { intent, at: monotonic };
    return intent !== undefined;
  }

  /**
   * Remembers each whole list while a creation has no end.
   * @returns the unassigned newcomers of a creation on a machine that were on no machine so far, as far as is known
   */
  note(
    view: Pick<InventoryView, "complete" | "ageSeconds" | "addresses"> | undefined,
    monotonic: number,
  ): readonly string[] {
    if (this.met === undefined) {
      this.lists = [];
      this.assigned.clear();
    }
    if (this.met === undefined || view?.complete !== true) return [];
    const listedAt = monotonic - view.ageSeconds * 1000;
    // The same list again, apart from rounding.
    if (listedAt < this.lastAt + 1) return [];
    this.lastAt = listedAt;
    const unassigned = [...view.addresses.values()].filter(({ holder }) => holder === undefined).map(({ ip }) => ip);
    this.lists = withList(this.lists, { at: listedAt, unassigned: new Set(unassigned) });
    const { providerID, unassignedSeen = [] } = this.met.intent;
    const seen = new Set(unassignedSeen.map(canonicalIp));
    const isOpen = (ip: string) => !seen.has(ip) && this.assigned.get(ip) !== true;
    return providerID === undefined ? [] : unassigned.filter(isOpen);
  }

  /** @param was `undefined`: not known */
  noteAssigned(ip: string, was: boolean | undefined): void {
    if (was !== undefined) this.assigned.set(ip, was);
  }

  /** By the wall clock as it stands now. */
  seen({ now, monotonic }: { readonly now: number; readonly monotonic: number }) {
    const wall = (at: number) => at - monotonic + now;
    return {
      lists: this.lists.map(({ at, unassigned }) => ({ at: wall(at), unassigned })),
      wasAssigned: this.assigned,
      ...(this.met === undefined ? {} : { intentSeenAt: wall(this.met.at) }),
    };
  }
}
