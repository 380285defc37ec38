/** The operator's metrics: those of its subject, with the names, labels and help of the type model, and those of its machinery (the Kubernetes edge under client-go's names, the event recorder). */

import { METRICS, type MetricName } from "cdk8s-flipop/api";
import { buildFacts } from "../build.js";
import { WATCH_SHORT_SECONDS } from "../timings.js";
import {
  CONTROLLER_RUNTIME,
  type ControllerMetricsFactory,
  controllerMetrics,
  LEADER_ELECTION,
  type LeaderMetrics,
  leaderMetrics,
  type QueueMetricsFactory,
  queueMetrics,
  WORKQUEUE,
} from "./controller.js";
import {
  type Counter,
  counter,
  type Gauge,
  gauge,
  type Histogram,
  histogram,
  type MetricDefinition,
  type MetricsRegistry,
  ResourceCounter,
  removeSeries,
  ScrapedGauge,
} from "./registry.js";

type Labels<N extends MetricName> = (typeof METRICS)[N]["labels"][number];

const FLIPOP = {
  nodeStatus: gaugeOf("flipop_floatingippoolcontroller_node_status"),
  assignmentErrors: counterOf("flipop_floatingippoolcontroller_ip_assignment_errors"),
  assignments: counterOf("flipop_floatingippoolcontroller_ip_assignments"),
  node: gaugeOf("flipop_floatingippoolcontroller_ip_node"),
  state: gaugeOf("flipop_floatingippoolcontroller_ip_state"),
  unfulfilled: gaugeOf("flipop_floatingippoolcontroller_unfulfilled_ips"),
  inactive: gaugeOf("flipop_floatingippoolcontroller_inactive_ips"),
  records: gaugeOf("flipop_nodednsrecordset_records"),
  condition: gaugeOf("flipop_resource_condition"),
  problem: gaugeOf("flipop_resource_problem"),
  buildInfo: gaugeOf("flipop_build_info"),
  stopped: gaugeOf("flipop_stopped"),
  stale: gaugeOf("flipop_cache_stale_seconds"),
  massFailure: gaugeOf("flipop_mass_failure"),
  unlisted: gaugeOf("flipop_unlisted_addresses"),
  abandonedItems: counterOf("flipop_cleanup_abandoned_total"),
  probes: counterOf("flipop_health_probes_total"),
  routedAssignmentErrors: counterOf("flipop_routedipcontroller_ip_assignment_errors"),
  routedAssignments: counterOf("flipop_routedipcontroller_ip_assignments"),
  routedNode: gaugeOf("flipop_routedipcontroller_ip_node"),
  routedState: gaugeOf("flipop_routedipcontroller_ip_state"),
  calls: counterOf("flipop_providers_calls_total"),
  callSeconds: histogramOf("flipop_providers_call_duration_seconds"),
  callWaitSeconds: histogramOf("flipop_provider_call_wait_seconds"),
  limitWait: gaugeOf("flipop_provider_limit_wait_seconds"),
} as const;

/** Everything here, for the reference page. */
export const FLIPOP_METRICS: readonly MetricDefinition[] = Object.values(FLIPOP);

type Pool = Labels<"flipop_floatingippoolcontroller_unfulfilled_ips">;
type Address = Labels<"flipop_floatingippoolcontroller_ip_assignments">;
type Call = Labels<"flipop_providers_call_duration_seconds">;

export interface FlipopMetrics {
  readonly nodeStatus: Gauge<Pool | "status">;
  readonly assignmentErrors: Counter<Address>;
  readonly assignments: Counter<Address>;
  readonly node: Gauge<Address | "provider_id" | "node">;
  readonly state: Gauge<Address | "state">;
  readonly unfulfilled: Gauge<Pool>;
  readonly inactive: Gauge<Pool>;
  readonly records: Gauge<Pool>;
  readonly condition: Gauge<"kind" | "namespace" | "name" | "type">;
  readonly problem: Gauge<"kind" | "namespace" | "name" | "type" | "reason">;
  readonly stopped: Gauge<never>;
  readonly stale: ScrapedGauge<"resource">;
  readonly massFailure: ScrapedGauge<"zone">;
  readonly unlisted: ScrapedGauge<"holder">;
  readonly abandonedItems: ResourceCounter<"kind" | "namespace" | "name">;
  readonly probes: Counter<"result">;
  readonly routedAssignmentErrors: Counter<Address>;
  readonly routedAssignments: Counter<Address>;
  readonly routedNode: Gauge<Address | "provider_id" | "node">;
  readonly routedState: Gauge<Address | "state">;
  readonly calls: Counter<Call | "kind" | "namespace" | "name" | "outcome">;
  readonly callSeconds: Histogram<Call>;
  readonly callWaitSeconds: Histogram<"provider" | "class">;
  readonly limitWait: ScrapedGauge<"provider">;
}

