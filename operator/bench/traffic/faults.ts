/** The faults of a node, and when Kubernetes reports each of them. */

import type { SimulatedNode } from "./simulated-node.js";

export const FAULTS = ["link down", "process killed", "process hangs", "5 % loss", "30 % loss"] as const;
export type FaultName = (typeof FAULTS)[number];

export interface Fault {
  begin(node: SimulatedNode): Promise<void> | void;
  end(node: SimulatedNode): Promise<void> | void;
  /** What Kubernetes reports, with its defaults. Absent: nothing. */
  readonly reported?: {
    readonly afterMs: number;
    begin(node: SimulatedNode): Promise<void>;
    end(node: SimulatedNode): Promise<void>;
  };
}

/** The node lifecycle controller waits for so long until it marks a node NotReady. */
const NOT_READY_MS = 40_000;
/** The kubelet looks at its containers so often. */
const CONTAINERS_MS = 1_000;
/** Of a readiness probe: its period times its failure threshold. */
const UNREADY_MS = 30_000;

function podUnready(afterMs: number): NonNullable<Fault["reported"]> {
  return {
    afterMs,
    begin: ({ facts }) => facts.pod.setReady(false),
    end: ({ facts }) => facts.pod.setReady(true),
  };
}

function loss(share: number): Fault {
  return { begin: (node) => node.losePackets(share), end: (node) => node.losePackets(0) };
}

export const FAULT_OF: Readonly<Record<FaultName, Fault>> = {
  "link down": {
    begin: (node) => node.unplug(),
    end: (node) => node.plugIn(),
    reported: {
      afterMs: NOT_READY_MS,
      begin: ({ facts }) => facts.machine.node.setReady("Unknown"),
      end: ({ facts }) => facts.machine.node.setReady(true),
    },
  },
  "process killed": {
    begin: (node) => node.killService(),
    end: (node) => node.startService(),
    reported: podUnready(CONTAINERS_MS),
  },
  "process hangs": {
    begin: (node) => node.hangService(true),
    end: (node) => node.hangService(false),
    reported: podUnready(UNREADY_MS),
  },
  "5 % loss": loss(0.05),
  "30 % loss": loss(0.3),
};
