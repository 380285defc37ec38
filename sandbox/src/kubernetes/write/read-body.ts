import { badRequest } from "../api-status.js";
import { isObject, type JsonObject, textOf } from "../json.js";
import { type ApiObject, apiVersionOf } from "../objects.js";
import type { ResourceType } from "../resources/resource-type.js";
import { readMetadata } from "./read-metadata.js";

/** An object read from a request, in its stored form. */
export interface ReadObject {
  readonly object: ApiObject;
  /** Paths of fields that are not known; they are not in the object. */
  readonly unknown: readonly string[];
}

/** Parses the body of a create or a replacement; throws 400. */
export function parseObject(type: ResourceType, text: string): JsonObject {
  const value = parseJson(text, (why) => `the object provided is unrecognized (must be of type ${type.kind}): ${why}`);
  if (!isObject(value)) throw badRequest(`${type.kind} in version "${type.version}" cannot be handled: not an object`);
  requireKind(type, value, text);
  return value;
}

function requireKind(type: ResourceType, value: JsonObject, text: string): void {
  const { kind, apiVersion } = value;
  if (!type.custom) {
    if (kind === undefined || kind === type.kind) return;
    const why = `converting (${type.version}.${textOf(kind)}) to (${type.kind}): unknown conversion`;
    throw badRequest(`${textOf(kind)} in version "${type.version}" cannot be handled as a ${type.kind}: ${why}`);
  }
  if (textOf(kind) === "") {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): Object 'Kind' is missing in '${text}'`,
    );
  }
  const wanted = apiVersionOf(type);
  if (apiVersion === wanted) return;
  const why = `does not match the expected API version (${wanted})`;
  throw badRequest(`the API version in the data (${textOf(apiVersion)}) ${why}`);
}

/** Parses JSON; throws 400 with the message made of the reason. */
export function parseJson(text: string, message: (why: string) => string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(message(error instanceof Error ? error.message : String(error)));
  }
}

/** Brings an object into its stored form: metadata read, unknown fields out, defaults in. Changes `value`. */
export function readObject(type: ResourceType, value: JsonObject): ReadObject {
  const { kind, apiVersion, metadata: given, ...rest } = value;
  const { metadata, unknown } = readMetadata(given, type.kind, type.version);
  const object: ApiObject = {
    kind: textOf(kind) || type.kind,
    apiVersion: textOf(apiVersion) || apiVersionOf(type),
    metadata,
    ...rest,
  };
  const more = type.behaviour.normalise?.(object) ?? [];
  return { object, unknown: [...unknown, ...more] };
}
