/** The nodes that one resource probes, and what its health check knows of each. */

import type { Clock, Timer } from "../clock.js";
import type { NodeFacts } from "../match/node-facts.js";
import { compareText } from "../values.js";
import type { MachineReader, MachineStates } from "./machine-states.js";
import type { ProbeState } from "./probe-state.js";
import type { Prober, Subscription } from "./prober.js";
import type { StandbyWitness } from "./standby/evidence.js";
import type { ProbeTarget } from "./target.js";
import type { LeaseFacts, NodeDoubt, NodeHealth, Peers } from "./witness.js";

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

export interface ResourceHealthProps {
  readonly clock: Clock;
  readonly prober: Prober;
  /** What is known of a node has changed. */
  readonly onChange: (node: string) => void;
  readonly leaseOf: (node: string) => LeaseFacts;
  /** @param suspected monotonic ms: when the suspicion began. */
  readonly standbyOf: (node: string, target: ProbeTarget, suspected: number) => StandbyWitness;
  readonly controlFailed: () => boolean;
  /** Absent: no cloud is asked. */
  readonly machines?: MachineStates | undefined;
  /** The Leases to watch may have changed. */
  readonly onDemand: () => void;
  readonly onClose: () => void;
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

/** @param before nodes whose results are open change nothing */
export function peersOf(entries: Iterable<Entry>, before: Peers): Peers {
  const standings = [...entries].map(standingOf).filter((standing) => standing !== "unprobed");
  if (standings.length < 2 || standings.includes("passes")) return "passing";
  return standings.includes("open") ? before : "failing";
}

/** What the latest results of the node itself say. */
export function standingOf({ state, subscription }: Entry): "unprobed" | "open" | "passes" | "fails" {
  if (subscription === undefined) return "unprobed";
  if (state.run === undefined || state.verdict === "unknown") return "open";
  return state.verdict === "passed" && state.run.ok ? "passes" : "fails";
}

/** By name of the node. */
export function doubtsOf(entries: Iterable<Entry>): readonly NodeDoubt[] {
  const doubts = [...entries].flatMap(({ name: node, health }): readonly NodeDoubt[] =>
    health.is === "doubted" ? [{ node, doubt: health.doubt, detail: health.detail }] : [],
  );
  return doubts.sort((a, b) => compareText(a.node, b.node));
}

/** Nodes whose probes fail, whatever the operator concludes from that; by name. */
export function failuresOf(entries: Iterable<Entry>): readonly { readonly nodeName: string; readonly error: string }[] {
  const found = [...entries].flatMap(({ name: nodeName, health }) =>
    "detail" in health ? [{ nodeName, error: health.detail }] : [],
  );
  return found.sort((a, b) => compareText(a.nodeName, b.nodeName));
}
