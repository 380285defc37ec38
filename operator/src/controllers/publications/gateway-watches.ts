/** The Gateways of the watched namespaces, in a cluster that may lack the kind: readiness never depends on it. */

import { pause } from "../../async.js";
import type { Clock } from "../../clock.js";
import type { Cache } from "../../kube/cache/cache.js";
import type { SharedWatches } from "../../kube/cache/shared-watches.js";
import { scopesOf } from "../../kube/objects.js";
import type { Drainable } from "../../runtime/manager.js";
import { ABSENT_KINDS_POLL_MS, FORBIDDEN_GRACE_MS } from "../../timings.js";
import {
  factsOfGateway,
  GATEWAY,
  GATEWAY_API,
  type GatewayFacts,
  gatewayPatch,
  gatewayPath,
  hasRuns,
  objectOfGateway,
  type Reading,
  slimGateways,
} from "./gateways.js";
import { findIn, type TargetKind, targetsIn } from "./target-kind.js";

const NOT_FOUND = 404;
const FORBIDDEN = 403;

type GatewayCache = Cache<GatewayFacts>;

/** The watches start at once. @param namespaces empty: all. */
export function watchGateways(
  watches: Pick<SharedWatches, "kind">,
  namespaces: readonly string[],
): readonly GatewayCache[] {
  return scopesOf(namespaces).map((scope) =>
    watches.kind("gateways", `/apis/${GATEWAY_API}${scope}/gateways`, slimGateways, { optional: true }),
  );
}

/** Whether the Gateways have been read: asked for at each look. */
export function readGateways(caches: readonly GatewayCache[], clock: Pick<Clock, "monotonic">): () => Reading {
  const start = clock.monotonic();
  return () => readingOf(caches, clock.monotonic() - start);
}

export function gatewayTargets(caches: readonly GatewayCache[], reading: () => Reading): TargetKind {
  return {
    ...{ kind: GATEWAY, plural: "gateways", controller: "gateway-publications" },
    look: (key) => factsOfGateway(`${GATEWAY} ${key}`, reading(), findIn(caches, key)),
    ...targetsIn({ caches: () => caches, hasRuns, objectOf: objectOfGateway }),
    path: gatewayPath,
    patch: gatewayPatch,
  };
}

/**
 * The worst of all caches. Somebody may remove the kind after it was read. An API server that has just started refuses
 * everything until it knows its roles.
 * @param ageMs since the watches started
 */
export function readingOf(caches: readonly Pick<GatewayCache, "state">[], ageMs: number): Reading {
  const states = caches.map(({ state }) => state);
  if (states.some(({ lastCode }) => lastCode === NOT_FOUND)) return "absent";
  const isRefused = states.some(({ synced, lastCode }) => !synced && lastCode === FORBIDDEN);
  if (isRefused && ageMs >= FORBIDDEN_GRACE_MS) return "forbidden";
  return states.every(({ synced }) => synced) ? "read" : "unread";
}

/** No event of a watch says that the kind is installed, or is not. @param changed called after each change */
export function followReading(readingNow: () => Reading, clock: Clock, changed: () => void): Drainable {
  const run = async (signal: AbortSignal) => {
    let last: Reading | undefined;
    do {
      const reading = readingNow();
      if (reading !== last) changed();
      last = reading;
    } while (await pause(clock, ABSENT_KINDS_POLL_MS, signal));
  };
  return { name: "gateway-kind", run, drain: () => Promise.resolve(true), check: () => undefined };
}
