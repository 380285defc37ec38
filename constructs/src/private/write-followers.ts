import type { HealthCheck } from "../health-check";
import type { Publication } from "../publication";
import type { Draft } from "./spec-refusals";

interface Followers {
  readonly healthCheck?: HealthCheck;
  readonly holderLabel?: boolean;
  readonly untilAssigned?: boolean;
  readonly publishTo?: Publication[];
  readonly paused?: boolean;
}

/** The fields that a pool and a RoutedIP share: what decides about a holder, and what follows it. */
export function writeFollowers(props: Followers, draft: Draft) {
  return {
    healthCheck: props.healthCheck?._write(draft.at("healthCheck")),
    holderLabel: props.holderLabel,
    untilAssigned: props.untilAssigned,
    publishTo: props.publishTo?.map((each, index) => each._write(draft.at(`publishTo[${index}]`))),
    paused: props.paused,
  };
}
