import {
  ALL_KINDS,
  CONDITION_METRICS,
  CONDITION_TYPES,
  type ConditionType,
  type KindName,
  REASON_PLACES,
  REASONS,
  REFUSALS,
  type Reason,
  type ReasonPlace,
  type RefusalReason,
  SUMMARY_TYPES,
} from "cdk8s-flipop/api";
import { code, codes, generatedFrom, table } from "./markdown.js";
import { MISTAKES } from "./mistakes.js";

const PROGRESS: readonly ConditionType[] = ["Reconciling", "Stalled"];
const NOTHING = "Nothing.";

/** The page on conditions, reasons, refusals of nodes, and what to do about each. */
export function conditionsPage(): string {
  return [...introduction(), ...typesPart(), ...reasonsPart(), ...refusalsPart(), ...mistakesPart(), ""].join("\n");
}

function introduction(): readonly string[] {
  return [
    "# Conditions",
    "",
    generatedFrom("condition-types.ts, reasons.ts, node-refusals.ts and reason-places.ts in constructs/src/api"),
    "",
    "The operator writes its observations to `status.conditions` of every resource. The message names the value and the fix;",
    "this page explains each type and each reason.",
    "",
    "```sh",
    "kubectl describe fip NAME                                    # conditions, each address, and the latest Events",
    `kubectl get fip -A -o custom-columns='NAME:.metadata.name,READY:.status.conditions[?(@.type=="Ready")].message'`,
    "kubectl wait fip NAME --for=condition=Ready --timeout=5m",
    "```",
    "",
    "`Ready`, `Reconciling` and `Stalled` are the summary that `kubectl wait`, Flux and Argo CD read. Exactly one of them is True.",
    "The operator computes them from the other conditions:",
    "",
    ...table(["kind", "is `Ready` while these are True", "its other conditions"], requirements()),
    "",
    "A resource without `dnsRecordSet` does not need `DNSReady`, and one without `publishTo` does not need `Published`. A pool is",
    "also not `Ready` while the holder of one of its addresses is in its grace period. While the operator is",
    "[stopped](command-line.md), no resource is `Ready`. One that is being deleted is not `Ready` either: the message says what the",
    "deletion waits for. `Reconciling` means that the operator works, or waits for something that",
    "can change without a person; `Stalled` means that a person must act. The `observedGeneration` of a condition is the version of",
    "the spec that it is about.",
    "",
    "A condition is Unknown with reason `NotObserved` until the operator has observed the resource and its provider. When a condition",
    "becomes bad for a reason that does not end by itself (as `CoolingOff` does), the operator also emits a Warning Event with the same",
    "reason. It also emits one when a pause begins (type Normal), and when a pause keeps a resource from serving. Metric",
    "`flipop_resource_condition` has each condition: 1 is True, 0 is False, -1 is Unknown.",
    "",
    "After a failed call, [the time until the next try](../explanation/calls.md#how-long-until-the-next-try) depends on the reason.",
    "",
  ];
}

function requirements(): readonly (readonly string[])[] {
  return ALL_KINDS.map(({ kind, conditions, readyWhen }) => [
    code(kind),
    codes(readyWhen),
    codes(conditions.filter((type) => !readyWhen.includes(type))),
  ]);
}

function typesPart(): readonly string[] {
  const rows = (Object.keys(CONDITION_TYPES) as ConditionType[]).map((type) => [
    code(type),
    CONDITION_TYPES[type],
    codes(ALL_KINDS.filter(({ conditions }) => conditions.includes(type)).map(({ kind }) => kind)),
    codes(CONDITION_METRICS[type]),
  ]);
  const head = ["type", "meaning of True", "kinds", "other related metrics"];
  return ["## Types", "", ...table(head, rows), "", "[metrics.md](metrics.md) describes the metrics.", ""];
}

