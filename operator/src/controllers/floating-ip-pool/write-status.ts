/** Writes what a plan says into the status, if that differs, and tells what has turned. */

import type { FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { CANDIDATES_WRITE_MS, CRD_PROBE_MS, STATUS_CONFLICT_MS } from "../../bounds.js";
import type { Condition } from "../../kube/patch.js";
import { statusPatch } from "../../kube/patch.js";
import { isConflict } from "../../kube/status-error.js";
import { regardingOf } from "../../reconcile/conditions/event-message.js";
import { ObjectGone } from "../../reconcile/objects/object-writer.js";
import type { Iteration } from "./iteration.js";
import type { PoolState } from "./resource-state.js";
import type { WorkTools } from "./run-actions.js";
import { differsInCandidatesAlone, type StatusPatch, statusPatchOf } from "./status.js";
import { warningsOf } from "./warnings.js";

/** ms to wait for another try; `undefined`: it is as it should be. Rejects as the API server does. */
export async function writeStatus(
  tools: WorkTools,
  resourceState: PoolState,
  iteration: Iteration,
): Promise<number | undefined> {
  const desired = statusPatchOf(iteration.snapshot, iteration.plan);
  const told = new Map(resourceState.pendingStatus);
  const seen = seenBefore(resourceState);
  const holdMs = candidatesHold(resourceState, { seen, desired, now: tools.context.clock.now() });
  if (holdMs !== undefined) {
    forgetPendingStatus(resourceState, told);
    announce(tools, resourceState, seen.conditions);
    return holdMs;
  }
  try {
    await send(tools, resourceState, desired);
  } catch (error) {
    if (error instanceof ObjectGone) return undefined;
    if (isConflict(error)) return STATUS_CONFLICT_MS;
    announce(tools, resourceState, []);
    throw error;
  }
  forgetPendingStatus(resourceState, told);
  announce(tools, resourceState, seen.conditions, desired.conditions);
  return undefined;
}

/** As the server has it, with what it would not keep. */
function seenBefore(resourceState: PoolState): FloatingIPPoolStatus {
  const stored = resourceState.object()?.status ?? {};
  return resourceState.crdTooOld ? { ...stored, ...resourceState.droppedStatus } : stored;
}

interface Difference {
  readonly seen: FloatingIPPoolStatus;
  readonly desired: StatusPatch;
  readonly now: number;
}

/** ms until a change of candidates alone may be written; `undefined`: write now, if anything. */
function candidatesHold(resourceState: PoolState, { seen, desired, now }: Difference): number | undefined {
  if (!differsInCandidatesAlone(seen, desired)) return undefined;
  const same = statusPatch({ metadata: { resourceVersion: "" }, status: seen }, { ...desired }) === undefined;
  if (same) return undefined;
  const sinceLast = Math.abs(now - resourceState.candidatesWrittenAt);
  if (sinceLast < CANDIDATES_WRITE_MS) return CANDIDATES_WRITE_MS - sinceLast;
  resourceState.candidatesWrittenAt = now;
  return undefined;
}

/** The status has them now; what came meanwhile stays. */
function forgetPendingStatus(resourceState: PoolState, told: PoolState["pendingStatus"]): void {
  for (const [ip, effect] of told)
    if (resourceState.pendingStatus.get(ip) === effect) resourceState.pendingStatus.delete(ip);
}

async function send({ context, background }: WorkTools, resourceState: PoolState, desired: StatusPatch): Promise<void> {
  const now = context.clock.monotonic();
  const probe = !resourceState.crdTooOld || now - resourceState.probedAt >= CRD_PROBE_MS;
  const sent = probe ? desired : forOlderServer(desired);
  let wrote = false;
  const answer = await resourceState.writer.write({
    patch: (pool) => {
      const patch = statusPatch(pool, { ...sent });
      wrote = patch !== undefined;
      return patch;
    },
    subresource: "status",
    signal: background.signal,
  });
  resourceState.droppedStatus = desired;
  if (!probe || !wrote) return;
  resourceState.probedAt = now;
  resourceState.crdTooOld = answer.status?.conditions === undefined;
}

/** The fields that the Go operator's CRD keeps: what it drops would be sent again and again. */
function forOlderServer({ ips, assignableNodes, nodeErrors, error }: StatusPatch) {
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
  resourceState: PoolState,
  before: readonly Condition[] = [],
  conditions: readonly Condition[] = before,
): void {
  const pendingWarnings = resourceState.pendingWarnings.splice(0);
  for (const eventMessage of warningsOf(before, conditions, pendingWarnings)) {
    context.events.record({ ...eventMessage, regarding: regardingOf(resourceState.ref) });
  }
}
