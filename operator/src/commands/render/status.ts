/** Pure: the rows of `flipop status`. */

import {
  type AddressStatus,
  type AnyKind,
  API_GROUP,
  BAD_WHEN_TRUE,
  CONDITION_TYPES,
  type Condition,
  type ConditionType,
  Finalizer,
  type FloatingIPPoolStatus,
  isInUseFinalizer,
  type NodeDNSRecordSetStatus,
  type RoutedIPStatus,
  SUMMARY_TYPES,
} from "cdk8s-flipop/api";
import { partsOf, seenIn, withSeen } from "../../messages/message.js";
import { isBad, isReason } from "../../reconcile/conditions.js";
import { shortened } from "../../reconcile/summary-conditions.js";
import { countOf } from "../../values.js";
import type { OwnObject } from "../list-objects.js";
import { age, tableText } from "./table.js";

export interface StatusRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly ready: "True" | "False" | "Unknown";
  /** What is in place: `2/3 addresses`. */
  readonly serves: string;
  /** Addresses in place, with their nodes. */
  readonly addresses: readonly { readonly address: string; readonly state: string; readonly node: string }[];
  readonly provider: string;
  readonly created: string;
  /** What keeps it from serving, else the first condition that warns. Absent: there is neither. */
  readonly problem?: StatusProblem;
  /** Good conditions with a restriction that its author may not have meant. */
  readonly notes: readonly StatusProblem[];
}

export interface StatusProblem {
  readonly condition: string;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
  /** Other conditions with the same reason, which another message may refer to. Absent: there are none. */
  readonly also?: readonly { readonly condition: string; readonly status: Condition["status"] }[];
}

/** The short name of a kind in a table, which `flipop explain` understands. */
const SHORT: Readonly<Record<string, string>> = {
  FloatingIPPool: "pool",
  NodeDNSRecordSet: "recordset",
  RoutedIP: "routedip",
  RoutedIPIssuer: "issuer",
  ClusterRoutedIPClass: "class",
};

export function shortName(kind: string): string {
  return SHORT[kind] ?? kind;
}

export function rowOf(kind: AnyKind, { metadata, spec = {}, status = {} }: OwnObject): StatusRow {
  const problem = problemOf(kind, { metadata, status });
  return {
    kind: kind.kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    ready: readyOf(metadata, status),
    serves: (SERVES[kind.kind] ?? nothing)(status),
    addresses: (ADDRESSES[kind.kind] ?? none)(status),
    provider: typeof spec["provider"] === "string" ? spec["provider"] : "",
    created: metadata.creationTimestamp ?? "",
    notes: notesOf(kind, status),
    ...(problem && { problem }),
  };
}

/** A condition that is True for an older spec says nothing of this one. */
function readyOf(metadata: OwnObject["metadata"], status: Status): StatusRow["ready"] {
  const ready = status.conditions?.find(({ type }) => type === "Ready")?.status ?? "Unknown";
  return ready === "True" && unobservedEdit(metadata, status) !== undefined ? "Unknown" : ready;
}

/** `undefined`: the conditions are about the newest spec. */
function unobservedEdit({ generation }: OwnObject["metadata"], { observedGeneration: seen }: Status) {
  if (seen === undefined || generation === undefined || seen >= generation) return undefined;
  return `the last edit of the spec (generation ${generation}, observed ${seen})`;
}

const nothing = () => "";
const none = () => [];

type Status = NonNullable<OwnObject["status"]>;

const SERVES: Readonly<Record<string, (status: Status) => string>> = {
  FloatingIPPool: (status) => {
    const { counts, ips = {} } = status as FloatingIPPoolStatus;
    if (counts === undefined) return "";
    const all = Object.values(ips);
    const disabled = all.filter(({ state }) => state === "disabled").length;
    const inGrace = all.filter(({ state, graceSince }) => state === "active" && graceSince !== undefined).length;
    const notes = [inGrace === 0 ? [] : `, ${inGrace} in grace`, disabled === 0 ? [] : `, ${disabled} disabled`].flat();
    return `${counts.active}/${counts.desired} addresses${notes.join("")}`;
  },
  NodeDNSRecordSet: (status) => {
    const { counts, addresses = [] } = status as NodeDNSRecordSetStatus;
    if (counts === undefined) return "";
    const inGrace = addresses.filter(({ graceSince }) => graceSince !== undefined).length;
    return `${countOf(counts.published, "record")}${inGrace === 0 ? "" : `, ${inGrace} in grace`}`;
  },
  RoutedIP: (status) => {
    const { routedIP, state } = status as RoutedIPStatus;
    return routedIP === undefined ? "no address" : `${routedIP} ${state ?? ""}`.trim();
  },
};

