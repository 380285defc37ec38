/**
 * What a plan asks for: the actions on addresses that fit a single one, and those on the firewall and on taints. They
 * come in steps, whose order is the one with the least loss of service; see steps.ts.
 */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import type { ListAction, NodeAction, Action as SetAction } from "../../addresses/actions.js";
import type { Taint } from "../../kube/cache/slim.js";
import type { CreateFirewall, FirewallChange, ProviderId } from "../../providers/types.js";
import type { Reasoned } from "../../records/actions.js";
import type { Recorded } from "../../routing/firewall-registry.js";

/** Actions on a set of addresses, without those for lists in a spec and for annotations of nodes. */
export type SharedAction = Exclude<SetAction, ListAction | NodeAction>;

export type FirewallAction =
  /** Then plan again. `nodes`: what covers these is to be known, too. */
  | (Reasoned & { readonly do: "read-firewall"; readonly name: string; readonly nodes: readonly ProviderId[] })
  /** `status.firewallRules` and `status.firewall`, before the firewall is changed. `previous`: `status.previousFirewalls`. */
  | (Reasoned & {
      readonly do: "record-firewall";
      readonly name: string;
      readonly recorded: Recorded;
      readonly previous?: true;
    })
  /** In the issuer's status: with an empty id before the creation, with its id after it. */
  | (Reasoned & { readonly do: "record-created-firewall"; readonly created: CreatedFirewall })
  | (Reasoned & { readonly do: "create-firewall"; readonly desired: CreateFirewall })
  /** One part of it only. What others have come to need meanwhile is not removed. */
  | (Reasoned & { readonly do: "change-firewall"; readonly change: FirewallChange });

/** Taints under our prefix become these; all others stay. */
export type TaintAction = Reasoned & {
  readonly do: "set-taints";
  readonly node: string;
  readonly taints: readonly Taint[];
};

export type Action = SharedAction | FirewallAction | TaintAction;

export type ActionSequence = readonly Action[];

/** What of a sequence concerns a single address. */
export function sharedChain(sequence: readonly SetAction[]): readonly SharedAction[] {
  return sequence.filter((action): action is SharedAction => !FOREIGN.has(action.do));
}

const FOREIGN_ACTIONS: Readonly<Record<(ListAction | NodeAction)["do"], true>> = {
  "append-to-spec": true,
  "mark-in-spec": true,
  "drop-from-spec": true,
  "record-assignment": true,
  "annotate-node": true,
  "unannotate-node": true,
};
const FOREIGN: ReadonlySet<string> = new Set(Object.keys(FOREIGN_ACTIONS));

export type Of<K extends Action["do"]> = Extract<Action, { readonly do: K }>;

/** Calls to the provider of addresses. */
export type AddressDo = "assign" | "unassign" | "release" | "poll" | "create-address";

/** Calls to the provider of firewalls, and the record of a created one. */
export type FirewallDo = "read-firewall" | "create-firewall" | "change-firewall" | "record-created-firewall";
