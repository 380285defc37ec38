/**
 * A firewall takes a limited number of machines. The operator creates additional ones with the same rules, called
 * `NAME-2`, `NAME-3` and so on; together they are one firewall for the plans. Pure.
 */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { Problem } from "../../messages/message.js";
import { isEmptyChange, isNumbered, ruleKey } from "../../providers/diff.js";
import { isProviderError } from "../../providers/errors.js";
import type { FirewallChange, FirewallFacts, FirewallRuleFacts } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import { MAX_ADDITIONAL_FIREWALLS } from "../../timings.js";
import { type FirewallCaller, FirewallFailures } from "./firewall-failures.js";

export interface FirewallGroup {
  /** The one that the issuer names. */
  readonly base: FirewallFacts;
  /** Those that the operator created. */
  readonly additional: readonly FirewallFacts[];
}

/** The name of the one that an additional one of this name belongs to. */
export function baseName(name: string): string {
  return name.replace(/-\d+$/, "");
}

/** The rules of the named one, and the machines of all. */
export function wholeOf({ base, additional }: FirewallGroup): FirewallFacts {
  if (additional.length === 0) return base;
  const all = [base, ...additional];
  return {
    ...base,
    // Each of them has to have room for a rule.
    outboundRules: Math.max(...all.map(({ outboundRules = 0 }) => outboundRules)),
    nodes: [...new Set(all.flatMap(({ nodes }) => nodes))],
    mayHave: all.flatMap(({ mayHave = [] }) => mayHave),
    pending: all.some(({ pending }) => pending),
  };
}

/** The machine is in it, or an addition of unknown outcome put it there: it is removed as if it were. */
export function mayBeIn({ nodes, mayHave }: Pick<FirewallFacts, "nodes" | "mayHave">, node: ProviderId): boolean {
  return nodes.includes(node) || mayHave?.includes(node) === true;
}

/** As far as is known. */
export function isEmpty({ nodes, mayHave = [] }: Pick<FirewallFacts, "nodes" | "mayHave">): boolean {
  return nodes.length + mayHave.length === 0;
}

/** How many more machines fit. */
export function roomIn({ base, additional }: FirewallGroup, limit: number): number {
  return [base, ...additional].reduce((room, { nodes }) => room + Math.max(0, limit - nodes.length), 0);
}

/** The first free name of the series; `undefined`: the operator creates no more. */
export function nextName(name: string, isTaken: (name: string) => boolean): string | undefined {
  const names = Array.from({ length: MAX_ADDITIONAL_FIREWALLS }, (_, index) => `${name}-${index + 2}`);
  return names.find((each) => !isTaken(each));
}

/** Rules that an additional one can have, too: only the provider knows the sources of the others. */
function sharedRules({ rules }: FirewallFacts): readonly FirewallRuleFacts[] {
  return rules.filter(({ otherSources }) => !otherSources);
}

interface GroupChange {
  /** Of each firewall that changes. */
  readonly changes: readonly FirewallChange[];
  /** Machines that no firewall has room for. */
  readonly homeless: readonly ProviderId[];
}

export function changesFor(group: FirewallGroup, change: FirewallChange, limit: number): GroupChange {
  const { base, additional } = group;
  const removed = new Set(change.removeRules.map(ruleKey));
  const rules = [...sharedRules(base), ...change.addRules].filter((rule) => !removed.has(ruleKey(rule)));
  const places = placesFor(group, change.addNodes, limit);
  const own: FirewallChange = { ...change, ...nodeChange(base, change, places) };
  const others = additional.map((facts): FirewallChange => {
    return { id: facts.id, name: facts.name, ...mirrored(facts, rules), ...nodeChange(facts, change, places) };
  });
  return {
    changes: [own, ...others].filter((each) => !isEmptyChange(each)),
    homeless: change.addNodes.filter((node) => !places.has(node)),
  };
}

/** An additional one lacks rules of the named one, or has others. */
export function isOutOfStep({ base, additional }: FirewallGroup): boolean {
  return additional.some((facts) => {
    const { addRules, removeRules } = mirrored(facts, sharedRules(base));
    return addRules.length + removeRules.length > 0;
  });
}

function mirrored({ rules: present }: FirewallFacts, rules: readonly FirewallRuleFacts[]) {
  const [has, wanted] = [new Set(present.map(ruleKey)), new Set(rules.map(ruleKey))];
  return {
    addRules: rules.filter((rule) => !has.has(ruleKey(rule))),
    removeRules: present.filter((rule) => !wanted.has(ruleKey(rule))),
  };
}

/** By the id of the firewall: each machine goes to the first that has room. */
function placesFor({ base, additional }: FirewallGroup, nodes: readonly ProviderId[], limit: number) {
  const rooms = [base, ...additional].map(({ id, nodes: held }) => ({ id, room: limit - held.length }));
  const places = new Map<ProviderId, string>();
  for (const node of nodes) {
    const place = rooms.find(({ room }) => room > 0);
    if (place === undefined) break;
    place.room -= 1;
    places.set(node, place.id);
  }
  return places;
}

function nodeChange(
  { id, nodes, mayHave = [] }: FirewallFacts,
  { addNodes, removeNodes }: FirewallChange,
  places: ReadonlyMap<ProviderId, string>,
): Pick<FirewallChange, "addNodes" | "removeNodes"> {
  return {
    addNodes: addNodes.filter((node) => places.get(node) === id),
    removeNodes: removeNodes.filter((node) => mayBeIn({ nodes, mayHave }, node)),
  };
}

