/** Leader election, under client-go's names (k8s.io/component-base/metrics/prometheus/clientgo/leaderelection). */

import { counter, gauge } from "./definition.js";
import type { MetricsRegistry } from "./registry.js";

const NAME = ["name"] as const;

export const LEADER_ELECTION = {
  master: gauge("leader_election_master_status", NAME, "1 where this process holds the lease of that name, else 0."),
  slowpath: counter(
    "leader_election_slowpath_total",
    NAME,
    "Renewals that had to read the lease first, because the write from memory failed.",
  ),
} as const;

export interface LeaderMetrics {
  leading(yes: boolean): void;
  slowPath(): void;
}

export const noLeaderMetrics: LeaderMetrics = { leading: () => undefined, slowPath: () => undefined };

/** @param name of the lease. */
export function leaderMetrics(registry: MetricsRegistry, name: string): LeaderMetrics {
  const master = registry.gauge(LEADER_ELECTION.master);
  const slowpath = registry.counter(LEADER_ELECTION.slowpath);
  master.set({ name }, 0);
  slowpath.inc({ name }, 0);
  return {
    leading: (yes) => master.set({ name }, yes ? 1 : 0),
    slowPath: () => slowpath.inc({ name }),
  };
}
