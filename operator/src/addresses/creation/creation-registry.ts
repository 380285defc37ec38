/**
 * Creations of addresses that run, or whose answer was lost. The node identifies a creation on a node. For one in
 * a region there is only the account's list: it waits until no other creation can add an address to that list.
 */

import type { IpFamily } from "cdk8s-flipop/api";
import { CREATION_OVER_MS, LIST_READ_MS } from "../../bounds.js";
import type { ResourceRef } from "../../inventory/types.js";
import type { ProviderId } from "../../providers/types.js";

export interface OpenCreation {
  readonly resource: ResourceRef;
  readonly provider: string;
  readonly family: IpFamily;
  /** The account, where it is known yet; compared by identity. An unknown account may be any account. */
  readonly account: object | undefined;
  /** The node that the address is created on. */
  readonly node?: ProviderId;
  /** When its intent was written, ms since the epoch; by this process's clock where that is in the future. */
  readonly startedAt?: number;
  /** Its call is on its way. @default its answer was lost */
  readonly running?: boolean;
}

/** What a creation that is about to begin has to keep apart from others. */
export interface Beginning {
  /** `undefined`: it is created in a region. */
  readonly node: ProviderId | undefined;
  readonly now: number;
  /** When the list was read that the intent will remember, ms since the epoch. */
  readonly listedAt: number;
}

/** ms since the epoch: when another creation no longer holds it up; `undefined`: it does not, `Infinity`: at its end. */
export function heldUpUntil(
  { node, startedAt, running }: Pick<OpenCreation, "node" | "startedAt" | "running">,
  beginning: Beginning,
): number | undefined {
  if (beginning.node !== undefined) return beginning.node === node ? Number.POSITIVE_INFINITY : undefined;
  if (running === true || startedAt === undefined) return Number.POSITIVE_INFINITY;
  const over = startedAt + CREATION_OVER_MS;
  if (beginning.listedAt >= over) return undefined;
  // The list has to be read once more.
  return Math.max(over, beginning.now + LIST_READ_MS);
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
    this.tell();
  }

  /** Replaces the resource's former one. What is lost now holds up others for a while only: they look again. */
  set(creation: OpenCreation): void {
    const before = this.open.get(creation.resource.uid);
    this.open.set(creation.resource.uid, creation);
    if (before?.running === true && creation.running !== true) this.tell();
  }

  /** The creation has ended, or the resource is gone. */
  end(uid: string): void {
    if (this.open.delete(uid)) this.tell();
  }

  private tell(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    if (waiting.length > 0) this.onEnd(waiting);
  }

  /** The creations of other resources in the same account and family. If there are any, the caller is notified when one ends. */
  others(requester: Pick<OpenCreation, "resource" | "provider" | "family" | "account">): readonly OpenCreation[] {
    const others = [...this.open.values()].filter((other) => isAbout(other, requester));
    const all = this.incomplete ? [...others, { ...requester, resource: UNREAD }] : others;
    if (all.length > 0) this.waiting.add(requester.resource.uid);
    return all;
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
