/** All metrics of the machinery, registered at once. */

import { CONTROLLER_RUNTIME, type ControllerMetricsFactory, controllerMetrics } from "./controller.js";
import type { MetricDefinition } from "./definition.js";
import {
  EVENTS,
  type EventMetrics,
  eventMetrics,
  REFLECTOR,
  REST_CLIENT,
  type ReflectorMetrics,
  type RestCall,
  reflectorMetrics,
  restClientMetrics,
} from "./kube.js";
import { LEADER_ELECTION, type LeaderMetrics, leaderMetrics } from "./leader.js";
import type { MetricsRegistry } from "./registry.js";
import { type QueueMetricsFactory, queueMetrics, WORKQUEUE } from "./workqueue.js";

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
