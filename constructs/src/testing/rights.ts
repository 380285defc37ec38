import { nearest } from "../api/schema/nearest";
import { isObject, type JsonObject } from "../api/schema/schema";

/** A right of Kubernetes RBAC. */
export interface Right {
  /** Such as `get`. */
  readonly verb: string;
  /** Such as `secrets`, or `nodes/status`. */
  readonly resource: string;
  /** "" is the core API. @default - any group */
  readonly apiGroup?: string;
  /** Namespace of the right. @default - `hasRight`: the whole cluster; `hasNoRight`: everywhere */
  readonly namespace?: string;
}

/** The fields of a right, and whether one is required. */
const FIELDS: Readonly<Record<keyof Right, boolean>> = {
  verb: true,
  resource: true,
  apiGroup: false,
  namespace: false,
};

/** Throws for a right that no rule can grant, because the assertion would hold for every app. */
export function checkRight(right: Right): void {
  const names = Object.keys(FIELDS);
  for (const [field, value] of Object.entries(right)) {
    const similar = nearest(field, names);
    if (!names.includes(field)) {
      throw new Error(`${field} is not a field of a right: use ${similar ?? names.join(", ")}`);
    }
    if (value !== undefined && typeof value !== "string")
      throw new Error(`${field} of a right is not a text: give one`);
  }
  for (const [field, required] of Object.entries(FIELDS)) {
    if (required && !right[field as keyof Right]) throw new Error(`${field} of a right is missing: give a text`);
  }
}

/** An object with rules or with references to such an object. */
export interface RbacObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** The lists of a rule in which `*` stands for everything. */
const LISTS = ["verbs", "resources", "apiGroups", "nonResourceURLs"];

/** The rules with a `*`, in words. */
export function wildcards(objects: readonly RbacObject[]): readonly string[] {
  return roles(objects).flatMap((role) =>
    rulesOf(role).flatMap((rule) =>
      LISTS.filter((list) => textsOf(rule[list]).some((text) => text.includes("*"))).map(
        (list) => `${role.kind} "${role.metadata.name}" has ${list} ${JSON.stringify(rule[list])}`,
      ),
    ),
  );
}

/** Where to look for a right: in the whole cluster, or also in these namespaces. */
export type Place = (namespace: string | undefined) => boolean;

/** The roles that grant a right, each with its reach; a role counts only where a binding of the app uses it. */
export function granting(objects: readonly RbacObject[], right: Right, isMeant: Place): readonly string[] {
  const bindings = objects.filter(
    ({ kind, metadata }) => kind === "ClusterRoleBinding" || (kind === "RoleBinding" && isMeant(metadata.namespace)),
  );
  const granted = bindings.flatMap((binding) => {
    const reach = binding.kind === "RoleBinding" ? placeOf(binding) : "the whole cluster";
    const bound = roles(objects).filter((role) => isBound(role, binding));
    const allowed = bound.filter((role) => rulesOf(role).some((rule) => allows(rule, right)));
    return allowed.map(({ kind, metadata }) => `${kind} "${metadata.name}" may ${textOf(right)} in ${reach}`);
  });
  return [...new Set(granted)];
}

function placeOf({ metadata: { namespace } }: RbacObject): string {
  return namespace === undefined ? "the namespace into which it is applied" : `namespace ${namespace}`;
}

/** A right in words, without its namespace. */
export function textOf({ verb, resource, apiGroup = "" }: Right): string {
  return `${verb} ${resource}${apiGroup === "" ? "" : `.${apiGroup}`}`;
}

function roles(objects: readonly RbacObject[]): readonly RbacObject[] {
  return objects.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
}

function isBound(role: RbacObject, { roleRef, metadata }: RbacObject): boolean {
  if (!isObject(roleRef) || roleRef.kind !== role.kind || roleRef.name !== role.metadata.name) return false;
  return role.kind === "ClusterRole" || role.metadata.namespace === metadata.namespace;
}

function allows(rule: JsonObject, { verb, resource, apiGroup }: Right): boolean {
  // A rule for single objects does not grant the right as such.
  if (textsOf(rule.resourceNames).length > 0) return false;
  const has = (list: unknown, wanted: string): boolean => textsOf(list).some((text) => text === "*" || text === wanted);
  const inGroup = apiGroup === undefined || has(rule.apiGroups, apiGroup);
  return inGroup && has(rule.verbs, verb) && has(rule.resources, resource);
}

function rulesOf({ rules }: RbacObject): readonly JsonObject[] {
  return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
