/**
 * Actions on the pool itself: its spec, its metadata, and facts that its status keeps, confirmed by the server's answer; and
 * on the annotations of nodes.
 */

import { Annotation, canonicalIp, Finalizer, type FloatingIPPoolStatus, type PendingCreation } from "cdk8s-flipop/api";
import type { ListAction, MarkAction, NodeAction, PlannedAction, RecordAction } from "../../addresses/actions.js";
import { annotationPatch, annotationRemoval, nodePath, ownerName } from "../../addresses/annotations.js";
import { DONE, type Outcome, skipped } from "../../addresses/call-outcomes.js";
import { dropCopy, isEdited, recordIntent as recordAnyIntent } from "../../addresses/creation/create-address.js";
import { labelHolders, taintUntil } from "../../addresses/marks/mark-calls.js";
import { carryOutForget, carryOutPassOn } from "../../addresses/releases/heirs.js";
import { isConflict, isForbidden, isInvalid, isNotFound } from "../../kube/client.js";
import { finalizerPatch, ownAnnotationPatch, type Patch, sendPatch, specPatch } from "../../kube/write/patch.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { serverMessages } from "../../messages/provider.js";
import type { ActionCall, ActionTable } from "../../reconcile/kind.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import { dnsFields } from "../../records/resolver-caches.js";
import { CACHE_LAG_MS } from "../../timings.js";
import type { ControllerContext } from "../context.js";
import { endCreation, noteOlderCrd, recordCreation } from "./move-reservations.js";
import { mayBeAccepted } from "./record-outcome.js";
import type { PoolObject, PoolState, PoolTypes } from "./resource.js";
import { isOf } from "./snapshot.js";

type Call = ActionCall<PoolTypes>;

type Change = { readonly [K in keyof FloatingIPPoolStatus]?: FloatingIPPoolStatus[K] | undefined };

