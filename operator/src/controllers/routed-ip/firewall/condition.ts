/** Condition FirewallReady of a RoutedIP. */

import type { IpFamily, RoutedPort } from "cdk8s-flipop/api";
import { isDeleting, refOf } from "../../../addresses/address-set.js";
import { isOfOther, type Placement } from "../../../addresses/placements.js";
import { addressMessages } from "../../../messages/addresses.js";
import {
  firewallRemarks,
  type OtherNumbers,
  type PortKind,
  type SharedPorts,
} from "../../../messages/firewall-remarks.js";
import { firewallMessages } from "../../../messages/firewalls.js";
import type { Problem } from "../../../messages/message.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../providers/firewall-types.js";
import { no, type PlannedCondition, unknown, yes } from "../../../reconcile/conditions.js";
import { itemsOf } from "../../../routing/firewalls/own-firewall-writes.js";
import {
  EVERYBODY,
  lackOfPorts,
  needsRule,
  type PortsFound,
  ruleFacts,
  ruleOpens,
  rulesOf,
} from "../../../routing/needed-ports.js";
import type { ResolvedIssuerClass } from "../../../routing/resolved-class.js";
import { serviceKeyOf } from "../../../routing/service.js";
import { omitUndefined } from "../../../values.js";
import type { Snapshot } from "../snapshot.js";
import { isRecorded, type Place } from "../update/steps.js";
import { keptTraces } from "./leave-previous-firewalls.js";
import type { FirewallPlan } from "./plan.js";
import type { FirewallSnapshot } from "./snapshot.js";

export interface FirewallFindings {
  readonly placement: Placement | undefined;
  /** The address is on a machine of somebody else. */
  readonly heldElsewhere: Problem | undefined;
  /** The node that serves the address, or gets it. */
  readonly target: Place | undefined;
  readonly ports: PortsFound;
  readonly firewall: FirewallPlan | undefined;
}

export function firewallProblem(snapshot: Snapshot, findings: FirewallFindings): Problem | undefined {
  // Without a firewall the operator opens no port, so it refuses none.
  const refused = snapshot.resolvedClass?.firewallName === undefined ? undefined : findings.ports.refused;
  return firewallFailure(snapshot, findings) ?? refused;
}

/** Why the address cannot go where it should, as far as the firewall is concerned. */
export function firewallFailure(
  { firewall: seen }: Pick<Snapshot, "firewall">,
  { firewall: plan }: Pick<FirewallFindings, "firewall">,
): Problem | undefined {
  return plan?.nodeProblem ?? plan?.rulesProblem ?? (plan && seen?.lastFailure);
}

export function firewallReady(snapshot: Snapshot, findings: FirewallFindings): PlannedCondition {
  if (snapshot.problem !== undefined) return no("FirewallReady", snapshot.problem);
  if (isDeleting(snapshot.set)) return unknown("FirewallReady", firewallMessages.beingDeleted());
  if (isUnneeded(findings)) return unknown("FirewallReady", firewallMessages.addressOfOther());
  return ofNeeded(snapshot, findings);
}

function ofNeeded(snapshot: Snapshot, findings: FirewallFindings): PlannedCondition {
  const { firewall, resolvedClass } = snapshot;
  const { firewall: plan } = findings;
  if (resolvedClass === undefined) return unknown("FirewallReady");
  if (resolvedClass.firewallName === undefined) return notNamed(snapshot, resolvedClass);
  if (plan === undefined || firewall === undefined) return unknown("FirewallReady");
  const obstacle = firewallProblem(snapshot, findings) ?? lackOfPorts(findings.ports);
  if (obstacle !== undefined) return no("FirewallReady", obstacle);
  if (!needsNoRule(snapshot, findings.ports, plan)) return inStep(snapshot, { firewall, plan }, findings);
  const { nodePortRange } = resolvedClass;
  const { ports } = findings.ports;
  const { name } = firewall;
  const taken = { name, ports: textsOf(ports), kind: kindOf(ports), nodePortRange };
  const seen = firewallRemarks.notNeeded({ ...taken, exists: false });
  return yes("FirewallReady", withAssumed(snapshot, { name, exists: false, seen }, findings.ports));
}

