/**
 * What a plan asks for: the actions of a pool that fit a single address, and those on the firewall and on taints. They
 * come in steps, whose order is the one with the least loss of service; see steps.ts.
 */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import type { Taint } from "../../kube/slim.js";
import type { CreateFirewall, FirewallChange, ProviderId } from "../../providers/types.js";
import type { Action as PoolAction } from "../floating-ip-pool/actions.js";
import type { Recorded } from "./firewall.js";

interface Reasoned {
  /** For people; completes "... because". */
  readonly why: string;
}

/** Actions of pools that mean the same here; the object is the RoutedIP. `annotate-pool`: its backup annotation. */
const SHARED = [
  "record-intent",
  "settle-creation",
  "record-creation",
  "drop-intent-copy",
  "forget-created",
  "annotate-pool",
  "clear-forget-creation",
  "add-finalizer",
  "remove-finalizer",
  "record-dns",
  "create-address",
  "assign",
  "unassign",
  "release",
  "poll",
  "read-records",
  "apply-records",
] as const satisfies readonly PoolAction["do"][];

export type SharedAction = Extract<PoolAction, { readonly do: (typeof SHARED)[number] }>;

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

/** A chain of a pool's plan, as far as it concerns a single address. */
export function sharedChain(sequence: readonly PoolAction[]): readonly SharedAction[] {
  return sequence.filter((action): action is SharedAction => DOES.has(action.do));
}

const DOES: ReadonlySet<PoolAction["do"]> = new Set(SHARED);

export type Of<K extends Action["do"]> = Extract<Action, { readonly do: K }>;

/** Calls to the provider of addresses. */
export type AddressDo = "assign" | "unassign" | "release" | "poll" | "create-address";

/** Calls to the provider of firewalls, and what is written for the one that was made. */
export type FirewallDo = "read-firewall" | "create-firewall" | "change-firewall" | "record-created-firewall";
