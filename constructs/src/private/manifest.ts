import { ApiObject } from "cdk8s";
import { Construct, type IConstruct } from "constructs";
import { isObject, type JsonObject } from "../api/schema";
import { type Site, UNREADABLE } from "./draft";
import { shown } from "./part";

/** The manifest of an object that a construct makes, of whatever library it comes from. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  /** What it is and its construct path, for messages. */
  readonly title: string;
  readonly json: JsonObject;
}

/**
 * Reads what a construct will synthesise to. A workload's labels may be set after our construct was made, so this is
 * called at synthesis only.
 * @param instead what to give where the construct makes no object
 */
export function readManifest(construct: IConstruct, site: Site, instead: string): Manifest | undefined {
  if (!isConstruct(construct, site, instead)) return undefined;
  const object = apiObjectOf(construct);
  if (!object) {
    site.refuse(`construct "${construct.node.path}" makes no Kubernetes object: ${instead}`);
    return undefined;
  }
  try {
    return toManifest(object, objectAt(object.toJson()));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    site.refuse(`construct "${construct.node.path}" can't be rendered: ${reason}`);
    return undefined;
  }
}

/** Whether it is a construct, as its type says; refuses what is none. */
export function isConstruct(value: IConstruct, site: Site, instead: string): boolean {
  const is = Construct.isConstruct(value);
  if (!is) site.refuse(`${shown(value)} is not a construct: ${instead}`);
  return is;
}

/** Whether it is an object of this kind of the core API; others have a Service too. */
export function isCore({ apiVersion, kind }: Manifest, coreKind: string): boolean {
  return apiVersion === "v1" && kind === coreKind;
}

/** The name of an object that is referred to by name. */
export function nameOf({ name, title }: Manifest, site: Site): string {
  if (name === undefined) site.refuse(`${title} has no name: give it metadata.name`);
  return name ?? UNREADABLE;
}

/** The object that a construct makes, if it makes one. */
export function apiObjectOf(construct: IConstruct): ApiObject | undefined {
  try {
    return ApiObject.of(construct);
  } catch {
    return undefined;
  }
}

/** The object at a path of keys; empty where there is none. */
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
