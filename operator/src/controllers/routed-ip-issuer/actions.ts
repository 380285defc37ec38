/** What an issuer asks for, and how it is done. */

import { type CreatedFirewall, Finalizer } from "cdk8s-flipop/api";
import { finalizerPatch, statusPatch } from "../../kube/patch.js";
import type { FirewallFacts } from "../../providers/types.js";
import type { ActionTable, Action as EngineAction } from "../../reconcile/kind.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { DONE, type Outcome, skipped } from "../addresses/outcomes.js";
import type { RoutedIPIssuer } from "./resource.js";

export type Action =
  | (EngineAction & { readonly do: "add-finalizer" })
  /** `leftBehind`: what was not cleaned up in time. */
  | (EngineAction & { readonly do: "remove-finalizer"; readonly leftBehind: readonly string[] })
  /** The operator created it, it is empty, and no RoutedIP uses it. */
  | (EngineAction & { readonly do: "remove-firewall"; readonly firewall: Pick<FirewallFacts, "id" | "name"> })
  /** `status.createdFirewall`; `undefined` removes it. */
  | (EngineAction & { readonly do: "record-firewall"; readonly created: CreatedFirewall | undefined });

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
    await access.firewall.remove({ provider, context }, firewall);
    return DONE;
  },
};

async function setFinalizer(state: ResourceState<RoutedIPIssuer>, present: boolean): Promise<Outcome> {
  await state.write({ patch: (object) => finalizerPatch(object, Finalizer.inUse, present) });
  return DONE;
}
