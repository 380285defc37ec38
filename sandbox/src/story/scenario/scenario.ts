/** The input of a story. Written in YAML (docs/reference/scenario.md), read by read-scenario.ts. Times are in ms. */

import type { TenantLimits } from "cdk8s-flipop/api";

export interface Scenario {
  readonly title: string;
  /** A few sentences for the reader; empty: none. */
  readonly about: string;
  /** Story seconds in a real one, on a terminal; undefined: the usual. */
  readonly speed: number | undefined;
  readonly nodes: readonly NodeGroup[];
  readonly cloud: CloudSetup;
  readonly operator: OperatorSetup;
  readonly acts: readonly Act[];
}

/** Nodes of one kind, called `<name>-1`, `<name>-2`, ... */
export interface NodeGroup {
  readonly name: string;
  readonly count: number;
  readonly region: string;
  /** As DigitalOcean's Kubernetes, a group also gives the label doks.digitalocean.com/node-pool. */
  readonly labels: Readonly<Record<string, string>>;
  readonly kubeletVersion: string;
  /** How long the Lease of a kubelet lasts; the kubelet renews it four times as often. */
  readonly leaseMs: number;
}

/** The kubelet's own default. */
export const DEFAULT_LEASE_MS = 40_000;

export interface CloudSetup {
  /** Zones that both clouds have. */
  readonly zones: readonly string[];
  /** Ids of zones at Cloudflare, by name, where manifests name the id. */
  readonly zoneIds: Readonly<Record<string, string>>;
  /** Reserved addresses that the account has from the start. */
  readonly addresses: readonly string[];
  /** Reserved IPv4 addresses that the account may have. */
  readonly addressLimit: number;
}

export interface OperatorSetup {
  /** Namespaces, beside the operator's own, in which issuers may have their Secrets. */
  readonly issuerNamespaces: readonly string[];
  /** @default no limits */
  readonly tenantLimits?: TenantLimits;
}

export interface Act {
  readonly title: string;
  readonly about: string;
  readonly steps: readonly Step[];
}

/** Where a step stands in the scenario: for messages about it. */
interface Placed {
  /** `story.yaml:14`. */
  readonly place: string;
}

export type Step = Placed & StepKind;

export type StepKind =
  | ClusterStep
  | NodeStep
  | CloudStep
  | { readonly do: "wait"; readonly ms: number }
  /** Until all resources are as they should be and the operator writes no more. */
  | { readonly do: "settle"; readonly withinMs: number }
  /** Until a condition of the object has this reason. From then on, the other steps expect the refusal. */
  | { readonly do: "refused"; readonly object: ObjectName; readonly reason: string; readonly withinMs: number }
  /** Time in which nothing may be written. */
  | { readonly do: "rest"; readonly ms: number }
  | { readonly do: "crash"; readonly when: CrashMoment; readonly downMs: number };

export type ClusterStep =
  | { readonly do: "apply"; readonly objects: readonly Manifest[] }
  | { readonly do: "patch"; readonly object: ObjectName; readonly merge: Readonly<Record<string, unknown>> }
  | { readonly do: "delete"; readonly object: ObjectName }
  /** New pods for a Deployment, a few at a time. */
  | { readonly do: "rollout"; readonly object: ObjectName };

export type NodeStep =
  | {
      readonly do: "fail" | "power-off" | "recover" | "cordon" | "uncordon" | "drain" | "unready" | "ready";
      readonly node: NodeRef;
    }
  | { readonly do: "remove"; readonly node: NodeRef }
  | { readonly do: "add"; readonly group: string; readonly count: number }
  | {
      readonly do: "upgrade";
      readonly group: string;
      readonly to: string;
      /** Nodes replaced at a time. */
      readonly atOnce: number;
      /** From a new node's start until it is ready. */
      readonly bootMs: number;
    };

export type CloudStep =
  | {
      readonly do: "outage";
      readonly cloud: CloudName;
      readonly answer: OutageAnswer;
      readonly calls: CallKind;
      readonly ms: number;
    }
  /** The next such call is carried out, and its answer lost. */
  | { readonly do: "lose-answer"; readonly cloud: CloudName; readonly call: LosableCall }
  /** By a person, in the control panel. */
  | { readonly do: "move-address"; readonly address: AddressRef; readonly to: NodeRef | undefined }
  | {
      readonly do: "edit-records";
      readonly cloud: CloudName;
      readonly zone: string;
      /** The full name. */
      readonly name: string;
      readonly add: readonly string[];
      readonly remove: readonly string[];
    }
  | {
      readonly do: "edit-firewall";
      readonly name: string;
      /** Inbound rules, as `udp 5060`, for everybody. */
      readonly add: readonly string[];
      readonly remove: readonly string[];
    };

export const CLOUDS = ["digitalocean", "cloudflare"] as const;
export type CloudName = (typeof CLOUDS)[number];

/** `silent`: no answer at all; `slow`: each takes 8 s. */
export const OUTAGE_ANSWERS = ["500", "502", "503", "504", "429", "silent", "slow"] as const;
export type OutageAnswer = (typeof OUTAGE_ANSWERS)[number];

export const CALL_KINDS = ["all", "reads", "writes"] as const;
export type CallKind = (typeof CALL_KINDS)[number];

export const LOSABLE_CALLS = ["create-address", "assign", "records"] as const;
export type LosableCall = (typeof LOSABLE_CALLS)[number];

/** `address-created`: the moment in which the cloud has made the next address, and the operator not yet its record. */
export const CRASH_MOMENTS = ["now", "address-created"] as const;
export type CrashMoment = (typeof CRASH_MOMENTS)[number];

/** By name; by the address that it holds; or all that the opposite step was done to. */
export type NodeRef =
  | { readonly by: "name"; readonly name: string }
  | { readonly by: "holder"; readonly address: AddressRef }
  | { readonly by: "all" };

/** By itself, as the n-th (from 1) of a pool, or as the one of a RoutedIP. */
export type AddressRef =
  | { readonly by: "ip"; readonly ip: string }
  | { readonly by: "pool"; readonly namespace: string; readonly name: string; readonly index: number };

/** `FloatingIPPool ingress/ingress`; without a namespace for cluster-scoped objects. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The names of a group's nodes at the start. */
export function nodeNames({ name, count }: NodeGroup): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
}
