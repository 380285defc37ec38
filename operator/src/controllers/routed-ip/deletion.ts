/** The finalizer, and the clean-up of a RoutedIP that goes: nothing of it stays behind but what the policies keep. */

import { Finalizer } from "cdk8s-flipop/api";
import type { FirewallFacts } from "../../providers/types.js";
import { isCleanupOverdue } from "../cleanup.js";
import type { Chain as PoolChain } from "../floating-ip-pool/actions.js";
import { settlementOf } from "../floating-ip-pool/creation.js";
import { keptBack, leftBehind as leftOfPool, whyOver } from "../floating-ip-pool/deletion.js";
import type { Standing } from "../floating-ip-pool/grace.js";
import { drainUntil, reclaimChains } from "../floating-ip-pool/reclaim.js";
import { recordRemoval } from "../floating-ip-pool/records.js";
import type { Snapshot as PoolSnapshot } from "../floating-ip-pool/snapshot.js";
import { addressSubject, movedAddress } from "../floating-ip-pool/subject.js";
import { isDue } from "../retry-schedule.js";
import type { Action, Chain } from "./actions.js";
import { sharedChain } from "./actions.js";
import { asPool, createdIp } from "./as-pool.js";
import { changeOf, type FirewallPlan, type FirewallSnapshot, planFirewall } from "./firewall.js";
import { ruleFacts } from "./ports.js";
import { recordOf } from "./report.js";
import type { RoutedIP, Snapshot } from "./snapshot.js";
import { strayTaints, taintedByUs } from "./taints.js";

