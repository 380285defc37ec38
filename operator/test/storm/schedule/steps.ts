/** The events of a storm. Numbers stand for things by place: slots of nodes, templates of resources. */

import type { CheckSettings, CloudName } from "../history.js";

/** Nodes, by slot. */
export const SLOTS = 9;
/** Values of the label that resources select nodes by. */
export const GROUPS = ["a", "b", "c"] as const;

export type NodeAct =
  | "unready"
  | "ready"
  | "delete"
  | "create"
  /** Deleted and created again under the same name, on another machine. */
  | "replace"
  | "cordon"
  | "uncordon"
  | "taint"
  | "untaint"
  | "pressure"
  | "regroup"
  | LifeAct;

/** What Kubernetes does not notice: the Node stays Ready. */
export type LifeAct =
  /** The service and the kubelet end. */
  | "die"
  | "close"
  | "hang"
  /** The kubelet ends, and the service goes on. */
  | "silence"
  | "heal";

export type PodAct = "unready" | "ready" | "delete" | "create";

export type ResourceAct =
  | "create"
  | "delete"
  | "desired"
  | "pause"
  | "resume"
  | "grace"
  | "coolOff"
  | "groups"
  | "unlist"
  | "list";

export type HandAct =
  | "move"
  | "unassign"
  | "removeAddress"
  | "addAddress"
  | "destroyDroplet"
  | "busyDroplet"
  | "addRecord"
  | "removeRecord";

/** Faults of a cloud that strike calls while a span of time lasts. */
export const CLOUD_FAULTS = [
  "429",
  "429 with retry-after",
  "500",
  "503",
  "504 after commit",
  "timeout",
  "timeout after commit",
  "reset",
  "lost response",
  "truncated",
  "delay",
  "stale reads",
] as const;
export type CloudFault = (typeof CLOUD_FAULTS)[number];

/** What chance alone would bring about too seldom. */
export const MISHAPS = [
  "assign lost and errored",
  "assign lost and node replaced",
  "create lost",
  "create refused, foreign address",
  "assign delayed, node fails",
] as const;
export type MishapAct = (typeof MISHAPS)[number];

export const PROBE_ACTS = [
  /** The service is closed for a moment. */
  "flap",
  /** The service is closed, and the kubelet goes on. */
  "close",
  "hang",
  /** The service and the kubelet end, and the Node stays Ready. */
  "die",
  /** The leader's connections to the node get no answer; all others do. */
  "cut off",
  /** The service is closed while the standby replica stands still, so that it is no witness. */
  "close unwitnessed",
] as const;
export type ProbeAct = (typeof PROBE_ACTS)[number];

export type Routes = "all" | "writes" | "reads";

export type Happening =
  | { readonly kind: "node"; readonly slot: number; readonly act: NodeAct; readonly group?: string }
  | { readonly kind: "pod"; readonly slot: number; readonly act: PodAct }
  | {
      readonly kind: "resource";
      readonly template: number;
      readonly act: ResourceAct;
      readonly value?: number;
      readonly groups?: readonly string[];
    }
  | { readonly kind: "endpoint"; readonly template: number; readonly slot: number; readonly act: PodAct }
  /** `pick` in [0, 1): which address, droplet or record; it is resolved when the step is done. */
  | { readonly kind: "hand"; readonly act: HandAct; readonly pick: number; readonly other: number }
  | {
      readonly kind: "cloud";
      readonly cloud: CloudName;
      readonly fault: CloudFault;
      readonly routes: Routes;
      readonly probability: number;
      readonly ms: number;
    }
  | { readonly kind: "mishap"; readonly act: MishapAct }
  /** Strikes a node that holds an address, for a while. `pick` as above. */
  | { readonly kind: "probe"; readonly act: ProbeAct; readonly pick: number; readonly ms: number }
  | { readonly kind: "actions"; readonly act: "fail" | "slow"; readonly ms: number }
  | { readonly kind: "token"; readonly cloud: CloudName; readonly ms: number }
  | { readonly kind: "quota"; readonly ms: number }
  | {
      readonly kind: "operator";
      readonly act: "kill" | "terminate" | "stop";
      readonly which: "leader" | "standby";
      readonly ms: number;
    }
  | {
      readonly kind: "server";
      readonly act: "restart" | "reset" | "freeze" | "refuse status" | "errors" | "delay";
      readonly ms: number;
    };

export type Step = Happening & {
  /** ms from the start of the storm phase. */
  readonly at: number;
};

/** A resource that a storm may create, delete and create again. */
export interface Template {
  readonly name: string;
  readonly kind: "pool" | "set" | "routed";
  readonly groups: readonly string[];
  readonly needsPod: boolean;
  readonly family: "ipv4" | "ipv6";
  readonly desired: number;
  /** How many addresses the storm reserves and lists. */
  readonly listed: number;
  readonly coolOffSeconds: number;
  readonly graceSeconds: number;
  readonly release: boolean;
  readonly dns?: { readonly cloud: CloudName; readonly deletes: boolean };
  readonly check?: CheckSettings;
  readonly ignoresMassFailure: boolean;
}

/** All that a round does, decided by its seed alone. */
export interface Schedule {
  readonly seed: number;
  readonly templates: readonly Template[];
  /** In order of time. */
  readonly steps: readonly Step[];
}

/** One line for a timeline. */
export function stepText(step: Happening): string {
  const { kind, ...rest } = step;
  const shown = Object.entries(rest).filter(([name]) => name !== "at");
  return `${kind}: ${shown.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}`;
}
