/** What a plan sees of a shared firewall. */

import type { FirewallFacts } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import type { CoverageView } from "./firewall-coverage.js";
import type { FailureView } from "./firewall-failures.js";
import type { FirewallReverts, PartKey } from "./own-firewall-writes.js";
import type { RefusedMachine } from "./refused-machines.js";

export interface FirewallView extends FailureView, CoverageView {
  readonly facts: FirewallFacts | "unknown" | "missing";
  /** Machines that it refused lately. */
  readonly refused: ReadonlyMap<ProviderId, RefusedMachine>;
  /** What others took out of it lately. */
  readonly reverts: FirewallReverts;
  /** What others took out of it lately, whoever had put it there. */
  readonly taken: ReadonlySet<PartKey>;
  /** Somebody has given the former firewall of the name this one. */
  readonly renamed?: string;
  /** The firewall has to be read again before the next change; until then `facts` are those of the last reading. */
  readonly due?: true;
  /** ms from now until the firewall is due. Absent: it is due, or was never read. */
  readonly dueInMs?: number;
  /** Some calls wait until others have ended. */
  readonly crowded?: true;
}
