/** The election of one process, by its settings. */

import { LEASE_NAME } from "cdk8s-flipop/api";
import { SECOND_MS } from "../bounds.js";
import type { Settings } from "../config.js";
import type { KubeClient } from "../kube/client.js";
import { type LeaseHooks, LeaseLock } from "../kube/write/lease.js";
import { LeaderElector, type LeaderElectorOptions } from "./leader.js";

type ElectionSettings = Pick<Settings, "leaderElect" | "namespace" | "leaseDuration" | "renewDeadline" | "retryPeriod">;

export interface CreateElectorParts extends Omit<LeaderElectorOptions, "lock" | "timings"> {
  readonly settings: ElectionSettings;
  readonly transport: KubeClient;
  readonly hooks: LeaseHooks;
}

/** @returns `undefined`: this process runs alone. */
export function createElector({ settings, transport, hooks, ...parts }: CreateElectorParts): LeaderElector | undefined {
  const { leaderElect, namespace, leaseDuration, renewDeadline, retryPeriod } = settings;
  if (!leaderElect) return undefined;
  const timings = {
    leaseMs: leaseDuration * SECOND_MS,
    renewDeadlineMs: renewDeadline * SECOND_MS,
    retryMs: retryPeriod * SECOND_MS,
  };
  return new LeaderElector({ ...parts, lock: new LeaseLock(transport, namespace, LEASE_NAME, hooks), timings });
}
