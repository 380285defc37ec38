/** Whether another party keeps undoing the operator's writes: a second install, or a person. */

import type { InventoryAddress } from "../inventory/view.js";
import type { Verdict } from "../match/checks.js";
import type { ProviderId } from "../providers/types.js";
import { CONTESTED_PAUSE_MS, CONTESTED_WINDOW_MS, PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../timings.js";

/** So many within the window, and we step back. */
const REVERTS = 3;

/** @param reverts when our writes were undone, ms since the epoch. @returns until when to keep still. */
export function undonePauseUntil(reverts: readonly number[] = [], now: number): number | undefined {
  // Later ones are of a clock that was set back since.
  const past = reverts.filter((at) => at <= now);
  if (!isRepeatedlyUndone(past)) return undefined;
  const until = Math.max(...past) + CONTESTED_PAUSE_MS;
  return until > now ? until : undefined;
}

/** Three in ten minutes, and no quiet since: it stays so until our write has lasted for the window. */
export function isRepeatedlyUndone(reverts: readonly number[] = []): boolean {
  const times = [...reverts].sort((a, b) => a - b);
  return times.some((time, index) => {
    const first = times[index - REVERTS + 1];
    return first !== undefined && time - first <= CONTESTED_WINDOW_MS;
  });
}

/** Where our last completed assignment put an address. */
export interface LastPlacement {
  readonly machine: ProviderId;
  /** ms since the epoch. */
  readonly at: number;
}

/** What is remembered of one address. */
export interface Dispute {
  readonly placement: LastPlacement | undefined;
  /** When our assignments were undone, ms since the epoch. */
  readonly reverts: readonly number[];
}

export interface Look {
  readonly facts: InventoryAddress | undefined;
  /** Whether the machine stands for a node that may have the address. */
  readonly isFit: (machine: ProviderId) => boolean;
  readonly now: number;
}

/** The dispute after a look at the address. Only what is taken off a node that is well counts as undone. */
export function disputeAfter({ placement, reverts }: Dispute, { facts, isFit, now }: Look): Dispute {
  const seen = facts !== undefined && !facts.unconfirmed && facts.action === undefined;
  if (placement !== undefined && seen && facts.holder !== placement.machine) {
    const undone = isFit(placement.machine) ? [...reverts, now].slice(-REVERTS_KEPT) : reverts;
    return { placement: undefined, reverts: undone };
  }
  return { placement, reverts: now >= overAt({ placement, reverts }, seen) ? [] : reverts };
}

/**
 * Our assignment has lasted, or the next try was due and nothing was undone since: the address may be where it should be,
 * or not be wanted any more.
 */
function overAt({ placement, reverts }: Dispute, placed: boolean): number {
  const triedAgain = Math.max(...reverts) + CONTESTED_PAUSE_MS;
  const since = placement === undefined || !placed ? Math.max(triedAgain, placement?.at ?? 0) : placement.at;
  return since + PLACEMENT_LASTING_MS;
}

/** When somebody else took an address off a node that is well, and which node that was. */
export interface Taken {
  readonly node: string;
  /** ms since the epoch. */
  readonly at: number;
}

interface Fitness {
  readonly node: Pick<Verdict["node"], "name">;
  /** None: the node may have the address. */
  readonly refusals: readonly unknown[];
}

interface TakenScene {
  /** `was`: where the status shows the address as active; it counts until the account shows the address. */
  readonly addresses: Iterable<{ readonly ip: string; readonly was?: ProviderId | undefined }>;
  readonly inventory: { get(ip: string): Seen | undefined };
  readonly verdictOf: (machine: ProviderId) => Fitness | undefined;
  readonly now: number;
}

/** Addresses that somebody else took off a node that is well, until each is on such a node again: the cause of the next move. */
export class TakenAddresses {
  private readonly seenOn = new Map<string, ProviderId>();
  private readonly taken = new Map<string, Taken>();
  private readonly known = new Set<string>();

  look({ addresses, inventory, verdictOf, now }: TakenScene): ReadonlyMap<string, Taken> {
    for (const { ip, was } of addresses) {
      const facts = inventory.get(ip);
      if (isGivenUp(facts)) this.note(ip, undefined, verdictOf);
      if (facts === undefined || !isSettled(facts)) continue;
      const before = this.known.has(ip) ? this.seenOn.get(ip) : was;
      const left = before === undefined || before === facts.holder ? undefined : fitNode(verdictOf(before));
      if (left !== undefined) this.taken.set(ip, { node: left, at: now });
      this.note(ip, facts.holder, verdictOf);
    }
    return new Map(this.taken);
  }

  private note(ip: string, holder: ProviderId | undefined, verdictOf: TakenScene["verdictOf"]): void {
    this.known.add(ip);
    this.seenOn.delete(ip);
    if (holder === undefined || fitNode(verdictOf(holder)) === undefined) return;
    this.seenOn.set(ip, holder);
    this.taken.delete(ip);
  }
}

type Seen = Pick<InventoryAddress, "holder" | "unconfirmed" | "action" | "inFlight">;

function isSettled({ unconfirmed, action, inFlight }: Seen): boolean {
  return !unconfirmed && action === undefined && inFlight === undefined;
}

/** The operator itself takes it off its node. */
function isGivenUp(facts: Seen | undefined): boolean {
  return facts?.inFlight !== undefined && facts.inFlight.expected === undefined;
}

/** The name of a node that may have the address. */
function fitNode(verdict: Fitness | undefined): string | undefined {
  return verdict?.refusals.length === 0 ? verdict.node.name : undefined;
}