export function ownWrites(context: ControllerContext): Pick<ActionTable<PoolTypes>, (RecordAction | ListAction)["do"]> {
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
    "drop-from-spec": (call, { ip }) => changeObject(call, (pool) => withoutAddress(pool, ip)),
    "pass-on": ({ state }, action) => carryOutPassOn(context.heirs, state.ref.uid, action),
    "forget-created": ({ state, context: { recheck } }, action) => {
      const forget = () => keep(state, (pool) => ({ createdIPs: createdBut(pool, action.ip) }));
      return carryOutForget(context.heirs, action, { recheck, forget });
    },
    "annotate-pool": (call, { value }) => annotate(call, { [Annotation.createdIps]: value }),
    "clear-forget-creation": (call) => annotate(call, { [Annotation.forgetCreation]: undefined }),
    "add-finalizer": (call) => changeObject(call, (pool) => finalizerPatch(pool, Finalizer.cleanup, true)),
    "remove-finalizer": (call) => changeObject(call, (pool) => finalizerPatch(pool, Finalizer.cleanup, false)),
    "record-dns": ({ state }, action) =>
      keep(state, ({ status }) =>
        dnsFields(action, { now: context.clock.now(), cachedUntil: status?.recordsCachedUntil }),
      ),
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

async function keep(state: PoolState, change: (pool: PoolObject) => Change): Promise<Outcome> {
  await state.keep(change);
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
  if (isEdited(state.object()?.metadata, snapshot.snapshot.pool.metadata)) {
    return skipped("the pool was edited meanwhile");
  }
  const takeBack = () => endCreation(context, state, { startedAt: intent.startedAt });
  if (await recordAnyIntent(state, { intent, signal }, takeBack)) return DONE;
  noteOlderCrd(context, state);
  return { is: "refused", failure: { kind: "Terminal", problem: serverMessages.dropsCreation() } };
}

function markInSpec(state: PoolState, ip: string): Promise<Outcome> {
  return keep(state, ({ status }) => ({
    createdIPs: (status?.createdIPs ?? []).map((entry) => (isOf(entry, ip) ? { ...entry, inSpec: true } : entry)),
  }));
}

function createdBut({ status }: PoolObject, ip: string) {
  return (status?.createdIPs ?? []).filter((entry) => !isOf(entry, ip));
}

/** `undefined`: the list has the address. */
export function appended(pool: PoolObject, ip: string): Patch | undefined {
  const ips = listOf(pool);
  return ips.some((known) => canonicalIp(known) === ip) ? undefined : specPatch(pool, { ips: [...ips, ip] });
}

export function withoutAddress(pool: PoolObject, ip: string): Patch | undefined {
  return specPatch(pool, { ips: listOf(pool).filter((one) => canonicalIp(one) !== ip) });
}

/** As a person wrote it, each entry once: the server refuses a changed list with an entry that repeats another one. */
function listOf({ spec }: PoolObject): readonly string[] {
  const ips = typeof spec === "object" && spec !== null && "ips" in spec ? spec.ips : undefined;
  const texts = Array.isArray(ips) ? ips.filter((ip): ip is string => typeof ip === "string") : [];
  return [...new Set(texts)];
}

export function nodeChanges(context: ControllerContext): Pick<ActionTable<PoolTypes>, (NodeAction | MarkAction)["do"]> {
  const change = (call: Call, action: NodeAction) => changeNode(context, call, action);
  return {
    "annotate-node": change,
    "unannotate-node": change,
    "label-holders": ({ state, signal, context: { recheck } }, action) =>
      noteRights(context, state, () => labelHolders(context, { signal, recheck }, action)),
    "taint-until": ({ state, signal, context: { recheck } }, action) =>
      noteRights(context, state, () => taintUntil(context, { signal, recheck }, action)),
  };
}

/** Remembers that the roles are too old to change nodes. */
async function noteRights<T>(
  { clock }: ControllerContext,
  { memory }: PoolState,
  change: () => Promise<T>,
): Promise<T> {
  try {
    const changed = await change();
    memory.nodesForbiddenAt = undefined;
    return changed;
  } catch (error) {
    memory.nodesForbiddenAt = isForbidden(error) ? clock.monotonic() : undefined;
    throw error;
  }
}

/** Sends each change once: the node cache shows it a moment later. */
async function changeNode(context: ControllerContext, call: Call, action: NodeAction): Promise<Outcome> {
  const { sentAnnotations } = call.state.memory;
  const node = context.nodes.get(action.node);
  if (node === undefined) return skipped("the node is gone");
  const [key, text] = [`${action.node} ${action.family}`, `${action.do} ${action.ip} ${node.uid}`];
  const sent = sentAnnotations.get(key);
  const now = context.clock.monotonic();
  if (sent?.text === text && now - sent.at < CACHE_LAG_MS) return skipped("it has been sent");
  const patch = patchOf(call, node, action);
  if (patch === undefined) return DONE;
  for (const [other, { at }] of sentAnnotations) if (now - at >= CACHE_LAG_MS) sentAnnotations.delete(other);
  sentAnnotations.set(key, { text, at: now });
  return send(context, call, { name: node.name, patch, undo: () => sentAnnotations.delete(key) });
}

function patchOf({ snapshot: { snapshot } }: Call, node: NodeFacts, action: NodeAction): Patch | undefined {
  const { family, ip } = action;
  if (action.do === "unannotate-node") return annotationRemoval(node, family);
  return annotationPatch(node, family, { ip, owner: ownerName(snapshot.pool.metadata) });
}

interface NodeChange {
  readonly name: string;
  readonly patch: Patch;
  readonly undo: () => void;
}

async function send(
  context: ControllerContext,
  { state, signal }: Call,
  { name, patch, undo }: NodeChange,
): Promise<Outcome> {
  try {
    await noteRights(context, state, () => sendPatch(context.client, nodePath(name), patch, { signal }));
    return DONE;
  } catch (error) {
    undo();
    // Gone, created anew, or annotated by somebody else meanwhile: its event brings us back.
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return skipped("the node has changed meanwhile");
    throw error;
  }
}
