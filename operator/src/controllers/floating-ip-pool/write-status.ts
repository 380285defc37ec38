/** Writes what a plan says into the status, if that differs, and tells what has turned. */

import type { FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { CANDIDATES_WRITE_MS, CRD_PROBE_MS, STATUS_CONFLICT_MS } from "../../bounds.js";
import type { Condition } from "../../kube/patch.js";
import { statusPatch } from "../../kube/patch.js";
import { isConflict } from "../../kube/status-error.js";
import { ObjectGone } from "../object-writer.js";
import { regardingOf } from "../telling.js";
import { differsInCandidatesAlone, type StatusWish, statusWish } from "./status.js";
import type { Turn } from "./turn.js";
import type { PoolUnit } from "./unit.js";
import { warningsOf } from "./warnings.js";
import type { WorkTools } from "./work.js";

/** ms to wait for another try; `undefined`: it is as it should be. Rejects as the API server does. */
export async function writeStatus(tools: WorkTools, unit: PoolUnit, turn: Turn): Promise<number | undefined> {
  const wish = statusWish(turn.snapshot, turn.plan);
  const told = new Map(unit.effects);
  const seen = seenBefore(unit);
  const holdMs = candidatesHold(unit, { seen, wish, now: tools.context.clock.now() });
  if (holdMs !== undefined) {
    forgetEffects(unit, told);
    announce(tools, unit, seen.conditions);
    return holdMs;
  }
  try {
    await send(tools, unit, wish);
  } catch (error) {
    if (error instanceof ObjectGone) return undefined;
    if (isConflict(error)) return STATUS_CONFLICT_MS;
    announce(tools, unit, []);
    throw error;
  }
  forgetEffects(unit, told);
  announce(tools, unit, seen.conditions, wish.conditions);
  return undefined;
}

/** As the server has it, with what it would not keep. */
function seenBefore(unit: PoolUnit): FloatingIPPoolStatus {
  const stored = unit.object()?.status ?? {};
  return unit.crdTooOld ? { ...stored, ...unit.shadow } : stored;
}

interface Difference {
  readonly seen: FloatingIPPoolStatus;
  readonly wish: StatusWish;
  readonly now: number;
}

/** ms until a change of candidates alone may be written; `undefined`: write now, if anything. */
function candidatesHold(unit: PoolUnit, { seen, wish, now }: Difference): number | undefined {
  if (!differsInCandidatesAlone(seen, wish)) return undefined;
  const same = statusPatch({ metadata: { resourceVersion: "" }, status: seen }, { ...wish }) === undefined;
  if (same) return undefined;
  const sinceLast = Math.abs(now - unit.candidatesWrittenAt);
  if (sinceLast < CANDIDATES_WRITE_MS) return CANDIDATES_WRITE_MS - sinceLast;
  unit.candidatesWrittenAt = now;
  return undefined;
}

/** The status has them now; what came meanwhile stays. */
function forgetEffects(unit: PoolUnit, told: PoolUnit["effects"]): void {
  for (const [ip, effect] of told) if (unit.effects.get(ip) === effect) unit.effects.delete(ip);
}

async function send({ context, background }: WorkTools, unit: PoolUnit, wish: StatusWish): Promise<void> {
  const now = context.clock.monotonic();
  const probe = !unit.crdTooOld || now - unit.probedAt >= CRD_PROBE_MS;
  const sent = probe ? wish : forOlderServer(wish);
  let wrote = false;
  const answer = await unit.writer.write({
    patch: (pool) => {
      const patch = statusPatch(pool, { ...sent });
      wrote = patch !== undefined;
      return patch;
    },
    subresource: "status",
    signal: background.signal,
  });
  unit.shadow = wish;
  if (!probe || !wrote) return;
  unit.probedAt = now;
  unit.crdTooOld = answer.status?.conditions === undefined;
}

/** The fields that the Go operator's CRD keeps: what it drops would be sent again and again. */
function forOlderServer({ ips, assignableNodes, nodeErrors, error }: StatusWish) {
  const entries = Object.entries(ips).map(([ip, { state, nodeName, providerID, error: text }]) => {
    return [ip, { state, nodeName, providerID, error: text }];
  });
  return {
    ips: Object.fromEntries(entries),
    ...(assignableNodes === undefined ? {} : { assignableNodes }),
    ...(nodeErrors === undefined ? {} : { nodeErrors }),
    error,
  };
}

/** Once the status says it, or never will. */
function announce(
  { context }: WorkTools,
  unit: PoolUnit,
  before: readonly Condition[] = [],
  conditions: readonly Condition[] = before,
): void {
  const troubles = unit.troubles.splice(0);
  for (const telling of warningsOf(before, conditions, troubles)) {
    context.events.record({ ...telling, regarding: regardingOf(unit.ref) });
  }
}
