import { isObject, type JsonObject } from "../api/schema/schema";

/** A right of Kubernetes RBAC. */
export interface Right {
  /** Such as `get`. */
  readonly verb: string;
  /** Such as `secrets`, or `nodes/status`. */
  readonly resource: string;
  /** @default "" - the core API */
  readonly apiGroup?: string;
  /** Namespace in which the right is needed. @default - the whole cluster */
  readonly namespace?: string;
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

/** The roles that grant a right; a role counts only where a binding of the app uses it. */
export function granting(objects: readonly RbacObject[], right: Right): readonly string[] {
  return objects
    .filter(({ kind, metadata }) => {
      if (kind === "ClusterRoleBinding") return true;
      return kind === "RoleBinding" && right.namespace !== undefined && metadata.namespace === right.namespace;
    })
    .flatMap((binding) => roles(objects).filter((role) => isBound(role, binding)))
    .filter((role) => rulesOf(role).some((rule) => allows(rule, right)))
    .map(({ kind, metadata }) => `${kind} "${metadata.name}"`);
}

function roles(objects: readonly RbacObject[]): readonly RbacObject[] {
  return objects.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
}

function isBound(role: RbacObject, { roleRef, metadata }: RbacObject): boolean {
  if (!isObject(roleRef) || roleRef.kind !== role.kind || roleRef.name !== role.metadata.name) return false;
  return role.kind === "ClusterRole" || role.metadata.namespace === metadata.namespace;
}

function allows(rule: JsonObject, { verb, resource, apiGroup = "" }: Right): boolean {
  // A rule for single objects does not grant the right as such.
  if (textsOf(rule.resourceNames).length > 0) return false;
  const has = (list: unknown, wanted: string): boolean => textsOf(list).some((text) => text === "*" || text === wanted);
  return has(rule.verbs, verb) && has(rule.resources, resource) && has(rule.apiGroups, apiGroup);
}

function rulesOf({ rules }: RbacObject): readonly JsonObject[] {
  return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
