import { badRequest, unsupportedMediaType } from "./api-status.js";
import { bodyText } from "./body-text.js";
import { isObject, type JsonObject, typeName } from "./json.js";
import type { Reply } from "./reply.js";
import type { ApiRequest } from "./request.js";
import { type ResourceCall, scopeOf, writeReply } from "./resource-call.js";
import type { ResourceType } from "./resources/resource-type.js";
import { apply, readApply } from "./write/apply.js";
import { jsonPatch } from "./write/patch-json.js";
import { mergePatch } from "./write/patch-merge.js";
import { strategicPatch } from "./write/patch-strategic.js";
import { parseJson } from "./write/read-body.js";
import { type Patch, patch } from "./write/update.js";
import { readWriteOptions } from "./write/write-options.js";

const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";
const APPLY_PATCH = "application/apply-patch+yaml";
const STRATEGIC_PATCH = "application/strategic-merge-patch+json";

/** Answers a PATCH; the media type says of which sort. */
export function handlePatch({ cluster, type, target, request }: ResourceCall, name: string): Reply {
  const options = readWriteOptions(request.query, "PatchOptions");
  const subresource = target.subresource === "status" ? "status" : undefined;
  const place = { type, namespace: scopeOf(type, target), name, subresource } as const;
  if (mediaTypeOf(request) === APPLY_PATCH) {
    return writeReply(type, apply(cluster, place, readApply(request), options));
  }
  return writeReply(type, patch(cluster, place, readPatch(type, request), options));
}

/** Of any sort but that of server-side apply. */
export function readPatch(type: ResourceType, request: ApiRequest): Patch {
  const text = bodyText(request);
  switch (mediaTypeOf(request)) {
    case JSON_PATCH: {
      const operations = parsePatch(text, "array").filter(isObject);
      return (current) => patched(jsonPatch(current, operations));
    }
    case MERGE_PATCH: {
      const body = parsePatch(text, "object");
      return (current) => patched(mergePatch(current, body));
    }
    case STRATEGIC_PATCH: {
      if (type.custom) throw unsupported(type);
      const body = parsePatch(text, "object");
      return (current) => strategicPatch(current, body);
    }
    default:
      throw unsupported(type);
  }
}

function mediaTypeOf({ headers }: ApiRequest): string {
  return headers["content-type"]?.split(";")[0]?.trim() ?? "";
}

function parsePatch(text: string, wanted: "array"): readonly unknown[];
function parsePatch(text: string, wanted: "object"): JsonObject;
function parsePatch(text: string, wanted: "array" | "object"): unknown {
  const value = parseJson(text, (why) => `error decoding patch: ${why}`);
  const fits = wanted === "array" ? Array.isArray(value) : isObject(value);
  if (fits) return value;
  const target = wanted === "array" ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
  throw badRequest(`error decoding patch: json: cannot unmarshal ${typeName(value)} into Go value of type ${target}`);
}

function patched(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw badRequest("the patch leaves no object");
}

function unsupported({ custom }: ResourceType) {
  const types = custom
    ? [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
    : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH];
  const accepted = `accepted media types include: ${types.join(", ")}`;
  return unsupportedMediaType(`the body of the request was in an unknown format - ${accepted}`);
}
