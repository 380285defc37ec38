/** `flipop explain` of an issuer or a class: whether it can be used, and what uses it. */

import {
  type AccessLimits,
  type AnyKind,
  type ClusterRoutedIPClassSpec,
  canonicalIp,
  DEFAULT_NODE_PORT_RANGE,
  KINDS,
  type RetainedAddress,
} from "cdk8s-flipop/api";
import { retainedText } from "../../messages/events.js";
import { seenIn } from "../../messages/message.js";
import { usableRetained } from "../../routing/address-and-name-access.js";
import { nameOfClass, type RoutedObject, readRouted } from "../../routing/read-resources.js";
import { type Issuer, type ResolvedClass, resolveClass, usesOf } from "../../routing/resolved-class.js";
import { listed, omitUndefined } from "../../values.js";
import { CLAIMING_KINDS, ownersIn } from "../claim-checks.js";
import type { KindRead, OwnObject } from "../list-objects.js";
import { inLines } from "../render/explain.js";
import { problemsOf, problemText, rowOf, type StatusProblem, type StatusRow, shortName } from "../render/status.js";
import { onRow, tableText } from "../render/table.js";
import { rulesLines, type ShownRules, shownRules } from "./class-taint-and-ports.js";
import { keeperText, type Retained, retainedIn } from "./held-addresses.js";
import { lookUpOf } from "./requirements.js";

/** Kinds that RoutedIPs use; the first also serves the second. */
export const USED: readonly AnyKind[] = [KINDS.RoutedIPIssuer, KINDS.ClusterRoutedIPClass];

interface User {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The class by which it uses the issuer. Absent: it names the issuer or the class itself. */
  readonly by?: string;
  readonly serves: string;
  /** Why it has no use of the issuer or class, else what keeps it from serving. Absent: there is neither. */
  readonly problem?: string;
}

type Limits = Pick<ClusterRoutedIPClassSpec, "allowedNamespaces" | "nodePortRange"> & AccessLimits;

export interface UseExplanation extends ShownRules {
  readonly resource: StatusRow;
  /** Of a class: the name by which RoutedIPs use it. Absent: that of the object. */
  readonly className?: string;
  /** Of a class: `namespace/name`. Absent: Jobs do the work. */
  readonly issuer?: string;
  /** Of the issuer; empty: it names none. Absent: there is no issuer. */
  readonly firewall?: string;
  /** As the operator's condition Accepted says. */
  readonly usable: StatusRow["ready"];
  /** It serves only until no RoutedIP uses it. Absent: a person has not deleted it. */
  readonly deleting?: true;
  /** Conditions that are not as they should be, the most important first. */
  readonly conditions: readonly StatusProblem[];
  /** Addresses that the issuer, or the class with Jobs, retains, and that no resource has. */
  readonly retained: readonly RetainedAddress[];
  /** Its lists of what RoutedIPs may have, as the spec has them. Absent members limit nothing, or to the default. */
  readonly allows: Limits;
  readonly users: readonly User[];
  /** Of an issuer that nothing uses: the classes that use one of the same name in another namespace. Absent: there is none. */
  readonly namesakes?: readonly Namesake[];
}

interface Namesake {
  /** The class, as RoutedIPs name it. */
  readonly className: string;
  /** `namespace/name`. */
  readonly issuer: string;
}

/** Pure. @param reads of RoutedIPs, issuers and classes */
export function explainUse(kind: AnyKind, object: OwnObject, reads: readonly KindRead[]): UseExplanation {
  const users = isClass(kind) ? usersOfClass(object, reads) : usersOfIssuer(object, reads);
  return {
    resource: rowOf(kind, object),
    ...omitUndefined({ className: otherName(kind, object) }),
    ...accountOf(kind, object, reads),
    usable: usableOf(object),
    ...(object.metadata.deletionTimestamp !== undefined && { deleting: true as const }),
    conditions: problemsOf(kind, object),
    retained: retainedBy(kind, object, reads),
    allows: limitsOf(object),
    ...(isClass(kind) ? rulesOf(object, reads) : {}),
    users,
    ...(isClass(kind) || users.length > 0 ? {} : namesakesOf(object, reads)),
  };
}

function rulesOf(object: OwnObject, reads: readonly KindRead[]): ShownRules {
  const spec = (object.spec ?? {}) as ClusterRoutedIPClassSpec;
  const { namespace, name } = spec.issuerRef ?? {};
  const issuer = lookUpOf(reads).issuer(`${namespace}/${name}`);
  const own = { of: `${KINDS.ClusterRoutedIPClass.kind} ${nameOfClass(object)}`, limits: spec };
  if (issuer === undefined) return shownRules(spec, [own]);
  const of = `${KINDS.RoutedIPIssuer.kind} ${namespace}/${name}`;
  return shownRules(spec, [own, { of, limits: issuer.spec }]);
}