function notNamed(snapshot: Snapshot, { issuer }: Pick<ResolvedIssuerClass, "issuer">): PlannedCondition {
  const kept = keptTraces(snapshot);
  const seen = kept.length === 0 ? firewallRemarks.notNamed({ issuer }) : firewallRemarks.namedNoMore({ issuer, kept });
  return yes("FirewallReady", seen);
}

/** All its ports are in the NodePort range: a firewall that does not exist is none that is missing. */
function needsNoRule({ firewall, resolvedClass }: Snapshot, ports: PortsFound, plan: FirewallPlan): boolean {
  if (firewall?.facts !== "missing" || ports.ports.length === 0 || plan.recorded.rules.length > 0) return false;
  const { nodePortRange = "" } = resolvedClass ?? {};
  return rulesOf(ports.ports, { nodePortRange, sourceRanges: ports.sourceRanges }).length === 0;
}

/** The firewall is not read for an address that this resource may not move. */
function isUnneeded({ heldElsewhere, placement }: FirewallFindings): boolean {
  return heldElsewhere !== undefined || isOfOther(placement);
}

interface Planned {
  readonly firewall: FirewallSnapshot;
  readonly plan: FirewallPlan;
}

function inStep(snapshot: Snapshot, { firewall, plan }: Planned, findings: FirewallFindings): PlannedCondition {
  const { name, facts, others, ofChange } = firewall;
  const { resolvedClass } = snapshot;
  const pending = readOrChanged(firewall, plan, snapshot.routed.status);
  if (pending !== undefined || facts === "unknown") return untilKnown(ofChange, pending);
  if (facts === "missing") return no("FirewallReady", withFormer(snapshot, firewallMessages.missing({ name })));
  if (knowsNoPort(findings)) return unknown("FirewallReady", firewallMessages.noPortYet({ name }));
  const toCome = portsToCome(findings.ports, resolvedClass?.nodePortRange ?? "");
  if (toCome.length > 0) return unknown("FirewallReady", firewallMessages.portsToCome({ name, ports: toCome }));
  const ports = itemsOf({ rules: plan.recorded.rules.map(ruleFacts), nodes: [] });
  const open = { name, ports, shared: sharedWith(snapshot, { others, facts, own: ports }) };
  const ruled = findings.ports.ports.filter((port) => needsRule(port, resolvedClass?.nodePortRange ?? ""));
  const beyond = sourcesBeyond(facts.rules, ruled, findings.ports.sourceRanges);
  const opened = openText(snapshot, { ...open, beyond }, findings.ports);
  const seen = withUnlisted(snapshot, { rules: facts.rules, seen: opened }, findings.ports);
  return yes(
    "FirewallReady",
    withHeld(firewall, plan, withFormer(snapshot, withAssumed(snapshot, { name, exists: true, seen }, findings.ports))),
  );
}

/** `undefined`: the firewall is read, and as it should be. */
function readOrChanged(
  { name, facts, crowded }: FirewallSnapshot,
  plan: FirewallPlan,
  status: Snapshot["routed"]["status"],
): Problem | undefined {
  const { waitsForTurn, beingUpdated } = firewallMessages;
  if (facts === "unknown" || plan.read !== undefined)
    return crowded === true ? firewallRemarks.toBeRead({ name }) : addressMessages.notObserved();
  if (isChanging(plan)) return (crowded === true ? waitsForTurn : beingUpdated)({ name });
  // Who has it on record relies on the last reading until the next one ends.
  return plan.reread === undefined || isRecorded(status, name, plan) ? undefined : addressMessages.notObserved();
}

