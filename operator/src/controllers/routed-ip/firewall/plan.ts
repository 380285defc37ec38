/**
 * Steps: find firewall, add port rules, add node, remove extraneous ports, remove extraneous nodes. A firewall is shared
 * by all RoutedIPs that name it: each adds what it needs, and removes only what it added itself and no other needs.
 */

import type { FirewallRule } from "cdk8s-flipop/api";
import { firewallMessages } from "../../../messages/firewalls.js";
import type { Problem } from "../../../messages/message.js";
import { excessRules, ruleKey } from "../../../providers/diff.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../providers/firewall-types.js";
import type { ProviderId } from "../../../providers/types.js";
import { mayBeIn } from "../../../routing/firewalls/additional-firewalls.js";
import { NO_RECORD, type Recorded } from "../../../routing/firewalls/firewall-shares.js";
import { ruleFacts } from "../../../routing/needed-ports.js";
import { omitUndefined } from "../../../values.js";
import { type FirewallPlace, isolates, placeMachine, refusedNow } from "./place-machine.js";
import { planRules, portText } from "./rule-changes.js";
import type { DesiredFirewall, FirewallSnapshot } from "./snapshot.js";

/** Of what comes, what others have removed. */
export interface Restored {
  readonly restoredRules?: readonly FirewallRuleFacts[];
  readonly restoredNodes?: readonly ProviderId[];
}

