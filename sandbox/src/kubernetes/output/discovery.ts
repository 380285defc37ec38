import type { JsonObject } from "../json.js";
import { apiVersionOf } from "../objects.js";
import type { Registry } from "../resources/registry.js";
import type { ResourceType } from "../resources/resource-type.js";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
/** Namespaces can't be deleted all at once. */
const NO_DELETE_COLLECTION = new Set(["namespaces"]);

/** Kinds of subresources that are not the resource's own. */
const SUBRESOURCE_KINDS: Readonly<Record<string, { group: string; version: string; kind: string }>> = {
  eviction: { group: "policy", version: "v1", kind: "Eviction" },
  binding: { group: "", version: "v1", kind: "Binding" },
  scale: { group: "autoscaling", version: "v1", kind: "Scale" },
};
const ACTIONS = new Set(["eviction", "binding"]);

/** The answer to `/api`. */
export function apiVersions(): JsonObject {
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
}

/** The answer to `/apis`: all groups but the core group. */
export function groupList(registry: Registry): JsonObject {
  const groups = groupNames(registry).filter((name) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map((name) => group(registry, name)) };
}

/** The answer to `/apis/GROUP`; undefined for an unknown group. */
export function groupInfo(registry: Registry, name: string): JsonObject | undefined {
  if (name === "" || registry.versions(name).length === 0) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...group(registry, name) };
}

function group(registry: Registry, name: string): JsonObject {
  const versions = registry.versions(name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

/** The answer to `/api/v1` and `/apis/GROUP/VERSION`; undefined for an unknown version. */
export function resourceList(registry: Registry, name: string, version: string): JsonObject | undefined {
  const types = registry.all().filter((type) => type.group === name && type.version === version);
  if (types.length === 0) return undefined;
  const resources = types.flatMap((type) => [
    resource(type),
    ...type.subresources.map((one) => subresource(type, one)),
  ]);
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersionOf({ group: name, version }), resources };
}

function resource(type: ResourceType): JsonObject {
  const { plural, singular, namespaced, kind, shortNames, categories } = type;
  return {
    ...{ name: plural, singularName: singular, namespaced, kind, verbs: verbsOf(type) },
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}

function subresource({ plural, namespaced, kind }: ResourceType, name: string): JsonObject {
  const own = SUBRESOURCE_KINDS[name] ?? { kind };
  return { name: `${plural}/${name}`, singularName: "", namespaced, ...own, verbs: subresourceVerbs(name) };
}

function subresourceVerbs(name: string): readonly string[] {
  return ACTIONS.has(name) ? ["create"] : ["get", "patch", "update"];
}

function verbsOf({ plural }: ResourceType): readonly string[] {
  return NO_DELETE_COLLECTION.has(plural) ? VERBS.filter((verb) => verb !== "deletecollection") : VERBS;
}

function groupNames(registry: Registry): readonly string[] {
  return [...new Set(registry.all().map((type) => type.group))];
}

/** Media type of the aggregated form. */
export const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Whether a client asks for the aggregated form: all resources in one answer. */
export function wantsAggregated(accept: string): boolean {
  return accept.split(",").some((one) => one.replaceAll(" ", "").startsWith(AGGREGATED));
}

/** The aggregated form of `/api` and `/apis`. */
export function aggregated(registry: Registry, path: "/api" | "/apis"): JsonObject {
  const names = groupNames(registry).filter((name) => (name === "") === (path === "/api"));
  const items = names.map((name) => ({
    metadata: name === "" ? {} : { name },
    versions: registry.versions(name).map((version) => aggregatedVersion(registry, name, version)),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function aggregatedVersion(registry: Registry, name: string, version: string): JsonObject {
  const types = registry.all().filter((type) => type.group === name && type.version === version);
  return { version, resources: types.map(aggregatedResource), freshness: "Current" };
}

function aggregatedResource(type: ResourceType): JsonObject {
  const { group: name, version, kind, plural, singular, namespaced, shortNames, categories, subresources } = type;
  const responseKind = { group: name, version, kind };
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(type),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((one) => ({
        subresource: one,
        responseKind: SUBRESOURCE_KINDS[one] ?? responseKind,
        verbs: subresourceVerbs(one),
      })),
    }),
  };
}
