/** What a unit remembers, as the plan reads it. */

import { NODE_FAILURE_KEPT_MS, PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../../bounds.js";
import type { ProviderId } from "../../providers/types.js";
import { given } from "../given.js";
import type { PoolMemory, Snapshot } from "./snapshot.js";
import type { PoolUnit } from "./unit.js";

export interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
  /** Of the record set. */
  readonly recordReverts: readonly number[];
}

export function memoryOf(unit: PoolUnit, scene: Scene): PoolMemory {
  noticeReverts(unit, scene);
  forgetNodes(unit, scene.now);
  unit.firstPlannedAt ??= scene.now;
  const { creationFailure, creationResult, lastAssignmentAt, firstPlannedAt, cleanup, nodeRetries, reverts } = unit;
  const records = scene.recordReverts.length === 0 ? [] : [["records", scene.recordReverts] as const];
  return {
    ...(lastAssignmentAt === undefined ? {} : { lastAssignmentAt }),
    firstPlannedAt,
    assigning: unit.assigning.size > 0,
    nodeRetryAt: new Map([...nodeRetries].map(([node, { retryAt }]): [ProviderId, number] => [node, retryAt])),
    ...given({ creationFailure, creationResult }),
    ...unit.sightings.seen(scene),
    accountRetryAt: accountWaits(unit),
    reverts: new Map([...reverts, ...records]),
    cleanup,
  };
}

/** By subject. */
function accountWaits({ accountFailures, retries }: PoolUnit): ReadonlyMap<string, number> {
  return new Map(
    [...accountFailures].flatMap((subject) => {
      const state = retries.get(subject);
      return state === undefined ? [] : [[subject, state.retryAt] as const];
    }),
  );
}

/** Somebody took an address off a node of ours that is well. */
function noticeReverts(unit: PoolUnit, { inventory, verdictOf, now }: Scene): void {
  for (const [ip, { machine, at }] of unit.placements) {
    const facts = inventory.get(ip);
    if (facts === undefined || facts.doubted || facts.action !== undefined) continue;
    if (facts.holder === machine) {
      if (now - at >= PLACEMENT_LASTING_MS) unit.reverts.delete(ip);
      continue;
    }
    unit.placements.delete(ip);
    if (verdictOf(machine)?.refusals.length !== 0) continue;
    unit.reverts.set(ip, [...(unit.reverts.get(ip) ?? []), now].slice(-REVERTS_KEPT));
  }
}

function forgetNodes(unit: PoolUnit, now: number): void {
  for (const [node, { retryAt }] of unit.nodeRetries) {
    if (now - retryAt > NODE_FAILURE_KEPT_MS) unit.nodeRetries.delete(node);
  }
}