export function flipopMetrics(registry: MetricsRegistry): FlipopMetrics {
  showBuild(registry);
  return {
    nodeStatus: registry.gauge(FLIPOP.nodeStatus),
    assignmentErrors: registry.counter(FLIPOP.assignmentErrors),
    assignments: registry.counter(FLIPOP.assignments),
    node: registry.gauge(FLIPOP.node),
    state: registry.gauge(FLIPOP.state),
    unfulfilled: registry.gauge(FLIPOP.unfulfilled),
    inactive: registry.gauge(FLIPOP.inactive),
    records: registry.gauge(FLIPOP.records),
    condition: registry.gauge(FLIPOP.condition),
    problem: registry.gauge(FLIPOP.problem),
    stopped: registry.gauge(FLIPOP.stopped),
    stale: new ScrapedGauge(registry, FLIPOP.stale),
    massFailure: new ScrapedGauge(registry, FLIPOP.massFailure),
    unlisted: new ScrapedGauge(registry, FLIPOP.unlisted),
    abandonedItems: new ResourceCounter(registry.counter(FLIPOP.abandonedItems)),
    probes: registry.counter(FLIPOP.probes),
    routedAssignmentErrors: registry.counter(FLIPOP.routedAssignmentErrors),
    routedAssignments: registry.counter(FLIPOP.routedAssignments),
    routedNode: registry.gauge(FLIPOP.routedNode),
    routedState: registry.gauge(FLIPOP.routedState),
    calls: registry.counter(FLIPOP.calls),
    callSeconds: registry.histogram(FLIPOP.callSeconds),
    callWaitSeconds: registry.histogram(FLIPOP.callWaitSeconds),
    limitWait: new ScrapedGauge(registry, FLIPOP.limitWait),
  };
}

function showBuild(registry: MetricsRegistry): void {
  const { version, commit, node } = buildFacts();
  registry.gauge(FLIPOP.buildInfo).set({ version, commit, node_version: node }, 1);
}

/** A deleted pool leaves no series of its own behind. Provider calls stay: they are the account's history. */
export async function forgetPool(metrics: FlipopMetrics, namespace: string, name: string): Promise<void> {
  await removeSeries(metrics.assignments, { namespace, name });
  await removeSeries(metrics.assignmentErrors, { namespace, name });
}

function counterOf<N extends MetricName>(name: N) {
  return counter<Labels<N>>(name, METRICS[name].labels, METRICS[name].help);
}

function gaugeOf<N extends MetricName>(name: N) {
  return gauge<Labels<N>>(name, METRICS[name].labels, METRICS[name].help);
}

function histogramOf<N extends MetricName>(name: N) {
  return histogram<Labels<N>>(name, METRICS[name].labels, METRICS[name].help);
}

/** A deleted RoutedIP leaves no series of its own behind; its gauges go with its last look. */
export async function forgetRouted(metrics: FlipopMetrics, namespace: string, name: string): Promise<void> {
  await removeSeries(metrics.routedAssignments, { namespace, name });
  await removeSeries(metrics.routedAssignmentErrors, { namespace, name });
}

/** Objects or events. */
const ITEM_BUCKETS = [1, 10, 50, 100, 500, 1000, 5000, 10_000, 50_000, 100_000];
/** Seconds. A watch lives 5 to 10 minutes; an end within a second is a symptom. */
const WATCH_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 450, 600, 900];
/** Seconds; client-go's. */
const REST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

const NAME = ["name"] as const;

const REFLECTOR = {
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

const REST_CLIENT = {
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

const EVENTS = {
  written: counter("flipop_events_written_total", ["verb"] as const, "Kubernetes Events written, by verb."),
  dropped: counter("flipop_events_dropped_total", ["cause"] as const, "Kubernetes Events given up, by cause."),
} as const;

/** `queue_full`: sent faster than written; `spam`: too many of one type for one object; `refused`, `unreachable`: by the server. */
export type DropCause = "queue_full" | "spam" | "refused" | "unreachable" | "shutdown";
const DROP_CAUSES: readonly DropCause[] = ["queue_full", "spam", "refused", "unreachable", "shutdown"];

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
interface ReflectorMetrics {
  listed(seconds: number, objects: number): void;
  watched(seconds: number, events: number): void;
  /** Not a number (servers with opaque versions): left out. */
  version(resourceVersion: string): void;
}

function reflectorMetrics(registry: MetricsRegistry): (name: string) => ReflectorMetrics {
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
interface RestCall {
  readonly code: string;
  readonly method: string;
  readonly host: string;
  readonly seconds: number;
}

function restClientMetrics(registry: MetricsRegistry): (call: RestCall) => void {
  const requests = registry.counter(REST_CLIENT.requests);
  const latency = registry.histogram(REST_CLIENT.seconds);
  return ({ code, method, host, seconds }) => {
    requests.inc({ code, method, host });
    latency.observe({ verb: method, host }, seconds);
  };
}

export interface RuntimeMetrics {
  readonly queue: QueueMetricsFactory;
  readonly controller: ControllerMetricsFactory;
  readonly leader: LeaderMetrics;
  readonly events: EventMetrics;
  readonly reflector: (name: string) => ReflectorMetrics;
  readonly restClient: (call: RestCall) => void;
}

/** Everything here, for the reference page. */
export const RUNTIME_METRICS: readonly MetricDefinition[] = [
  ...Object.values(WORKQUEUE),
  ...Object.values(CONTROLLER_RUNTIME),
  ...Object.values(LEADER_ELECTION),
  ...Object.values(REFLECTOR),
  ...Object.values(REST_CLIENT),
  ...Object.values(EVENTS),
];

/** @param leaseName labels the leader metrics. */
export function runtimeMetrics(registry: MetricsRegistry, leaseName: string): RuntimeMetrics {
  return {
    queue: queueMetrics(registry),
    controller: controllerMetrics(registry),
    leader: leaderMetrics(registry, leaseName),
    reflector: reflectorMetrics(registry),
    restClient: restClientMetrics(registry),
    events: eventMetrics(registry),
  };
}
