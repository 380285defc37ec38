/** The Kubernetes edge: reflectors and REST client under client-go's names, and the event recorder. */

import { WATCH_SHORT_SECONDS } from "../bounds.js";
import { counter, gauge, histogram } from "./definition.js";
import type { MetricsRegistry } from "./registry.js";

/** Objects or events. */
const ITEM_BUCKETS = [1, 10, 50, 100, 500, 1000, 5000, 10_000, 50_000, 100_000];
/** Seconds. A watch lives 5 to 10 minutes; an end within a second is a symptom. */
const WATCH_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 450, 600, 900];
/** Seconds; client-go's. */
const REST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

const NAME = ["name"] as const;

export const REFLECTOR = {
  lists: counter("reflector_lists_total", NAME, "Lists done by a reflector."),
  listSeconds: histogram("reflector_list_duration_seconds", NAME, "How long a list takes in seconds, all pages."),
  listItems: histogram("reflector_items_per_list", NAME, "How many objects a list returns.", ITEM_BUCKETS),
  watches: counter("reflector_watches_total", NAME, "Watches done by a reflector."),
  shortWatches: counter("reflector_short_watches_total", NAME, "Watches that ended within a second without an event."),
  watchSeconds: histogram(
    "reflector_watch_duration_seconds",
    NAME,
    "How long a watch lives in seconds.",
    WATCH_BUCKETS,
  ),
  watchItems: histogram("reflector_items_per_watch", NAME, "How many events a watch brings.", ITEM_BUCKETS),
  lastVersion: gauge("reflector_last_resource_version", NAME, "The last resource version that a reflector has seen."),
} as const;

export const REST_CLIENT = {
  requests: counter(
    "rest_client_requests_total",
    ["code", "method", "host"] as const,
    "HTTP requests to the Kubernetes API by status code (<error> where no answer came), method and host.",
  ),
  seconds: histogram(
    "rest_client_request_duration_seconds",
    ["verb", "host"] as const,
    "Latency of requests to the Kubernetes API in seconds by verb and host.",
    REST_BUCKETS,
  ),
} as const;

export const EVENTS = {
  written: counter("flipop_events_written_total", ["verb"] as const, "Kubernetes Events written, by verb."),
  dropped: counter("flipop_events_dropped_total", ["cause"] as const, "Kubernetes Events given up, by cause."),
} as const;

/** `queue_full`: sent faster than written; `spam`: too many for one object; `refused`, `unreachable`: by the server. */
export type DropCause = "queue_full" | "spam" | "refused" | "unreachable" | "shutdown";
export const DROP_CAUSES: readonly DropCause[] = ["queue_full", "spam", "refused", "unreachable", "shutdown"];

export interface EventMetrics {
  written(verb: "create" | "patch"): void;
  dropped(cause: DropCause): void;
}

export const noEventMetrics: EventMetrics = { written: () => undefined, dropped: () => undefined };

export function eventMetrics(registry: MetricsRegistry): EventMetrics {
  const written = registry.counter(EVENTS.written);
  const dropped = registry.counter(EVENTS.dropped);
  for (const verb of ["create", "patch"] as const) written.inc({ verb }, 0);
  for (const cause of DROP_CAUSES) dropped.inc({ cause }, 0);
  return { written: (verb) => written.inc({ verb }), dropped: (cause) => dropped.inc({ cause }) };
}

/** The metrics of one reflector. */
export interface ReflectorMetrics {
  listed(seconds: number, objects: number): void;
  watched(seconds: number, events: number): void;
  /** Not a number (servers with opaque versions): left out. */
  version(resourceVersion: string): void;
}

export function reflectorMetrics(registry: MetricsRegistry): (name: string) => ReflectorMetrics {
  const lists = registry.counter(REFLECTOR.lists);
  const listSeconds = registry.histogram(REFLECTOR.listSeconds);
  const listItems = registry.histogram(REFLECTOR.listItems);
  const watches = registry.counter(REFLECTOR.watches);
  const shortWatches = registry.counter(REFLECTOR.shortWatches);
  const watchSeconds = registry.histogram(REFLECTOR.watchSeconds);
  const watchItems = registry.histogram(REFLECTOR.watchItems);
  const lastVersion = registry.gauge(REFLECTOR.lastVersion);
  return (name) => ({
    listed: (seconds, objects) => {
      lists.inc({ name });
      listSeconds.observe({ name }, seconds);
      listItems.observe({ name }, objects);
    },
    watched: (seconds, events) => {
      watches.inc({ name });
      if (seconds < WATCH_SHORT_SECONDS && events === 0) shortWatches.inc({ name });
      watchSeconds.observe({ name }, seconds);
      watchItems.observe({ name }, events);
    },
    version: (resourceVersion) => {
      const number = Number(resourceVersion);
      if (resourceVersion !== "" && Number.isFinite(number)) lastVersion.set({ name }, number);
    },
  });
}

/** One HTTP attempt. `code` is `<error>` where no answer came, as in client-go. */
export interface RestCall {
  readonly code: string;
  readonly method: string;
  readonly host: string;
  readonly seconds: number;
}

export function restClientMetrics(registry: MetricsRegistry): (call: RestCall) => void {
  const requests = registry.counter(REST_CLIENT.requests);
  const latency = registry.histogram(REST_CLIENT.seconds);
  return ({ code, method, host, seconds }) => {
    requests.inc({ code, method, host });
    latency.observe({ verb: method, host }, seconds);
  };
}
