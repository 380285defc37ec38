/** How many calls may be sent in a window of time, as the API counts it and as its answers say; and whose turn it is. */

import { CLASS_PATIENCE_MS, CLASS_TURNS, RATE_WINDOW_MARGIN_MS, SECOND_MS } from "../../timings.js";
import { CALL_PRIORITIES, type CallGroup, type CallPriority, type RateFacts } from "../call.js";

/** A limit that the API documents. */
export interface RateLimit {
  readonly calls: number;
  readonly seconds: number;
  /** The calls that it is for. @default all */
  readonly group?: CallGroup;
}

/**
 * The times of the last `calls` calls: exact under sliding and under fixed windows alike, which a bucket that refills
 * is not (a full one lets up to twice the limit through in one window).
 */
export class SlidingWindow {
  private readonly times: number[] = [];
  private at = 0;

  constructor(private readonly limit: RateLimit) {}

  /**
   * ms until a call may be sent that leaves `keep` for others.
   * @param nowMs monotonic.
   */
  waitMs(nowMs: number, keep: number): number {
    const size = Math.max(1, this.limit.calls - keep);
    if (this.times.length < size) return 0;
    // The call `size` calls ago must have left the window.
    const index = (this.at - size + this.limit.calls * 2) % this.limit.calls;
    const oldest = this.times[this.times.length < this.limit.calls ? this.times.length - size : index] ?? 0;
    return Math.max(0, oldest + this.limit.seconds * SECOND_MS + RATE_WINDOW_MARGIN_MS - nowMs);
  }

  take(nowMs: number): void {
    if (this.times.length < this.limit.calls) this.times.push(nowMs);
    else this.times[this.at] = nowMs;
    this.at = (this.at + 1) % this.limit.calls;
  }

  /** Calls that may be kept back at most: a share of the limit. */
  share(part: number): number {
    return Math.floor(this.limit.calls * part);
  }
}

/**
 * What the answers say is left, others that use the account included: a bucket that each answer sets and that refills
 * in the meantime at the limit's own rate. Answers may arrive out of order, so only news counts that were asked for
 * after the last.
 */
export class ReportedBudget {
  private left = Number.POSITIVE_INFINITY;
  private limit = Number.POSITIVE_INFINITY;
  private perMs = 0;
  private at = 0;
  private heardOf = 0;
  private sent = 0;

  /** @param seconds length of the window that the headers speak of. */
  constructor(private readonly seconds: number) {}

  /** A call leaves. Returns its number, for `heard`. */
  take(nowMs: number): number {
    this.refill(nowMs);
    this.left -= 1;
    this.sent += 1;
    return this.sent;
  }

  /** @param number of the call whose answer this is. */
  heard(facts: RateFacts, number: number, nowMs: number): void {
    if (number < this.heardOf || !makesSense(facts)) return;
    this.heardOf = number;
    this.limit = facts.limit;
    this.perMs = facts.limit / (this.seconds * SECOND_MS);
    // Calls sent after this one are not in its answer. A debt beyond the limit would block the account for windows.
    this.left = Math.max(-facts.limit, facts.remaining - (this.sent - number));
    this.at = nowMs;
  }

  /** ms until a call may be sent that leaves `share` of the limit for others. */
  waitMs(nowMs: number, share: number): number {
    this.refill(nowMs);
    const missing = 1 + (Number.isFinite(this.limit) ? Math.floor(this.limit * share) : 0) - this.left;
    return missing <= 0 ? 0 : missing / this.perMs;
  }

  private refill(nowMs: number): void {
    if (!Number.isFinite(this.left)) return;
    this.left = Math.min(this.limit, this.left + (nowMs - this.at) * this.perMs);
    this.at = nowMs;
  }
}

/** Headers may contain any number: a limit below one call would never let one go. */
function makesSense({ limit, remaining }: RateFacts): boolean {
  return Number.isFinite(limit) && limit >= 1 && Number.isFinite(remaining);
}

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
