/** A provider of firewalls in memory: it takes what it is given, and fails where a test says so. */

import { isNumbered } from "../../../src/providers/diff.js";
import { ProviderError, type ProviderErrorProps } from "../../../src/providers/errors.js";
import type {
  CreateFirewall,
  FirewallChange,
  FirewallFacts,
  FirewallProvider,
  FirewallRuleFacts,
} from "../../../src/providers/firewall-types.js";
import { changedFacts } from "../../../src/routing/firewalls/additional-firewalls.js";

export const PER_FIREWALL = 2;

export class FakeFirewalls {
  readonly all = new Map<string, FirewallFacts>();
  /** The next calls of this kind fail. */
  readonly faults = new Map<"create" | "apply", Partial<ProviderErrorProps>>();
  private made = 0;

  readonly provider = {
    capabilities: { rulesPerFirewall: 50, nodesPerFirewall: PER_FIREWALL, reserved: () => false },
    survey: (_context, name, nodes) => {
      const facts = [...this.all.values()];
      const firewall = facts.find((each) => each.name === name);
      const numbered = facts.filter((each) => isNumbered(name, each.name));
      const coveredBy = new Map(nodes.map((node) => [node, ["theirs"]]));
      const names = new Map(facts.map((each) => [each.id, each.name]));
      return Promise.resolve({ ...(firewall && { firewall }), numbered, names, coveredBy, ageSeconds: 0 });
    },
    create: (_context, request) => this.failing("create") ?? Promise.resolve(this.add(request)),
    apply: (_context, change) => this.failing("apply") ?? Promise.resolve(this.change(change)),
    remove: (_context, { id }) => Promise.resolve(void this.all.delete(id)),
  } as Omit<FirewallProvider, "name" | "accountKey"> as FirewallProvider;

  add({ name, rules, nodes }: CreateFirewall): FirewallFacts {
    this.made += 1;
    const facts = { id: `id-${this.made}`, name, rules, nodes, outboundRules: 3, pending: false };
    this.all.set(facts.id, facts);
    return facts;
  }

  replace(all: ReadonlyMap<string, FirewallFacts>): void {
    this.all.clear();
    for (const [id, facts] of all) this.all.set(id, facts);
  }

  facts(name: string): FirewallFacts {
    const found = [...this.all.values()].find((facts) => facts.name === name);
    if (found === undefined) throw new Error(`no firewall ${name}`);
    return found;
  }

  /** Ports and nodes of the firewalls, by name. */
  get state(): Readonly<Record<string, string>> {
    const text = ({ rules, nodes }: FirewallFacts) => `${rules.map(({ ports }) => ports).join()} ${nodes.join()}`;
    return Object.fromEntries([...this.all.values()].map((facts) => [facts.name, text(facts)]));
  }

  private change(change: FirewallChange): void {
    const facts = this.all.get(change.id);
    if (facts !== undefined) this.all.set(change.id, changedFacts(facts, change));
  }

  private failing(call: "create" | "apply"): Promise<never> | undefined {
    const fault = this.faults.get(call);
    if (fault === undefined) return undefined;
    const props = { kind: "Terminal", where: `${call} firewall`, seen: "answer 403", remedy: "wait" } as const;
    return Promise.reject(new ProviderError({ ...props, outcome: "refused", ...fault }));
  }
}

export function rule(ports: string, otherSources = false): FirewallRuleFacts {
  return { protocol: "tcp", ports, sources: ["0.0.0.0/0"], otherSources };
}
