/**
 * Steps: find firewall, add port rules, add node, remove extraneous ports, remove extraneous nodes. A firewall is shared
 * by all RoutedIPs that name it: each adds what it needs, and removes only what it added itself and no other needs.
 */

import type { FirewallRule } from "cdk8s-flipop/api";
import { overLimit, ruleKey } from "../../../providers/firewall-changes.js";
import type {
  FirewallCapabilities,
  FirewallChange,
  FirewallFacts,
  FirewallRuleFacts,
  ProviderId,
} from "../../../providers/types.js";
import type { Problem } from "../../../reconcile/conditions/problem.js";
import type { Recorded } from "../../../routing/firewall-registry.js";
import { ruleFacts } from "../../../routing/ports.js";

export interface FirewallSnapshot {
  readonly name: string;
  readonly capabilities?: FirewallCapabilities;
  /** `unknown`: not read lately. `missing`: there is none of that name. */
  readonly facts: FirewallFacts | "unknown" | "missing";
  /** It has to be read again before the next change. */
  readonly due?: true;
  /** Names of the other firewalls over each machine, as far as it was asked lately. */
  readonly coveredBy: ReadonlyMap<ProviderId, readonly string[]>;
  /** Of the other RoutedIPs of this firewall, as last written. A rule that is not on record is not relied on. */
  readonly others: readonly Recorded[];
  /** The last call failed, or can't be made. */
  readonly failure?: Problem;
  /** ms since the epoch: no call before. */
  readonly retryAt?: number;
  /** It is not the one that the class or issuer names now: our traces in it are to go. */
  readonly previous?: true;
}

export interface DesiredFirewall {
  readonly rules: readonly FirewallRuleFacts[];
  /** The elected node. */
  readonly target?: ProviderId;
  /** The node that holds the address until it has moved. */
  readonly holder?: ProviderId;
}

export interface FirewallPlan {
  /** It has to be read first: of these machines it is to be known what covers them. */
  readonly read?: readonly ProviderId[];
  /** It is in step as far as is known, and has to be read again: of these machines as well. */
  readonly reread?: readonly ProviderId[];
  /** Why rules, or the node, can't be added. */
  readonly rulesProblem?: Problem;
  readonly nodeProblem?: Problem;
  readonly create?: Additions;
  readonly addRules: readonly FirewallRuleFacts[];
  readonly addNodes: readonly ProviderId[];
  readonly removeRules: readonly FirewallRuleFacts[];
  readonly removeNodes: readonly ProviderId[];
  /** To be on record before any of it. */
  readonly recorded: Recorded;
}

export function planFirewall(firewall: FirewallSnapshot, desired: DesiredFirewall, recorded: Recorded): FirewallPlan {
  const plan = planAsRead(firewall, desired, recorded);
  const reads = firewall.due === true && firewall.failure === undefined && plan.read === undefined;
  return reads ? { ...plan, reread: unknownOf(firewall, desired) } : plan;
}

function planAsRead(firewall: FirewallSnapshot, desired: DesiredFirewall, recorded: Recorded): FirewallPlan {
  const { facts, failure } = firewall;
  if (failure !== undefined) return { ...NOTHING, recorded, rulesProblem: failure, nodeProblem: failure };
  if (facts === "unknown") return { ...NOTHING, recorded, read: unknownOf(firewall, desired) };
  if (facts === "missing") return planMissing(firewall, desired, recorded);
  return planPresent(firewall, facts, { desired, recorded });
}

/** Whether a machine is in it, or may join it without losing ports that it has; also while that is not known. */
export function opensSafely(firewall: FirewallSnapshot, machine: ProviderId, own: readonly FirewallRule[]): boolean {
  const { facts, coveredBy } = firewall;
  if (facts === "unknown") return true;
  if (facts !== "missing" && (facts.nodes.includes(machine) || hasForeignRule(firewall, facts, own))) return true;
  return coveredBy.get(machine)?.length !== 0;
}

/** The change of one step. */
export function changeOf(facts: FirewallFacts, part: Partial<FirewallChange>): FirewallChange {
  const { id, name } = facts;
  return { addRules: [], addNodes: [], removeRules: [], removeNodes: [], ...part, id, name };
}

