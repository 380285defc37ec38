/** Records the end of a pool's creation: in the status, in an annotation, in this process. */

import { AddressAccount } from "../../addresses/address-accounts.js";
import {
  annotationsAfter,
  type CreatedFacts,
  type CreationResult,
  recordResult,
} from "../../addresses/creation/creation-result.js";
import { CREATION } from "../../addresses/lock-key.js";
import type { Clock } from "../../clock.js";
import { ownAnnotationPatch, statusPatch } from "../../kube/patch.js";
import { errorText } from "../../logging.js";
import type { ControllerContext } from "../context.js";
import { isOf, isOnRecord, knownPool, type PoolObject, type PoolState, withCreated } from "./resource.js";
import type { Gathered, Pool } from "./snapshot.js";

interface Clocked {
  readonly clock: Pick<Clock, "monotonic">;
}

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation(context: Clocked, state: PoolState, result: CreationResult): Promise<void> {
  return recordResult(state.memory, result, async () => {
    const written = await state.write({
      patch: (pool) => statusPatch(pool, changeOf(pool, result)),
      subresource: "status",
      fact: true,
    });
    await checkInferred(context, state, { written, result });
    await dropCopy(state, result.created);
  });
}

/** The same for an end that the provider has just reported: whoever asked goes on, and the write is tried again. */
export async function endCreation(
  context: Clocked & Pick<ControllerContext, "logger">,
  state: PoolState,
  result: CreationResult,
): Promise<void> {
  await recordCreation(context, state, result).catch((error: unknown) => {
    const fields = { pool: state.key, ip: result.created?.ip, error: errorText(error) };
    context.logger.error(fields, state.object() === undefined ? ORPHANED : KEPT);
  });
}

const KEPT =
  "Failed to record the end of a creation: this process knows it, serves the address and writes again; after a crash the address is looked for by its intent, and is never released";
const ORPHANED =
  "Failed to record the end of a creation: the resource is gone, and an address that was created stays with the account";

/** Takes the copy of the intent away, and notes what came of it. A fact, too. */
export async function dropCopy(state: PoolState, created?: CreatedFacts): Promise<void> {
  const patch = (pool: PoolObject) => ownAnnotationPatch(pool, annotationsAfter(pool.metadata, created));
  await state.write({ patch, fact: true });
}

/** The server dropped a field: nothing is created until a whole status is kept. */
export function noteOlderCrd({ clock }: Clocked, { statusWrites }: PoolState): void {
  statusWrites.droppedAt = clock.monotonic();
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
  context: Clocked,
  state: PoolState,
  { written, result: { created } }: { readonly written: PoolObject; readonly result: CreationResult },
): Promise<void> {
  if (created === undefined || isOnRecord(written.status ?? {}, created)) return;
  noteOlderCrd(context, state);
  const without = (pool: PoolObject) => (pool.status?.createdIPs ?? []).filter((entry) => !isOf(entry, created.ip));
  const patch = (pool: PoolObject) => statusPatch(pool, { createdIPs: without(pool) });
  await state.write({ patch, subresource: "status", fact: true });
  throw new Error("the API server drops status.createdIPs[].inferred: apply the CRDs of this release");
}

/** As others have to know it: a creation that runs, or whose answer was lost. */
export function noteCreation({ creations, accounts, clock }: ControllerContext, state: PoolState): void {
  const pool = knownPool(state)?.pool;
  const intent = pool?.status.pendingCreation;
  const running = state.inFlight.has(CREATION);
  if (pool === undefined || intent === undefined) {
    if (!running) creations.end(state.ref.uid);
    return;
  }
  const { family, provider, providerID } = intent;
  const found = accounts.find(provider, family);
  creations.set({
    ...{ resource: state.ref, provider, family, running },
    account: found instanceof AddressAccount ? found.inventory : undefined,
    startedAt: Math.min(Date.parse(intent.startedAt), clock.now()),
    ...(providerID === undefined ? {} : { node: providerID }),
  });
}

/** As the creation book knows the pool. */
export function creationKey(
  { ref }: Pick<PoolState, "ref">,
  { spec }: Pool,
  { family, account }: Pick<Gathered, "family" | "account">,
) {
  return { resource: ref, provider: spec.provider, family, account: account?.inventory };
}
