/** What the health check of one resource knows of one node. */

import type { Timer } from "../clock.js";
import type { NodeFacts } from "../match/node-facts.js";
import type { ProbeState } from "./probe-state.js";
import type { Subscription } from "./prober.js";
import type { ProbeTarget } from "./target.js";
import type { NodeHealth } from "./witness.js";

export type Named = Pick<NodeFacts, "name" | "uid" | "addresses" | "machine">;

export interface Entry {
  readonly name: string;
  readonly uid: string;
  readonly node: Named;
  readonly target: ProbeTarget;
  held: boolean;
  state: ProbeState;
  health: NodeHealth;
  /** Absent: the node is not probed at the moment; what is known of it counts until the flap window has passed. */
  subscription?: Subscription;
  timer?: Timer;
}
