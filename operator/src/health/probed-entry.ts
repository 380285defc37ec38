/** The nodes that one resource probes, and what its health check knows of each. */

import type { Timer } from "../clock.js";
import type { NodeFacts } from "../match/node-facts.js";
import type { MachineReader } from "./machine-states.js";
import type { ProbeState } from "./probe-state.js";
import type { Subscription } from "./prober.js";
import type { ProbeTarget } from "./target.js";
import type { NodeHealth } from "./witness.js";

export type Named = Pick<NodeFacts, "name" | "uid" | "addresses" | "machine">;

/** Nodes to probe. */
export interface Wanted {
  /** An address depends on each of them. */
  readonly holders: readonly Named[];
  readonly others: readonly Named[];
  /** Reads whether the machine of a holder is off. @default the provider of the environment */
  readonly machineReader?: MachineReader | undefined;
  /** Whether a node matches apart from its probes. @default it does */
  readonly matches?: (node: string) => boolean;
}

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
