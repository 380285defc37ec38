/** Whether a node may join the firewall, and where it has room: in it, in an additional one, or in one to be created. */

import type { FirewallRule } from "cdk8s-flipop/api";
import { firewallMessages } from "../../../messages/firewalls.js";
import type { Problem } from "../../../messages/message.js";
import { providerMessages } from "../../../messages/provider.js";
import { type Excess, excessNodes, ruleKey } from "../../../providers/diff.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../providers/firewall-types.js";
import type { ProviderId } from "../../../providers/types.js";
import type { Recorded } from "../../../routing/firewalls/firewall-shares.js";
import { ruleFacts } from "../../../routing/needed-ports.js";
import { omitUndefined } from "../../../values.js";
import type { DesiredFirewall, FirewallSnapshot } from "./snapshot.js";

export interface FirewallPlace {
  readonly add?: readonly ProviderId[];
  readonly problem?: Problem;
  /** ms since the epoch: when the operator tries again what `problem` is about. */
  readonly retryAt?: number;
  /** What covers these machines has to be read first. */
  readonly read?: readonly ProviderId[];
  /** It is full: these serve nothing any more, and leave it first. */
  readonly makeRoom?: readonly ProviderId[];
  /** It is full, and all its machines serve: an additional one of this name takes the new one. */
  readonly extend?: string;
}

export function placeMachine(
  firewall: FirewallSnapshot,
  facts: FirewallFacts,
  { target, node }: DesiredFirewall,
  recorded: Recorded,
): FirewallPlace {
  if (target === undefined || facts.nodes.includes(target)) return {};
  if (!hasForeignRule(firewall, facts, recorded.rules)) {
    if (!firewall.coveredBy.has(target)) return { read: [target] };
    if (firewall.coveredBy.get(target)?.length === 0) return { problem: isolates(firewall, target, node) };
  }
  const refused = refusedNow(firewall, target, node);
  if (refused !== undefined) return refused;
  const full = fullOf(firewall, facts);
  if (full === undefined) return { add: [target] };
  const makeRoom = leaving(firewall, facts, recorded);
  return makeRoom.length > 0 ? { add: [target], makeRoom } : inAdditional(firewall, target, full);
}

/** `undefined`: the firewall did not refuse the machine lately, or it is in it all the same. */
export function refusalOf({ refused, facts }: Pick<FirewallSnapshot, "refused" | "facts">, machine: ProviderId) {
  return typeof facts === "object" && facts.nodes.includes(machine) ? undefined : refused?.get(machine);
}

/** `undefined`: the firewall did not refuse the machine, or the next try is due. */
export function refusedNow(firewall: FirewallSnapshot, machine: ProviderId, node = machine) {
  const { waits, problem, retryAt } = refusalOf(firewall, machine) ?? {};
  if (waits !== true || problem === undefined) return undefined;
  return { problem: providerMessages.ofNode({ node, cause: problem }), ...omitUndefined({ retryAt }) };
}

/** `undefined`: there is room for the machine, in it or in an additional one. */
function fullOf({ capabilities, group }: FirewallSnapshot, facts: FirewallFacts): Excess | undefined {
  if (capabilities === undefined || (group !== undefined && group.room > 0)) return undefined;
  return excessNodes(facts, capabilities.nodesPerFirewall);
}

/** The first of our machines in it that serves nothing, neither for this RoutedIP nor for another one. */
function leaving(
  { idle, others, sharedWith }: FirewallSnapshot,
  facts: FirewallFacts,
  { nodes }: Recorded,
): readonly ProviderId[] {
  // Another installation may need each of them.
  if (sharedWith !== undefined) return [];
  const serving = new Set(others.flatMap((other) => other.nodes.filter((node) => other.idle?.has(node) !== true)));
  const [first] = nodes.filter((node) => facts.nodes.includes(node) && idle?.has(node) === true && !serving.has(node));
  return first === undefined ? [] : [first];
}

function inAdditional({ name, group }: FirewallSnapshot, target: ProviderId, full: Excess): FirewallPlace {
  if (group === undefined) return { problem: firewallMessages.tooManyNodes(full) };
  const { next, failure, retryAt, additional } = group;
  if (next === undefined) return { problem: firewallMessages.allFull({ name, additional: additional.length }) };
  if (failure === undefined) return { add: [target], extend: next };
  return {
    problem: firewallMessages.noAdditional({ name, next, failure: failure.message }),
    ...omitUndefined({ retryAt }),
  };
}

/** Whether a machine is in it, or may join it without losing ports that it has; also while that is not known. */
export function opensSafely(firewall: FirewallSnapshot, machine: ProviderId, own: readonly FirewallRule[]): boolean {
  const { facts, coveredBy, uncovered } = firewall;
  if (facts === "unknown") return true;
  if (facts !== "missing" && (facts.nodes.includes(machine) || hasForeignRule(firewall, facts, own))) return true;
  // The last reading counts until the next one, so the election does not change only because a reading is old.
  return uncovered?.has(machine) !== true && coveredBy.get(machine)?.length !== 0;
}

/** "Ours has rules of others already": whoever manages those knows what the firewall closes. */
function hasForeignRule(firewall: FirewallSnapshot, facts: FirewallFacts, own: readonly FirewallRule[]): boolean {
  return foreignRules(firewall, facts, own).length > 0;
}

/** Rules for incoming traffic that no RoutedIP has put there. */
export function foreignRules(
  { others }: Pick<FirewallSnapshot, "others">,
  facts: FirewallFacts,
  own: readonly FirewallRule[],
): readonly FirewallRuleFacts[] {
  const ours = [...own, ...others.flatMap(({ rules }) => rules)].filter(({ preexisting }) => preexisting !== true);
  const keys = new Set(ours.map((rule) => ruleKey(ruleFacts(rule))));
  return facts.rules.filter((rule) => !keys.has(ruleKey(rule)));
}

/** Why a machine that no other firewall covers does not join. */
export function isolates({ name, gone }: FirewallSnapshot, machine: ProviderId, node = machine): Problem {
  return gone?.has(machine) === true
    ? firewallMessages.noMachine({ name, node, machine })
    : firewallMessages.wouldIsolate({ name, node });
}
