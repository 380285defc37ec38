/** What may hold the moves of a pool back, and the nodes that a standby replica probes. */

import { followHealth, nodesOf } from "../../health/probes-for-controllers.js";
import type { ProviderId } from "../../providers/types.js";
import { PROBED_CANDIDATES } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import type { ControllerContext } from "../context.js";
import type { PoolState } from "./resource.js";
import type { Snapshot } from "./snapshot.js";

/** The machines that hold addresses of the pool. */
export function holdersOf({ pool, inventory }: Pick<Snapshot, "pool" | "inventory">): readonly ProviderId[] {
  const named = new Set([...Object.keys(pool.status.ips ?? {}), ...(pool.spec.ips ?? [])]);
  return [...named].flatMap((ip) => inventory.get(ip)?.holder ?? []);
}

export function safeguardsOf(
  { holders, moveLimits }: Pick<ControllerContext, "holders" | "moveLimits">,
  { ref: { uid } }: Pick<PoolState, "ref">,
  scene: Pick<Snapshot, "pool" | "inventory" | "verdictOf">,
): Pick<Snapshot, "massFailures" | "moveAllowance"> {
  return omitUndefined({
    massFailures: holders?.observe(
      { uid, conditions: scene.pool.status.conditions },
      holdersOf(scene),
      scene.verdictOf,
    ),
    moveAllowance: moveLimits.allowance(uid, scene.pool.spec.maxMovesPerMinute ?? 0),
  });
}

/** A standby replica plans nothing: it probes the nodes that the status names, so that it knows them when it leads. */
export function probeOnStandby({ leads }: Pick<ControllerContext, "leads">, state: PoolState): void {
  const { pool } = state.read() ?? {};
  if (pool === undefined || leads()) return;
  const { spec, status } = pool;
  const { health, match } = state.memory;
  const { index } = match;
  const machines = Object.values(status.ips ?? {}).flatMap(({ providerID }) => providerID ?? []);
  const names = (status.assignableNodes ?? []).slice(0, PROBED_CANDIDATES);
  followHealth(health, index, spec.healthCheck, () => ({
    holders: nodesOf([...new Set(machines)], (machine) => index?.verdictOfMachine(machine)),
    waiting: nodesOf(names, (name) => index?.verdict(name)),
  }));
}
