/** What this process wrote to firewalls lately: a list that shows the state before a write does not hide the write. */

import { SECOND_MS, SETTLE_SECONDS } from "../bounds.js";
import type { FirewallChange, FirewallFacts } from "../providers/firewall-types.js";
import { changedFacts, mayBeIn } from "./firewall-group.js";

type Firewalls = readonly FirewallFacts[];

interface Write {
  readonly id: string;
  /** When it was answered, monotonic ms. */
  readonly at: number;
  /** The list as it is after the write. */
  readonly replay: (listed: Firewalls) => Firewalls;
}

export class OwnFirewallWrites {
  private writes: readonly Write[] = [];

  constructor(private readonly clock: { monotonic(): number }) {}

  created(made: FirewallFacts): void {
    this.note(made.id, (listed) => (listed.some(({ id }) => id === made.id) ? listed : [...listed, made]));
  }

  changed(change: FirewallChange): void {
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

  private note(id: string, replay: Write["replay"]): void {
    this.writes = [...this.writes, { id, at: this.clock.monotonic(), replay }];
  }
}
