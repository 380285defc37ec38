import type { FlipopOperatorProps } from "../operator-props";
import type { Draft } from "../private/draft";
import { podResources } from "./resources";

/** The forms of a Kubernetes quantity that people use for CPU and memory. */
const QUANTITY = /^([0-9]+(?:\.[0-9]+)?)(m|k|[KMGTPE]i|[MGTPE])?$/;
const EXAMPLES = { cpu: '"50m" or "0.5"', memory: '"128Mi" or "1Gi"' } as const;

/** Checks that requests and limits are quantities, and that no request is more than its limit. */
export function checkResources(props: FlipopOperatorProps, draft: Draft): void {
  const quantities = podResources(props);
  for (const what of ["cpu", "memory"] as const) {
    const [request, limit] = ([`${what}Request`, `${what}Limit`] as const).map((prop) => {
      const quantity = quantities[prop];
      const amount = quantity === undefined ? Number.POSITIVE_INFINITY : amountOf(quantity);
      if (!(amount > 0)) draft.at(prop).refuse(`"${quantity}" is not a quantity: write it as ${EXAMPLES[what]}`);
      return { prop, quantity, amount };
    });
    if (!request || !limit || !(limit.amount > 0) || !(request.amount > limit.amount)) continue;
    draft
      .at(request.prop)
      .refuse(`"${request.quantity}" is more than ${limit.prop} "${limit.quantity}": lower it, or raise the limit`);
  }
}

/** A quantity as a number; NaN where it is none. */
function amountOf(quantity: string): number {
  const [, digits, unit = ""] = QUANTITY.exec(quantity) ?? [];
  return Number(digits) * factorOf(unit);
}

function factorOf(unit: string): number {
  if (unit === "m") return 0.001;
  const power = "kMGTPE".indexOf(unit.replace("K", "k").charAt(0)) + 1;
  return unit === "" ? 1 : (unit.endsWith("i") ? 1024 : 1000) ** power;
}
