/**
 * Which rules come and go, and in which order: a port whose rule gets other sources stays open until the new rule is there, and
 * in a full firewall it is closed only between two calls that follow each other.
 */

import { firewallMessages } from "../../../messages/firewalls.js";
import type { Problem } from "../../../messages/message.js";
import { type Excess, excessRules, ruleKey } from "../../../providers/diff.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../providers/firewall-types.js";
import type { Recorded } from "../../../routing/firewalls/firewall-shares.js";
import { ruleFacts } from "../../../routing/needed-ports.js";
import { omitUndefined } from "../../../values.js";
import { foreignRules } from "./place-machine.js";
import type { DesiredFirewall, FirewallSnapshot } from "./snapshot.js";

type Rules = readonly FirewallRuleFacts[];

export interface RuleChanges {
  readonly addRules: Rules;
  /** It is full: these leave it right before the new ones come. */
  readonly freeRules: Rules;
  /** The new ones have their ports: these go right after them. */
  readonly replacedRules: Rules;
  /** Nothing waits for these, and they wait for nothing. */
  readonly removeRules: Rules;
  /** The new ones do not fit, or the address has yet to leave a node: these keep their ports open. */
  readonly keptRules: Rules;
  /** Another installation may need these: they stay until it uses the issuer no more. */
  readonly heldRules: Rules;
  /** Why some can't be added. */
  readonly rulesProblem?: Problem;
}

interface Task {
  readonly desired: DesiredFirewall;
  readonly recorded: Recorded;
}

export function planRules(firewall: FirewallSnapshot, facts: FirewallFacts, task: Task): RuleChanges {
  const present = new Set(facts.rules.map(ruleKey));
  const missing = task.desired.rules.filter((rule) => !present.has(ruleKey(rule)));
  const isShared = firewall.sharedWith !== undefined;
  const ours = unwantedRules(firewall, present, task);
  const [unwanted, heldRules] = isShared ? [[], ours] : [ours, []];
  const most = firewall.capabilities?.rulesPerFirewall ?? Number.POSITIVE_INFINITY;
  const room = most - facts.rules.length - (facts.outboundRules ?? 0);
  const full = excessRules(facts, missing.length - unwanted.length, most);
  const addRules = full === undefined ? missing : fittingOf({ missing, unwanted, room }, task.recorded);
  const going = goingWith(addRules, { missing, unwanted });
  const free = addRules.length === 0 ? 0 : Math.max(0, addRules.length - room);
  const [freeRules, rest] = [going.slice(0, free), going.slice(free)];
  const keptRules = unwanted.filter((rule) => !going.includes(rule));
  const problem = full && fullProblem({ firewall, facts, full }, task, { missing, addRules, keptRules });
  const surplus = rest.filter((rule) => !addRules.some(isOfPort(rule)));
  const isLeaving = task.desired.leaving === true;
  return {
    ...{ addRules, freeRules, heldRules },
    replacedRules: rest.filter((rule) => !surplus.includes(rule)),
    ...(isLeaving ? { removeRules: [], keptRules: [...keptRules, ...surplus] } : { removeRules: surplus, keptRules }),
    ...omitUndefined({ rulesProblem: problem }),
  };
}

/** What we recorded as ours, is there, and neither this nor another RoutedIP needs. */
function unwantedRules({ others }: FirewallSnapshot, present: ReadonlySet<string>, { desired, recorded }: Task): Rules {
  const wanted = new Set([...desired.rules, ...others.flatMap(needsOfOther)].map(ruleKey));
  const ours = recorded.rules.filter(({ preexisting }) => preexisting !== true).map(ruleFacts);
  return ours.filter((rule) => present.has(ruleKey(rule)) && !wanted.has(ruleKey(rule)));
}

function needsOfOther({ rules }: Recorded): Rules {
  return rules.filter(({ phase }) => phase !== "removing").map(ruleFacts);
}

interface Change {
  readonly missing: Rules;
  readonly unwanted: Rules;
}

/** Of what does not fit as a whole: rules that a former step made room for, then rules in the place of those with other sources. */
function fittingOf({ room, ...change }: Change & { readonly room: number }, recorded: Recorded): Rules {
  const { missing, unwanted } = change;
  const adding = recorded.rules.filter(({ phase }) => phase === "adding").map((rule) => ruleKey(ruleFacts(rule)));
  const begun = missing.filter((rule) => adding.includes(ruleKey(rule)));
  const replacing = missing.filter((rule) => !begun.includes(rule) && unwanted.some(isOfPort(rule)));
  const urgent = [...begun, ...replacing];
  const counts = urgent.map((_, index) => urgent.length - index);
  const count = counts.find((each) => each - room <= goingWith(urgent.slice(0, each), change).length);
  return urgent.slice(0, count ?? 0);
}

/** Unwanted rules that may go if these come, those first that close no port. */
function goingWith(added: Rules, { missing, unwanted }: Change): Rules {
  const left = missing.filter((rule) => !added.includes(rule));
  const going = unwanted.filter((rule) => !left.some(isOfPort(rule)));
  const isReplaced = (rule: FirewallRuleFacts) => added.some(isOfPort(rule));
  return [...going.filter((rule) => !isReplaced(rule)), ...going.filter(isReplaced)];
}

function isOfPort({ protocol, ports }: FirewallRuleFacts): (other: FirewallRuleFacts) => boolean {
  return (other) => other.protocol === protocol && other.ports === ports;
}

interface Full {
  readonly firewall: FirewallSnapshot;
  readonly facts: FirewallFacts;
  readonly full: Excess;
}

function fullProblem(
  { firewall, facts, full }: Full,
  { desired, recorded }: Task,
  { missing, addRules, keptRules }: Pick<RuleChanges, "addRules" | "keptRules"> & Pick<Change, "missing">,
): Problem {
  const foreign = foreignRules(firewall, facts, recorded.rules);
  const open = desired.rules.filter((rule) => !missing.includes(rule)).map(portText);
  const former = keptRules.map((rule) => `${portText(rule)} (for its former clients)`);
  const closed = missing.filter((rule) => !addRules.includes(rule)).map(portText);
  const more = { foreign: foreign.length, ...omitUndefined({ alike: mostAlike(foreign) }) };
  return firewallMessages.tooManyRules({ ...full, ports: closed, open: [...open, ...former], ...more });
}

/** The largest group of rules for one port, which could be one rule with all their sources. */
function mostAlike(rules: Rules) {
  const counts = new Map<string, number>();
  for (const rule of rules) counts.set(portText(rule), (counts.get(portText(rule)) ?? 0) + 1);
  const [largest] = [...counts].sort(([, a], [, b]) => b - a);
  if (largest === undefined || largest[1] === 1) return undefined;
  return { port: largest[0], count: largest[1] };
}

export function portText({ protocol, ports }: FirewallRuleFacts): string {
  return [ports, protocol.toUpperCase()].filter((part) => part !== "").join("/");
}