export function isDeleting({ metadata }: Pick<RoutedIP, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function hasFinalizer({ metadata }: Pick<RoutedIP, "metadata">): boolean {
  return metadata.finalizers?.includes(Finalizer.cleanup) === true;
}

/** Whether there is cloud state to undo one day, or is about to be. */
export function needsFinalizer(snapshot: Snapshot, aboutToAct: boolean): boolean {
  const { spec, status } = snapshot.routed;
  const recordsGo = spec.dnsRecordSet?.deletionPolicy === "Delete";
  const address = status.created === true || status.pendingCreation !== undefined;
  const addressGoes = address && snapshot.terms?.reclaimPolicy === "Delete";
  return aboutToAct || recordsGo || addressGoes || hasTraces(snapshot.routed);
}

/** In a firewall, or on a node: its taint. */
function hasTraces({ status }: RoutedIP): boolean {
  const { firewallRules = [], formerFirewalls = [], firewall, assignedNode, providerID } = status;
  return (
    firewallRules.length + formerFirewalls.length > 0 ||
    [firewall, assignedNode, providerID].some((trace) => trace !== undefined)
  );
}

/** Each chain stands for itself: a failure of one holds up no other. The finalizer goes when nothing is left. */
export function deletionChains(
  snapshot: Snapshot,
  standings: readonly Standing[],
  firewall: FirewallPlan | undefined,
): readonly Chain[] {
  if (!hasFinalizer(snapshot.routed)) return [];
  const left = leftBehind(snapshot, standings, firewall);
  const overdue = isCleanupOverdue(snapshot.routed.metadata, snapshot.now, snapshot.memory.cleanup);
  if (left.length > 0 && !overdue) return cleanUp(snapshot, standings, firewall);
  const kept = keptBack(asPool(snapshot), standings);
  return [[{ do: "remove-finalizer", leftBehind: [...left, ...kept], why: whyOver(left, kept) }]];
}

/** In words; empty: all is cleaned up. */
export function leftBehind(
  snapshot: Snapshot,
  standings: readonly Standing[],
  plan: FirewallPlan | undefined,
): readonly string[] {
  const { routed, terms } = snapshot;
  const orphan = terms === undefined ? createdIp(routed) : undefined;
  return [
    ...leftOfPool(asPool(snapshot), standings),
    ...(orphan === undefined
      ? []
      : [`address ${orphan}, whose issuer can't be found: nobody knows whether to release it`]),
    ...firewallTraces(snapshot, plan),
    ...(snapshot.formers ?? []).flatMap((former) => formerTraces(snapshot, former)),
    ...taintedByUs(snapshot).map((node) => `a taint on node ${node}`),
  ];
}

function cleanUp(
  snapshot: Snapshot,
  standings: readonly Standing[],
  firewall: FirewallPlan | undefined,
): readonly Chain[] {
  const pool = asPool(snapshot);
  const recordsGo = snapshot.routed.spec.dnsRecordSet?.deletionPolicy === "Delete";
  // The address is on its way out of DNS: as long as people may still come by it, its ports stay open.
  const draining = standings.some((standing) => (drainUntil(pool, standing) ?? 0) > snapshot.now);
  const closing = draining ? [] : [firewallRemoval(snapshot, firewall), ...formerRemovals(snapshot)];
  const taints = snapshot.cachesComplete ? strayTaints(snapshot, []).map((action): Chain => [action]) : [];
  const records = recordsGo ? sharedChain(recordRemoval(pool)) : [];
  return [records, ...addressChains(snapshot, standings), ...closing, ...taints].filter((chain) => chain.length > 0);
}

function addressChains(snapshot: Snapshot, standings: readonly Standing[]): readonly Chain[] {
  if (snapshot.terms?.reclaimPolicy !== "Delete" || !snapshot.inventory.complete) return [];
  const pool = asPool(snapshot);
  const due = reclaimChains(pool, standings).filter((chain) => isDue(retryAtOf(pool, chain), snapshot.now));
  return [settlementOf(pool)?.chain ?? [], ...due].map(sharedChain);
}

/** After a refused call about the address. */
function retryAtOf({ memory }: PoolSnapshot, chain: PoolChain): number | undefined {
  const ip = movedAddress(chain);
  return ip === undefined ? undefined : memory.accountRetryAt?.get(addressSubject(ip));
}

/** ms since the epoch: when the next refused call about an address may be repeated. */
export function retriesOf({ routed, memory }: Snapshot): readonly number[] {
  return isDeleting(routed) ? [...(memory.accountRetryAt?.values() ?? [])] : [];
}

/** Rules, then nodes: never the other way round, though nobody needs either any more. */
export function firewallRemoval({ firewall, routed }: Snapshot, plan: FirewallPlan | undefined): Chain {
  const idle = routed.status.firewall === undefined && (routed.status.firewallRules ?? []).length === 0;
  if (firewall === undefined || plan === undefined || idle || firewall.failure !== undefined) return [];
  const { name, facts } = firewall;
  if (isToBeRead(plan) || facts === "unknown") {
    return [{ do: "read-firewall", name, nodes: [], why: "what is left in it has to be found out" }];
  }
  const why = "the RoutedIP does not need it any more";
  const recorded: Action = { do: "record-firewall", name, recorded: plan.recorded, why };
  return facts === "missing" ? [recorded] : [recorded, ...removals(facts, plan, why)];
}

function isToBeRead({ read, reread }: FirewallPlan): boolean {
  return read !== undefined || reread !== undefined;
}

/** What is left in the firewalls that were named before. */
export function formerRemovals({ formers = [], routed }: Snapshot): readonly Chain[] {
  return formers.map((former) => {
    const { name, facts, failure } = former;
    const plan = planFirewall(former, { rules: [] }, recordOf(routed.status, name));
    if (failure !== undefined) return [];
    if (facts === "unknown" || former.due === true)
      return [{ do: "read-firewall", name, nodes: [], why: "what is left in it has to be found out" }];
    const why = "another firewall has taken its place";
    const recorded: Action = { do: "record-firewall", name, recorded: plan.recorded, former: true, why };
    const changes = facts === "missing" ? [] : removals(facts, plan, why);
    return changes.length === 0 ? [recorded] : changes;
  });
}

function removals(facts: FirewallFacts, { removeRules, removeNodes }: FirewallPlan, why: string): Chain {
  const parts = [{ removeRules }, { removeNodes }].filter((part) => Object.values(part).flat().length > 0);
  return parts.map((part) => ({ do: "change-firewall", change: changeOf(facts, part), why }));
}

/** What we recorded and is to go, or may be there still. */
function firewallTraces(snapshot: Snapshot, plan: FirewallPlan | undefined): readonly string[] {
  const { routed, firewall } = snapshot;
  const { rules: ours, nodes } = recordOf(routed.status, firewall?.name ?? routed.status.firewall?.name);
  if (plan !== undefined && isRead(firewall)) {
    const { removeRules, removeNodes } = plan;
    return traceTexts(firewall, { rules: removeRules, nodes: removeNodes });
  }
  const rules = ours.filter(({ preexisting }) => preexisting !== true).map(ruleFacts);
  return traceTexts(firewall, { rules, nodes });
}

function formerTraces({ routed }: Snapshot, former: FirewallSnapshot): readonly string[] {
  const recorded = recordOf(routed.status, former.name);
  if (isRead(former)) {
    const { removeRules, removeNodes } = planFirewall(former, { rules: [] }, recorded);
    return traceTexts(former, { rules: removeRules, nodes: removeNodes });
  }
  const rules = recorded.rules.filter(({ preexisting }) => preexisting !== true).map(ruleFacts);
  return traceTexts(former, { rules, nodes: recorded.nodes });
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
