/** From `spec.match` as people write it to what the checks read, parsed once, with problems as values for conditions; and to the pods to watch. */

import {
  type Match,
  type ParsedToleration,
  parseLabelSelector,
  parseToleration,
  type SelectorRequirement,
  type Toleration,
  tolerates,
} from "cdk8s-flipop/api";
import type { PodScope } from "../kube/cache/pods.js";
import type { LabelSelector } from "../kube/objects.js";
import type { MachineIds } from "../providers/types.js";
import { CORDON_TAINT } from "./node-facts.js";

/** Which pods a candidate must run. */
export interface PodsWanted {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly requirements: readonly SelectorRequirement[];
  /** For people: `pod of namespace ingress with app=nginx`. */
  readonly text: string;
}

export interface CompiledMatch {
  readonly nodeLabels: readonly SelectorRequirement[];
  /** For people: `spec.match.nodeLabel` as written. */
  readonly labelText: string;
  /** Absent: pods play no part. */
  readonly pods?: PodsWanted;
  readonly tolerations: readonly ParsedToleration[];
  /** A cordoned node still matches, as long as its pod serves. */
  readonly toleratesCordon: boolean;
  /** Machines that the provider can serve. Absent: any. */
  readonly machines?: MachineIds;
}

/** What is wrong with a match. */
export interface MatchProblem {
  /** Path below `spec`: `match.nodeLabel`, `match.tolerations[2]`. */
  readonly field: string;
  /** Value seen and how to correct it. */
  readonly message: string;
}

/**
 * A selector that can't be parsed makes the match unusable: the desired nodes are unknown. A toleration that
 * tolerates nothing is left out, as the Go operator does, and said.
 */
type MatchResult =
  | { readonly ok: true; readonly match: CompiledMatch; readonly problems: readonly MatchProblem[] }
  | { readonly ok: false; readonly problems: readonly MatchProblem[] };

/** @param machines see `CompiledMatch.machines`. */
export function compileMatch(spec: Match = {}, machines?: MachineIds): MatchResult {
  const problems: MatchProblem[] = [];
  const nodeLabels = parseSelector("nodeLabel", spec.nodeLabel, problems);
  const podLabels = parseSelector("podLabel", spec.podLabel, problems);
  if (problems.length > 0) return { ok: false, problems };
  const tolerations = parseTolerations(spec.tolerations ?? [], problems);
  const match: CompiledMatch = {
    nodeLabels,
    labelText: spec.nodeLabel?.trim() ?? "",
    ...podsWanted(spec, podLabels),
    tolerations,
    toleratesCordon: tolerations.some((toleration) => tolerates(toleration, CORDON_TAINT)),
    ...(machines === undefined ? {} : { machines }),
  };
  return { ok: true, match, problems };
}

function parseSelector(
  field: "nodeLabel" | "podLabel",
  text: string | undefined,
  problems: MatchProblem[],
): readonly SelectorRequirement[] {
  const parsed = parseLabelSelector(text ?? "");
  if (parsed.ok) return parsed.requirements;
  const { message, position } = parsed.error;
  problems.push({
    field: `match.${field}`,
    message: `"${text}" is not a label selector: ${message} at position ${position}; write it as kubectl get -l takes it`,
  });
  return [];
}

function parseTolerations(tolerations: readonly Toleration[], problems: MatchProblem[]): readonly ParsedToleration[] {
  const usable: ParsedToleration[] = [];
  for (const [position, toleration] of tolerations.entries()) {
    const parsed = parseToleration(toleration);
    if (parsed.ok) usable.push(parsed.toleration);
    else problems.push({ field: `match.tolerations[${position}]`, message: parsed.message });
  }
  return usable;
}

/** Empty text is what typed clients write for an absent field. */
function podsWanted(
  { podNamespace, podLabel }: Match,
  requirements: readonly SelectorRequirement[],
): { readonly pods?: PodsWanted } {
  if (!podNamespace && !podLabel) return {};
  const where = podNamespace ? ` of namespace ${podNamespace}` : " of any namespace";
  const which = podLabel ? ` with ${podLabel}` : "";
  return { pods: { ...(podNamespace ? { namespace: podNamespace } : {}), requirements, text: `pod${where}${which}` } };
}

/**
 * The scope whose watch has all pods wanted. Integer comparisons, which `metav1.LabelSelector` lacks, are left out: the
 * watch then has more pods, and `PodWorkload` passes over those.
 */
export function podScopeOf({ namespace, requirements }: PodsWanted): PodScope {
  const selector: LabelSelector = { matchExpressions: requirements.flatMap(expressionOf) };
  return { ...(namespace === undefined ? {} : { namespace }), selector };
}

type Expressions = NonNullable<LabelSelector["matchExpressions"]>;

function expressionOf({ key, operator, values }: SelectorRequirement): Expressions {
  switch (operator) {
    case "GreaterThan":
    case "LessThan":
      return [];
    case "In":
    case "NotIn":
      return [{ key, operator, values }];
    case "Exists":
    case "DoesNotExist":
      return [{ key, operator }];
  }
}

/**
 * Every node that is Ready and not cordoned, whatever its labels. No taint speaks against it: pods that answer for the
 * Service run there in spite of it.
 * @param machines see `CompiledMatch.machines`.
 */
export function everyNode(machines: MachineIds | undefined): CompiledMatch {
  return {
    nodeLabels: [],
    labelText: "",
    tolerations: [{ operator: "Exists", value: "" }],
    toleratesCordon: false,
    ...(machines === undefined ? {} : { machines }),
  };
}
