import { ApiStatus, qualified, unauthorized } from "./api-status.js";

/** Something that a client may do. In each list "*" stands for anything. */
export interface AllowRule {
  /** Verbs of the API: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verbs: readonly string[];
  /** "" is the core group. */
  readonly apiGroups: readonly string[];
  /** Plurals, with the subresource: `nodes`, `nodes/status`. */
  readonly resources: readonly string[];
  /** @default - everywhere, lists over all namespaces and cluster-scoped resources included */
  readonly namespaces?: readonly string[];
  /** @default - objects of any name */
  readonly resourceNames?: readonly string[];
}

/** Who sends a request. */
export interface Identity {
  /** Name in refusals. */
  readonly name: string;
  /** Bearer token by which it is known. */
  readonly token: string;
  /** What it may do; "everything" is an administrator. */
  readonly allow: readonly AllowRule[] | "everything";
}

/** What a request wants to do with a resource. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  /** With the subresource. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** The sender without a token. */
const ANONYMOUS: Identity = { name: "system:anonymous", token: "", allow: [] };

/** Who a request comes from; throws 401 for an unknown token. */
export function authenticate(identities: ReadonlyMap<string, Identity>, header: string | undefined): Identity {
  if (header === undefined) return ANONYMOUS;
  const token = /^Bearer (.+)$/i.exec(header)?.[1];
  const identity = token === undefined ? undefined : identities.get(token);
  if (!identity) throw unauthorized();
  return identity;
}

/** Whether an identity may do this. */
export function allows({ allow }: Identity, attributes: Attributes): boolean {
  return allow === "everything" || allow.some((rule) => ruleAllows(rule, attributes));
}

function ruleAllows(rule: AllowRule, { verb, group, resource, namespace, name }: Attributes): boolean {
  const named = rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name));
  const placed = rule.namespaces === undefined || (namespace !== undefined && matches(rule.namespaces, namespace));
  return (
    named && placed && matches(rule.verbs, verb) && matches(rule.apiGroups, group) && matches(rule.resources, resource)
  );
}

function matches(allowed: readonly string[], value: string): boolean {
  return allowed.includes("*") || allowed.includes(value);
}

/** Throws 403 unless the identity may do this. */
export function authorize(identity: Identity, attributes: Attributes): void {
  if (allows(identity, attributes)) return;
  const { verb, group, resource, namespace, name } = attributes;
  const [plural = ""] = resource.split("/");
  const subject = name === undefined ? qualified(plural, group) : `${qualified(plural, group)} "${name}"`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const message = `${subject} is forbidden: User "${identity.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  const details = { group, kind: plural, ...(name !== undefined && { name }) };
  throw new ApiStatus({ code: 403, reason: "Forbidden", message, details });
}

/** Throws 403 for a path that is no resource, unless the identity is known. */
export function authorizePath(identity: Identity, verb: string, path: string): void {
  if (identity !== ANONYMOUS) return;
  const message = `forbidden: User "${identity.name}" cannot ${verb} path "${path}"`;
  throw new ApiStatus({ code: 403, reason: "Forbidden", message, details: {} });
}
