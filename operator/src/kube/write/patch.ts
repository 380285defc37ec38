/**
 * Pure builders of the patches that the operator sends, and the call that sends one. Each changes only the operator's own
 * fields, is `undefined` if nothing changes, and has a guard: the server refuses it for an object that is no longer the same.
 */

import type { Taint } from "../cache/slim-objects.js";
import type { KubeClient, KubeRequest } from "../client.js";
import { jsonEqual, type KubeObject } from "../objects.js";

export const MERGE_PATCH = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
/** Server-side apply. JSON is YAML. */
export const APPLY_PATCH = "application/apply-patch+yaml";

export interface Patch {
  readonly contentType: typeof MERGE_PATCH | typeof JSON_PATCH | typeof APPLY_PATCH;
  readonly body: unknown;
  /** Of an apply. */
  readonly fieldManager?: string;
}

/** `metav1.Condition`; its list is atomic to a merge patch. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** RFC 3339, seconds. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** What a builder needs of an object of our own kinds, as last seen. */
interface Seen {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/**
 * Merge patch of `/status`. `desired` holds our fields only: others stay untouched, map keys that are not in it vanish
 * (`null`), `undefined` takes a field away, and `conditions` are merged by type into the whole list.
 * A 409 means that the object has changed: gather again.
 */
export function statusPatch(seen: Seen, desired: JsonObject): Patch | undefined {
  const status = isObject(seen.status) ? seen.status : {};
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(desired)) {
    before[field] = status[field];
    after[field] = field === "conditions" ? mergeConditions(status[field], value) : value;
  }
  return versioned(seen, "status", mergePatch(before, after));
}

/** Ours replace those of the same type in place; a transition time stays while the status stays; new ones come last. */
export function mergeConditions(seen: unknown, ours: unknown): readonly unknown[] {
  const before = Array.isArray(seen) ? (seen as readonly Condition[]) : [];
  const desired = Array.isArray(ours) ? (ours as readonly Condition[]) : [];
  const byType = new Map(desired.map((condition) => [condition.type, condition]));
  const merged = before.map((old) => {
    const condition = byType.get(old.type);
    byType.delete(old.type);
    if (condition === undefined) return old;
    return condition.status === old.status ? { ...condition, lastTransitionTime: old.lastTransitionTime } : condition;
  });
  return [...merged, ...byType.values()];
}

/** Merge patch of fields of `spec` of our own kinds, for example `{ ips }`. A 409 means: gather again. */
export function specPatch(seen: Seen, desired: JsonObject): Patch | undefined {
  const spec = isObject(seen.spec) ? seen.spec : {};
  const before = Object.fromEntries(Object.keys(desired).map((field) => [field, spec[field]]));
  return versioned(seen, "spec", mergePatch(before, desired));
}

/** Adds or removes one finalizer; the others stay, in order. A 409 means: gather again. */
export function finalizerPatch(seen: Seen, finalizer: string, present: boolean): Patch | undefined {
  const before = seen.metadata.finalizers ?? [];
  if (before.includes(finalizer) === present) return undefined;
  const finalizers = present ? [...before, finalizer] : before.filter((name) => name !== finalizer);
  return {
    contentType: MERGE_PATCH,
    body: { metadata: { resourceVersion: seen.metadata.resourceVersion, finalizers } },
  };
}

/** Annotations of our own kinds; `undefined` takes one away. A 409 means: gather again. */
export function ownAnnotationPatch(
  seen: Seen,
  desired: Readonly<Record<string, string | undefined>>,
): Patch | undefined {
  const annotations = annotationChanges(seen.metadata.annotations ?? {}, desired);
  if (annotations === undefined) return undefined;
  const { resourceVersion } = seen.metadata;
  return { contentType: MERGE_PATCH, body: { metadata: { resourceVersion, annotations } } };
}

/**
 * Annotations of a node, which other writers change all the time: guarded by uid, not by version.
 * A 404 means that the node is gone, a 422 or 409 that it was created anew.
 */
export function nodeAnnotationPatch(
  node: { readonly uid: string; readonly annotations: Readonly<Record<string, string>> },
  desired: Readonly<Record<string, string | undefined>>,
): Patch | undefined {
  const annotations = annotationChanges(node.annotations, desired);
  if (annotations === undefined) return undefined;
  return { contentType: MERGE_PATCH, body: { metadata: { uid: node.uid, annotations } } };
}

/**
 * Taints are an atomic list: the patch holds only if the list is still the one that was seen. A 422 means: look again.
 * @param node `taints` exactly as on the wire, `undefined` where the field is absent.
 */
export function taintPatch(
  node: { readonly uid: string; readonly taints: readonly Taint[] | undefined },
  desired: readonly Taint[],
): Patch | undefined {
  if (jsonEqual(node.taints ?? [], desired)) return undefined;
  return {
    contentType: JSON_PATCH,
    body: [
      { op: "test", path: "/metadata/uid", value: node.uid },
      // Testing an absent field for null holds on the API server.
      { op: "test", path: "/spec/taints", value: node.taints ?? null },
      { op: "add", path: "/spec/taints", value: desired },
    ],
  };
}

function annotationChanges(
  seen: Readonly<Record<string, string>>,
  desired: Readonly<Record<string, string | undefined>>,
): Record<string, string | null> | undefined {
  const changed = Object.entries(desired).filter(([key, value]) => seen[key] !== value);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(([key, value]) => [key, value ?? null]));
}

function versioned(seen: Seen, field: "spec" | "status", change: unknown): Patch | undefined {
  if (change === undefined) return undefined;
  const { resourceVersion } = seen.metadata;
  return { contentType: MERGE_PATCH, body: { metadata: { resourceVersion }, [field]: change } };
}

type JsonObject = { readonly [key: string]: unknown };

/** RFC 7386. `undefined` when there is nothing to do. Lists and scalars are replaced as a whole. */
export function mergePatch(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return jsonEqual(from, to) ? undefined : withoutUndefined(to);
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const inner = fieldPatch(from[key] ?? undefined, to[key] ?? undefined);
    if (inner !== undefined) patch[key] = inner;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** `null` removes the field, `undefined` leaves it. */
function fieldPatch(before: unknown, after: unknown): unknown {
  if (after !== undefined) return mergePatch(before, after);
  return before === undefined ? undefined : null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key without a value is left out: in a merge patch `null` would delete. */
function withoutUndefined(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner)]));
}

interface SendPatchOptions {
  /** `status` or another subresource. @default the object itself */
  readonly subresource?: string;
  readonly deadlineSeconds?: number;
  readonly signal?: AbortSignal;
}

/**
 * Sends a patch; nothing at all when there is none.
 * @param path of the object, for example `/api/v1/nodes/n1`.
 * @returns the object as patched, `undefined` when nothing was sent. Rejects with StatusError.
 */
export async function sendPatch<O extends KubeObject = KubeObject>(
  client: KubeClient,
  path: string,
  patch: Patch | undefined,
  options: SendPatchOptions = {},
): Promise<O | undefined> {
  if (patch === undefined) return undefined;
  const { subresource, ...limits } = options;
  const request: KubeRequest = {
    method: "PATCH",
    path: subresource === undefined ? path : `${path}/${subresource}`,
    contentType: patch.contentType,
    body: patch.body,
    ...(patch.fieldManager !== undefined && { query: { fieldManager: patch.fieldManager } }),
    ...limits,
  };
  return client.request<O>(request);
}
