/**
 * Rules and machines that deleted RoutedIPs left in firewalls, because another installation used the issuer and may need them. The
 * status of the issuer has them. The last installation that uses it removes what none of its RoutedIPs needs.
 */

import type { PreviousFirewall } from "cdk8s-flipop/api";
import { changeOf, ruleKey } from "../../providers/diff.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import { ruleFacts } from "../needed-ports.js";
import { mayBeIn } from "./additional-firewalls.js";
import type { FirewallCaller } from "./firewall-failures.js";
import type { Recorded } from "./firewall-shares.js";
import type { SharedFirewall } from "./shared-firewall.js";

/** As many as the schema allows in one entry. */
const [MOST_RULES, MOST_NODES] = [256, 64];

type Parts = readonly PreviousFirewall[];

/**
 * Further entries of the firewall hold what does not fit into one. The API server refuses more entries than the schema allows:
 * then the deletion waits.
 * @returns `undefined`: it is there already
 */
export function withParts(known: Parts = [], { name, ...added }: PreviousFirewall): Parts | undefined {
  const own = known.filter((each) => each.name === name);
  const before = { rules: own.flatMap(({ rules }) => rules), nodes: own.flatMap(({ nodes }) => nodes) };
  const has = new Set(before.rules.map((rule) => ruleKey(ruleFacts(rule))));
  const rules = added.rules.filter((rule) => !has.has(ruleKey(ruleFacts(rule))));
  const nodes = added.nodes.filter((node) => !before.nodes.includes(node));
  if (rules.length + nodes.length === 0) return undefined;
  const all = { name, rules: [...before.rules, ...rules], nodes: [...before.nodes, ...nodes] };
  return [...known.filter((each) => each.name !== name), ...entriesOf(all)];
}

function entriesOf({ name, rules, nodes }: PreviousFirewall): Parts {
  const length = Math.max(Math.ceil(rules.length / MOST_RULES), Math.ceil(nodes.length / MOST_NODES));
  return Array.from({ length }, (_, index) => ({
    name,
    rules: rules.slice(index * MOST_RULES, (index + 1) * MOST_RULES),
    nodes: nodes.slice(index * MOST_NODES, (index + 1) * MOST_NODES),
  }));
}

/** RoutedIPs plan as if another one had them on record: who needs a part takes it over. */
export function partsOf(known: Parts = [], name: string): readonly Recorded[] {
  return known.filter((each) => each.name === name).map(({ rules, nodes }) => ({ nodes, rules: rules.map(going) }));
}

/** On record as ours. Whether a RoutedIP needs it, the RoutedIP says. */
function going(rule: PreviousFirewall["rules"][number]): PreviousFirewall["rules"][number] {
  return { ...rule, phase: "removing" };
}

interface PartNeeds {
  /** What the RoutedIPs of this installation have on record in the firewall. */
  readonly shares: readonly Recorded[];
  /** Where their addresses are, or will be. */
  readonly machines: ReadonlySet<ProviderId>;
}

interface PartsLeft {
  readonly removeRules: readonly FirewallRuleFacts[];
  readonly removeNodes: readonly ProviderId[];
  /** What stays on record; `undefined`: nothing. */
  readonly kept?: PreviousFirewall;
}

/** What becomes of the parts of a firewall now that no other installation uses the issuer. */
export function partsLeft(
  { name, rules, nodes }: PreviousFirewall,
  facts: FirewallFacts | "missing",
  { shares, machines }: PartNeeds,
): PartsLeft {
  if (facts === "missing") return { removeRules: [], removeNodes: [] };
  const present = new Set(facts.rules.map(ruleKey));
  const on = (isCounted: (rule: PreviousFirewall["rules"][number]) => boolean) =>
    new Set(shares.flatMap((share) => share.rules.filter(isCounted).map((rule) => ruleKey(ruleFacts(rule)))));
  const needed = on(({ phase }) => phase !== "removing");
  const owned = on(({ preexisting }) => preexisting !== true);
  const ownedNodes = new Set(shares.flatMap((share) => share.nodes));
  const leftRules = rules.filter((rule) => {
    const key = ruleKey(ruleFacts(rule));
    return present.has(key) && !owned.has(key);
  });
  const leftNodes = nodes.filter((node) => mayBeIn(facts, node) && !ownedNodes.has(node));
  const isNeeded = (rule: PreviousFirewall["rules"][number]) => needed.has(ruleKey(ruleFacts(rule)));
  const kept = { name, rules: leftRules.filter(isNeeded), nodes: leftNodes.filter((node) => machines.has(node)) };
  return {
    removeRules: leftRules.filter((rule) => !isNeeded(rule)).map(ruleFacts),
    removeNodes: leftNodes.filter((node) => !machines.has(node)),
    ...(kept.rules.length + kept.nodes.length > 0 && { kept }),
  };
}

interface Leftover {
  readonly retained: PreviousFirewall;
  /** Machines that RoutedIPs need in the firewall. */
  readonly machines: ReadonlySet<ProviderId>;
  /** Of the issuer, for which it is removed. */
  readonly uid: string;
}

/** Rejects as the provider does. @returns what stays; `undefined`: nothing */
export async function removeParts(
  shared: SharedFirewall,
  caller: FirewallCaller,
  { retained, machines, uid }: Leftover,
): Promise<PreviousFirewall | "unknown" | undefined> {
  // What is known of the firewall may be older than what the other installation put there.
  await shared.readAnew(caller);
  const { facts } = shared.view();
  if (facts === "unknown") return facts;
  const { removeRules, removeNodes, kept } = partsLeft(retained, facts, { shares: shared.others(uid), machines });
  if (facts === "missing" || removeRules.length + removeNodes.length === 0) return kept;
  const isDone = await shared.apply(caller, uid, changeOf(facts, { removeRules, removeNodes }));
  return isDone ? kept : "unknown";
}
