/** What an issuer asks for, and how it is done. */

import { Finalizer } from "cdk8s-flipop/api";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { finalizerPatch, statusPatch } from "../../kube/write/patch.js";
import type { ActionTable } from "../../reconcile/kind.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import type { IssuerObject, IssuerRead } from "../../routing/resource.js";
import type { Gathered, IssuerMemory } from "./gather.js";
import type { Action, Plan } from "./plan.js";

/** The types of this kind, for the engine. */
export interface RoutedIPIssuer {
  readonly object: IssuerObject;
  readonly resource: IssuerRead;
  readonly snapshot: Gathered;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: IssuerMemory;
}

export const ACTIONS: ActionTable<RoutedIPIssuer> = {
  "add-finalizer": ({ state }) => setFinalizer(state, true),
  "remove-finalizer": ({ state }) => setFinalizer(state, false),
  "record-firewall": async ({ state }, { created }) => {
    const patch = (object: RoutedIPIssuer["object"]) => statusPatch(object, { createdFirewall: created });
    await state.write({ patch, subresource: "status", fact: true });
    return DONE;
  },
  "remove-firewall": async ({ snapshot: { access }, context }, { firewall }) => {
    const provider = access.answer.account?.providers.firewalls;
    if (provider === undefined || access.firewall === undefined)
      return skipped("the account of the firewall is not known");
    const { account } = access;
    await access.firewall.remove({ provider, context, ...(account && { account }) }, firewall);
    return DONE;
  },
};

async function setFinalizer(state: ResourceState<RoutedIPIssuer>, present: boolean): Promise<Outcome> {
  await state.write({ patch: (object) => finalizerPatch(object, Finalizer.inUse, present) });
  return DONE;
}
