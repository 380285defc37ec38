/** The calls of one firewall, one after the other, the machines of those that wait, and what a call adds. */

import { errorText } from "../../logging.js";
import type { FirewallChange, FirewallFacts } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";

export class FirewallTurns {
  private readonly waiting = new Set<readonly ProviderId[]>();
  private last: Promise<unknown> = Promise.resolve();

  /** One call is under way, and others wait. */
  get crowded(): boolean {
    return this.waiting.size > 0;
  }

  /** What one call reads of them serves all. */
  get machines(): readonly ProviderId[] {
    return [...new Set([...this.waiting].flat())];
  }

  /** @param nodes machines that the call is about */
  take<T>(nodes: readonly ProviderId[], work: () => Promise<T>): Promise<T> {
    const place = [...nodes];
    this.waiting.add(place);
    const turn = this.last.then(() => {
      this.waiting.delete(place);
      return work();
    });
    this.last = turn.catch((error: unknown) => errorText(error));
    return turn;
  }
}

/** The machines that a call adds and that may be why it is refused; none where it adds rules as well. */
export type Additions = readonly ProviderId[] | "removal";

export function additionsOf({ addRules, addNodes, removeRules, removeNodes }: FirewallChange): Additions {
  if (addRules.length + addNodes.length === 0) return "removal";
  return addRules.length + removeRules.length + removeNodes.length === 0 ? addNodes : [];
}

/** It was read, and exists. */
export function isPresent(facts: FirewallFacts | "missing" | undefined): facts is FirewallFacts {
  return facts !== undefined && facts !== "missing";
}
