/** What the RoutedIPs of one firewall have on record there, and what of a change they still leave to be done. */

import type { FirewallRule } from "cdk8s-flipop/api";
import { ruleKey } from "../../providers/diff.js";
import type { FirewallChange, FirewallFacts } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import { ruleFacts } from "../needed-ports.js";
import { mayBeIn } from "./additional-firewalls.js";

/** What a RoutedIP has on record: the rules that it needs, and the machines that it (too) has put there. */
export interface Recorded {
  readonly rules: readonly FirewallRule[];
  readonly nodes: readonly ProviderId[];
  /** Those of the nodes that serve nothing for it now. In a full firewall they make room for others. */
  readonly idle?: ReadonlySet<ProviderId>;
  /** Of the RoutedIP. Absent: not needed. */
  readonly namespace?: string;
}

export const NO_RECORD: Recorded = { rules: [], nodes: [] };

export class FirewallShares {
  private readonly all = new Map<string, Recorded>();

  set(uid: string, recorded: Recorded): void {
    if (recorded.rules.length + recorded.nodes.length === 0) this.all.delete(uid);
    else this.all.set(uid, recorded);
  }

  others(uid: string): readonly Recorded[] {
    return [...this.all].filter(([other]) => other !== uid).map(([, recorded]) => recorded);
  }

  /** Keys of the rules that were there when their RoutedIPs last saw the firewall. */
  present(): readonly string[] {
    const rules = [...this.all.values()].flatMap((recorded) => recorded.rules);
    return rules.filter(({ phase }) => phase === "present").map((rule) => ruleKey(ruleFacts(rule)));
  }

  /** The part of a change that is not done yet, and that no other RoutedIP has come to need meanwhile. */
  still(facts: FirewallFacts, uid: string, change: FirewallChange): FirewallChange {
    const present = new Set(facts.rules.map(ruleKey));
    const others = this.others(uid);
    const needed = new Set(
      others.flatMap(({ rules }) =>
        rules.filter(({ phase }) => phase !== "removing").map((rule) => ruleKey(ruleFacts(rule))),
      ),
    );
    const nodes = new Set(others.flatMap((other) => other.nodes.filter((node) => other.idle?.has(node) !== true)));
    return {
      ...change,
      addRules: change.addRules.filter((rule) => !present.has(ruleKey(rule))),
      addNodes: change.addNodes.filter((node) => !facts.nodes.includes(node)),
      removeRules: change.removeRules.filter((rule) => present.has(ruleKey(rule)) && !needed.has(ruleKey(rule))),
      removeNodes: change.removeNodes.filter((node) => mayBeIn(facts, node) && !nodes.has(node)),
    };
  }
}
