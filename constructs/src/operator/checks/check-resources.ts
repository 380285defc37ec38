import type { FlipopOperatorProps } from "../../operator-props";
import type { Draft } from "../../private/refusal-collector";
import { podResources } from "../resources";

/** The usual forms of a Kubernetes quantity for CPU and memory. */
const QUANTITY = /^([0-9]+)(?:\.([0-9]+))?(m|k|[KMGTPE]i|[MGTPE])?$/;
const EXAMPLES = { cpu: '"50m" or "0.5"', memory: '"128Mi" or "1Gi"' } as const;

/** A decimal number without rounding errors: its digits, and how many of them are decimal places. */
interface Amount {
  readonly digits: bigint;
  readonly places: number;
}

/** Checks that requests and limits are quantities, and that no request exceeds its limit. */
export function checkResources(props: FlipopOperatorProps, draft: Draft): void {
  const quantities = podResources(props);
  for (const what of ["cpu", "memory"] as const) {
    const [request, limit] = ([`${what}Request`, `${what}Limit`] as const).map((prop) => {
      const quantity = quantities[prop];
      const amount = quantity === undefined ? undefined : amountOf(quantity);
      const wrong = quantity !== undefined && !amount;
      if (wrong) draft.at(prop).refuse(`"${quantity}" is not a quantity: write it as ${EXAMPLES[what]}`);
      return { prop, quantity, amount };
    });
    if (!request?.amount || !limit?.amount || !isMore(request.amount, limit.amount)) continue;
    draft
      .at(request.prop)
      .refuse(`"${request.quantity}" exceeds ${limit.prop} "${limit.quantity}": lower it, or raise the limit`);
  }
}

/** The amount of a quantity; undefined if the text is not a quantity, or is zero. */
function amountOf(quantity: string): Amount | undefined {
  const [, whole = "0", fraction = "", unit = ""] = QUANTITY.exec(quantity) ?? [];
  const digits = BigInt(whole + fraction) * factorOf(unit);
  return digits > 0n ? { digits, places: fraction.length + (unit === "m" ? 3 : 0) } : undefined;
}

function factorOf(unit: string): bigint {
  const power = "kMGTPE".indexOf(unit.replace("K", "k").charAt(0)) + 1;
  return unit === "" || unit === "m" ? 1n : (unit.endsWith("i") ? 1024n : 1000n) ** BigInt(power);
}

function isMore(one: Amount, other: Amount): boolean {
  return one.digits * 10n ** BigInt(other.places) > other.digits * 10n ** BigInt(one.places);
}
