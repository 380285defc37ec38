/** Which pods to watch for a match. */

import type { SelectorRequirement } from "cdk8s-flipop/api";
import type { LabelSelector } from "../kube/cache/label-selector.js";
import type { PodScope } from "../kube/cache/pod-scopes.js";
import type { PodsWanted } from "./compile-match.js";

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