/** A change that was refused stays the reason until it succeeds. */
function untilKnown(ofChange: Problem | undefined, otherwise: Problem | undefined): PlannedCondition {
  return ofChange === undefined ? unknown("FirewallReady", otherwise) : no("FirewallReady", ofChange);
}

function isChanging({ create, addRules, addNodes }: FirewallPlan): boolean {
  return create !== undefined || addRules.length + addNodes.length > 0;
}

/** What RoutedIPs of other namespaces open in the firewall, and so at the same nodes. */
function sharedWith(
  { set }: Snapshot,
  {
    others,
    facts,
    own,
  }: Pick<FirewallSnapshot, "others"> & { readonly facts: FirewallFacts; readonly own: readonly string[] },
): SharedPorts {
  const present = new Set(itemsOf(facts));
  const ref = refOf(set);
  const foreign = others.flatMap(({ namespace = ref.namespace, rules }) => {
    const items = itemsOf({ rules: rules.map(ruleFacts), nodes: [] });
    const ports = items.filter((item) => present.has(item) && !own.includes(item));
    return namespace === ref.namespace || ports.length === 0 ? [] : [{ namespace, ports }];
  });
  const [ports, namespaces] = [foreign.flatMap((each) => each.ports), foreign.map(({ namespace }) => namespace)];
  return { ports: [...new Set(ports)].sort(), namespaces: [...new Set(namespaces)].sort() };
}

function openText(
  { routed: { metadata, spec }, set, resolvedClass }: Snapshot,
  { beyond, ...ruled }: Parameters<typeof firewallRemarks.open>[0] & { readonly beyond: readonly string[] },
  { sourceRanges, sourceAnnotations, ...found }: PortsFound,
): Problem {
  const service = serviceKeyOf(metadata, spec);
  const open = { ...ruled, ...omitUndefined({ otherNumbers: otherNumbers(found) }) };
  if (letsAllIn(sourceRanges, set.family)) {
    return sourceAnnotations.length === 0
      ? openToEverybody(open, found, resolvedClass?.nodePortRange ?? "")
      : firewallRemarks.openToAll({ ...open, annotations: sourceAnnotations, service });
  }
  const restricted = { ...open, sources: [...sourceRanges].sort(), service };
  if (beyond.length === 0) return firewallRemarks.openForSome(restricted);
  return firewallRemarks.openForMore({ ...restricted, beyond, letsAllIn: letsAllIn(beyond, set.family) });
}

function openToEverybody(
  open: Parameters<typeof firewallRemarks.open>[0],
  { ports }: Pick<PortsFound, "ports">,
  nodePortRange: string,
): Problem {
  const isOpened = open.ports.length > 0 || ports.length === 0 || ports.some((port) => needsRule(port, nodePortRange));
  if (isOpened) return firewallRemarks.open(open);
  const taken = { ports: textsOf(ports), kind: kindOf(ports), nodePortRange };
  return firewallRemarks.notNeeded({ ...open, ...taken, exists: true });
}

/** Pods open ports for which the operator adds no rule, and no rule of others is there. */
function withUnlisted(
  { routed: { metadata, spec }, resolvedClass }: Snapshot,
  { rules, seen }: Pick<FirewallFacts, "rules"> & { readonly seen: Problem },
  { unlisted = [] }: PortsFound,
): Problem {
  const { nodePortRange = "" } = resolvedClass ?? {};
  const closed = unlisted.filter(
    (port) => needsRule(port, nodePortRange) && !rules.some((rule) => ruleOpens(rule, port)),
  );
  if (seen.reason !== "Observed" || closed.length === 0) return seen;
  return firewallRemarks.unlistedPorts({ seen, ports: textsOf(closed), service: serviceKeyOf(metadata, spec) });
}

/** Whether clients come from anywhere to an address of this family. */
function letsAllIn(sourceRanges: readonly string[], family: IpFamily): boolean {
  return sourceRanges.length === 0 || sourceRanges.includes(EVERYBODY[family]);
}

