/** The finalizer, and the cleanup of a deleted RoutedIP: it removes everything that the policies do not keep. */

import { Finalizer } from "cdk8s-flipop/api";
import { creationRecoveryOf } from "../../addresses/creation/creation-plan.js";
import { recordRemoval } from "../../addresses/dns-records.js";
import { hasMarks } from "../../addresses/marks/holder-labels-and-taints.js";
import { markRemovals, markTraces } from "../../addresses/marks/mark-plan.js";
import type { Placement } from "../../addresses/placements.js";
import {
  abandonedItems as abandonedAddresses,
  keptBack,
  releaseChains,
  deletionOf as sharedDeletionOf,
  whyOver,
} from "../../addresses/release.js";
import { isDraining } from "../../addresses/releases/dns-drain.js";
import type { Problem } from "../../messages/message.js";
import { deletionMessages } from "../../messages/summary.js";
import { changeOf } from "../../providers/diff.js";
import type { FirewallFacts } from "../../providers/firewall-types.js";
import type { Deletion } from "../../reconcile/plan.js";
import { isCleanupOverdue } from "../../reconcile/retries.js";
import { setsToDelete } from "../../records/begun-records.js";
import { NO_RECORD } from "../../routing/firewalls/firewall-shares.js";
import { ruleFacts } from "../../routing/needed-ports.js";
import type { RoutedIP } from "../../routing/read-resources.js";
import { omitUndefined } from "../../values.js";
import { type Action, type ActionChain, type RetainAction, sharedChain } from "./actions.js";
import { createdIp, retaining } from "./address/address-set.js";
import { type FirewallPlan, planFirewall, record as recordOfRule } from "./firewall/plan.js";
import type { FirewallSnapshot } from "./firewall/snapshot.js";
import { strayTaints, taintedByUs } from "./node-election.js";
import type { Snapshot } from "./snapshot.js";
import { recordOf } from "./status.js";

