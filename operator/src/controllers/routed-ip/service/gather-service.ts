/** The part of a snapshot that is about the Service: its nodes and its ports. */

import type { ResourceRef } from "../../../inventory/types.js";
import { tallyText } from "../../../match/tally.js";
import { omitUndefined } from "../../../omit-undefined.js";
import type { Problem } from "../../../reconcile/conditions/problem.js";
import { NO_PORTS, portsOf } from "../../../routing/ports.js";
import type { RoutedIP } from "../../../routing/resource.js";
import type { Routing } from "../../../routing/routing.js";
import { serviceProblem } from "../../../routing/service.js";
import type { Snapshot } from "../snapshot.js";
import type { ServiceFollower } from "./service-follower.js";

interface Followed {
  readonly ref: ResourceRef;
  readonly memory: { readonly follower: ServiceFollower };
}

export function nodesOf({
  follower,
}: Followed["memory"]): Pick<Snapshot, "candidates" | "verdictOf" | "refusals" | "servesAt"> {
  const { index } = follower;
  return {
    candidates: index?.candidates() ?? [],
    verdictOf: (machine) => index?.verdictOfMachine(machine),
    refusals: index === undefined ? "" : tallyText(index.tally()),
    servesAt: (node) => follower.servesAt(node),
  };
}

export function servedBy(
  routing: Routing,
  { follower }: Followed["memory"],
  { routed, problem }: { readonly routed: RoutedIP; readonly problem: Problem | undefined },
): Pick<Snapshot, "cachesComplete" | "leadsSince" | "ports"> {
  const pods = follower.podsBehind();
  const service = routing.service(follower.service);
  const known = service !== undefined && problem === undefined;
  return {
    cachesComplete: routing.context.leads() && routing.synced && pods !== undefined,
    ...omitUndefined({ leadsSince: routing.context.leadsSince() }),
    ports: known ? portsOf(service, pods ?? [], routed.status.ports) : NO_PORTS,
  };
}

export function problemOfService(routing: Routing, { memory, ref }: Followed): Problem | undefined {
  const key = memory.follower.service;
  return serviceProblem({ key, namespace: ref.namespace, service: routing.service(key) });
}