/** Sources that other rules of a firewall let in at these ports: the rules of a firewall add up. Sorted. */
function sourcesBeyond(
  rules: readonly FirewallRuleFacts[],
  ports: readonly RoutedPort[],
  sourceRanges: readonly string[],
): readonly string[] {
  const opening = rules.filter((rule) => ports.some((port) => ruleOpens(rule, port)));
  const more = opening.flatMap(({ sources }) => sources.filter((source) => !sourceRanges.includes(source)));
  return [...new Set(more)].sort();
}

/** The operator goes by the name; what is in the former one still holds. */
function withFormer({ firewall }: Snapshot, seen: Problem): Problem {
  if (firewall?.renamed === undefined) return seen;
  return firewallRemarks.renamed({ name: firewall.name, now: firewall.renamed, seen });
}

/** Another installation may need what this RoutedIP needs no more. */
function withHeld({ name, sharedWith = [] }: FirewallSnapshot, { held }: FirewallPlan, seen: Problem): Problem {
  const { removeRules = [], removeNodes = [] } = held ?? {};
  const counts = { rules: removeRules.length, nodes: removeNodes.length };
  return counts.rules + counts.nodes === 0 ? seen : firewallRemarks.held({ name, ...counts, sharedWith, seen });
}

interface ReadyFirewall {
  readonly name: string;
  readonly exists: boolean;
  /** What the condition says where the operator takes no port for open. */
  readonly seen: Problem;
}

/**
 * A port in the NodePort range is not known to be open: the operator adds no rule, and cannot see other firewalls. Those
 * that let in NodePorts often do so for TCP alone.
 */
function withAssumed({ resolvedClass }: Snapshot, ready: ReadyFirewall, { ports }: PortsFound): Problem {
  const { nodePortRange = "" } = resolvedClass ?? {};
  const unruled = ports.filter((port) => !needsRule(port, nodePortRange));
  const assumed = unruled.filter(({ origin, protocol }) => origin === "HostPort" || protocol === "UDP");
  if (assumed.length === 0) return ready.seen;
  const { name, exists } = ready;
  const others = textsOf(unruled.filter(({ origin }) => origin !== "HostPort"));
  const seen = unruled.length < ports.length ? ready.seen : firewallRemarks.noRule({ name, exists, ports: others });
  const values = { seen, ports: textsOf(assumed), kind: kindOf(assumed), nodePortRange };
  return firewallRemarks.assumedOpen({ ...values, ...omitUndefined({ classObject: resolvedClass?.objectName }) });
}

/** Ports of pods that are not ready yet, which no earlier pod had, and which need a rule. */
function portsToCome({ ports, later = [] }: PortsFound, nodePortRange: string): readonly string[] {
  const isOpen = (port: RoutedPort) => ports.some((each) => each.port === port.port && each.protocol === port.protocol);
  return textsOf(later.filter((port) => !isOpen(port) && needsRule(port, nodePortRange)));
}

/** Ports of the Service at which clients get no answer, because it is reached at other numbers. */
function otherNumbers({ ports, missed = [] }: Pick<PortsFound, "ports" | "missed">): OtherNumbers | undefined {
  if (missed.length === 0) return undefined;
  return { ports: textsOf(ports), kind: kindOf(ports), missed: textsOf(missed) };
}

function kindOf(ports: readonly Pick<RoutedPort, "origin">[]): PortKind {
  const [origin, ...others] = new Set(ports.map((port) => port.origin));
  if (origin === undefined || origin === "ExternalIP" || others.length > 0) return "port";
  return origin === "HostPort" ? "hostPort" : "NodePort";
}

function textsOf(ports: readonly Pick<RoutedPort, "port" | "protocol">[]): readonly string[] {
  return ports.map(({ port, protocol }) => `${port}/${protocol}`);
}

/** Pods open their hostPorts on the node of the address: without such a node, the operator knows none of them. */
function knowsNoPort({ ports, target }: FirewallFindings): boolean {
  return target === undefined && ports.ports.length === 0;
}