export function isDeleting({ metadata }: Pick<RoutedIP, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function hasFinalizer({ metadata }: Pick<RoutedIP, "metadata">): boolean {
  return metadata.finalizers?.includes(Finalizer.cleanup) === true;
}

/** Whether there is cloud state to undo one day, or is about to be. */
export function needsFinalizer(snapshot: Snapshot, aboutToAct: boolean): boolean {
  const { spec, status } = snapshot.routed;
  const recordsGo = spec.dnsRecordSet?.deletionPolicy === "Delete" || setsToDelete({ ...spec, ...status }).length > 0;
  const pendingGoes = status.pendingCreation !== undefined && snapshot.resolvedClass?.reclaimPolicy === "Delete";
  const address = status.created === true || pendingGoes;
  return aboutToAct || recordsGo || address || hasMarks(snapshot) || hasTraces(snapshot.routed);
}

/** In a firewall, or on a node: its taint. */
function hasTraces({ status }: RoutedIP): boolean {
  const { firewallRules = [], previousFirewalls = [], firewall, assignedNode, providerID } = status;
  return (
    firewallRules.length + previousFirewalls.length > 0 ||
    [firewall, assignedNode, providerID].some((trace) => trace !== undefined)
  );
}

/** Each chain stands for itself: a failure of one holds up no other. The finalizer goes when nothing is left. */
export function deletionChains(
  snapshot: Snapshot,
  placements: readonly Placement[],
  firewall: FirewallPlan | undefined,
): readonly ActionChain[] {
  if (!hasFinalizer(snapshot.routed)) return [];
  const left = abandonedItems(snapshot, placements, firewall);
  const overdue = isCleanupOverdue(snapshot.routed.metadata, snapshot.now, snapshot.memory.cleanup);
  if (left.length > 0 && !overdue) return cleanUp(snapshot, placements, firewall);
  const kept = keptBack(snapshot, placements);
  const finish: Action = { do: "remove-finalizer", abandonedItems: [...left, ...kept], why: whyOver(left, kept) };
  const isReleased = snapshot.resolvedClass?.reclaimPolicy === "Delete";
  const addresses = overdue || isReleased ? [] : retaining(snapshot.routed);
  return [[...addresses, ...(overdue ? [] : retainingRecords(snapshot.routed)), finish]];
}

/** What it wrote and leaves: a RoutedIP that is created again would otherwise count it as another's. */
export function retainingRecords({ metadata, spec, status: { dns } }: RoutedIP): readonly RetainAction[] {
  if (dns === undefined || dns.values.length === 0 || spec.dnsRecordSet?.deletionPolicy === "Delete") return [];
  const records = { ...dns, namespace: metadata.namespace ?? "" };
  return [{ do: "record-retained", retained: { records }, why: "RoutedIPs of its namespace may have the name again" }];
}

/** In words; empty: all is cleaned up. */
export function abandonedItems(
  snapshot: Snapshot,
  placements: readonly Placement[],
  plan: FirewallPlan | undefined,
): readonly string[] {
  const { routed, resolvedClass } = snapshot;
  const orphan = resolvedClass === undefined ? createdIp(routed) : undefined;
  return [
    ...abandonedAddresses(snapshot, placements),
    ...(orphan === undefined
      ? []
      : [`address ${orphan}, whose issuer cannot be found: whether to release it is unknown`]),
    ...firewallTraces(snapshot, plan),
    ...(snapshot.previousFirewallStates ?? []).flatMap((previous) => previousTraces(snapshot, previous)),
    ...markTraces(snapshot),
    ...taintedByUs(snapshot).map((node) => `a taint on node ${node}`),
  ];
}

/** `undefined`: there is no cleanup. */
export function deletionOf(
  snapshot: Snapshot,
  placements: readonly Placement[],
  plan: FirewallPlan | undefined,
): Deletion | undefined {
  if (!isDeleting(snapshot.routed) || !hasFinalizer(snapshot.routed)) return undefined;
  const of = sharedDeletionOf(snapshot, placements, abandonedItems(snapshot, placements, plan));
  return { ...of, ...omitUndefined({ cause: causeOf(snapshot) ?? of.cause }) };
}

function causeOf({ problem, providerFailure, firewall }: Snapshot): Problem | undefined {
  return problem ?? providerFailure ?? firewall?.failure;
}

/** For the conditions: if the cleanup fails, they say what the deletion waits for. */
export function withDeletion(snapshot: Snapshot, deletion: Deletion | undefined): Snapshot {
  const cause = causeOf(snapshot);
  if (cause === undefined || deletion === undefined || deletion.left.length === 0) return snapshot;
  const { left } = deletion;
  return { ...snapshot, problem: deletionMessages.cleanupFails({ left, cause, finalizer: Finalizer.cleanup }) };
}

function cleanUp(
  snapshot: Snapshot,
  placements: readonly Placement[],
  firewall: FirewallPlan | undefined,
): readonly ActionChain[] {
  const { dnsRecordSet: wanted } = snapshot.routed.spec;
  const recordsGo = wanted === undefined || wanted.deletionPolicy === "Delete";
  const draining = placements.some((placement) => isDraining(snapshot, placement));
  const closing = draining ? [] : [firewallRemoval(snapshot, firewall), ...previousFirewallRemovals(snapshot)];
  const taints = snapshot.cachesComplete ? strayTaints(snapshot, []).map((action): ActionChain => [action]) : [];
  const marks = snapshot.cachesComplete ? markRemovals(snapshot) : [];
  const records = recordsGo ? sharedChain(recordRemoval(snapshot)) : [];
  return [records, ...addressChains(snapshot, placements), ...closing, ...taints, ...marks].filter(
    (chain) => chain.length > 0,
  );
}

function addressChains(snapshot: Snapshot, placements: readonly Placement[]): readonly ActionChain[] {
  if (snapshot.resolvedClass?.reclaimPolicy !== "Delete" || !snapshot.inventory.complete) return [];
  return [creationRecoveryOf(snapshot)?.chain ?? [], ...releaseChains(snapshot, placements)].map(sharedChain);
}

/** Rules first, then nodes, although no resource needs either any more. */
export function firewallRemoval({ firewall, routed }: Snapshot, plan: FirewallPlan | undefined): ActionChain {
  const idle = routed.status.firewall === undefined && (routed.status.firewallRules ?? []).length === 0;
  if (firewall === undefined || plan === undefined || idle || firewall.failure !== undefined) return [];
  const { name, facts } = firewall;
  if (isToBeRead(plan) || facts === "unknown") {
    return [{ do: "read-firewall", name, nodes: [], why: "what is left in it has to be found out" }];
  }
  const why = "the RoutedIP does not need it any more";
  return closing(facts, plan, { name, why });
}

function closing(
  facts: FirewallFacts | "missing",
  plan: FirewallPlan,
  { name, why }: { readonly name: string; readonly why: string },
): ActionChain {
  if (isHeld(plan)) return handOver(name, plan);
  const recorded: Action = { do: "record-firewall", name, recorded: plan.recorded, why };
  return facts === "missing" ? [recorded] : [recorded, ...removals(facts, plan, why)];
}

function isToBeRead({ read, reread }: FirewallPlan): boolean {
  return read !== undefined || reread !== undefined;
}

function isHeld({ held }: FirewallPlan): boolean {
  return held !== undefined && held.removeRules.length + held.removeNodes.length > 0;
}

/** Another installation may need it: the last one that uses the issuer cleans up. */
function handOver(name: string, { held }: FirewallPlan, previous: { readonly previous?: true } = {}): ActionChain {
  const { removeRules = [], removeNodes: nodes = [] } = held ?? {};
  const why = "another installation uses the issuer, and may need it";
  const rules = removeRules.map((rule) => recordOfRule(rule, "present"));
  return [
    { do: "record-retained", retained: { firewall: { name, rules, nodes } }, why },
    { do: "record-firewall", name, recorded: NO_RECORD, ...previous, why },
  ];
}

/** What is left in the firewalls that were named before. */
export function previousFirewallRemovals({ previousFirewallStates = [], routed }: Snapshot): readonly ActionChain[] {
  return previousFirewallStates.map((previous) => {
    const { name, facts, failure } = previous;
    const plan = planFirewall(previous, { rules: [] }, recordOf(routed.status, name));
    if (failure !== undefined) return [];
    if (facts === "unknown" || previous.due === true)
      return [{ do: "read-firewall", name, nodes: [], why: "what is left in it has to be found out" }];
    if (isHeld(plan)) return isDeleting(routed) ? handOver(name, plan, { previous: true }) : [];
    const why = "another firewall has taken its place";
    const recorded: Action = { do: "record-firewall", name, recorded: plan.recorded, previous: true, why };
    const changes = facts === "missing" ? [] : removals(facts, plan, why);
    return changes.length === 0 ? [recorded] : changes;
  });
}

function removals(facts: FirewallFacts, { removeRules, removeNodes }: FirewallPlan, why: string): ActionChain {
  const parts = [{ removeRules }, { removeNodes }].filter((part) => Object.values(part).flat().length > 0);
  return parts.map((part) => ({ do: "change-firewall", change: changeOf(facts, part), why }));
}

/** What we recorded and is to go, or may be there still. */
function firewallTraces(snapshot: Snapshot, plan: FirewallPlan | undefined): readonly string[] {
  const { routed, firewall } = snapshot;
  const { rules: ours, nodes } = recordOf(routed.status, firewall?.name ?? routed.status.firewall?.name);
  if (plan !== undefined && isRead(firewall)) {
    return traceTexts(firewall, goingOf(plan));
  }
  const rules = ours.filter(({ preexisting }) => preexisting !== true).map(ruleFacts);
  return traceTexts(firewall, { rules, nodes });
}

function previousTraces({ routed }: Snapshot, previous: FirewallSnapshot): readonly string[] {
  const recorded = recordOf(routed.status, previous.name);
  if (isRead(previous)) {
    return traceTexts(previous, goingOf(planFirewall(previous, { rules: [] }, recorded)));
  }
  const rules = recorded.rules.filter(({ preexisting }) => preexisting !== true).map(ruleFacts);
  return traceTexts(previous, { rules, nodes: recorded.nodes });
}

/** The parts that go, and those that the operator hands over. */
function goingOf({ removeRules, removeNodes, held }: FirewallPlan): Traces {
  return {
    rules: [...removeRules, ...(held?.removeRules ?? [])],
    nodes: [...removeNodes, ...(held?.removeNodes ?? [])],
  };
}

function isRead(firewall: FirewallSnapshot | undefined): firewall is FirewallSnapshot {
  return firewall !== undefined && firewall.failure === undefined && firewall.facts !== "unknown";
}

interface Traces {
  readonly rules: readonly { readonly protocol: string; readonly ports: string }[];
  readonly nodes: readonly string[];
}

function traceTexts(firewall: FirewallSnapshot | undefined, { rules, nodes }: Traces): readonly string[] {
  const where = `firewall ${firewall?.name ?? "that its issuer named"}`;
  return [
    ...rules.map(({ protocol, ports }) => `rule ${protocol} ${ports} in ${where}`),
    ...nodes.map((node) => `${node} in ${where}`),
  ];
}
