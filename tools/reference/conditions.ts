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
} from "cdk8s-flipop/api";
import { MISTAKES } from "./mistakes.js";
import { code, codes, generatedFrom, table } from "./text.js";

const NOTHING = "Nothing.";

/** The page on conditions, reasons, refusals of nodes, and what to do about each. */
export function conditionsPage(): string {
  return [...introduction(), ...typesPart(), ...reasonsPart(), ...refusalsPart(), ...mistakesPart(), ""].join("\n");
}

function introduction(): readonly string[] {
  return [
    "# Conditions",
    "",
    generatedFrom("conditions.ts, refusals.ts and reason-places.ts in constructs/src/api"),
    "",
    "Every resource says in `status.conditions` what was observed. The message names the value seen and the fix; this",
    "page says what each type and each reason means.",
    "",
    "```sh",
    "kubectl describe fip NAME                                    # conditions, each address, and the latest Events",
    `kubectl get fip -A -o custom-columns='NAME:.metadata.name,READY:.status.conditions[?(@.type=="Ready")].message'`,
    "kubectl wait fip NAME --for=condition=Fulfilled --timeout=5m",
    "```",
    "",
    "A condition is Unknown with reason `NotObserved` until the operator has seen the resource and its provider. One that",
    "turns bad, and does not end by itself as `CoolingOff` does, also writes a Warning Event of that reason. Each is in metric",
    "`flipop_resource_condition`: 1 True, 0 False, -1 Unknown.",
    "",
  ];
}

function typesPart(): readonly string[] {
  const rows = (Object.keys(CONDITION_TYPES) as ConditionType[]).map((type) => [
    code(type),
    CONDITION_TYPES[type],
    codes(ALL_KINDS.filter(({ conditions }) => conditions.includes(type)).map(({ kind }) => kind)),
    codes(CONDITION_METRICS[type]),
  ]);
  const head = ["type", "True means", "on", "other metrics that go with it"];
  return ["## Types", "", ...table(head, rows), "", "The metrics are told in [metrics.md](metrics.md).", ""];
}

function reasonsPart(): readonly string[] {
  const rows = (Object.keys(REASONS) as Reason[]).map((reason) => [
    code(reason),
    REASONS[reason].meaning,
    REASONS[reason].remedy || NOTHING,
    placeText(REASON_PLACES[reason]),
  ]);
  return ["## Reasons", "", ...table(["reason", "meaning", "what to do", "found on"], rows), ""];
}

/** Only conditions that one of the kinds has. */
function placeText({ kinds, conditions, ofAddress }: ReasonPlace): string {
  const all = kinds.length === ALL_KINDS.length ? "every kind" : kinds.join(", ");
  const had = conditions.filter((type) => kinds.some((kind) => hasCondition(kind, type)));
  const where = had.length === Object.keys(CONDITION_TYPES).length ? "all conditions that it has" : codes(had);
  return `${all}: ${where}${ofAddress ? "; an address" : ""}`;
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
    "## Why a node is no candidate",
    "",
    "Counted in the messages of `Fulfilled`, `DNSReady` and `Assigned`. A node is refused for the first that applies, in",
    "this order. A holder that is refused only for reasons with grace keeps its address for `gracePeriodSeconds`.",
    "",
    ...table(["reason", "meaning", "what to do", "grace"], rows),
    "",
  ];
}

function mistakesPart(): readonly string[] {
  const rows = MISTAKES.map(({ what, shows, remedy }) => {
    return [what, shows === undefined ? "nothing: it is served" : code(shows), remedy];
  });
  return [
    "## Common mistakes",
    "",
    "Most mistakes in a spec are refused by the API server with the same advice; objects that were stored under other",
    "CRDs say it in a condition.",
    "",
    ...table(["what", "shows as", "what to do"], rows),
  ];
}
