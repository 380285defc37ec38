/** Ends a run with one patch of the status, if anything differs, and notices a server that drops fields of it. */

import { jsonEqual } from "../kube/objects.js";
import { isObject, mergeConditions, statusPatch } from "../kube/write/patch.js";
import { CRD_PROBE_MS, CRD_ROLLOUT_PROBE_MS } from "../timings.js";
import { omitUndefined } from "../values.js";
import { stamped } from "./conditions.js";
import type { Decision } from "./iteration.js";
import type { Kind } from "./kind.js";
import { fieldsOf } from "./pending-status.js";
import type { KindTypes, StatusFields } from "./plan.js";
import type { ResourceState, StatusWrites } from "./resource-state.js";

interface StatusTime {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly monotonic: number;
  readonly signal: AbortSignal;
}

interface StatusWritten {
  /** ms after which a change that may wait is to be written, or what the server drops sent again. Absent: all is written. */
  readonly waitMs?: number;
  /** What the server has begun to drop: fields, and parts of them as `field.part`. */
  readonly drops?: readonly string[];
  /** Others overwrite the status: nothing is written for `waitMs`. */
  readonly left?: true;
}

/** `undefined`: the kind leaves the status as it is. */
export function statusFields<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  { snapshot, plan, now }: Decision<T> & { readonly now: number },
): StatusFields | undefined {
  const own = kind.status?.(snapshot, plan);
  if (own === undefined) return undefined;
  const generation = state.object()?.metadata.generation;
  return { observedGeneration: generation, ...own, conditions: stamped(plan.conditions, { now, generation }) };
}

/** Rejects as the API server does, or with ObjectGone. */
export async function writeStatus<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  planned: StatusFields,
  { monotonic, signal }: StatusTime,
): Promise<StatusWritten> {
  const fields = withoutDroppedOptions(kind, state, planned, monotonic);
  const written = state.pendingStatus.mark();
  const held = heldBack(kind, state, fields, monotonic);
  if (held !== undefined) {
    written();
    return held;
  }
  const { statusWrites } = state;
  const dropping = isAwaited(statusWrites.droppedAt, statusWrites, monotonic);
  const sent = dropping ? forOlderCrd(kind, state, fields) : fields;
  const withFacts = sendsFacts(state, { dropping, monotonic });
  const after = await state.write({
    patch: (object) => {
      const facts = withFacts ? state.pendingStatus.unkeptFacts(fieldsOf(object.status)) : {};
      const patch = statusPatch(object, { ...facts, ...sent });
      if (patch !== undefined) statusWrites.sentAt = monotonic;
      return patch;
    },
    subresource: "status",
    signal,
  });
  state.writer.ownStatus.settled(fields, after.status);
  noteOptions(kind, statusWrites, { sent, stored: fieldsOf(after.status), monotonic });
  const kept = !dropping && isKept(kind, after.status, fields);
  const first = !kept && statusWrites.droppedAt === undefined;
  if (kept) delete statusWrites.droppedAt;
  else if (!dropping) Object.assign(statusWrites, { droppedAt: monotonic, dropped: missingFrom(after.status, fields) });
  state.pendingStatus.setUnkept(kept ? {} : unkept(state, fields));
  written();
  return {
    ...(first && { drops: namedDrops(kind, statusWrites) }),
    ...omitUndefined({ waitMs: untilSentAgainMs(statusWrites, monotonic) }),
  };
}

type Relists = Pick<StatusWrites, "relistedAt">;

/** What the server dropped is not sent again yet. */
function isAwaited(droppedAt: number | undefined, writes: Relists, monotonic: number): boolean {
  return droppedAt !== undefined && monotonic < sendAgainAt(droppedAt, writes);
}

/** The server has dropped the intent of a creation: another one would be dropped, too. */
export function dropsIntents<T extends KindTypes>({ statusWrites }: ResourceState<T>, monotonic: number): boolean {
  return isAwaited(statusWrites.intentDroppedAt, statusWrites, monotonic);
}

/** At once when the cache has been read anew, soon where other API servers may still have the older CRD, otherwise now and then. */
function sendAgainAt(droppedAt: number, { relistedAt }: Relists): number {
  if (droppedAt < relistedAt) return relistedAt;
  return droppedAt + (droppedAt - relistedAt < 3 * CRD_ROLLOUT_PROBE_MS ? CRD_ROLLOUT_PROBE_MS : CRD_PROBE_MS);
}

