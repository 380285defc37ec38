/** Creates an address, and records the end of the creation: in the status, in an annotation, in this process. */

import { type AddressStatus, Annotation, type PendingCreation } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { ResourceRef } from "../../inventory/view.js";
import { StatusError } from "../../kube/client.js";
import type { KubeObject, ObjectMeta } from "../../kube/objects.js";
import { MERGE_PATCH, ownAnnotationPatch, statusPatch } from "../../kube/write/patch.js";
import { errorText, type Logger } from "../../logging.js";
import { refText } from "../../messages/claims.js";
import type { CallContext } from "../../providers/call.js";
import { isProviderError } from "../../providers/errors.js";
import type { ActionFacts, CreateAddress, CreateOutcome } from "../../providers/types.js";
import { ObjectGone, type ObjectWrite } from "../../reconcile/object-writer.js";
import { isWithheld } from "../../reconcile/retries.js";
import { omitUndefined } from "../../values.js";
import { noting, type OpenAccount, type Outcome, providerFailure } from "../call-outcomes.js";
import type { CreationRegistry, OpenCreation } from "./creation-registry.js";
import {
  annotationsAfter,
  type CreatedFacts,
  type CreationResult,
  intentText,
  openIntent,
  type ResultHolder,
  recordResult,
} from "./creation-result.js";

/** What a status says of an address that was just created. */
type StateOfNew = Pick<AddressStatus, "state" | "actionID">;

/** The resource that it is created for. Neither rejects: what can't be written yet is remembered. */
export interface CreationRecords {
  /** Nothing was created, and nothing is to be looked for. */
  readonly refused: () => Promise<void>;
  /** The address is ours, and the intent has ended. */
  readonly created: (ip: string, state: StateOfNew) => Promise<void>;
}

export async function createAddress(
  { account, inventory }: OpenAccount,
  context: CallContext,
  request: CreateAddress,
  records: CreationRecords,
): Promise<Outcome> {
  let outcome: CreateOutcome;
  try {
    outcome = await noting(account, () => inventory.create(account.provider, context, request));
  } catch (error) {
    if (isProviderError(error) || isWithheld(error)) await records.refused();
    throw error;
  }
  if (outcome.kind === "unknown") return { is: "unknown", failure: providerFailure(outcome.error) };
  const { address, action } = outcome;
  await records.created(address.ip, stateOf(action));
  return action === undefined ? { is: "done", ip: address.ip } : { is: "started", id: action.id, ip: address.ip };
}

function stateOf(action: ActionFacts | undefined): StateOfNew {
  return action === undefined ? { state: "unassigned" } : { state: "in-progress", actionID: action.id };
}

/** Fields of a status; `undefined` takes one away. */
type Change<S> = { readonly [K in keyof S]?: S[K] | undefined };

/** Where the status of a kind keeps what was created. */
export interface CreationFields<S extends CreationStatus> {
  /** When the addresses on record were created. */
  readonly createdTimes: (status: S) => readonly string[];
  readonly isOnRecord: (status: S, created: CreatedFacts) => boolean;
  /** Puts the address on record. */
  readonly added: (status: S, created: CreatedFacts) => Change<S>;
  /** Takes it off again. */
  readonly removed: (status: S, created: CreatedFacts) => Change<S>;
  /** The field that marks an address as inferred. */
  readonly mark: string;
  /** The API server does not keep the mark. */
  readonly onMarkDropped?: () => void;
}

type Stored<S> = KubeObject & { readonly status?: S };

interface CreationStatus {
  readonly pendingCreation?: PendingCreation;
}

/** The resource that an address was created for. */
interface CreationHolder<S extends CreationStatus> {
  readonly ref: ResourceRef;
  readonly memory: ResultHolder;
  readonly write: (write: ObjectWrite<Stored<S>>) => Promise<Stored<S>>;
  /** `undefined`: it is gone. */
  readonly object: () => unknown;
}

/** The status with what this process knows of a creation; the same object where the status lacks nothing. */
export function knownStatus<S extends CreationStatus>(
  fields: CreationFields<S>,
  { metadata, status }: { readonly metadata: ObjectMeta; readonly status: S },
  result: CreationResult | undefined,
): S {
  const { pendingCreation } = status;
  const intent = openIntent(metadata, { pendingCreation, createdTimes: fields.createdTimes(status) }, result);
  const added = addedBy(fields, status, result?.created);
  if (intent === pendingCreation && added === undefined) return status;
  return omitUndefined({ ...status, ...added, pendingCreation: intent }) as S;
}

/** Whether the resource is another one than the plan saw. */
export function isEdited(now: ObjectMeta | undefined, planned: ObjectMeta): boolean {
  return now === undefined || now.generation !== planned.generation || now.deletionTimestamp !== undefined;
}

/**
 * Also in an annotation, because the status may get lost: then nothing else knows that an address may have been created.
 * @param takeBack ends the creation where the annotation cannot be written, or where the answer for the status is lost: nothing
 * was created, and only this process knows it.
 * @returns whether the status keeps it; that of an older CRD does not.
 */
