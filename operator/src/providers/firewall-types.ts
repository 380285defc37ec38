/** What a cloud with firewalls offers; types.ts has the other interfaces and what all have in common. */

import type { CallContext } from "./call.js";
import type { Provider, ProviderId } from "./types.js";

/** One port or range of ports, open to sources. */
export interface FirewallRuleFacts {
  readonly protocol: "tcp" | "udp" | "icmp";
  /** `443`, `8000-8010`, or `all`. Empty for icmp. */
  readonly ports: string;
  /** Address ranges in CIDR notation, sorted. */
  readonly sources: readonly string[];
  /** It also admits sources other than address ranges (tags, droplets, load balancers): never ours. */
  readonly otherSources: boolean;
}

export interface FirewallFacts {
  readonly id: string;
  readonly name: string;
  /** Inbound. */
  readonly rules: readonly FirewallRuleFacts[];
  /** How many outbound rules it has: the limit is for both directions. @default 0 */
  readonly outboundRules?: number;
  readonly nodes: readonly ProviderId[];
  /** Not in `nodes`: it is unknown whether the operator's addition of them had an effect. @default none */
  readonly mayHave?: readonly ProviderId[];
  /** Changes that the provider has accepted and not yet carried out. */
  readonly pending: boolean;
}

/** What the firewalls of an account look like from one firewall and some nodes. */
export interface FirewallSurvey {
  /** The one that was asked for by name. */
  readonly firewall?: FirewallFacts;
  /** Those whose names are the same with a number behind it, such as `ingress-2`. @default none */
  readonly numbered?: readonly FirewallFacts[];
  /** The names of all firewalls of the account, by id. @default not known */
  readonly names?: ReadonlyMap<string, string>;
  /** Since it was asked for. */
  readonly ageSeconds: number;
  /** For each node asked about: the names of the other firewalls that cover it, directly or by tag. */
  readonly coveredBy: ReadonlyMap<ProviderId, readonly string[]>;
  /** Nodes asked about that no firewall covers, because the provider has no such machine. @default none known */
  readonly gone?: ReadonlySet<ProviderId>;
}

export interface FirewallCapabilities {
  /** Inbound and outbound. */
  readonly rulesPerFirewall: number;
  /** Of one that the operator creates. @default 0 */
  readonly createdOutboundRules?: number;
  readonly nodesPerFirewall: number;
  /** Names that belong to somebody else (a managed Kubernetes) and are never touched. */
  reserved(name: string): boolean;
}

export interface CreateFirewall {
  readonly name: string;
  readonly rules: readonly FirewallRuleFacts[];
  readonly nodes: readonly ProviderId[];
}

/** Each part is one call at most; additions go first, nodes after rules. */
export interface FirewallChange {
  readonly id: string;
  readonly name: string;
  readonly addRules: readonly FirewallRuleFacts[];
  readonly addNodes: readonly ProviderId[];
  readonly removeRules: readonly FirewallRuleFacts[];
  readonly removeNodes: readonly ProviderId[];
}

export interface FirewallProvider extends Provider {
  readonly capabilities: FirewallCapabilities;
  /**
   * Rejects with Conflict/Ambiguous where several firewalls bear the name, with Terminal where it is reserved.
   * @param maxAgeSeconds what was read within this, and before no write of ours, will do. @default 0
   */
  survey(
    call: CallContext,
    name: string,
    nodes: readonly ProviderId[],
    maxAgeSeconds?: number,
  ): Promise<FirewallSurvey>;
  /** Creates one that also lets everything out; a lost answer is found again by its name. */
  create(call: CallContext, request: CreateFirewall): Promise<FirewallFacts>;
  apply(call: CallContext, change: FirewallChange): Promise<void>;
  /** Deletes one without rules and nodes of others. Already gone is success. */
  remove(call: CallContext, firewall: Pick<FirewallFacts, "id" | "name">): Promise<void>;
}