const ADDRESSES: Readonly<Record<string, (status: Status) => StatusRow["addresses"]>> = {
  FloatingIPPool: (status) =>
    Object.entries((status as FloatingIPPoolStatus).ips ?? {}).map(([address, { state, nodeName }]: Entry) => ({
      address,
      state: state ?? "",
      node: nodeName ?? "",
    })),
  NodeDNSRecordSet: (status) =>
    ((status as NodeDNSRecordSetStatus).addresses ?? []).map(({ address, nodeName, graceSince }) => ({
      address,
      state: graceSince === undefined ? "published" : "in grace",
      node: nodeName,
    })),
  RoutedIP: (status) => {
    const { routedIP, state, assignedNode } = status as RoutedIPStatus;
    return routedIP === undefined ? [] : [{ address: routedIP, state: state ?? "", node: assignedNode ?? "" }];
  },
};

type Entry = [string, AddressStatus];

const UNREAD = { condition: "Ready", status: "Unknown", reason: "NotObserved" } as const;
const CHECK_OPERATOR =
  "check with flipop doctor that the operator runs, then that its --features and --watch-namespaces include this resource";

function problemOf(kind: AnyKind, { metadata, status = {} }: OwnObject): StatusProblem | undefined {
  const conditions = status.conditions ?? [];
  const deletion = beingDeleted(kind, metadata);
  if (conditions.length === 0) {
    return { ...UNREAD, message: [`the operator has not observed it: ${CHECK_OPERATOR}`, ...deletion].join("; ") };
  }
  const own = inOrder(kind, conditions);
  const edit = unobservedEdit(metadata, status);
  const bad = causeOf(own) ?? (edit === undefined ? warningOf(own) : undefined);
  if (bad !== undefined) {
    const { type: condition, status: held, reason, message } = bad;
    return { condition, status: held, reason, message: withSeen(message, deletion) };
  }
  if (deletion.length > 0)
    return { ...UNREAD, status: readyOf(metadata, status), reason: "Deleting", message: deletion.join("; ") };
  if (edit === undefined) return undefined;
  return { ...UNREAD, message: `the operator has not observed ${edit}: ${CHECK_OPERATOR}` };
}

/** The problem of the row, then each other condition that is not as it should be; those of one reason are one problem. */
export function problemsOf(kind: AnyKind, { metadata, status = {} }: OwnObject): readonly StatusProblem[] {
  const shown = [problemOf(kind, { metadata, status }) ?? []].flat();
  const own = inOrder(kind, status.conditions ?? []).filter((each) => !SUMMARY.has(each.type) && isNotable(each));
  for (const each of own) {
    const { type: condition, status: held, reason, message } = each;
    const at = shown.findIndex((other) => other.reason === reason && !isShort(other, message));
    const { also = [], ...first } = shown[at] ?? { condition, status: held, reason, message };
    if (at < 0) shown.push(first);
    else if (first.condition !== condition && !isNote(each))
      shown[at] = { ...first, also: [...also, { condition, status: held }] };
  }
  return shown;
}

/** Ready names two causes and the conditions that have their remedies. */
function isShort({ condition, message: said }: StatusProblem, message: string): boolean {
  return condition === "Ready" && !partsOf(message).every((part) => said.includes(part));
}

function notesOf(kind: AnyKind, { conditions = [] }: Status): readonly StatusProblem[] {
  const notes = inOrder(kind, conditions).filter(
    (condition) => condition.status !== "Unknown" && !SUMMARY.has(condition.type) && isNote(condition),
  );
  return notes.map(({ type: condition, status, reason, message }) => ({ condition, status, reason, message }));
}

/** Good with a restriction. A firewall that is not needed yet restricts no resource. */
function isNote(condition: Condition): boolean {
  return isNotable(condition) && !isBad(condition) && condition.reason !== "FirewallNotFound";
}

/** Bad, or good with a restriction. */
function isNotable({ type, status, reason }: Pick<Condition, "type" | "status" | "reason">): boolean {
  if (status === "Unknown") return reason !== "NotObserved";
  return reason !== "Observed" || (status === "True") === BAD_WHEN_TRUE.some((bad) => bad === type);
}

/** What to do about a finalizer of another program. */
function untilText({ kind, plural }: AnyKind, { namespace, name }: OwnObject["metadata"], finalizer: string): string {
  if (isInUseFinalizer(finalizer))
    return ` until no RoutedIP uses it${kind === "RoutedIPIssuer" ? ", and the firewalls that are to go with it are gone" : ""}`;
  if (finalizer === Finalizer.cleanup)
    return " until the operator has cleaned up at the provider, or its attempts have failed for an hour";
  const where = namespace === undefined ? "" : `-n ${namespace} `;
  return ` until the program that added it removes it; if that program no longer runs, remove the finalizer in kubectl ${where}edit ${plural}.${API_GROUP} ${name}`;
}

