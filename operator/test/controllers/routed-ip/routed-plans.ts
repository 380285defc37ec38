/** RoutedIPs of model worlds, and what their plans say. */

import { type Plan, plan } from "../../../src/controllers/routed-ip/plan.js";
import type { Snapshot } from "../../../src/controllers/routed-ip/snapshot.js";
import type { ResolvedIssuerClass } from "../../../src/routing/resolved-class.js";
import { ModelWorld } from "./model-world.js";

export const IP = "203.0.113.7";

/** Two nodes that serve port 443, a firewall of a person, one RoutedIP with an address. */
export function world(resolvedClass: Partial<ResolvedIssuerClass> = {}): ModelWorld {
  const made = new ModelWorld();
  for (const name of ["n1", "n2"]) made.addNode(name);
  made.addService("web", [443]);
  made.serve("web", "n1");
  made.addFirewall();
  made.addRouted("a", { routedIP: IP }, resolvedClass);
  return made;
}

export function settled(resolvedClass: Partial<ResolvedIssuerClass> = {}): ModelWorld {
  const made = world(resolvedClass);
  made.settle();
  return made;
}

export function altered(made: ModelWorld, change: Partial<Snapshot>): Plan {
  return plan({ ...made.snapshot("a"), ...change });
}

export function does({ steps }: Plan): readonly string[] {
  return steps.map(({ name, actions }) => `${name}: ${actions.map((action) => action.do).join(", ")}`);
}

/** `status/reason` of a condition, and its message. */
export function conditionOf({ conditions }: Plan, type: string) {
  const { status, reason, message = "" } = conditions.find((each) => each.type === type) ?? {};
  return { is: `${status}/${reason}`, message };
}

export function condition(made: Plan, type: string): string {
  return conditionOf(made, type).is;
}
