/** Conditions as metrics, the same for all kinds. */

import type { FlipopMetrics } from "../../metrics/flipop.js";
import type { Sample } from "../../metrics/series.js";

export interface ConditionFacts {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
}

const VALUES = { True: 1, False: 0, Unknown: -1 } as const;

/** One series for each condition: 1 True, 0 False, -1 Unknown. */
export function conditionSamples(
  { condition }: Pick<FlipopMetrics, "condition">,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  conditions: readonly ConditionFacts[],
): readonly Sample[] {
  return conditions.map(({ type, status }) => {
    return { gauge: condition, labels: { kind, namespace, name, type }, value: VALUES[status] };
  });
}
