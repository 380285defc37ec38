/** The events of the simulated world, recorded by the world itself: the summary and the checks use them. */

import type { CloudName } from "../scenario/scenario.js";

/** ms of story time since its start. */
interface Timed {
  readonly at: number;
}

export type Fact = Timed & FactKind;

export type FactKind =
  | CallFact
  | AddressFact
  /** What pools want and who could serve them, whenever that changes. */
  | { readonly kind: "pools"; readonly pools: readonly PoolView[] }
  /** `set`: `A www.example.com (digitalocean)`. */
  | {
      readonly kind: "records";
      readonly set: string;
      readonly values: readonly string[];
      readonly before: readonly string[];
      readonly by: Author;
    }
  /** What a firewall lets in, and the nodes behind it. */
  | ({ readonly kind: "firewall"; readonly by: Author } & FirewallState)
  /** By the operator, to the Kubernetes API; without renewals of its lease. */
  | { readonly kind: "kube-write"; readonly what: string }
  | {
      readonly kind: "event";
      readonly warning: boolean;
      readonly reason: string;
      readonly about: string;
      readonly note: string;
    }
  /** Between these nothing may be written. */
  | { readonly kind: "rest-begins" }
  | { readonly kind: "rest-ends" }
  /** A step of the story did not come about. */
  | { readonly kind: "failure"; readonly what: string };

/** One request of the operator to a cloud. */
export interface CallFact {
  readonly kind: "call";
  readonly cloud: CloudName;
  /** `POST /v2/reserved_ips`. */
  readonly what: string;
  readonly writes: boolean;
  /** Undefined: no answer. */
  readonly status: number | undefined;
}

/** `from` and `to` are names of nodes. */
export type AddressFact =
  | { readonly kind: "made"; readonly ip: string }
  | { readonly kind: "gone"; readonly ip: string }
  /** The cloud took the order; it takes some seconds. `to` undefined: off its holder. */
  | {
      readonly kind: "ordered";
      readonly ip: string;
      readonly from: string | undefined;
      readonly to: string | undefined;
    }
  | {
      readonly kind: "moved";
      readonly ip: string;
      readonly from: string | undefined;
      readonly to: string | undefined;
      readonly by: Author;
    };

/** `story`: a person in the control panel. */
export type Author = "operator" | "story";

export interface PoolView {
  /** `ingress/ingress`; `RoutedIP voice/gateway`, which is a pool of one address here. */
  readonly pool: string;
  /** Addresses that are to be up. */
  readonly ips: readonly string[];
  /** How many addresses may be created for it. */
  readonly entitled: number;
  /** Nodes on which its traffic is served now. */
  readonly serving: ReadonlySet<string>;
  /** Those of them that nothing speaks against, such as a cordon. */
  readonly eligible: ReadonlySet<string>;
  /** For a RoutedIP: ms that its address needs to leave a node that is about to stop serving. */
  readonly noticeMs?: number;
  /** For a RoutedIP: what must be open where its address is. */
  readonly firewall?: { readonly name: string; readonly rules: readonly string[] };
}

export interface FirewallState {
  readonly name: string;
  /** Of inbound traffic, as `udp 5060`, sorted. */
  readonly rules: readonly string[];
  /** Names of nodes, sorted. */
  readonly nodes: readonly string[];
}
