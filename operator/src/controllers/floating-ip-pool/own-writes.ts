/** Actions on the pool itself: its spec, its metadata, and facts that its status keeps, confirmed by the server's answer. */

import { Annotation, canonicalIp, Finalizer, type FloatingIPPoolStatus, type PendingCreation } from "cdk8s-flipop/api";
import type { ListAction, PlannedAction, RecordAction } from "../../addresses/actions.js";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { intentText } from "../../addresses/creation/creation-result.js";
import { dropCopy } from "../../addresses/creation/record-creation.js";
import { finalizerPatch, ownAnnotationPatch, type Patch, specPatch, statusPatch } from "../../kube/write/patch.js";
import type { ActionCall, ActionTable } from "../../reconcile/kind.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import type { ControllerContext } from "../context.js";
import { endCreation, noteOlderCrd, recordCreation } from "./pool-creation.js";
import { mayBeAccepted } from "./record-outcome.js";
import type { PoolObject, PoolState, Pools } from "./resource.js";
import { isOf } from "./snapshot.js";

type Call = ActionCall<Pools>;
type Change = { readonly [K in keyof FloatingIPPoolStatus]?: FloatingIPPoolStatus[K] | undefined };

export function ownWrites(context: ControllerContext): Pick<ActionTable<Pools>, (RecordAction | ListAction)["do"]> {
  return {
    "record-intent": (call, { intent }) => recordIntent(context, call, intent),
    "settle-creation": ({ state }, { result }) => recordCreation(context, state, result).then(() => DONE),
    "record-creation": ({ state }, { result }) => recordCreation(context, state, result).then(() => DONE),
    "drop-intent-copy": ({ state }) => dropCopy(state).then(() => DONE),
    // Until the call is answered, `Remembered.assigning` holds back the next one.
    "record-assignment": ({ state }, { at }) => keep(state, () => ({ lastAssignmentTime: at })),
    "append-to-spec": async (call, { ip }) => {
      await changeObject(call, (pool) => appended(pool, ip));
      return markInSpec(call.state, ip);
    },
    "mark-in-spec": ({ state }, { ip }) => markInSpec(state, ip),
    "drop-from-spec": (call, { ip }) => {
      return changeObject(call, (pool) =>
        specPatch(pool, { ips: listOf(pool).filter((one) => canonicalIp(one) !== ip) }),
      );
    },
    "forget-created": ({ state }, { ip }) => keep(state, (pool) => ({ createdIPs: createdBut(pool, ip) })),
    "annotate-pool": (call, { value }) => annotate(call, { [Annotation.createdIps]: value }),
    "clear-forget-creation": (call) => annotate(call, { [Annotation.forgetCreation]: undefined }),
    "add-finalizer": (call) => changeObject(call, (pool) => finalizerPatch(pool, Finalizer.cleanup, true)),
    "remove-finalizer": (call) => changeObject(call, (pool) => finalizerPatch(pool, Finalizer.cleanup, false)),
    "record-dns": ({ state }, { written }) => keep(state, () => ({ dns: written })),
  };
}

/** The cool-off counts accepted calls only. One whose answer was lost may have been accepted. */
export async function takeBackAssignment({ state }: Call, { results }: SequenceResult<PlannedAction>): Promise<void> {
  const recorded = results.map(({ action }) => action).find((action) => action.do === "record-assignment");
  const last = results.at(-1);
  if (recorded?.do !== "record-assignment" || last === undefined || mayBeAccepted(last.outcome)) return;
  if (last.action.do !== "assign" && last.action.do !== "create-address") return;
  await keep(state, () => ({ lastAssignmentTime: recorded.formerly }));
}

/** A fact that must not get lost. */
async function keep(state: PoolState, change: (pool: PoolObject) => Change): Promise<Outcome> {
  // Not ended by a shutdown: it takes one call, and says what has already happened.
  await state.write({ patch: (pool) => statusPatch(pool, change(pool)), subresource: "status", fact: true });
  return DONE;
}

async function changeObject({ state, signal }: Call, patch: (pool: PoolObject) => Patch | undefined): Promise<Outcome> {
  await state.write({ patch, signal });
  return DONE;
}

function annotate(call: Call, annotations: Readonly<Record<string, string | undefined>>): Promise<Outcome> {
  return changeObject(call, (pool) => ownAnnotationPatch(pool, annotations));
}

/** On the version that the plan was made of, or the plan may be wrong by now. */
async function recordIntent(context: ControllerContext, call: Call, intent: PendingCreation): Promise<Outcome> {
  const { state, snapshot, signal } = call;
  const planned = snapshot.snapshot.pool.metadata;
  const now = state.object()?.metadata;
  if (now === undefined || now.generation !== planned.generation || now.deletionTimestamp !== undefined) {
    return skipped("the pool was edited meanwhile");
  }
  const patch = (pool: PoolObject) => statusPatch(pool, { pendingCreation: intent });
  const answer = await state.write({ patch, subresource: "status", signal });
  if (answer.status?.pendingCreation?.startedAt === intent.startedAt) return copyIntent(context, call, intent);
  noteOlderCrd(context, state);
  const message = "the API server drops status.pendingCreation: apply the CRDs of this release";
  return { is: "refused", failure: { kind: "Terminal", problem: { reason: "CRDTooOld", message } } };
}

/** Beside the status, which may get lost: then nothing else knows that an address may have been created. */
async function copyIntent(
  context: ControllerContext,
  { state, signal }: Call,
  intent: PendingCreation,
): Promise<Outcome> {
  const copy = { [Annotation.pendingCreation]: intentText(intent) };
  try {
    await state.write({ patch: (pool) => ownAnnotationPatch(pool, copy), fact: true, signal });
    return DONE;
  } catch (error) {
    await endCreation(context, state, { startedAt: intent.startedAt });
    throw error;
  }
}

function markInSpec(state: PoolState, ip: string): Promise<Outcome> {
  return keep(state, ({ status }) => ({
    createdIPs: (status?.createdIPs ?? []).map((entry) => (isOf(entry, ip) ? { ...entry, inSpec: true } : entry)),
  }));
}

function createdBut({ status }: PoolObject, ip: string) {
  return (status?.createdIPs ?? []).filter((entry) => !isOf(entry, ip));
}

function appended(pool: PoolObject, ip: string): Patch | undefined {
  const ips = listOf(pool);
  return ips.some((known) => canonicalIp(known) === ip) ? undefined : specPatch(pool, { ips: [...ips, ip] });
}

/** As a person wrote it: the operator changes no spelling. */
function listOf({ spec }: PoolObject): readonly string[] {
  const ips = typeof spec === "object" && spec !== null && "ips" in spec ? spec.ips : undefined;
  return Array.isArray(ips) ? ips.filter((ip): ip is string => typeof ip === "string") : [];
}
