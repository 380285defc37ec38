/** How a run of a reconciler ends. The kind decides what happens to the key next, in one place: `settle`. */

import { LEAST_WAIT_MS } from "../bounds.js";
import type { ReconcileLabel } from "../metrics/controller.js";
import type { WorkQueue } from "./queue.js";

export type Result =
  /** World and wish agree, as far as this run can tell. */
  | { readonly kind: "done" }
  /** All went well, and time alone will ask for another run. */
  | { readonly kind: "requeueAfter"; readonly afterMs: number }
  /** Try again, with backoff. */
  | { readonly kind: "error"; readonly error: unknown };

export const done: Result = { kind: "done" };

/** @param afterMs ms until the next run, at the latest; events may bring it sooner. */
export function requeueAfter(afterMs: number): Result {
  return { kind: "requeueAfter", afterMs };
}

export function failed(error: unknown): Result {
  return { kind: "error", error };
}

/** Updates the queue by the result of the run of a key. Returns the label of the metrics. */
export function settle(queue: WorkQueue, key: string, result: Result): ReconcileLabel {
  switch (result.kind) {
    case "done":
      queue.forget(key);
      return "success";
    case "requeueAfter":
      queue.forget(key);
      queue.addAfter(key, Math.max(result.afterMs, LEAST_WAIT_MS));
      return "requeue_after";
    case "error":
      queue.addRateLimited(key);
      return "error";
  }
}
