/**
 * What a plan asks for: the actions on addresses that fit a single one, and those on the firewall and on taints. They
 * come in steps, whose order is the one with the least loss of service; see `update/steps.ts`.
 */

import type { CreatedFirewall, PreviousFirewall, RetainedAddress, RetainedRecords } from "cdk8s-flipop/api";
import type { ListAction, NodeAction, Action as SetAction } from "../../addresses/actions.js";
import type { Taint } from "../../kube/cache/slim-objects.js";
import type { TaintId } from "../../match/taint-claims.js";
import type { CreateFirewall, FirewallChange } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import type { Chain } from "../../reconcile/plan.js";
import type { Reasoned } from "../../records/record-actions.js";
import type { Recorded } from "../../routing/firewalls/firewall-shares.js";
import type { Restored } from "./firewall/plan.js";

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
  /** Creates an additional one, `next`, with the rules of the one of this name. */
  | (Reasoned & {
      readonly do: "extend-firewall";
      readonly name: string;
      readonly next: string;
      readonly nodes: readonly ProviderId[];
    })
  /** One part of it only. What others have come to need meanwhile is not removed. */
  | (Reasoned & {
      readonly do: "change-firewall";
      readonly change: FirewallChange;
    } & Restored);

/** Taints under our prefix become these; all others stay. */
export type TaintAction = Reasoned & {
  readonly do: "set-taints";
  readonly node: string;
  readonly taints: readonly Taint[];
  /** What the installation's annotation on the node becomes. Absent: it stays as it is. */
  readonly claim?: readonly TaintId[];
};

/**
 * In the status of the class or issuer, which outlives the RoutedIP: the namespace may use the address or the name again, and
 * another installation may need a part of a firewall.
 */
export type RetainAction = Reasoned & {
  readonly do: "record-retained";
  readonly retained:
    | { readonly address: RetainedAddress }
    | { readonly records: RetainedRecords }
    | { readonly firewall: PreviousFirewall };
};

export type Action = SharedAction | FirewallAction | TaintAction | RetainAction;

export type ActionChain = Chain<Action>;

/** What of a chain concerns a single address. */
export function sharedChain(chain: readonly SetAction[]): readonly SharedAction[] {
  return chain.filter((action): action is SharedAction => !FOREIGN.has(action.do));
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

/** Machines that an action adds to the firewall. */
export function joining(action: Action): readonly ProviderId[] {
  if (action.do === "change-firewall") return action.change.addNodes;
  return action.do === "create-firewall" ? action.desired.nodes : [];
}

/** Calls to the provider of firewalls, and the record of a created one. */
export type FirewallDo =
  | "read-firewall"
  | "create-firewall"
  | "extend-firewall"
  | "change-firewall"
  | "record-created-firewall";

/** The one chain that brings address, firewall and taint where they belong. */
export const UPDATE = "update";
/** The Job that moves the address. */
export const JOB_KEY = "job";
export const TAINTS = "taints";
export const FINALIZER = "finalizer";

export function firewallKey(name: string): string {
  return `firewall ${name}`;
}

export function pollKey(ip: string): string {
  return `poll ${ip}`;
}