/** `undefined`: the server has kept all, as far as is known. */
function untilSentAgainMs(writes: StatusWrites, monotonic: number): number | undefined {
  const { droppedAt, factsDroppedAt, intentDroppedAt } = writes;
  const dropped = [droppedAt, factsDroppedAt, intentDroppedAt].filter((at) => at !== undefined);
  const waits = dropped.map((at) => sendAgainAt(at, writes) - monotonic).filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** Whether facts that an older CRD dropped go with this status: with each whole one, and now and then. */
function sendsFacts<T extends KindTypes>(
  state: ResourceState<T>,
  { dropping, monotonic }: { readonly dropping: boolean; readonly monotonic: number },
): boolean {
  const { pendingStatus, statusWrites } = state;
  if (Object.keys(pendingStatus.unkeptFacts(fieldsOf(state.object()?.status))).length === 0) {
    delete statusWrites.factsDroppedAt;
    return false;
  }
  // Absent: the answer to the write of the fact has just shown it.
  statusWrites.factsDroppedAt ??= monotonic;
  const whole = statusWrites.droppedAt !== undefined && !dropping;
  if (!whole && isAwaited(statusWrites.factsDroppedAt, statusWrites, monotonic)) return false;
  statusWrites.factsDroppedAt = monotonic;
  return true;
}

/** What an older CRD drops would be sent again and again. */
function forOlderCrd<T extends KindTypes>(
  { statusRules }: Kind<T>,
  { statusWrites: { dropped = [] } }: ResourceState<T>,
  fields: StatusFields,
): StatusFields {
  if (statusRules?.forOlderCrd !== undefined) return statusRules.forOlderCrd(fields);
  return without(fields, dropped);
}

/** An optional field that the server drops would be sent with each run. */
function withoutDroppedOptions<T extends KindTypes>(
  { statusRules }: Kind<T>,
  { statusWrites }: ResourceState<T>,
  fields: StatusFields,
  monotonic: number,
): StatusFields {
  if (!isAwaited(statusWrites.optionalDroppedAt, statusWrites, monotonic)) return fields;
  return without(fields, statusRules?.optionalFields ?? []);
}

function noteOptions<T extends KindTypes>(
  { statusRules }: Kind<T>,
  statusWrites: StatusWrites,
  {
    sent,
    stored,
    monotonic,
  }: { readonly sent: StatusFields; readonly stored: StatusFields; readonly monotonic: number },
): void {
  const sentOptions = (statusRules?.optionalFields ?? []).filter((field) => sent[field] !== undefined);
  if (sentOptions.some((field) => stored[field] === undefined)) statusWrites.optionalDroppedAt = monotonic;
  else if (sentOptions.length > 0) delete statusWrites.optionalDroppedAt;
}

/** Paths of what `sent` has and the server does not: fields, and fields of those that are objects. */
function missingFrom(stored: unknown, sent: StatusFields, within = ""): readonly string[] {
  const kept = fieldsOf(stored);
  return Object.entries(sent).flatMap(([field, value]) => {
    const path = `${within}${field}`;
    if (value === undefined) return [];
    if (kept[field] === undefined) return [path];
    return isObject(value) ? missingFrom(kept[field], value, `${path}.`) : [];
  });
}

function without(sent: StatusFields, paths: readonly string[], within = ""): StatusFields {
  const rest = Object.entries(sent).filter(([field]) => !paths.includes(`${within}${field}`));
  return Object.fromEntries(
    rest.map(([field, value]) => [field, isObject(value) ? without(value, paths, `${within}${field}.`) : value]),
  );
}

/** What the server changed without dropping a whole field or part is in a list: the field names it. */
function namedDrops<T extends KindTypes>({ statusRules }: Kind<T>, { dropped = [] }: StatusWrites): readonly string[] {
  return dropped.length > 0 ? dropped : (statusRules?.newFields ?? []);
}

function heldBack<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  fields: StatusFields,
  monotonic: number,
): StatusWritten | undefined {
  const waitMs = holdMs(kind, state, fields, monotonic);
  if (waitMs !== undefined) return { waitMs };
  const leftMs = untilWrittenAgainMs(state, fields, monotonic);
  return leftMs === 0 ? undefined : { waitMs: leftMs, left: true };
}

/** ms for which what others wrote over our status stays. What waits for a patch may be needed after a restart: it does not wait. */
function untilWrittenAgainMs<T extends KindTypes>(
  state: ResourceState<T>,
  fields: StatusFields,
  monotonic: number,
): number {
  const { pendingStatus, writer } = state;
  const object = state.object();
  if (object === undefined || !pendingStatus.isEmpty) return 0;
  if (!writer.ownStatus.isOverwritten(fields, object.status)) return 0;
  return statusPatch(object, fields) === undefined ? 0 : writer.ownStatus.waitMs(monotonic);
}

function holdMs<T extends KindTypes>(
  { statusRules }: Kind<T>,
  state: ResourceState<T>,
  fields: StatusFields,
  monotonic: number,
): number | undefined {
  if (statusRules?.holdMs === undefined) return undefined;
  const seen = fieldsOf(state.object()?.status);
  return statusRules.holdMs(seen, fields, monotonic - state.statusWrites.sentAt);
}

function isKept<T extends KindTypes>({ statusRules }: Kind<T>, stored: unknown, fields: StatusFields): boolean {
  const { newFields = ["conditions"] } = statusRules ?? {};
  const kept = fieldsOf(stored);
  return newFields.every((field) => {
    return field === "conditions" ? kept[field] !== undefined : jsonEqual(kept[field], fields[field]);
  });
}

/** What the server did not keep, with the times of conditions that stayed the same. */
function unkept<T extends KindTypes>({ pendingStatus }: ResourceState<T>, fields: StatusFields): StatusFields {
  const { conditions: before } = pendingStatus.over(undefined);
  return { ...fields, conditions: mergeConditions(before, fields["conditions"]) };
}