/** People edit such an issuer, and wonder that nothing changes. */
function namesakesOf({ metadata }: OwnObject, reads: readonly KindRead[]): Pick<UseExplanation, "namesakes"> {
  const namesakes = objectsOf(reads, KINDS.ClusterRoutedIPClass).flatMap((object) => {
    const { issuerRef } = (object.spec ?? {}) as ClusterRoutedIPClassSpec;
    if (issuerRef?.name !== metadata.name) return [];
    return [{ className: nameOfClass(object), issuer: `${issuerRef.namespace}/${issuerRef.name}` }];
  });
  return namesakes.length === 0 ? {} : { namesakes };
}

function isClass({ kind }: AnyKind): boolean {
  return kind === KINDS.ClusterRoutedIPClass.kind;
}

/** The issuer of a class, and what the issuer names. */
function accountOf(
  kind: AnyKind,
  { metadata, spec }: OwnObject,
  reads: readonly KindRead[],
): Pick<UseExplanation, "issuer" | "firewall"> {
  const { issuerRef } = (spec ?? {}) as ClusterRoutedIPClassSpec;
  if (isClass(kind) && issuerRef === undefined) return {};
  const { namespace, name } = issuerRef ?? metadata;
  const key = `${namespace}/${name}`;
  const firewall = firewallOf(lookUpOf(reads).issuer(key));
  return omitUndefined({ issuer: isClass(kind) ? key : undefined, firewall });
}

function retainedBy(kind: AnyKind, object: OwnObject, reads: readonly KindRead[]): readonly RetainedAddress[] {
  const { issuerRef } = (object.spec ?? {}) as ClusterRoutedIPClassSpec;
  const isIssued = isClass(kind) && issuerRef !== undefined;
  const by = isIssued ? keeperText(KINDS.RoutedIPIssuer.kind, issuerRef) : keeperText(kind.kind, object.metadata);
  const kept = retainedIn(reads, ownersIn(reads.filter(holdsAddresses))).filter((entry) => entry.by === by);
  return kept.map(({ ip, namespace: of }) => ({ ip, namespace: of }));
}

function holdsAddresses({ kind }: KindRead): boolean {
  return CLAIMING_KINDS.some((one) => one.kind === kind.kind);
}

function firewallOf(issuer: Issuer | undefined): string | undefined {
  return issuer && (issuer.spec.routedIPFirewallName ?? "");
}

function otherName(kind: AnyKind, object: OwnObject): string | undefined {
  const name = isClass(kind) ? nameOfClass(object) : object.metadata.name;
  return name === object.metadata.name ? undefined : name;
}

function limitsOf({ spec = {} }: OwnObject): Limits {
  const { allowedNamespaces, allowedNames, allowedZones, allowedAddresses, allowedPorts, ...more } = spec as Limits;
  const { maxPorts, nodePortRange: range } = more;
  const nodePortRange = range === DEFAULT_NODE_PORT_RANGE ? undefined : range;
  const lists = { allowedNamespaces, allowedNames, allowedZones, allowedAddresses, allowedPorts };
  return omitUndefined({ ...lists, maxPorts, nodePortRange });
}

/** A condition of an earlier generation says nothing about the spec as it is. */
function usableOf({ metadata, status }: OwnObject): UseExplanation["usable"] {
  const accepted = status?.conditions?.find(({ type }) => type === "Accepted");
  return accepted?.observedGeneration === metadata.generation ? (accepted?.status ?? "Unknown") : "Unknown";
}

/** Of several classes with one class name, only one serves. */
function usersOfClass(object: OwnObject, reads: readonly KindRead[]): readonly User[] {
  const name = nameOfClass(object);
  if (lookUpOf(reads).class(name)?.metadata.name !== object.metadata.name) return [];
  return usersIn(reads, (routed) => (usesOf(routed).className === name ? { by: name } : undefined));
}

function usersOfIssuer({ metadata }: OwnObject, reads: readonly KindRead[]): readonly User[] {
  const key = `${metadata.namespace}/${metadata.name}`;
  const lookUp = lookUpOf(reads);
  const classes = objectsOf(reads, KINDS.ClusterRoutedIPClass).filter((object) => {
    const { issuerRef } = (object.spec ?? {}) as ClusterRoutedIPClassSpec;
    return issuerRef !== undefined && `${issuerRef.namespace}/${issuerRef.name}` === key;
  });
  const named = classes.map((object) => userOf(rowOf(KINDS.ClusterRoutedIPClass, object)));
  const serving = (className: string) => {
    const name = lookUp.class(className)?.metadata.name;
    return classes.some(({ metadata }) => metadata.name === name);
  };
  const routed = usersIn(reads, (each) => {
    const { className, issuer } = usesOf(each);
    if (className !== undefined && serving(className)) return { by: className };
    return issuer === key ? {} : undefined;
  });
  return [...named, ...routed];
}

type Routed = ReturnType<typeof readRouted>["routed"];

/** RoutedIPs that use it, `uses` says how. */
function usersIn(reads: readonly KindRead[], uses: (routed: Routed) => Pick<User, "by"> | undefined): readonly User[] {
  const lookUp = lookUpOf(reads);
  return objectsOf(reads, KINDS.RoutedIP).flatMap((object) => {
    const { routed } = readRouted(object as RoutedObject);
    const use = uses(routed);
    if (use === undefined) return [];
    return [{ ...userOf(rowOf(KINDS.RoutedIP, object), resolveClass(routed, lookUp).problem?.message), ...use }];
  });
}

