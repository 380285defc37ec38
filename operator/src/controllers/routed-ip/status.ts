/** What the status says, before the outcomes of the actions are folded in. */

import type { AddressStatus, FirewallShare, RoutedIPStatus, RoutedPort } from "cdk8s-flipop/api";
import { isDeleting, isObserved } from "../../addresses/address-set.js";
import { addressesOf, type PlannedAddress } from "../../addresses/address-status.js";
import type { AssignmentPlan } from "../../addresses/assignments.js";
import { shownMarks } from "../../addresses/marks/holder-labels-and-taints.js";
import { type Placement, placementsOf } from "../../addresses/placements.js";
import { timeOf } from "../../clock.js";
import { shownProbes } from "../../health/probes-for-controllers.js";
import { accessMessages } from "../../messages/issuers-and-classes.js";
import type { Problem } from "../../messages/message.js";
import { reportedRetry } from "../../reconcile/retries.js";
import type { Recorded } from "../../routing/firewalls/firewall-shares.js";
import type { Snapshot } from "./snapshot.js";

/** While the account cannot be asked, the address counts as where it was last seen: its node may fail meanwhile. */
export function lastSeen(snapshot: Snapshot, placement: Placement | undefined): Placement | undefined {
  const { cachesComplete, problem, providerFailure, routed, verdictOf } = snapshot;
  const { state, providerID: holder } = routed.status;
  const isUnread = cachesComplete && (problem ?? providerFailure) !== undefined && !isObserved(snapshot);
  if (!isUnread || isDeleting(snapshot.set) || holder === undefined || !IS_PLACED.has(state)) return placement;
  if (placement === undefined) return undefined;
  const seen = { certainty: "seen", action: undefined, holder, verdict: verdictOf(holder) } as const;
  return placementsOf(snapshot, [{ ...placement, ...seen }])[0];
}

const IS_PLACED: ReadonlySet<string | undefined> = new Set(["active", "no-match"]);

/** What the status says of the address. */
export function plannedAddress(
  snapshot: Snapshot,
  placement: Placement | undefined,
  assignmentPlan: AssignmentPlan,
): PlannedAddress | undefined {
  const seen = lastSeen(snapshot, placement);
  if (seen === undefined) return undefined;
  const known = seen === placement ? snapshot : { ...snapshot, inventory: { ...snapshot.inventory, complete: true } };
  return addressesOf(known, [seen], assignmentPlan)[0];
}

/** Fields that a run writes; `undefined` takes one away. Those of records (`created`, intents, ...) are others' to write. */
export type PlannedStatus = { readonly [K in AddressField]: RoutedIPStatus[K] | undefined } & Partial<FirewallFields>;

type AddressField =
  | "routedIP"
  | "assignedNode"
  | "providerID"
  | "ports"
  | "state"
  | "error"
  | "since"
  | "graceSince"
  | "reason"
  | "actionID"
  | "retryAt"
  | "failedProbes"
  | "holderLabel"
  | "untilAssignedTaint";

interface FirewallFields {
  readonly firewallRules: RoutedIPStatus["firewallRules"] | undefined;
  readonly firewall: FirewallShare | undefined;
  /** Absent: as they are. */
  readonly previousFirewalls?: RoutedIPStatus["previousFirewalls"] | undefined;
}

export interface StatusInput {
  /** A replaced address, until it is forgotten: with `created` beside it, another one would count as created. */
  readonly address: PlannedAddress | undefined;
  readonly placement: Placement | undefined;
  readonly heldElsewhere: Problem | undefined;
  readonly ports: readonly RoutedPort[];
  /** When the operator tries again what failed for the whole resource. */
  readonly retryAt: string | undefined;
  /** When the operator tries again to add the node to the firewall, ms since the epoch. */
  readonly joinsAt: number | undefined;
  /** Absent: as it is. */
  readonly firewall: { readonly name: string; readonly recorded: Recorded } | undefined;
}

export function plannedStatus(snapshot: Snapshot, input: StatusInput): PlannedStatus {
  const { address, firewall } = input;
  const { status, spec } = snapshot.routed;
  const entry = entryOf(snapshot, input);
  return {
    routedIP: isRefused(snapshot) ? undefined : (address?.ip ?? status.routedIP ?? spec.routedIP),
    assignedNode: entry.nodeName,
    providerID: entry.providerID,
    ports: snapshot.problem === undefined ? filled(input.ports) : status.ports,
    ...(firewall === undefined ? {} : recordedStatus(status, firewall.name, firewall.recorded)),
    state: entry.state,
    error: entry.error,
    since: entry.since,
    graceSince: entry.graceSince,
    reason: entry.reason,
    actionID: entry.actionID,
    failedProbes: shownProbes(snapshot),
    retryAt: isAddressWait(entry) ? entry.retryAt : withFirewalls(snapshot, input),
    ...shownMarks(snapshot),
  };
}

