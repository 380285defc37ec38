import { ApiObject } from "cdk8s";
import { Construct, type IConstruct } from "constructs";
import { isObject, type JsonObject } from "../api/schema/schema";
import { shown } from "./prop-types";
import { type Site, UNREADABLE } from "./refusal-collector";

/** The manifest of a construct's object, from any library. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  /** Kind and construct path, for messages. */
  readonly title: string;
  readonly json: JsonObject;
}

/**
 * Renders a construct's manifest. Call it only at synthesis, because the app may set a workload's labels after it
 * created our construct.
 * @param instead what to use if the construct has no object
 */
export function readManifest(construct: IConstruct, site: Site, instead: string): Manifest | undefined {
  if (!isConstruct(construct, site, instead)) return undefined;
  const object = apiObjectOf(construct);
  if (!object) {
    site.refuse(`construct "${construct.node.path}" has no Kubernetes object: ${instead}`);
    return undefined;
  }
  try {
    return toManifest(object, objectAt(object.toJson()));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    site.refuse(`construct "${construct.node.path}" cannot be rendered: ${reason}`);
    return undefined;
  }
}

/** Whether the value is a construct, as its type requires; refuses any other value. */
export function isConstruct(value: IConstruct, site: Site, instead: string): boolean {
  const is = Construct.isConstruct(value);
  if (!is) site.refuse(`${shown(value)} is not a construct: ${instead}`);
  return is;
}

/** Whether the object has this kind in the core API; other APIs also have a kind Service. */
export function isCore({ apiVersion, kind }: Manifest, coreKind: string): boolean {
  return apiVersion === "v1" && kind === coreKind;
}

/** The name of an object, for a reference by name. */
export function nameOf({ name, title }: Manifest, site: Site): string {
  if (name === undefined) site.refuse(`${title} has no name: give it metadata.name`);
  return name ?? UNREADABLE;
}

/** The object of a construct, if it has one. */
export function apiObjectOf(construct: IConstruct): ApiObject | undefined {
  try {
    return ApiObject.of(construct);
  } catch {
    return undefined;
  }
}

/** The object at a path of keys; empty if there is none. */
export function objectAt(value: unknown, ...keys: readonly string[]): JsonObject {
  const found = keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
  return isObject(found) ? found : {};
}

function toManifest(object: ApiObject, json: JsonObject): Manifest {
  const { name, namespace } = objectAt(json, "metadata");
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    ...(typeof namespace === "string" && namespace !== "" ? { namespace } : {}),
    title: `${object.apiVersion} ${object.kind} "${object.node.path}"`,
    json,
  };
}
