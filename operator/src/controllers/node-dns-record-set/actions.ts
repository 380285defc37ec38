/** What a record set asks for, and how it is done. */

import { Finalizer } from "cdk8s-flipop/api";
import { DONE, type Outcome } from "../../addresses/calls/outcomes.js";
import { finalizerPatch } from "../../kube/write/patch.js";
import type { ActionCall, ActionTable } from "../../reconcile/kind.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import type { DnsAction } from "../../records/actions.js";
import { type DnsService, NoDnsError } from "../../records/dns-service.js";
import type { Gathered } from "./gather.js";
import type { Plan } from "./plan.js";
import type { Action } from "./planned-actions.js";
import type { NodeDNSMemory, RecordSetObject, ResourceRead } from "./resource.js";

/** The types of this kind, for the engine. */
export interface NodeDNS {
  readonly object: RecordSetObject;
  readonly resource: ResourceRead;
  readonly snapshot: Gathered;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: NodeDNSMemory;
}

export function actions(dnsService: DnsService): ActionTable<NodeDNS> {
  const changeRecords = (call: ActionCall<NodeDNS>, action: DnsAction) => callProvider(dnsService, call, action);
  return {
    "read-records": changeRecords,
    "apply-records": changeRecords,
    // Written with the rest of the status at the end of the run; until then this process knows it.
    "record-dns": async ({ state, plan }, { written }) => {
      state.pendingStatus.set(["dns"], written);
      state.pendingStatus.set(["addresses"], plan.intended);
      return DONE;
    },
    "add-finalizer": ({ state, signal }) => setFinalizer(state, true, signal),
    "remove-finalizer": ({ state, signal }) => setFinalizer(state, false, signal),
  };
}

async function callProvider(
  dnsService: DnsService,
  { snapshot, context }: ActionCall<NodeDNS>,
  action: DnsAction,
): Promise<Outcome> {
  try {
    await dnsService.carryOut(snapshot.dns, action, context);
    return DONE;
  } catch (error) {
    if (!(error instanceof NoDnsError)) throw error;
    const problem = { reason: "UnknownProvider", message: error.message } as const;
    return { is: "refused", failure: { kind: "Terminal", problem } };
  }
}

async function setFinalizer(state: ResourceState<NodeDNS>, present: boolean, signal: AbortSignal): Promise<Outcome> {
  await state.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, present), signal });
  return DONE;
}