export async function recordIntent<S extends CreationStatus>(
  holder: Pick<CreationHolder<S>, "write">,
  { intent, signal }: { readonly intent: PendingCreation; readonly signal: AbortSignal },
  takeBack: () => Promise<unknown>,
): Promise<boolean> {
  const patch = (object: Stored<S>) => statusPatch(object, { pendingCreation: intent });
  const answer = await holder.write({ patch, subresource: "status", signal }).catch(async (error: unknown) => {
    if (mayBeWritten(error)) await takeBack();
    throw error;
  });
  if (answer.status?.pendingCreation?.startedAt !== intent.startedAt) return false;
  const copy = { [Annotation.pendingCreation]: intentText(intent) };
  try {
    await holder.write({ patch: (object) => ownAnnotationPatch(object, copy), fact: true, signal });
    return true;
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/** The API server has not refused the write, and it may have been sent. */
function mayBeWritten(error: unknown): boolean {
  if (isWithheld(error) || error instanceof ObjectGone) return false;
  return !(error instanceof StatusError && error.code < 500);
}

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation<S extends CreationStatus>(
  fields: CreationFields<S>,
  holder: CreationHolder<S>,
  result: CreationResult,
): Promise<void> {
  return recordResult(holder.memory, result, async () => {
    const written = await holder.write({
      patch: (object) => resultPatch(fields, object, result),
      subresource: "status",
      fact: true,
    });
    if (result.created !== undefined) await checkMark(fields, holder, { written, created: result.created });
    await dropCopy(holder, result.created);
  });
}

/** The same for an end that the provider has just reported: whoever asked goes on, and the write is tried again. */
export async function endCreation<S extends CreationStatus>(
  fields: CreationFields<S>,
  holder: CreationHolder<S>,
  { result, logger }: { readonly result: CreationResult; readonly logger: Logger },
): Promise<void> {
  await recordCreation(fields, holder, result).catch((error: unknown) => {
    const subject = { resource: refText(holder.ref), ip: result.created?.ip, error: errorText(error) };
    logger.error(subject, holder.object() === undefined ? ORPHANED : KEPT);
  });
}

const KEPT =
  "Failed to record the end of a creation: this process knows it, serves the address and writes again; after a crash the address is looked for by its intent, and is never released";
const ORPHANED =
  "Failed to record the end of a creation: the resource is gone, and an address that was created stays with the account";

/** Takes the copy of the intent away, and notes what came of it. A fact, too. */
export async function dropCopy(
  holder: { readonly write: (write: ObjectWrite<KubeObject>) => Promise<unknown> },
  created?: CreatedFacts,
): Promise<void> {
  const patch = (object: KubeObject) => ownAnnotationPatch(object, annotationsAfter(object.metadata, created));
  await holder.write({ patch, fact: true });
}

/** As others have to know it: a creation that runs, or whose answer was lost. */
export function noteCreation(
  { creations, clock }: { readonly creations: CreationRegistry; readonly clock: Clock },
  { resource, running, account }: Pick<OpenCreation, "resource" | "account"> & { readonly running: boolean },
  intent: PendingCreation | undefined,
): void {
  if (intent === undefined) {
    if (!running) creations.end(resource.uid);
    return;
  }
  const { family, provider, providerID: node, startedAt } = intent;
  const began = Math.min(Date.parse(startedAt), clock.now());
  const region = createdRegion(intent);
  creations.set({ resource, provider, family, account, running, startedAt: began, ...omitUndefined({ node, region }) });
}

/** Of a creation in a region. The region of a node is what its labels say, which proves nothing. */
export function createdRegion({ providerID, region }: PendingCreation): string | undefined {
  return providerID === undefined && region !== "" ? region : undefined;
}

function statusOf<S extends CreationStatus>({ status }: Stored<S>): S {
  return status ?? ({} as S);
}

function addedBy<S extends CreationStatus>(fields: CreationFields<S>, status: S, created: CreatedFacts | undefined) {
  return created === undefined || fields.isOnRecord(status, created) ? undefined : fields.added(status, created);
}

/** Never nothing for the end of an intent that the status seems to lack: only the server's answer shows that it does. */
function resultPatch<S extends CreationStatus>(fields: CreationFields<S>, object: Stored<S>, result: CreationResult) {
  const status = statusOf(object);
  const change = changeOf(fields, status, result);
  const unseen = "pendingCreation" in change && status.pendingCreation === undefined;
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status: { pendingCreation: null } };
  return statusPatch(object, { ...change }) ?? (unseen ? { contentType: MERGE_PATCH, body } : undefined);
}

function changeOf<S extends CreationStatus>(
  fields: CreationFields<S>,
  status: S,
  { startedAt, created }: CreationResult,
) {
  const isOther = status.pendingCreation !== undefined && status.pendingCreation.startedAt !== startedAt;
  return { ...(isOther ? {} : { pendingCreation: undefined }), ...addedBy(fields, status, created) };
}

/** An older CRD drops the mark. Without it the address would be released one day, so the record is taken back. */
async function checkMark<S extends CreationStatus>(
  fields: CreationFields<S>,
  holder: CreationHolder<S>,
  { written, created }: { readonly written: Stored<S>; readonly created: CreatedFacts },
): Promise<void> {
  if (fields.isOnRecord(statusOf(written), created)) return;
  fields.onMarkDropped?.();
  const patch = (object: Stored<S>) => statusPatch(object, { ...fields.removed(statusOf(object), created) });
  await holder.write({ patch, subresource: "status", fact: true });
  throw new Error(`the API server drops ${fields.mark}: apply the CRDs of this release`);
}
