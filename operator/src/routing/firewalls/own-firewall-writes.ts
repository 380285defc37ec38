/**
 * What this process wrote to firewalls: a list that shows the state before a write does not hide the write, and what others
 * take out again is noticed.
 */

import type { Clock } from "../../clock.js";
import { ruleKey } from "../../providers/diff.js";
import type { FirewallChange, FirewallFacts } from "../../providers/firewall-types.js";
import { PLACEMENT_LASTING_MS, REVERTS_KEPT, SECOND_MS, SETTLE_SECONDS } from "../../timings.js";
import { changedFacts, mayBeIn } from "./additional-firewalls.js";

type Firewalls = readonly FirewallFacts[];
/** A rule without its sources, such as `tcp 443`, or a machine. */
type Item = string;
/** When others took each out, ms since the epoch. */
export type FirewallReverts = ReadonlyMap<Item, readonly number[]>;

export function itemsOf({ rules, nodes }: Pick<FirewallFacts, "rules" | "nodes">): readonly Item[] {
  return [...rules.map(({ protocol, ports }) => `${protocol} ${ports}`), ...nodes];
}

/** A rule with its sources, or a machine. */
export type PartKey = string;

export function keysOf({ rules, nodes }: Pick<FirewallFacts, "rules" | "nodes">): readonly PartKey[] {
  return [...rules.map(ruleKey), ...nodes];
}

interface Write {
  readonly id: string;
  /** When it was answered, monotonic ms. */
  readonly at: number;
  /** The list as it is after the write. */
  readonly replay: (listed: Firewalls) => Firewalls;
}

export class OwnFirewallWrites {
  private writes: readonly Write[] = [];
  /** By id: what was added, and is there as far as is known. */
  private readonly added = new Map<string, readonly Item[]>();
  private readonly undone = new Map<Item, readonly number[]>();
  /** What others took out, whoever had put it there: when that was seen, ms since the epoch. */
  private readonly takenAt = new Map<PartKey, number>();

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {}

  get reverts(): FirewallReverts {
    return this.undone;
  }

  get taken(): ReadonlySet<PartKey> {
    return new Set(this.takenAt.keys());
  }

  /** Looks for what others took out. @param before after the list before and the writes since */
  compare(before: readonly PartKey[], now: readonly PartKey[]): void {
    const at = this.clock.now();
    const there = new Set(now);
    for (const [key, seenAt] of this.takenAt)
      if (there.has(key) || at - seenAt >= PLACEMENT_LASTING_MS) this.takenAt.delete(key);
    for (const key of before) if (!there.has(key)) this.takenAt.set(key, at);
  }

  private noteAdded(parts: Pick<FirewallFacts, "rules" | "nodes">): void {
    for (const key of keysOf(parts)) this.takenAt.delete(key);
  }

  created(made: FirewallFacts): void {
    this.added.set(made.id, itemsOf(made));
    this.noteAdded(made);
    this.note(made.id, (listed) => (listed.some(({ id }) => id === made.id) ? listed : [...listed, made]));
  }

  changed(change: FirewallChange): void {
    const { id, addRules, addNodes, removeRules, removeNodes } = change;
    const gone = new Set(itemsOf({ rules: removeRules, nodes: removeNodes }));
    this.noteAdded({ rules: addRules, nodes: addNodes });
    const known = (this.added.get(id) ?? []).filter((item) => !gone.has(item));
    this.added.set(id, [...new Set([...known, ...itemsOf({ rules: addRules, nodes: addNodes })])]);
    this.note(change.id, (listed) =>
      listed.map((facts) => (facts.id === change.id ? changedFacts(facts, change) : facts)),
    );
  }

  /** Its outcome is unknown: what it added may be there. */
  attempted({ id, addNodes }: FirewallChange): void {
    const added = (facts: FirewallFacts) => addNodes.filter((node) => !mayBeIn(facts, node));
    this.note(id, (listed) =>
      listed.map((facts) =>
        facts.id === id && added(facts).length > 0
          ? { ...facts, mayHave: [...(facts.mayHave ?? []), ...added(facts)] }
          : facts,
      ),
    );
  }

  removed(id: string): void {
    this.added.delete(id);
    this.note(id, (listed) => listed.filter((facts) => facts.id !== id));
  }

  /** The provider says that it does not have the firewall. */
  forget(id: string): void {
    this.writes = this.writes.filter((write) => write.id !== id);
  }

  /** @param readAt when the list was asked for, monotonic ms */
  correct(listed: Firewalls, readAt: number): Firewalls {
    this.writes = this.writes.filter(({ at }) => readAt - at < SETTLE_SECONDS * SECOND_MS);
    return this.writes.reduce((all, { replay }) => replay(all), listed);
  }

  /** A change has failed: it is unknown how much of it was done. */
  unsure(id: string): void {
    this.added.delete(id);
  }

  /** Looks for what others took out. @param listed all that were written to, corrected */
  judge(listed: Firewalls): void {
    const now = this.clock.now();
    for (const [item, times] of this.undone)
      if (now - Math.max(...times) >= PLACEMENT_LASTING_MS) this.undone.delete(item);
    for (const [id, items] of this.added) {
      const found = listed.find((facts) => facts.id === id);
      const there = new Set(found && itemsOf(found));
      for (const item of items.filter((each) => !there.has(each)))
        this.undone.set(item, [...(this.undone.get(item) ?? []), now].slice(-REVERTS_KEPT));
      if (found === undefined) this.added.delete(id);
      else
        this.added.set(
          id,
          items.filter((each) => there.has(each)),
        );
    }
  }

  private note(id: string, replay: Write["replay"]): void {
    this.writes = [...this.writes, { id, at: this.clock.monotonic(), replay }];
  }
}

/** The firewall that had a name before: somebody may have renamed it, and its rules and nodes stay in it. */
export class FormerFirewall {
  private latest: string | undefined;
  private former: string | undefined;
  /** Its name now. `undefined`: there is no such firewall. */
  name: string | undefined;

  /** @param id of the one that has the name, or had it in the status */
  note(id: string | undefined): void {
    if (id === undefined || id === "" || id === this.latest) return;
    this.former = this.latest;
    this.latest = id;
  }

  /** The firewall that has the name, as far as is known, has another one now. */
  isRenamed(name: string, names: ReadonlyMap<string, string> = new Map()): boolean {
    const now = this.latest === undefined ? undefined : names.get(this.latest);
    return now !== undefined && now !== name;
  }

  look(id: string | undefined, names: ReadonlyMap<string, string> = new Map()): void {
    this.note(id);
    const gone = id === undefined ? this.latest : this.former;
    this.name = gone === undefined ? undefined : names.get(gone);
  }
}
