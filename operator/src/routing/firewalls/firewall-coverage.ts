/** Which other firewalls cover the machines that may join a firewall, as last read, and which of them to read again. */

import type { Clock } from "../../clock.js";
import type { FirewallSurvey } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import { FIREWALL_MAX_AGE_SECONDS, SECOND_MS, UNCOVERED_KEPT_SECONDS } from "../../timings.js";

export interface CoverageView {
  /** Names of other firewalls, as far as they were read lately. */
  readonly coveredBy: ReadonlyMap<ProviderId, readonly string[]>;
  /** Machines that no other firewall covered when that was last read, however long ago. */
  readonly uncovered: ReadonlySet<ProviderId>;
  /** Machines that the provider does not have. */
  readonly gone: ReadonlySet<ProviderId>;
}

/** `by`: names of other firewalls. `at`: monotonic ms. */
type Covered = { readonly by: readonly string[]; readonly gone: boolean; readonly at: number };

/** So many uncovered machines are read again with the one that is asked for. Each takes one call. */
const READ_AGAIN = 5;

export class FirewallCoverage {
  /** Those read longest ago come first. */
  private readonly covered = new Map<ProviderId, Covered>();

  constructor(private readonly clock: Clock) {}

  view(): CoverageView {
    const fresh = [...this.covered].filter(([node]) => this.isKnown(node));
    return {
      coveredBy: new Map(fresh.map(([node, { by }]) => [node, by])),
      uncovered: new Set([...this.covered.keys()].filter((node) => this.isUncovered(node))),
      gone: new Set(fresh.flatMap(([node, { gone }]) => (gone ? [node] : []))),
    };
  }

  isKnown(node: ProviderId): boolean {
    const at = this.covered.get(node)?.at;
    return at !== undefined && this.clock.monotonic() - at < FIREWALL_MAX_AGE_SECONDS * SECOND_MS;
  }

  /** While one of the nodes was uncovered, somebody may have added another uncovered one to a firewall. */
  withUncovered(nodes: readonly ProviderId[]): readonly ProviderId[] {
    if (!nodes.some((node) => this.isUncovered(node))) return nodes;
    const stale = [...this.covered.keys()].filter((node) => this.isUncovered(node) && !this.isKnown(node));
    const others = stale.filter((node) => !nodes.includes(node));
    return [...nodes, ...others.slice(0, READ_AGAIN)];
  }

  /**
   * @param nodes those that the survey was for; of the others, it drops those that are gone
   * @param at monotonic ms
   */
  take(survey: Pick<FirewallSurvey, "coveredBy" | "gone">, nodes: readonly ProviderId[], at: number): void {
    for (const [node, by] of survey.coveredBy) {
      const gone = survey.gone?.has(node) === true;
      this.covered.delete(node);
      if (nodes.includes(node) || !gone) this.covered.set(node, { by, gone, at });
    }
    for (const [node, { at: seen }] of this.covered) {
      const keptSeconds = this.isUncovered(node) ? UNCOVERED_KEPT_SECONDS : FIREWALL_MAX_AGE_SECONDS;
      if (this.clock.monotonic() - seen >= keptSeconds * SECOND_MS) this.covered.delete(node);
    }
  }

  private isUncovered(node: ProviderId): boolean {
    return this.covered.get(node)?.by.length === 0;
  }
}
