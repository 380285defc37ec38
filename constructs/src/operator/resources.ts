import { type Size, SizeRoundingBehavior } from "cdk8s";
import type { FlipopOperatorProps, ICpu } from "../operator-props";

/** Requests and limits of an operator pod. */
export function podResources(props: FlipopOperatorProps) {
  const { cpuRequest = "50m", cpuLimit, memoryRequest = "128Mi", memoryLimit = "512Mi" } = props;
  return {
    cpuRequest: textOf(cpuRequest),
    cpuLimit: cpuLimit === undefined ? undefined : textOf(cpuLimit),
    memoryRequest: textOf(memoryRequest),
    memoryLimit: textOf(memoryLimit),
  };
}

/** The quantity in the largest binary unit without a fraction, so that it does not depend on the unit of the Size. */
function textOf(quantity: string | ICpu | Size): string {
  if (typeof quantity === "string") return quantity;
  if ("amount" in quantity && !("toKibibytes" in quantity)) return String(quantity.amount);
  const kibibytes = (quantity as Size).toKibibytes({ rounding: SizeRoundingBehavior.NONE });
  const power = [4, 3, 2, 1].find((one) => Number.isInteger(kibibytes / 1024 ** one)) ?? 0;
  return `${kibibytes / 1024 ** power}${["Ki", "Mi", "Gi", "Ti", "Pi"][power]}`;
}

/** The resources of the container. */
export function containerResources(props: FlipopOperatorProps): object {
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = podResources(props);
  return {
    requests: { cpu: cpuRequest, memory: memoryRequest },
    limits: { memory: memoryLimit, ...(cpuLimit === undefined ? {} : { cpu: cpuLimit }) },
  };
}
