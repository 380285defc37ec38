import type { Match } from "../api/match";
import type { MatchProps } from "../match-props";
import type { Draft } from "./draft";
import { written } from "./written";

/** The match that the props ask for; undefined where they ask for nothing. */
export function writeMatch({ pods, nodes, tolerations }: MatchProps, draft: Draft): Match | undefined {
  const match = written({
    ...pods?._write(draft.at("pods")),
    nodeLabel: nodes?._write(draft.at("nodes")),
    tolerations: tolerations?.map((toleration, index) => toleration._write(draft.at(`tolerations[${index}]`))),
  });
  return Object.keys(match).length > 0 ? match : undefined;
}