/** After a change that was made, or is visible already. */
export function changedFacts(facts: FirewallFacts, change: FirewallChange): FirewallFacts {
  const removed = new Set(change.removeRules.map(ruleKey));
  const added = new Map([...facts.rules, ...change.addRules].map((rule) => [ruleKey(rule), rule]));
  const rules = [...added].flatMap(([key, rule]) => (removed.has(key) ? [] : [rule]));
  const nodes = [...new Set([...facts.nodes, ...change.addNodes])].filter((node) => !change.removeNodes.includes(node));
  const left = (node: ProviderId) => !nodes.includes(node) && !change.removeNodes.includes(node);
  return { ...facts, rules, nodes, ...(facts.mayHave && { mayHave: facts.mayHave.filter(left) }) };
}

export interface GroupView {
  /** How many more machines fit. */
  readonly room: number;
  readonly additional: readonly FirewallFacts[];
  /** Name of the next one. Absent: there may be no more. */
  readonly next?: string;
  /** Some lack rules of the first one, or have others. */
  readonly outOfStep: boolean;
  /** The last creation failed. */
  readonly failure?: Problem;
  /** ms since the epoch: not before. */
  readonly retryAt?: number;
}

/** One more firewall. */
export interface Extension {
  readonly name: string;
  readonly nodes: readonly ProviderId[];
  /** Before the creation with an empty id, after it with the id; `undefined`: there is none. */
  record(id: string | undefined): Promise<void>;
}

export class AdditionalFirewalls {
  /** All whose names are the first one's with a number, whoever made them. */
  private numbered: readonly FirewallFacts[] = [];
  /** By issuer: what it has on record. */
  private readonly recorded = new Map<string, readonly CreatedFirewall[]>();
  /** Ids of those that this process created: an issuer as the cache shows it may not have them yet. */
  private readonly made = new Set<string>();
  private readonly unanswered = new UnansweredCreations();
  private readonly failures: FirewallFailures;

  /** @param isNamed whether an issuer names a firewall: such a one is never an additional one. */
  constructor(
    private readonly name: string,
    clock: Pick<Clock, "now">,
    private readonly isNamed: (name: string) => boolean,
  ) {
    this.failures = new FirewallFailures(clock, "FirewallFull");
  }

  /** What an issuer has on record. */
  note(issuer: string, created: readonly CreatedFirewall[]): void {
    const ours = created.filter(({ name }) => isNumbered(this.name, name));
    if (ours.length === 0) this.recorded.delete(issuer);
    else this.recorded.set(issuer, ours);
  }

  /** Names of those that issuers have on record, also of those whose creation is under way. */
  get onRecord(): readonly string[] {
    return [...new Set([...this.recorded.values()].flatMap((created) => created.map(({ name }) => name)))];
  }

  /** Of these, those that are created, and were not read. */
  get unseen(): readonly string[] {
    const seen = new Set(this.numbered.map(({ name }) => name));
    const created = [...this.recorded.values()].flat().filter(({ id }) => id !== "");
    return created.map(({ name }) => name).filter((name) => !seen.has(name));
  }

  /** Those that the operator created, as they were read. */
  get created(): readonly FirewallFacts[] {
    const recorded = [...this.recorded.values()].flat();
    const isOnRecord = ({ id, name }: FirewallFacts) =>
      recorded.some((each) => each.name === name && (each.id === "" || each.id === id));
    return this.numbered.filter((facts) => !this.isNamed(facts.name) && (this.made.has(facts.id) || isOnRecord(facts)));
  }

  groupOf(base: FirewallFacts): FirewallGroup {
    return { base, additional: this.created };
  }

  /** @param limit machines of one firewall. */
  view(base: FirewallFacts, limit: number): GroupView {
    const group = this.groupOf(base);
    const taken = new Set(this.numbered.map(({ name }) => name));
    const next = nextName(this.name, (name) => taken.has(name) || this.isNamed(name));
    return {
      ...{ room: roomIn(group, limit), additional: group.additional, outOfStep: isOutOfStep(group) },
      ...(next === undefined ? {} : { next }),
      ...this.failures.view(),
    };
  }

  /** As they were read. */
  take(numbered: readonly FirewallFacts[]): void {
    this.numbered = [...numbered].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  }

  changed(change: FirewallChange): void {
    this.numbered = this.numbered.map((facts) => (facts.id === change.id ? changedFacts(facts, change) : facts));
  }

  removed(id: string): void {
    this.numbered = this.numbered.filter((facts) => facts.id !== id);
    this.made.delete(id);
  }

  /** Rejects as the provider does. On record first: a process that starts after a crash finds it by its name. */
  async create(
    { provider, context, account }: FirewallCaller,
    base: FirewallFacts,
    extension: Extension,
  ): Promise<FirewallFacts> {
    const { name, nodes, record } = extension;
    const rules = new Map(sharedRules(base).map((rule) => [ruleKey(rule), rule]));
    await record("");
    try {
      const made = await provider.create(context, { name, rules: [...rules.values()], nodes });
      this.failures.clear("addition");
      this.unanswered.answered(name);
      this.made.add(made.id);
      this.take([...this.numbered, made]);
      await record(made.id);
      return made;
    } catch (error) {
      this.failures.note(error, account, "addition");
      if (this.unanswered.hasMadeNone(name, error)) await record(undefined);
      throw error;
    }
  }
}

/** Names of firewalls whose creations had no answer: a later refusal, such as of a taken name, says nothing about them. */
export class UnansweredCreations {
  private readonly names = new Set<string>();

  /** No creation of this name has made a firewall, whose last one failed so. */
  hasMadeNone(name: string, error: unknown): boolean {
    if (!isProviderError(error) || error.outcome === "unknown") this.names.add(name);
    return !this.names.has(name);
  }

  /** It is there. */
  answered(name: string): void {
    this.names.delete(name);
  }
}