const NOTHING = { addRules: [], addNodes: [], removeRules: [], removeNodes: [] } as const;
const NO_RECORD: Recorded = { rules: [], nodes: [] };

/** One that is gone took everything with it. It is made anew once a node may join it, with all that it needs. */
function planMissing(firewall: FirewallSnapshot, desired: DesiredFirewall, recorded: Recorded): FirewallPlan {
  const { target, rules } = desired;
  if (target === undefined || firewall.previous === true || rules.length === 0)
    return { ...NOTHING, recorded: NO_RECORD };
  if (!firewall.coveredBy.has(target)) return { ...NOTHING, recorded, read: [target] };
  if (firewall.coveredBy.get(target)?.length === 0) {
    return { ...NOTHING, recorded: NO_RECORD, nodeProblem: isolates(firewall, target) };
  }
  const adding = { rules: rules.map((rule) => record(rule, "adding")), nodes: [target] };
  return { ...NOTHING, create: { addRules: rules, addNodes: [target] }, recorded: adding };
}

interface Task {
  readonly desired: DesiredFirewall;
  readonly recorded: Recorded;
}

function planPresent(firewall: FirewallSnapshot, facts: FirewallFacts, task: Task): FirewallPlan {
  const { desired, recorded } = task;
  const rules = addedRules(firewall, facts, desired);
  const node = addedNode(firewall, facts, task);
  const [addRules, addNodes] = [rules.add ?? [], node.add ?? []];
  const removals = removalsFrom(firewall, facts, task);
  return {
    ...removals,
    addRules,
    addNodes,
    ...(rules.problem === undefined ? {} : { rulesProblem: rules.problem }),
    ...(node.problem === undefined ? {} : { nodeProblem: node.problem }),
    ...(node.read === undefined ? {} : { read: node.read }),
    recorded: {
      rules: [
        ...rulesOnRecord(firewall, facts, { ...task, addRules }),
        ...removals.removeRules.map((rule) => record(rule, "removing")),
      ],
      nodes: unique([...recorded.nodes, ...addNodes, ...inherited(firewall, facts, desired)]).filter(
        (each) =>
          addNodes.includes(each) || (facts.nodes.includes(each) && isKept(desired, removals.removeNodes, each)),
      ),
    },
  };
}

interface Additions {
  readonly addRules: readonly FirewallRuleFacts[];
  readonly addNodes: readonly ProviderId[];
}

interface Addition<T> {
  readonly add?: readonly T[];
  readonly problem?: Problem;
  readonly read?: readonly ProviderId[];
}

function addedRules(
  firewall: FirewallSnapshot,
  facts: FirewallFacts,
  { rules }: DesiredFirewall,
): Addition<FirewallRuleFacts> {
  const present = new Set(facts.rules.map(ruleKey));
  const add = rules.filter((rule) => !present.has(ruleKey(rule)));
  const full = firewall.capabilities && overLimit(facts, changeOf(facts, { addRules: add }), firewall.capabilities);
  if (add.length === 0 || full === undefined) return { add };
  return { problem: { reason: "FirewallFull", message: full } };
}

function addedNode(
  firewall: FirewallSnapshot,
  facts: FirewallFacts,
  { desired, recorded }: Task,
): Addition<ProviderId> {
  const { target } = desired;
  if (target === undefined || facts.nodes.includes(target)) return {};
  if (!hasForeignRule(firewall, facts, recorded.rules)) {
    if (!firewall.coveredBy.has(target)) return { read: [target] };
    if (firewall.coveredBy.get(target)?.length === 0) return { problem: isolates(firewall, target) };
  }
  const { capabilities } = firewall;
  const full = capabilities && overLimit(facts, changeOf(facts, { addNodes: [target] }), capabilities);
  return full === undefined ? { add: [target] } : { problem: { reason: "FirewallFull", message: full } };
}

