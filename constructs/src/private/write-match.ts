import type { Match } from "../api/labels/match";
import type { MatchProps } from "../match/match-props";
import { written } from "./field-values";
import type { FactsOf } from "./prop-shapes";
import { PART } from "./prop-types";
import type { Draft } from "./refusal-collector";

/** Facts about the props of a match. */
export const MATCH_FACTS: FactsOf<MatchProps> = {
  pods: { fields: ["match.podLabel", "match.podNamespace"], part: PART.pods },
  nodes: { fields: ["match.nodeLabel"], part: PART.nodes },
  tolerations: { fields: ["match.tolerations"], part: PART.toleration, list: true },
};

/** The match from the props; undefined if none is set. */
export function writeMatch({ pods, nodes, tolerations }: MatchProps, draft: Draft): Match | undefined {
  const match = written({
    ...pods?._write(draft.at("pods")),
    nodeLabel: nodes?._write(draft.at("nodes")),
    tolerations: tolerations?.map((toleration, index) => toleration._write(draft.at(`tolerations[${index}]`))),
  });
  return Object.keys(match).length > 0 ? match : undefined;
}
