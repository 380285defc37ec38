/** Actions that the status of the pool keeps: written, and confirmed by the server's answer. */

import {
  Annotation,
  type CreatedAddress,
  canonicalIp,
  type FloatingIPPoolStatus,
  type PendingCreation,
} from "cdk8s-flipop/api";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { intentText } from "../../addresses/creation/creation-result.js";
import { dropCopy } from "../../addresses/creation/record-creation.js";
import { ownAnnotationPatch, statusPatch } from "../../kube/patch.js";
import type { Action, RecordAction } from "./actions.js";
import { endCreation, recordCreation } from "./pool-creation.js";
import type { PoolObject } from "./read-pool.js";
import type { Tools } from "./tools.js";

type StatusAction = Extract<
  RecordAction,
  {
    readonly do:
      | "record-intent"
      | "settle-creation"
      | "record-creation"
      | "drop-intent-copy"
      | "record-assignment"
      | "mark-in-spec"
      | "forget-created"
      | "record-dns";
  }
>;

type Change = { readonly [K in keyof FloatingIPPoolStatus]?: FloatingIPPoolStatus[K] | undefined };

export async function recordInStatus(tools: Tools, action: StatusAction): Promise<Outcome> {
  switch (action.do) {
    case "record-intent":
      return recordIntent(tools, action);
    case "record-assignment":
      return recordAssignment(tools, action.at);
    case "settle-creation":
    case "record-creation":
      await recordCreation(tools, action.result);
      return DONE;
    case "drop-intent-copy":
      await dropCopy(tools.resourceState);
      return DONE;
    case "mark-in-spec":
      return keep(tools, ({ status }) => markedInSpec(status, action.ip));
    case "forget-created":
      return keep(tools, ({ status }) => ({ createdIPs: entries(status).filter((entry) => !isOf(entry, action.ip)) }));
    case "record-dns":
      return keep(tools, () => ({ dns: action.written }));
  }
}

/** A fact that must not get lost. */
export async function keep(
  tools: Pick<Tools, "resourceState">,
  change: (pool: PoolObject) => Change,
): Promise<Outcome> {
  // Not ended by a shutdown: it takes one call, and says what has already happened.
  await tools.resourceState.writer.write({
    patch: (pool) => statusPatch(pool, change(pool)),
    subresource: "status",
    fact: true,
  });
  return DONE;
}

/** On the version that the plan was made of, or the plan may be wrong by now. */
async function recordIntent(
  { resourceState, snapshot, context, signal }: Tools,
  { intent }: Extract<Action, { readonly do: "record-intent" }>,
): Promise<Outcome> {
  const planned = snapshot.pool.metadata;
  const now = resourceState.object()?.metadata;
  if (now === undefined || now.generation !== planned.generation || now.deletionTimestamp !== undefined) {
    return skipped("the pool was edited meanwhile");
  }
  const patch = (pool: PoolObject) => statusPatch(pool, { pendingCreation: intent });
  const answer = await resourceState.writer.write({ patch, subresource: "status", signal });
  if (answer.status?.pendingCreation?.startedAt === intent.startedAt)
    return copyIntent({ resourceState, context, signal }, intent);
  resourceState.crdTooOld = true;
  const message = "the API server drops status.pendingCreation: apply the CRDs of this release";
  return { is: "refused", failure: { kind: "Terminal", problem: { reason: "CRDTooOld", message } } };
}

/** Beside the status, which may get lost: then nothing else knows that an address may have been created. */
async function copyIntent(
  { resourceState, context, signal }: Pick<Tools, "resourceState" | "context" | "signal">,
  intent: PendingCreation,
): Promise<Outcome> {
  const copy = { [Annotation.pendingCreation]: intentText(intent) };
  try {
    await resourceState.writer.write({ patch: (pool) => ownAnnotationPatch(pool, copy), fact: true, signal });
    return DONE;
  } catch (error) {
    await endCreation({ resourceState, context }, { startedAt: intent.startedAt });
    throw error;
  }
}

/** Until the call is answered, `PoolState.assigning` holds back the next one. */
function recordAssignment(tools: Tools, at: string): Promise<Outcome> {
  return keep(tools, () => ({ lastAssignmentTime: at }));
}

/** The call that it was for was refused: it counts for nothing. */
export async function takeBackAssignment(
  tools: Tools,
  { formerly }: Extract<Action, { readonly do: "record-assignment" }>,
): Promise<void> {
  await keep(tools, () => ({ lastAssignmentTime: formerly }));
}

function markedInSpec(status: FloatingIPPoolStatus | undefined, ip: string): Change {
  return { createdIPs: entries(status).map((entry) => (isOf(entry, ip) ? { ...entry, inSpec: true } : entry)) };
}

function entries(status: FloatingIPPoolStatus | undefined): readonly CreatedAddress[] {
  return status?.createdIPs ?? [];
}

function isOf(entry: CreatedAddress, ip: string): boolean {
  return canonicalIp(entry.ip) === canonicalIp(ip);
}
