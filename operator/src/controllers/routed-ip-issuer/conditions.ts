/** Whether an issuer is fit to work: its one condition. Pure. */

import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import type { Snapshot } from "./gather.js";

export function ready(snapshot: Snapshot): PlannedCondition {
  const { problem, account } = snapshot;
  const firewall = snapshot.lastFirewall ?? snapshot.firewall;
  const obstacle = problem ?? failureOf(account) ?? regionProblem(snapshot) ?? failureOf(firewall);
  if (obstacle !== undefined) return no("Ready", obstacle);
  if (account === "untried" || firewall === "unknown") return unknown("Ready");
  if (firewall !== "missing")
    return yes("Ready", "Observed", "the provider accepts the credentials, and what the spec names exists");
  const message = `the provider accepts the credentials; firewall "${snapshot.issuer.spec.routedIPFirewallName}" is created once a node may join it`;
  return yes("Ready", "FirewallNotFound", message);
}

function failureOf(part: Snapshot["account"] | Snapshot["firewall"]): Problem | undefined {
  return typeof part === "object" && "failure" in part ? part.failure : undefined;
}

/** An address can only go to nodes of its region: no RoutedIP can use one without nodes. */
function regionProblem({ issuer, regions }: Snapshot): Problem | undefined {
  const { region } = issuer.spec;
  if (!region || regions.size === 0 || regions.has(region)) return undefined;
  const message = `no node of the cluster is in region "${region}"; there are nodes in ${[...regions].sort().join(", ")}: correct spec.region`;
  return { reason: "WrongRegion", message };
}
