/** What RoutedIPs ask for, and how it is done. */

import type { Outcome } from "../../addresses/calls/outcomes.js";
import type { ActionCall, ActionTable, RunAction } from "../../reconcile/kind.js";
import type { ActionResult } from "../../reconcile/plan.js";
import type { RoutedObject, RoutedRead } from "../../routing/resource.js";
import type { Action } from "./actions.js";
import { assign, create, poll, release, unassign } from "./address-calls.js";
import { changeFirewall, createFirewall, readFirewall, recordCreated } from "./firewall-calls.js";
import type { Gathered, GatherTools, IssuedGathered } from "./gather.js";
import { createJob, record, removeJob } from "./jobs/calls.js";
import type { JobAction } from "./jobs/plan.js";
import { callRecords, keep, patchMetadata, recordFirewall, recordIntent } from "./object-calls.js";
import { dropCopy, recordCreation } from "./routed-creation.js";
import type { RoutedMemory } from "./routed-state.js";
import type { RoutedPlan } from "./sequences.js";
import { setTaints } from "./set-taints.js";

/** The types of this kind, for the engine. */
export interface RoutedKind {
  readonly object: RoutedObject;
  readonly resource: RoutedRead;
  readonly snapshot: Gathered;
  readonly action: Action | JobAction;
  readonly plan: RoutedPlan;
  readonly memory: RoutedMemory;
}

export type RoutedResult = ActionResult<RoutedKind["action"]>;

export type OfKind<K extends RoutedKind["action"]["do"]> = Extract<RoutedKind["action"], { readonly do: K }>;

/** A call for a RoutedIP that the operator serves itself. */
export type IssuedCall = ActionCall<RoutedKind> & { readonly snapshot: IssuedGathered };

type RunIssued<A> = (tools: GatherTools, call: IssuedCall, action: A) => Promise<Outcome>;

export function actions(tools: GatherTools): ActionTable<RoutedKind> {
  const issued =
    <A extends Action>(run: RunIssued<A>): RunAction<RoutedKind, A> =>
    (call, action) => {
      const { snapshot } = call;
      if (snapshot.by !== "issuer") throw new Error(`a plan for Jobs asks for "${action.do}"`);
      return run(tools, { ...call, snapshot }, action);
    };
  return {
    ...{ assign: issued(assign), unassign: issued(unassign), release: issued(release), poll: issued(poll) },
    "create-address": issued(create),
    "read-firewall": issued(readFirewall),
    "change-firewall": issued(changeFirewall),
    "create-firewall": issued(createFirewall),
    "record-created-firewall": issued((_tools, call, { created }) => recordCreated(tools, call, created)),
    "record-firewall": issued(recordFirewall),
    "set-taints": (call, action) => setTaints(tools.routing, call, action),
    "read-records": issued(callRecords),
    "apply-records": issued(callRecords),
    "record-dns": ({ state }, { written }) => keep(state, { dns: written }),
    "record-intent": issued(recordIntent),
    "settle-creation": ({ state }, { result }) => recordCreation(state, result),
    "record-creation": ({ state }, { result }) => recordCreation(state, result),
    "drop-intent-copy": ({ state }) => dropCopy(state),
    "forget-created": ({ state }) => keep(state, { created: undefined, inferred: undefined, routedIP: undefined }),
    "annotate-pool": patchMetadata,
    "clear-forget-creation": patchMetadata,
    "add-finalizer": patchMetadata,
    "remove-finalizer": patchMetadata,
    annotate: patchMetadata,
    record: (call, action) => record(tools, call, action),
    "create-job": (call, action) => createJob(tools, call, action),
    "remove-job": (_call, { job }) => removeJob(tools, job),
  };
}
