/** Lists in which a creation whose answer was lost is looked for. */

import type { PendingCreation } from "cdk8s-flipop/api";
import { LISTS_KEPT } from "../../bounds.js";
import type { InventoryView } from "../../inventory/types.js";

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
  private met: { readonly startedAt: string; readonly at: number } | undefined;

  /** @returns whether a creation is open. */
  meet(intent: PendingCreation | undefined, monotonic: number): boolean {
    if (intent === undefined) this.met = undefined;
    else if (this.met?.startedAt !== intent.startedAt) this.met = { startedAt: intent.startedAt, at: monotonic };
    return intent !== undefined;
  }

  /** Remembers each whole list while a creation has no end. */
  note(view: Pick<InventoryView, "complete" | "ageSeconds" | "addresses"> | undefined, monotonic: number): void {
    if (this.met === undefined) this.lists = [];
    if (this.met === undefined || view?.complete !== true) return;
    const listedAt = monotonic - view.ageSeconds * 1000;
    // The same list again, apart from rounding.
    if (listedAt < this.lastAt + 1) return;
    this.lastAt = listedAt;
    const unassigned = [...view.addresses.values()].filter(({ holder }) => holder === undefined).map(({ ip }) => ip);
    this.lists = withList(this.lists, { at: listedAt, unassigned: new Set(unassigned) });
  }

  /** By the wall clock as it stands now. */
  seen({ now, monotonic }: { readonly now: number; readonly monotonic: number }) {
    const wall = (at: number) => at - monotonic + now;
    return {
      lists: this.lists.map(({ at, unassigned }) => ({ at: wall(at), unassigned })),
      ...(this.met === undefined ? {} : { intentSeenAt: wall(this.met.at) }),
    };
  }
}
