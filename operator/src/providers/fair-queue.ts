/** A queue with two classes: assignments before checks, and within a class one from each asker in turn. */

import type { CallPriority } from "./call.js";

const CLASSES: readonly CallPriority[] = ["assignment", "check"];

export class FairQueue<T> {
  /** Askers in the order of their turn; the first item of each is next. */
  private readonly waiting: Record<CallPriority, Map<string, T[]>> = { assignment: new Map(), check: new Map() };

  get size(): number {
    return CLASSES.reduce((sum, priority) => sum + this.count(priority), 0);
  }

  push(priority: CallPriority, asker: string, item: T): void {
    const items = this.waiting[priority].get(asker);
    if (items === undefined) this.waiting[priority].set(asker, [item]);
    else items.push(item);
  }

  /** The most urgent class that waits. */
  get next(): CallPriority | undefined {
    return CLASSES.find((priority) => this.waiting[priority].size > 0);
  }

  /** Takes the next item of a class; its asker goes to the end of the line. */
  take(priority: CallPriority): T | undefined {
    const askers = this.waiting[priority];
    const [first] = askers;
    if (first === undefined) return undefined;
    const [asker, items] = first;
    const item = items.shift();
    askers.delete(asker);
    if (items.length > 0) askers.set(asker, items);
    return item;
  }

  /** Takes an item out, wherever it is. */
  remove(priority: CallPriority, asker: string, item: T): void {
    const items = this.waiting[priority].get(asker);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return;
    items.splice(at, 1);
    if (items.length === 0) this.waiting[priority].delete(asker);
  }

  private count(priority: CallPriority): number {
    return [...this.waiting[priority].values()].reduce((sum, items) => sum + items.length, 0);
  }
}