/** The resource serves, with a restriction. */
function warningOf(conditions: readonly Condition[]): Condition | undefined {
  return conditions.find((condition) => isBad(condition) || cannotMove(condition)) ?? pauseOf(conditions);
}

/** The resource serves, but follows nothing. */
function pauseOf(conditions: readonly Condition[]): Condition | undefined {
  return conditions.find(({ type, reason }) => reason === "Paused" && !SUMMARY.has(type));
}

/** The address serves, but nothing could take it over. */
function cannotMove({ type, status, reason }: Condition): boolean {
  return type === "Assigned" && status === "True" && reason !== "Observed";
}

/** Empty: it is not. */
function beingDeleted(kind: AnyKind, metadata: OwnObject["metadata"]): readonly string[] {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return [];
  const waits = finalizers.map((each) => `finalizer ${each} keeps it${untilText(kind, metadata, each)}`);
  return [`its deletion began at ${deletionTimestamp}`, ...waits];
}

/** What keeps the resource from serving: the condition that Ready repeats, else Ready itself. `undefined`: it serves. */
function causeOf(conditions: readonly Condition[]): Condition | undefined {
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready?.status !== "False") return undefined;
  const repeated = conditions.find(
    (other) => other.status !== "True" && !SUMMARY.has(other.type) && repeats(ready, other),
  );
  return repeated ?? ready;
}

/** Ready has the text of the other condition, or that text without its remedy. */
function repeats(ready: Condition, { type, reason, message }: Condition): boolean {
  if (ready.message === message) return true;
  return isReason(reason) && isType(type) && ready.message === shortened({ type, reason, message }).message;
}

function isType(type: string): type is ConditionType {
  return Object.hasOwn(CONDITION_TYPES, type);
}

const SUMMARY: ReadonlySet<string> = new Set(SUMMARY_TYPES);

function inOrder(kind: AnyKind, conditions: readonly Condition[]): readonly Condition[] {
  return kind.conditions.flatMap((type) => conditions.find((condition) => condition.type === type) ?? []);
}

export function statusTable(rows: readonly StatusRow[], { wide, now }: { wide: boolean; now: number }): string {
  return tableText([headOf(wide), ...rows.map((row) => cellsOf(row, wide, now))]);
}

function headOf(wide: boolean): readonly string[] {
  const more = wide ? ["PROVIDER", "AGE", "ADDRESSES"] : [];
  return ["NAMESPACE", "NAME", "READY", "SERVES", ...more, "PROBLEM (NOTE)"];
}

export function cellsOf(row: StatusRow, wide: boolean, now: number): readonly string[] {
  const { kind, namespace, name, ready, serves, provider, created } = row;
  const more = wide ? [provider || "-", age(created, now) || "-", addressesText(row)] : [];
  return [namespace || "-", `${shortName(kind)}/${name}`, ready, serves || "-", ...more, saidText(row)];
}

/** The problem, else the first note. */
function saidText({ problem, notes: [note] }: StatusRow): string {
  const said = problem ?? note;
  const text = said === undefined ? "" : seenIn(problemText(said)).replaceAll(/\s+/g, " ").trim();
  return problem === undefined && note !== undefined ? `(${text})` : text;
}

/** `Fulfilled=False NoCandidate: 0 of 9 nodes match`. */
export function problemText({ reason, message, also = [], ...first }: StatusProblem): string {
  return `${[first, ...also].map(({ condition, status }) => `${condition}=${status}`).join(", ")} ${reason}: ${message}`;
}

function addressesText({ addresses }: StatusRow): string {
  const texts = addresses.map(({ address, state, node }) => `${address}=${node || state}`);
  return texts.length === 0 ? "-" : texts.join(",");
}

/** `12 resources, 2 with a problem`. */
export function summaryText(rows: readonly StatusRow[]): string {
  const bad = rows.filter(({ problem }) => problem !== undefined).length;
  const noted = rows.filter(({ problem, notes }) => problem === undefined && notes.length > 0).length;
  const all = countOf(rows.length, "resource");
  const counts = `${bad === 0 ? "none has a problem" : `${bad} with a problem`}${noted === 0 ? "" : `, ${noted} with a note`}`;
  return `${all}, ${counts}${bad + noted === 0 ? "" : ": flipop explain NAME says more"}`;
}