export interface FirewallPlan extends Restored {
  /** It has to be read first: of these machines it is to be known what covers them. */
  readonly read?: readonly ProviderId[];
  /** It is in step as far as is known, and has to be read again: of these machines as well. */
  readonly reread?: readonly ProviderId[];
  /** Why rules, or the node, can't be added. */
  readonly rulesProblem?: Problem;
  readonly nodeProblem?: Problem;
  readonly create?: Additions;
  readonly addRules: readonly FirewallRuleFacts[];
  /** They leave it right before those that come, or right after. */
  readonly freeRules: readonly FirewallRuleFacts[];
  readonly replacedRules: readonly FirewallRuleFacts[];
  readonly addNodes: readonly ProviderId[];
  /** It is full: these serve nothing any more, and leave it before the new one joins. */
  readonly makeRoom?: readonly ProviderId[];
  /** It is full, and all its machines serve: an additional one of this name takes the new one. */
  readonly extend?: string;
  /** ms since the epoch: when the operator tries again to add the node, or to create an additional firewall. */
  readonly retryAt?: number;
  /** The additional ones have other rules. */
  readonly mirror?: true;
  readonly removeRules: readonly FirewallRuleFacts[];
  readonly removeNodes: readonly ProviderId[];
  /** What would go, and stays because another installation may need it. */
  readonly held?: Pick<FirewallPlan, "removeRules" | "removeNodes">;
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

const NO_RULES = { addRules: [], freeRules: [], replacedRules: [], removeRules: [] } as const;
const NOTHING = { ...NO_RULES, addNodes: [], removeNodes: [] } as const;

/** One that is gone took everything with it. It is made anew once a node may join it, with all that it needs. */
function planMissing(firewall: FirewallSnapshot, desired: DesiredFirewall, recorded: Recorded): FirewallPlan {
  const { target, node, rules } = desired;
  if (target === undefined || firewall.previous === true || rules.length === 0)
    return { ...NOTHING, recorded: NO_RECORD };
  if (!firewall.coveredBy.has(target)) return { ...NOTHING, recorded, read: [target] };
  if (firewall.coveredBy.get(target)?.length === 0) {
    return { ...NOTHING, recorded: NO_RECORD, nodeProblem: isolates(firewall, target, node) };
  }
  const { problem: refused, ...retry } = refusedNow(firewall, target, node) ?? {};
  if (refused !== undefined) return { ...NOTHING, recorded: NO_RECORD, nodeProblem: refused, ...retry };
  const full = overLimitOfNew(firewall, rules);
  if (full !== undefined) return { ...NOTHING, recorded: NO_RECORD, rulesProblem: full };
  const adding = { rules: rules.map((rule) => record(rule, "adding")), nodes: [target] };
  return { ...NOTHING, create: { addRules: rules, addNodes: [target] }, recorded: adding };
}

/** A Service may have more ports than any firewall can have rules. */
function overLimitOfNew(
  { name, capabilities }: FirewallSnapshot,
  rules: readonly FirewallRuleFacts[],
): Problem | undefined {
  if (capabilities === undefined) return undefined;
  const { createdOutboundRules: outboundRules = 0 } = capabilities;
  const empty: FirewallFacts = { id: "", name, rules: [], nodes: [], outboundRules, pending: false };
  const full = excessRules(empty, rules.length, capabilities.rulesPerFirewall);
  return full && firewallMessages.tooManyRules({ ...full, ports: rules.map(portText), open: [], foreign: 0 });
}

interface Task {
  readonly desired: DesiredFirewall;
  readonly recorded: Recorded;
}

function planPresent(firewall: FirewallSnapshot, facts: FirewallFacts, task: Task): FirewallPlan {
  const { desired, recorded } = task;
  const { keptRules, heldRules, ...rules } = planRules(firewall, facts, task);
  const join = placeMachine(firewall, facts, desired, recorded);
  const node = desired.rules.length === 0 ? optional(join) : join;
  const { add: addNodes = [] } = node;
  const leaving = nodesToRemove(firewall, facts, task);
  const isShared = firewall.sharedWith !== undefined;
  const going = [...rules.freeRules, ...rules.replacedRules, ...rules.removeRules, ...heldRules];
  return {
    ...rules,
    ...{ addNodes, removeNodes: isShared ? [] : leaving },
    ...(isShared && { held: { removeRules: heldRules, removeNodes: leaving } }),
    restoredRules: rules.addRules.filter((rule) => firewall.taken?.has(ruleKey(rule))),
    restoredNodes: addNodes.filter((each) => firewall.taken?.has(each)),
    ...(node.problem === undefined ? {} : { nodeProblem: node.problem }),
    ...omitUndefined({ read: node.read, makeRoom: node.makeRoom, extend: node.extend, retryAt: node.retryAt }),
    ...(firewall.group?.outOfStep === true ? { mirror: true as const } : {}),
    recorded: {
      rules: [
        ...rulesOnRecord(firewall, facts, { ...task, addRules: rules.addRules }),
        ...keptRules.map((rule) => record(rule, "present")),
        ...going.map((rule) => record(rule, "removing")),
      ],
      nodes: unique([...recorded.nodes, ...addNodes, ...inherited(firewall, facts, desired)]).filter(
        (each) => addNodes.includes(each) || (mayBeIn(facts, each) && isKept(desired, leaving, each)),
      ),
    },
  };
}

interface Additions {
  readonly addRules: readonly FirewallRuleFacts[];
  readonly addNodes: readonly ProviderId[];
}

/** Without a rule nothing waits for the node: it joins where there is room and it loses no port. */
function optional({ add = [], makeRoom, extend }: FirewallPlace): FirewallPlace {
  return makeRoom === undefined && extend === undefined ? { add } : {};
}

/** What we recorded as ours, is there, and neither this nor another RoutedIP needs. */
function nodesToRemove(
  { others }: FirewallSnapshot,
  facts: FirewallFacts,
  { desired, recorded }: Task,
): readonly ProviderId[] {
  const elsewhere = new Set(others.flatMap(({ nodes }) => nodes));
  return recorded.nodes.filter((node) => mayBeIn(facts, node) && !isNeeded(desired, node) && !elsewhere.has(node));
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

export function record({ protocol, ports, sources }: FirewallRuleFacts, phase: FirewallRule["phase"]): FirewallRule {
  return { protocol: protocol === "udp" ? "udp" : "tcp", ports, sources, phase };
}

function unknownOf({ coveredBy }: FirewallSnapshot, { target }: DesiredFirewall): readonly ProviderId[] {
  return target === undefined || coveredBy.has(target) ? [] : [target];
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
