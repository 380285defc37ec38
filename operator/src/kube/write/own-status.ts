/** Whether others overwrite the status that this process writes, and when it writes over theirs: two writers must not do so without end. */

import { OVERWRITTEN_KEPT_MS, OVERWRITTEN_WAITS_MS } from "../../timings.js";
import { jsonEqual } from "../objects.js";
import { type Condition, isObject } from "./patch.js";

type Fields = Readonly<Record<string, unknown>>;

export class OwnStatus {
  /** Fields as the server had them when this process last wrote them, or found them as it wants them. */
  private readonly left = new Map<string, unknown>();
  private times = 0;
  /** Monotonic ms. */
  private lastAt = Number.NEGATIVE_INFINITY;
  private counted = false;

  /** The server answered a write with this status. @param body of its patch. */
  wrote(body: unknown, status: unknown): void {
    const sent = fieldsOf(fieldsOf(body)["status"]);
    this.note(Object.keys(sent), status);
  }

  /** It has the whole status now. */
  settled(wanted: Fields, status: unknown): void {
    this.note(Object.keys(wanted), status);
    this.counted = false;
  }

  /** The last write was not answered: what the status shows may be ours. */
  forget(): void {
    this.left.clear();
  }

  /** In each run: what is still the very value that was left is not compared. An equal one takes its place, so that memory holds one. */
  isOverwritten(wanted: Fields, status: unknown): boolean {
    const stored = fieldsOf(status);
    const others = Object.keys(wanted).filter(
      (field) => this.left.has(field) && this.left.get(field) !== stored[field],
    );
    if (others.length === 0) return false;
    const types = new Set(conditionsOf(wanted["conditions"]).map(({ type }) => type));
    const own = (field: string, value: unknown) =>
      field === "conditions" ? conditionsOf(value).filter(({ type }) => types.has(type)) : value;
    const changed = others.filter((field) => !jsonEqual(own(field, this.left.get(field)), own(field, stored[field])));
    this.note(
      others.filter((field) => !changed.includes(field)),
      status,
    );
    return changed.length > 0;
  }

  /** ms after which an overwritten status is written again; 0: now. The first times that is at once: a person may have edited it. */
  waitMs(monotonic: number): number {
    if (!this.counted) {
      this.times = monotonic - this.lastAt > OVERWRITTEN_KEPT_MS ? 1 : this.times + 1;
      this.lastAt = monotonic;
      this.counted = true;
    }
    const wait = OVERWRITTEN_WAITS_MS[Math.min(this.times, OVERWRITTEN_WAITS_MS.length) - 1] ?? 0;
    return Math.max(0, this.lastAt + wait - monotonic);
  }

  private note(fields: readonly string[], status: unknown): void {
    const stored = fieldsOf(status);
    for (const field of fields) this.left.set(field, stored[field]);
  }
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function conditionsOf(value: unknown): readonly Condition[] {
  return Array.isArray(value) ? (value as readonly Condition[]) : [];
}
