/** What RoutedIPs ask for, and how it is done. */

import type { Outcome } from "../../addresses/calls/outcomes.js";
import type { ActionTable, RunAction } from "../../reconcile/kind.js";
import type { Action } from "./actions.js";
import { assign, create, poll, release, unassign } from "./address/address-calls.js";
import { dropCopy, recordCreation } from "./address/routed-creation.js";
import { changeFirewall, createFirewall, readFirewall, recordCreated } from "./firewall/firewall-calls.js";
import type { GatherTools } from "./gather.js";
import { createJob, record, removeJob } from "./jobs/calls.js";
import { callRecords, keep, patchMetadata, recordFirewall, recordIntent } from "./object-calls.js";
import type { IssuedCall, RoutedKind } from "./routed-state.js";
import { setTaints } from "./taints/set-taints.js";

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
