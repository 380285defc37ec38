/**
 * Server-side apply. The emulator remembers what each manager applied, so it removes what a manager no longer applies and
 * refuses what another manager applied with another value. It does not record owners of other writes: `managedFields` of a
 * custom resource have the managers that apply, and those of other objects are absent.
 */
import { parse } from "yaml";
import { ApiStatus, badRequest, conflict } from "../api-status.js";
import { bodyText } from "../body-text.js";
import { type Cluster, collectionOf } from "../cluster.js";
import { invalidOptions, requiredValue } from "../field-error.js";
import { isObject, type JsonObject } from "../json.js";
import { apiVersionOf } from "../objects.js";
import type { ApiRequest } from "../request.js";
import type { ResourceType } from "../resources/resource-type.js";
import { objectKey } from "../store/collection.js";
import { conflictsOf, type Lists, listsOf, merged, withoutGone, withoutTaken } from "./apply-merge.js";
import { create, type WriteResult } from "./create.js";
import { managedFieldsOf } from "./managed-fields.js";
import { readObject } from "./read-body.js";
import { patch, type UpdateTarget } from "./update.js";
import type { WriteOptions } from "./write-options.js";

/** What a manager wants an object to contain. */
export interface ApplyRequest {
  readonly manager: string;
  /** Takes over what other managers applied. */
  readonly force: boolean;
  readonly config: JsonObject;
}

/** Reads the request; throws 400 and 422. */
export function readApply(request: ApiRequest): ApplyRequest {
  const manager = request.query.get("fieldManager") ?? "";
  if (manager === "") {
    throw invalidOptions("PatchOptions", [requiredValue("fieldManager", "is required for apply patch")]);
  }
  const config = parsed(bodyText(request));
  if (isObject(config.metadata) && config.metadata.managedFields !== undefined) {
    throw badRequest("metadata.managedFields must be nil");
  }
  return { manager, force: request.query.get("force") === "true", config };
}

function parsed(text: string): JsonObject {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (isObject(value)) return value;
  throw badRequest("error decoding YAML: the patch is no object");
}

/** Creates the object, or merges what the manager applies into it. */
export function apply(
  cluster: Cluster,
  target: UpdateTarget,
  request: ApplyRequest,
  options: WriteOptions,
): WriteResult {
  const { type, namespace, name } = target;
  const config = declared(target, request.config);
  const old = collectionOf(cluster, type).get(objectKey(namespace, name));
  const result =
    old === undefined
      ? create(cluster, target, structuredClone(config), options)
      : change({ cluster, target, request: { ...request, config }, options, uid: old.metadata.uid });
  if (!options.dryRun) remember(cluster, result.object.metadata.uid, { ...request, config });
  return result;
}

/** A typo is refused whatever the option fieldValidation says, because nothing could own such a field. */
function declared({ type, name }: UpdateTarget, config: JsonObject): JsonObject {
  const { apiVersion = apiVersionOf(type), kind = type.kind, metadata } = config;
  const full = { ...config, apiVersion, kind, metadata: { ...(isObject(metadata) ? metadata : {}), name } };
  const { unknown } = readObject(type, structuredClone(full) as JsonObject);
  if (unknown.length === 0) return full;
  const lines = unknown.map((path) => `.${path}: field not declared in schema`);
  const what = `(${subjectOf(type, full.metadata)})`;
  const list = lines.length === 1 ? lines[0] : `errors:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  const message = `failed to create typed patch object ${what}: ${list}`;
  throw new ApiStatus({ code: 500, reason: "InternalError", message });
}

function subjectOf(type: ResourceType, metadata: { readonly name: string; readonly namespace?: unknown }): string {
  const namespace = typeof metadata.namespace === "string" ? metadata.namespace : "";
  return `${namespace}/${metadata.name}; ${apiVersionOf(type)}, Kind=${type.kind}`;
}

interface Change {
  readonly cluster: Cluster;
  readonly target: UpdateTarget;
  readonly request: ApplyRequest;
  readonly options: WriteOptions;
  readonly uid: string;
}

function change({ cluster, target, request, options, uid }: Change): WriteResult {
  const { manager, force, config } = request;
  const lists = listsOf(target.type);
  const managers = new Map(cluster.applied.get(uid));
  const before = managers.get(manager) ?? {};
  managers.delete(manager);
  const entries = target.type.custom
    ? { managedFields: managedFieldsOf(target.type, [...managers, [manager, config]]) }
    : {};
  return patch(
    cluster,
    target,
    (live) => {
      if (!force) refuseConflicts(target, { live, config, managers, lists });
      return merged(withoutGone({ live, before, config, others: [...managers.values()] }, lists), config, lists);
    },
    { ...options, ...entries },
  );
}

interface Contest {
  readonly live: JsonObject;
  readonly config: JsonObject;
  readonly managers: ReadonlyMap<string, JsonObject>;
  readonly lists: Lists;
}

function refuseConflicts({ type, name }: UpdateTarget, { live, config, managers, lists }: Contest): void {
  const causes = [...managers].flatMap(([manager, other]) =>
    conflictsOf({ live, config, other }, lists).map((field) => {
      return { reason: "FieldManagerConflict", message: `conflict with "${manager}"`, field };
    }),
  );
  if (causes.length === 0) return;
  const what = causes.length === 1 ? "1 conflict" : `${causes.length} conflicts`;
  const lines = causes.map(({ message, field }) => `${message}: ${field}`);
  const refusal = conflict(type, name, "").body();
  const message = `Apply failed with ${what}: ${lines.join("\n")}`;
  throw new ApiStatus({ code: 409, reason: String(refusal.reason), message, details: { causes } });
}

/** Fields that a manager takes over by force are no longer those of another one. */
function remember({ applied }: Cluster, uid: string, { manager, config }: ApplyRequest): void {
  const others = [...(applied.get(uid) ?? [])].filter(([name]) => name !== manager);
  applied.set(
    uid,
    new Map([...others.map(([name, other]) => [name, withoutTaken(other, config)] as const), [manager, config]]),
  );
}
