/** Counts and times each attempt under FLIPOP's metric names. */

import { SECOND_MS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import type { ApiCall, CallLayer, Send } from "../call.js";
import { isProviderError } from "../errors.js";

type CallLabels = Readonly<Record<"provider" | "call" | "kind" | "namespace" | "name", string>>;

/** The two metrics of calls; FlipopMetrics has them. */
export interface CallMetrics {
  readonly calls: { inc(labels: CallLabels & { readonly outcome: "success" | "error" }, by?: number): void };
  readonly callSeconds: { observe(labels: CallLabels, seconds: number): void };
  readonly callWaitSeconds: { observe(labels: Readonly<Record<"provider" | "class", string>>, seconds: number): void };
}

/** How long calls of each work class wait for the account's limits before they are sent. */
export function waitsIn(metrics: CallMetrics): (call: ApiCall, ms: number) => void {
  return ({ provider, context }, ms) => {
    metrics.callWaitSeconds.observe({ provider, class: context.priority }, ms / SECOND_MS);
  };
}

/**
 * Waits for tokens and between retries are not in the duration. A call that was never sent is not counted: neither
 * one that ends while it waits, nor one that has no token to be sent with. One that no connection came about for is.
 */
export function withMetrics(metrics: CallMetrics, clock: Pick<Clock, "monotonic">): CallLayer {
  return (next) => (call, send) => next(call, measured(call, send));

  function measured<T>(call: ApiCall, send: Send<T>): Send<T> {
    const { kind, namespace, name } = call.context.requester;
    const labels = { provider: call.provider, call: call.name, kind, namespace, name };
    return async (attempt) => {
      const start = clock.monotonic();
      const count = (outcome: "success" | "error") => {
        metrics.calls.inc({ ...labels, outcome });
        // The other outcome exists from the first call on, or the rate of errors would miss the first error.
        metrics.calls.inc({ ...labels, outcome: outcome === "success" ? "error" : "success" }, 0);
        metrics.callSeconds.observe(labels, (clock.monotonic() - start) / SECOND_MS);
      };
      try {
        const answer = await send(attempt);
        count("success");
        return answer;
      } catch (error) {
        if (!lacksToken(error)) count("error");
        throw error;
      }
    };
  }
}

/** Only an API that was asked can refuse a token. */
function lacksToken(error: unknown): boolean {
  return isProviderError(error, "Unauthorized") && error.outcome === "not-sent";
}