function reasonsPart(): readonly string[] {
  const rows = (Object.keys(REASONS) as Reason[]).map((reason) => [
    code(reason),
    REASONS[reason].meaning,
    REASONS[reason].remedy || NOTHING,
    placeText(REASON_PLACES[reason]),
    keepsFromReady(reason) ? codes(PROGRESS.filter((type) => REASON_PLACES[reason].conditions.includes(type))) : "none",
  ]);
  const head = ["reason", "meaning", "what to do", "kinds and conditions", "while a required condition is not True"];
  return [
    "## Reasons",
    "",
    "While a condition that `Ready` requires is not True, `Ready` has the reason of that condition. The condition in the last column is",
    "then True, with the same reason. If another required condition is False, too, and only a person can change that, `Stalled` is True",
    "with the reason of that one, and the message of `Ready` names both.",
    "",
    ...table(head, rows),
    "",
  ];
}

/** A condition with this reason is True all the same. */
const HARMLESS: readonly Reason[] = [
  "Observed",
  "HolderCordoned",
  "NoOpenPort",
  "NoNodeInRegion",
  "SeveralNamespaces",
  "SeveralWorkloads",
  "UnlistedAddresses",
  "EndpointWithoutPod",
  "TTLRaised",
  "LongTTL",
  "Proxied",
  "UnmanagedRecords",
  "UnreadyPods",
  "TaintedNodes",
  "SharedAddress",
  "MissingFamily",
  "PrivateAddresses",
  "NoFirewall",
  "AssumedOpen",
  "RestrictedSources",
  "FirewallRenamed",
  "UnrestrictedSources",
  "UnlistedPorts",
];

/** A reason without a condition of its own is in the summary. */
function keepsFromReady(reason: Reason): boolean {
  const { kinds, conditions } = REASON_PLACES[reason];
  const own = conditions.filter((type) => !isSummary(type));
  const had = ALL_KINDS.filter(({ kind }) => kinds.some((name) => name === kind));
  const required = had.flatMap(({ readyWhen }) => readyWhen);
  return !HARMLESS.includes(reason) && (own.length === 0 || own.some((type) => required.includes(type)));
}

/** Lists only conditions that one of the kinds has. */
function placeText({ kinds, conditions, ofAddress }: ReasonPlace): string {
  const all = kinds.length === ALL_KINDS.length ? "every kind" : kinds.join(", ");
  const had = conditions.filter((type) => !isSummary(type) && kinds.some((kind) => hasCondition(kind, type)));
  if (had.length === 0) return `${all}: ${code("Ready")}`;
  const where =
    had.length === Object.keys(CONDITION_TYPES).length - SUMMARY_TYPES.length ? "all its conditions" : codes(had);
  return `${all}: ${where}${ofAddress ? "; an address" : ""}`;
}

function isSummary(type: ConditionType): boolean {
  return SUMMARY_TYPES.some((summary) => summary === type);
}

function hasCondition(name: KindName, type: ConditionType): boolean {
  return ALL_KINDS.some(({ kind, conditions }) => kind === name && conditions.includes(type));
}

function refusalsPart(): readonly string[] {
  const rows = (Object.keys(REFUSALS) as RefusalReason[]).map((reason) => {
    const { meaning, remedy, recoverable } = REFUSALS[reason];
    return [code(reason), meaning, remedy || NOTHING, recoverable ? "yes" : "no"];
  });
  return [
    "## Why a node is not a candidate",
    "",
    "The messages of `Fulfilled`, `DNSReady` and `Assigned` count these reasons. Several may apply to a node: the",
    "messages count it under the first, in this order. A holder with only reasons that have grace keeps its address for `gracePeriodSeconds`.",
    "",
    ...table(["reason", "meaning", "what to do", "grace"], rows),
    "",
  ];
}

function mistakesPart(): readonly string[] {
  const rows = MISTAKES.map(({ what, shows, remedy }) => {
    return [what, shows === undefined ? "none: the resource works" : code(shows), remedy];
  });
  return [
    "## Common mistakes",
    "",
    "The API server rejects most mistakes in a spec with the same advice. If an object was stored under other CRDs, a",
    "condition shows the mistake. If the API server also refuses every status of such an object, as with text in a field for a",
    "number, an Event shows it instead.",
    "",
    ...table(["mistake", "reason", "what to do"], rows),
  ];
}
