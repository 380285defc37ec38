/** Pools of model clouds, and what their plans say. */

import { type Plan, plan } from "../../../../src/controllers/floating-ip-pool/plan.js";
import type { Snapshot } from "../../../../src/controllers/floating-ip-pool/snapshot.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { ModelCloud } from "./model-cloud.js";

export function cluster(nodes: readonly string[], spec: Parameters<ModelCloud["addPool"]>[1]): ModelCloud {
  const cloud = new ModelCloud();
  for (const name of nodes) cloud.addNode(name);
  cloud.addPool("web", spec);
  return cloud;
}

/** The plan of pool `web`, with another snapshot. */
export function altered(cloud: ModelCloud, change: Partial<Snapshot>): Plan {
  return plan({ ...cloud.snapshot("web"), ...change });
}

export function actions({ sequences }: Plan): readonly string[] {
  return sequences.flatMap(actionsOf).map((action) => action.do);
}

/** The addresses that the plan assigns to a node. */
export function assigned({ sequences }: Plan): readonly string[] {
  return sequences.flatMap(actionsOf).flatMap((action) => (action.do === "assign" ? [action.ip] : []));
}

export function condition({ conditions }: Plan, type: string): string {
  const { status, reason } = conditions.find((each) => each.type === type) ?? {};
  return `${status}/${reason}`;
}

/** Ten runs, after which nothing is left to do. */
export function settled(cloud: ModelCloud): ModelCloud {
  for (let round = 0; round < 10; round++) cloud.run("web");
  return cloud;
}

/** Runs until nothing is left to do. */
export function rest(cloud: ModelCloud, name = "web"): ModelCloud {
  for (let round = 0; round < 20 && cloud.plan(name).sequences.length > 0; round++) cloud.run(name);
  // One more, which writes what the last plan says.
  cloud.run(name);
  return cloud;
}
