/** The node that should hold the address of a class with Jobs: decided from statuses alone, since there is no API to ask. */

import { type Grace, graceOf } from "../../../match/grace.js";
import type { NodeFacts } from "../../../match/node-facts.js";
import { omitUndefined } from "../../../omit-undefined.js";
import { timeOf } from "../../../times.js";
import type { JobSnapshot } from "./snapshot.js";

export interface Election {
  readonly holder: NodeFacts | undefined;
  readonly grace: Grace | undefined;
  readonly target: NodeFacts | undefined;
}

export function elect(snapshot: JobSnapshot): Election {
  const { routed, verdictOf, now, leadsSince } = snapshot;
  const { providerID, graceSince, state } = routed.status;
  if (providerID === undefined) return { holder: undefined, grace: undefined, target: youngestFree(snapshot) };
  const verdict = verdictOf(providerID);
  const since = timeOf(graceSince);
  const memory = since === undefined ? {} : { since, over: state !== "active" };
  const periodMs = (routed.spec.gracePeriodSeconds ?? 0) * 1000;
  const grace = graceOf({ verdict, memory, periodMs, now, ...omitUndefined({ leadsSince }) });
  const target = grace.state === "over" ? youngestFree(snapshot) : verdict?.node;
  return { holder: verdict?.node, grace, target };
}

function youngestFree({ resolvedClass, candidates, load }: JobSnapshot): NodeFacts | undefined {
  const limit = resolvedClass?.perNodeIPLimit ?? 1;
  const free = candidates.filter(({ machine }) => machine !== undefined && load(machine) < limit);
  return [...free].sort((a, b) => Number(a.leaving) - Number(b.leaving) || youngest(a, b))[0];
}

function youngest(a: NodeFacts, b: NodeFacts): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