/** What we recorded as ours, is there, and neither this nor another RoutedIP needs. */
function removalsFrom(firewall: FirewallSnapshot, facts: FirewallFacts, { desired, recorded }: Task) {
  const present = new Set(facts.rules.map(ruleKey));
  const wanted = new Set([...desired.rules, ...firewall.others.flatMap(needsOfOther)].map(ruleKey));
  const ours = recorded.rules.filter(({ preexisting }) => preexisting !== true).map(ruleFacts);
  const elsewhere = new Set(firewall.others.flatMap(({ nodes }) => nodes));
  return {
    removeRules: ours.filter((rule) => present.has(ruleKey(rule)) && !wanted.has(ruleKey(rule))),
    removeNodes: recorded.nodes.filter(
      (node) => facts.nodes.includes(node) && !isNeeded(desired, node) && !elsewhere.has(node),
    ),
  };
}

/** Where the address goes; without such a node, where it is. */
function isNeeded({ target, holder }: DesiredFirewall, node: ProviderId): boolean {
  return node === (target ?? holder);
}

/** One that goes stays on record until it is gone. */
function isKept(desired: DesiredFirewall, removeNodes: readonly ProviderId[], node: ProviderId): boolean {
  return isNeeded(desired, node) || removeNodes.includes(node);
}

/** A node that another RoutedIP has put there is ours, too, from when we need it: whoever leaves last takes it out. */
function inherited(
  { others }: FirewallSnapshot,
  facts: FirewallFacts,
  desired: DesiredFirewall,
): readonly ProviderId[] {
  const node = desired.target ?? desired.holder;
  if (node === undefined || !facts.nodes.includes(node)) return [];
  return others.some(({ nodes }) => nodes.includes(node)) ? [node] : [];
}

function needsOfOther({ rules }: Recorded): readonly FirewallRuleFacts[] {
  return rules.filter(({ phase }) => phase !== "removing").map(ruleFacts);
}

/** The record of each rule that is wanted and there, or about to be. Whose it is was settled when it was first seen. */
function rulesOnRecord(
  firewall: FirewallSnapshot,
  facts: FirewallFacts,
  { desired, recorded, addRules }: Task & { readonly addRules: readonly FirewallRuleFacts[] },
): readonly FirewallRule[] {
  const present = new Set(facts.rules.map(ruleKey));
  const adding = new Set(addRules.map(ruleKey));
  const known = new Map(recorded.rules.map((rule) => [ruleKey(ruleFacts(rule)), rule]));
  return desired.rules.flatMap((rule): readonly FirewallRule[] => {
    const key = ruleKey(rule);
    if (adding.has(key)) return [record(rule, "adding")];
    if (!present.has(key)) return [];
    const seen = known.get(key);
    const preexisting = (seen === undefined || seen.preexisting === true) && !isOfOthers(firewall, key);
    return [{ ...record(rule, "present"), ...(preexisting ? { preexisting } : {}) }];
  });
}

/** Another RoutedIP has put it there. */
function isOfOthers({ others }: FirewallSnapshot, key: string): boolean {
  return others.some(({ rules }) =>
    rules.some((rule) => rule.preexisting !== true && ruleKey(ruleFacts(rule)) === key),
  );
}

/** "Ours has rules of others already": whoever manages those knows what the firewall closes. */
function hasForeignRule({ others }: FirewallSnapshot, facts: FirewallFacts, own: readonly FirewallRule[]): boolean {
  const ours = [...own, ...others.flatMap(({ rules }) => rules)].filter(({ preexisting }) => preexisting !== true);
  const keys = new Set(ours.map((rule) => ruleKey(ruleFacts(rule))));
  return facts.rules.some((rule) => !keys.has(ruleKey(rule)));
}

function isolates({ name }: FirewallSnapshot, node: ProviderId): Problem {
  const message = `${node} is behind no other firewall: in "${name}" it would lose every port that is not listed; put the nodes behind a firewall of your own first`;
  return { reason: "WouldIsolateNode", message };
}

function record({ protocol, ports, sources }: FirewallRuleFacts, phase: FirewallRule["phase"]): FirewallRule {
  return { protocol: protocol === "udp" ? "udp" : "tcp", ports, sources, phase };
}

function unknownOf({ coveredBy }: FirewallSnapshot, { target }: DesiredFirewall): readonly ProviderId[] {
  return target === undefined || coveredBy.has(target) ? [] : [target];
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
