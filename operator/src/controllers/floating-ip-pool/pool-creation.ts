/** Records the end of a pool's creation: in the status, in an annotation, in this process. */

import { AddressAccount } from "../../addresses/address-accounts.js";
import {
  annotationsAfter,
  type CreatedFacts,
  type CreationResult,
  recordResult,
} from "../../addresses/creation/creation-result.js";
import { CREATION } from "../../addresses/lock-key.js";
import { ownAnnotationPatch, statusPatch } from "../../kube/patch.js";
import { errorText } from "../../logging.js";
import type { ControllerContext } from "../context.js";
import { isOf, isOnRecord, withCreated } from "./known-creation.js";
import type { PoolObject } from "./read-pool.js";
import type { PoolState } from "./resource-state.js";
import type { Tools } from "./tools.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation({ resourceState }: Pick<Tools, "resourceState">, result: CreationResult): Promise<void> {
  return recordResult(resourceState, result, async () => {
    const written = await resourceState.writer.write({
      patch: (pool) => statusPatch(pool, changeOf(pool, result)),
      subresource: "status",
      fact: true,
    });
    await checkInferred(resourceState, written, result);
    await dropCopy(resourceState, result.created);
  });
}

/** The same for an end that the provider has just reported: whoever asked goes on, and the write is tried again. */
export async function endCreation(
  tools: Pick<Tools, "resourceState" | "context">,
  result: CreationResult,
): Promise<void> {
  const { context, resourceState } = tools;
  await recordCreation(tools, result).catch((error: unknown) => {
    const fields = { pool: resourceState.key, ip: result.created?.ip, error: errorText(error) };
    context.logger.error(fields, resourceState.object() === undefined ? ORPHANED : KEPT);
  });
}

const KEPT =
  "Failed to record the end of a creation: this process knows it, serves the address and writes again; after a crash the address is looked for by its intent, and is never released";
const ORPHANED =
  "Failed to record the end of a creation: the resource is gone, and an address that was created stays with the account";

/** Takes the copy of the intent away, and notes what came of it. A fact, too. */
export async function dropCopy({ writer }: PoolState, created?: CreatedFacts): Promise<void> {
  const patch = (pool: PoolObject) => ownAnnotationPatch(pool, annotationsAfter(pool.metadata, created));
  await writer.write({ patch, fact: true });
}

function changeOf({ status }: PoolObject, { startedAt, created }: CreationResult) {
  const isOther = status?.pendingCreation !== undefined && status.pendingCreation.startedAt !== startedAt;
  const intent = isOther ? {} : { pendingCreation: undefined };
  if (created === undefined) return intent;
  const known = status?.ips?.[created.ip];
  return { ...intent, ...withCreated(status, created), ips: { ...status?.ips, [created.ip]: known ?? created.status } };
}

/** An older CRD drops the mark. Without it the address would be released one day, so the record is taken back. */
async function checkInferred(
  resourceState: PoolState,
  { status }: PoolObject,
  { created }: CreationResult,
): Promise<void> {
  if (created === undefined || isOnRecord(status ?? {}, created)) return;
  resourceState.crdTooOld = true;
  const without = (pool: PoolObject) => (pool.status?.createdIPs ?? []).filter((entry) => !isOf(entry, created.ip));
  const patch = (pool: PoolObject) => statusPatch(pool, { createdIPs: without(pool) });
  await resourceState.writer.write({ patch, subresource: "status", fact: true });
  throw new Error("the API server drops status.createdIPs[].inferred: apply the CRDs of this release");
}

/** As others have to know it: a creation that runs, or whose answer was lost. */
export function noteCreation({ creations, accounts, clock }: ControllerContext, resourceState: PoolState): void {
  const pool = resourceState.read()?.pool;
  const intent = pool?.status.pendingCreation;
  const running = resourceState.inFlight.has(CREATION);
  if (pool === undefined || intent === undefined) {
    if (!running) creations.end(resourceState.ref.uid);
    return;
  }
  const { family, provider, providerID } = intent;
  const found = accounts.find(provider, family);
  creations.set({
    ...{ resource: resourceState.ref, provider, family, running },
    account: found instanceof AddressAccount ? found.inventory : undefined,
    startedAt: Math.min(Date.parse(intent.startedAt), clock.now()),
    ...(providerID === undefined ? {} : { node: providerID }),
  });
}