/**
 * As the status has it; nothing where there is nothing on record. What was on record of another firewall stays on
 * record, as that of a former one, until it is cleaned up there.
 */
export function recordedStatus(status: RoutedIPStatus, name: string, { rules, nodes }: Recorded): FirewallFields {
  const idle = rules.length === 0 && nodes.length === 0;
  const { firewall, firewallRules = [], previousFirewalls = [] } = status;
  const retired = firewall === undefined || firewall.name === name ? [] : [{ ...firewall, rules: firewallRules }];
  const previous = [...previousFirewalls, ...retired].filter((other) => other.name !== name);
  const same = retired.length === 0 && previous.length === previousFirewalls.length;
  return {
    firewallRules: filled(rules),
    firewall: idle ? undefined : { name, nodes },
    ...(same ? {} : { previousFirewalls: filled(previous) }),
  };
}

/** What is left on record of a former firewall. */
export function previousStatus(
  { firewall, previousFirewalls = [] }: RoutedIPStatus,
  name: string,
  { rules, nodes }: Recorded,
): Partial<FirewallFields> {
  const idle = rules.length === 0 && nodes.length === 0;
  const others = previousFirewalls.filter((other) => other.name !== name);
  const own = firewall?.name === name ? { firewallRules: undefined, firewall: undefined } : {};
  return { ...own, previousFirewalls: filled(idle ? others : [...others, { name, nodes, rules }]) };
}

/** What is on record of one firewall, be it the present one or a former one. */
export function recordOf(
  { firewall, firewallRules = [], previousFirewalls = [] }: Partial<FirewallFields>,
  name: string | undefined,
): Recorded {
  if (firewall?.name === name || (firewall === undefined && firewallRules.length > 0)) {
    return { rules: firewallRules, nodes: firewall?.nodes ?? [] };
  }
  const { rules, nodes } = previousFirewalls.find((previous) => previous.name === name) ?? { rules: [], nodes: [] };
  return { rules, nodes };
}

/** An address that the RoutedIP may not have, and never had, may be at work for somebody else: the status does not show it. */
function isRefused({ problem, routed: { status } }: Snapshot): boolean {
  return (
    problem?.id === accessMessages.addressNotAllowed.id && status.created !== true && status.providerID === undefined
  );
}

function entryOf(snapshot: Snapshot, { address, placement, heldElsewhere }: StatusInput): AddressStatus {
  if (address === undefined) return {};
  if (heldElsewhere === undefined) return stillServing(snapshot, lastSeen(snapshot, placement), address.status);
  // Not its machine: what the status names as the holder is taken for our own doing.
  const { status } = snapshot.routed;
  const { reason, message: error } = heldElsewhere;
  // A time that changed with each look would be a write with each look.
  const since = status.state === "error" && status.reason === reason ? status.since : address.status.since;
  return { ...(since === undefined ? {} : { since }), state: "error", reason, error };
}

/** No other node may have it, and its holder still serves, so the address works where it is. */
function stillServing(snapshot: Snapshot, placement: Placement | undefined, status: AddressStatus): AddressStatus {
  const node = placement?.verdict?.node.name;
  if (status.state !== "no-match" || node === undefined || !snapshot.servesAt(node)) return status;
  const { was } = placement ?? {};
  const since = was?.state === "active" && was.since !== undefined ? { since: was.since } : {};
  return { ...status, ...since, state: "active" };
}

/** Then `retryAt` is that of the address: see `addressStatus`. */
function isAddressWait({ state }: AddressStatus): boolean {
  return state === "error" || state === "disabled";
}

/** The next try of what failed for the whole resource, calls to its firewalls among them. */
function withFirewalls(
  { firewall, previousFirewallStates = [], routed, now }: Snapshot,
  { retryAt: shared, joinsAt }: Pick<StatusInput, "retryAt" | "joinsAt">,
): string | undefined {
  const firewalls = [...(firewall === undefined ? [] : [firewall]), ...previousFirewallStates];
  return reportedRetry(
    [timeOf(shared), joinsAt, ...firewalls.map(({ retryAt }) => retryAt)],
    routed.status.retryAt,
    now,
  );
}

function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
