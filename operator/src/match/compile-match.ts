/** From `spec.match` as people write it to what the checks read: parsed once, with problems as values for conditions. */

import {
  type Match,
  type ParsedToleration,
  parseLabelSelector,
  parseToleration,
  type SelectorRequirement,
  type Toleration,
  tolerates,
} from "cdk8s-flipop/api";
import { CORDON_TAINT } from "./taints.js";

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
  /** Absent: pods play no part. */
  readonly pods?: PodsWanted;
  readonly tolerations: readonly ParsedToleration[];
  /** A cordoned node still matches, as long as its pod serves. */
  readonly toleratesCordon: boolean;
  /** Scheme of the provider's `spec.providerID`, such as `digitalocean`. Absent: any. */
  readonly providerScheme?: string;
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
export type MatchResult =
  | { readonly ok: true; readonly match: CompiledMatch; readonly problems: readonly MatchProblem[] }
  | { readonly ok: false; readonly problems: readonly MatchProblem[] };

/** @param providerScheme see `CompiledMatch.providerScheme`. */
export function compileMatch(spec: Match = {}, providerScheme?: string): MatchResult {
  const problems: MatchProblem[] = [];
  const nodeLabels = parseSelector("nodeLabel", spec.nodeLabel, problems);
  const podLabels = parseSelector("podLabel", spec.podLabel, problems);
  if (problems.length > 0) return { ok: false, problems };
  const tolerations = parseTolerations(spec.tolerations ?? [], problems);
  const match: CompiledMatch = {
    nodeLabels,
    ...podsWanted(spec, podLabels),
    tolerations,
    toleratesCordon: tolerations.some((toleration) => tolerates(toleration, CORDON_TAINT)),
    ...(providerScheme === undefined ? {} : { providerScheme }),
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
  const where = podNamespace ? ` of namespace ${podNamespace}` : "";
  const which = podLabel ? ` with ${podLabel}` : "";
  return { pods: { ...(podNamespace ? { namespace: podNamespace } : {}), requirements, text: `pod${where}${which}` } };
}
