import type { Plan } from "../../../../src/controllers/floating-ip-pool/plan.js";
import { ModelCloud } from "./model-cloud.js";

/** The condition Fulfilled of a plan. */
export function fulfilled({ conditions }: Plan) {
  const { status, reason, message = "" } = conditions.find(({ type }) => type === "Fulfilled") ?? {};
  return { is: `${status}/${reason}`, message };
}

export function cluster(...nodes: readonly string[]): ModelCloud {
  const cloud = new ModelCloud();
  for (const name of nodes) cloud.addNode(name);
  return cloud;
}