function userOf({ kind, namespace, name, serves, problem }: StatusRow, unable?: string): User {
  const own = problem && problemText(problem);
  return { kind, namespace, name, serves, ...omitUndefined({ problem: unable ?? own }) };
}

function objectsOf(reads: readonly KindRead[], { kind }: AnyKind): readonly OwnObject[] {
  return reads.find((read) => read.kind.kind === kind)?.objects ?? [];
}

const USABLE: Readonly<Record<UseExplanation["usable"], string>> = {
  True: "RoutedIPs can use it",
  False: "RoutedIPs cannot use it",
  Unknown: "the operator has not observed yet whether RoutedIPs can use it",
};

const LEAVING = "it is being deleted, and serves until no RoutedIP uses it: let new RoutedIPs use another one";

const NO_FIREWALL = "none, so the operator opens no port (routedIPFirewallName of the issuer)";

const MOST_RETAINED = 12;

/** For each namespace. The status does not show what a person has released since. */
function retainedLines(retained: readonly RetainedAddress[]): readonly string[] {
  return [...new Set(retained.map(({ namespace }) => namespace))].map((namespace) => {
    const ips = retained.filter((entry) => entry.namespace === namespace).map(({ ip }) => ip);
    const use = `to use ${ips.length === 1 ? "it" : "one"}, set routedIP of a RoutedIP there`;
    return `  retained for namespace ${namespace}, if not released since: ${listed(ips, MOST_RETAINED)} (${use})`;
  });
}

/** The ports of a class are among its rules: its issuer limits them, too. */
function limitLines({ allows, ports }: UseExplanation): readonly string[] {
  const own = Object.entries(allows).filter(([field]) => ports === undefined || field !== "allowedPorts");
  return own.map(([field, limit]) => `  ${field}: ${[limit].flat().join(", ") || "none"}`);
}

function unusedText({ namesakes = [] }: UseExplanation): string {
  const others = namesakes.map(({ className, issuer }) => `class ${className} uses RoutedIPIssuer ${issuer}`);
  return ["nothing uses it", ...others].join("; ");
}

/** Pure. */
export function useText(explanation: UseExplanation): string {
  const { resource, className, issuer, firewall, usable, deleting, conditions, users, retained } = explanation;
  const { kind, namespace, name } = resource;
  const lines = [
    `${kind} ${namespace === "" ? name : `${namespace}/${name}`}: ${deleting && usable === "True" ? LEAVING : USABLE[usable]}`,
    ...conditions.flatMap((problem) => inLines(`  ${problemText(problem)}`)),
    ...(className === undefined ? [] : [`  RoutedIPs use it as className ${className} (spec.className)`]),
    ...(issuer === undefined ? [] : [`  issuer: RoutedIPIssuer ${issuer}`]),
    ...(firewall === undefined ? [] : [`  firewall: ${firewall || NO_FIREWALL}`]),
    ...retainedLines(retained),
    ...limitLines(explanation),
    ...rulesLines(explanation).map((line) => `  ${line}`),
    ...(users.length === 0 ? [`  ${unusedText(explanation)}`] : []),
  ];
  const rows = users.map((user) => [
    ...[user.namespace || "-", `${shortName(user.kind)}/${user.name}`, user.by ?? "-"],
    ...[user.serves || "-", seenIn(user.problem ?? "")],
  ]);
  const table =
    rows.length === 0 ? "" : `\n${tableText([["NAMESPACE", "USED BY", "CLASS", "SERVES", "PROBLEM"], ...rows])}`;
  return `${lines.map((line) => `${onRow(line)}\n`).join("")}${table}`;
}

/**
 * That a RoutedIP without `routedIP` could have one of them.
 * @param account canonical addresses; they count if the RoutedIP's own is one of them, which shows that it is its account
 */
export function usableText(
  object: OwnObject,
  { reads, retained }: { readonly reads: readonly KindRead[]; readonly retained: readonly Retained[] },
  account: ReadonlySet<string>,
): readonly string[] {
  const { routed } = readRouted(object as RoutedObject);
  const { metadata, spec, status } = routed;
  const { resolvedClass } = resolveClass(routed, lookUpOf(reads));
  if (resolvedClass === undefined || spec.routedIP) return [];
  const own = retained.filter(({ by }) => by === keeperOf(resolvedClass));
  const isRead = account.has(canonicalIp(status.routedIP ?? ""));
  const there = own.filter(({ ip }) => !isRead || account.has(ip));
  return retainedText(usableRetained(there, metadata.namespace ?? "", resolvedClass.addressAccess));
}

function keeperOf(resolvedClass: ResolvedClass): string {
  return resolvedClass.by === "jobs"
    ? `ClusterRoutedIPClass ${resolvedClass.objectName}`
    : `RoutedIPIssuer ${resolvedClass.issuer}`;
}
