/** The dice of a schedule, and what it has done so far: that decides which events make sense next. */

import { seededRandom } from "../../support/seeded-random.js";
import type { Presence } from "../history.js";
import { type Schedule, SLOTS } from "./steps.js";

export interface SlotModel {
  exists: boolean;
  ready: boolean;
  cordoned: boolean;
  tainted: boolean;
  /** Its service and its kubelet work. */
  alive: boolean;
  pod: Presence;
}

export class Draft {
  readonly slots: SlotModel[];
  readonly exists: boolean[];
  readonly paused = new Set<number>();
  readonly endpoints = new Map<string, Presence>();
  /** Half of the rounds leave the way to the API server alone: there the operator always sees the cluster as it is. */
  readonly seesAll: boolean;
  handEdits = 0;
  handAddresses = 0;
  /** Faults that lead to a wait of minutes when they come twice. */
  readonly spent = new Set<string>();
  private readonly random: () => number;

  constructor(
    seed: number,
    readonly templates = [] as Schedule["templates"],
  ) {
    this.random = seededRandom(seed);
    this.seesAll = this.chance(0.5);
    const whole = { exists: true, ready: true, cordoned: false, tainted: false, alive: true };
    this.slots = Array.from({ length: SLOTS }, () => ({ ...whole, pod: "ready" }));
    this.exists = templates.map(() => true);
  }

  next(): number {
    return this.random();
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  of<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.random() * values.length)];
    if (value === undefined) throw new Error("nothing to choose from: pass at least one value");
    return value;
  }

  whole(): number {
    return this.slots.filter((slot) => slot.exists && slot.ready && !slot.cordoned && !slot.tainted && slot.alive)
      .length;
  }
}
