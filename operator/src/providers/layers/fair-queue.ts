/** A queue with work classes: the most urgent class first, and within a class one call from each asker in turn. */

import { CLASS_PATIENCE_MS, CLASS_TURNS } from "../../bounds.js";
import { CALL_PRIORITIES, type CallPriority } from "../urgency.js";

interface Entry<T> {
  readonly item: T;
  /** Monotonic ms. */
  readonly since: number;
}

/** A class that waits. */
export interface Iteration {
  readonly priority: CallPriority;
  /** The class whose limits apply: a more urgent one, where this class has waited for too long. */
  readonly limits: CallPriority;
}

export class FairQueue<T> {
  /** Askers in the order of their turn; the first item of each is next. */
  private readonly waiting = perClass(() => new Map<string, Entry<T>[]>());
  /** Calls of each more urgent class that were served while this one waited. */
  private readonly passed = perClass(() => new Map<CallPriority, number>());

  get size(): number {
    return CALL_PRIORITIES.reduce((sum, priority) => sum + this.count(priority), 0);
  }

  /** @param since monotonic ms: when the wait began. */
  push(priority: CallPriority, requester: string, item: T, since: number): void {
    const entries = this.waiting[priority].get(requester);
    if (entries === undefined) this.waiting[priority].set(requester, [{ item, since }]);
    else entries.push({ item, since });
  }

  /** The classes that wait, in the order in which they may be served. */
  turns(now: number): readonly Iteration[] {
    const classes = CALL_PRIORITIES.filter((priority) => this.waiting[priority].size > 0);
    const turns = classes.map((priority) => ({ priority, limits: this.limitsOf(priority, now) }));
    const isOverdue = ({ priority, limits }: Iteration) => priority !== limits;
    return [...turns.filter(isOverdue), ...turns.filter((iteration) => !isOverdue(iteration))];
  }

  /** Takes the next item of a class; its asker goes to the end of the line. */
  take(priority: CallPriority): T | undefined {
    const requesters = this.waiting[priority];
    const [first] = requesters;
    if (first === undefined) return undefined;
    const [requester, entries] = first;
    const entry = entries.shift();
    requesters.delete(requester);
    if (entries.length > 0) requesters.set(requester, entries);
    return entry?.item;
  }

  /** A call of the class was sent. */
  served(priority: CallPriority): void {
    this.passed[priority].clear();
    for (const other of CALL_PRIORITIES.slice(CALL_PRIORITIES.indexOf(priority) + 1)) {
      const passed = this.passed[other];
      if (this.waiting[other].size === 0) passed.clear();
      else passed.set(priority, (passed.get(priority) ?? 0) + 1);
    }
  }

  /** Takes an item out, wherever it is. @returns whether it was there */
  remove(priority: CallPriority, requester: string, item: T): boolean {
    const entries = this.waiting[priority].get(requester);
    const at = entries?.findIndex((entry) => entry.item === item) ?? -1;
    if (entries === undefined || at < 0) return false;
    entries.splice(at, 1);
    if (entries.length === 0) this.waiting[priority].delete(requester);
    return true;
  }

  /** One call in fifty, so that a stream of urgent calls does not starve the others for ever. */
  private limitsOf(priority: CallPriority, now: number): CallPriority {
    const passed = this.passed[priority];
    const overtaken = CALL_PRIORITIES.find((other) => (passed.get(other) ?? 0) >= CLASS_TURNS);
    if (overtaken === undefined) return priority;
    const oldest = Math.min(...[...this.waiting[priority].values()].map(([first]) => first?.since ?? now));
    return now - oldest >= CLASS_PATIENCE_MS ? overtaken : priority;
  }

  private count(priority: CallPriority): number {
    return [...this.waiting[priority].values()].reduce((sum, entries) => sum + entries.length, 0);
  }
}

/** One value for each class. */
export function perClass<V>(make: () => V): Readonly<Record<CallPriority, V>> {
  return { assignment: make(), records: make(), check: make() };
}
