/** Ends a run with one patch of the status, if anything differs, and notices a server that drops fields of it. */

import { CRD_PROBE_MS } from "../bounds.js";
import { jsonEqual } from "../kube/objects.js";
import { mergeConditions, statusPatch } from "../kube/write/patch.js";
import { stamped } from "./conditions.js";
import type { Decision } from "./iteration.js";
import type { Kind } from "./kind.js";
import type { KindTypes, StatusFields } from "./plan.js";
import type { ResourceState } from "./resource-state.js";

interface StatusTime {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly monotonic: number;
  readonly signal: AbortSignal;
}

interface StatusWritten {
  /** ms after which a change that may wait is to be written. Absent: the status is as it should be. */
  readonly waitMs?: number;
  /** The server has begun to drop fields. */
  readonly drops?: true;
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
  fields: StatusFields,
  { monotonic, signal }: StatusTime,
): Promise<StatusWritten> {
  const written = state.pendingStatus.mark();
  const waitMs = holdMs(kind, state, fields, monotonic);
  if (waitMs !== undefined) {
    written();
    return { waitMs };
  }
  const { statusWrites } = state;
  const dropping = isDropping(state, monotonic);
  const sent = dropping ? forOlderCrd(kind, state, fields) : fields;
  const after = await state.write({
    patch: (object) => {
      const patch = statusPatch(object, { ...sent });
      if (patch !== undefined) statusWrites.sentAt = monotonic;
      return patch;
    },
    subresource: "status",
    signal,
  });
  const kept = !dropping && isKept(kind, after.status, fields);
  const first = !kept && statusWrites.droppedAt === undefined;
  if (kept) delete statusWrites.droppedAt;
  else if (!dropping) Object.assign(statusWrites, { droppedAt: monotonic, dropped: droppedOf(after.status, fields) });
  state.pendingStatus.setUnkept(kept ? {} : unkept(state, fields));
  written();
  return first ? { drops: true } : {};
}

/** The server has dropped a field of ours lately: the CRD is an older one. */
export function isDropping<T extends KindTypes>({ statusWrites }: ResourceState<T>, monotonic: number): boolean {
  const { droppedAt } = statusWrites;
  return droppedAt !== undefined && monotonic - droppedAt < CRD_PROBE_MS;
}

/** What an older CRD drops would be sent again and again. */
function forOlderCrd<T extends KindTypes>(
  { statusRules }: Kind<T>,
  { statusWrites: { dropped = [] } }: ResourceState<T>,
  fields: StatusFields,
): StatusFields {
  if (statusRules?.forOlderCrd !== undefined) return statusRules.forOlderCrd(fields);
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !dropped.includes(field)));
}

function droppedOf(stored: unknown, fields: StatusFields): readonly string[] {
  const kept = asFields(stored);
  return Object.keys(fields).filter((field) => fields[field] !== undefined && kept[field] === undefined);
}

function holdMs<T extends KindTypes>(
  { statusRules }: Kind<T>,
  state: ResourceState<T>,
  fields: StatusFields,
  monotonic: number,
): number | undefined {
  if (statusRules?.holdMs === undefined) return undefined;
  const seen = asFields(state.object()?.status);
  return statusRules.holdMs(seen, fields, monotonic - state.statusWrites.sentAt);
}

function isKept<T extends KindTypes>({ statusRules }: Kind<T>, stored: unknown, fields: StatusFields): boolean {
  const { newFields = ["conditions"] } = statusRules ?? {};
  const kept = asFields(stored);
  return newFields.every((field) => {
    return field === "conditions" ? kept[field] !== undefined : jsonEqual(kept[field], fields[field]);
  });
}

/** What the server did not keep, with the times of conditions that stayed the same. */
function unkept<T extends KindTypes>({ pendingStatus }: ResourceState<T>, fields: StatusFields): StatusFields {
  const { conditions: before } = pendingStatus.over(undefined);
  return { ...fields, conditions: mergeConditions(before, fields["conditions"]) };
}

function asFields(status: unknown): StatusFields {
  return typeof status === "object" && status !== null ? { ...status } : {};
}
