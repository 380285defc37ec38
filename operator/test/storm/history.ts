/** What a round records, as plain data: the oracle's checks are functions of it, and a failed round is saved as JSON. */

export type CloudName = "digitalocean" | "cloudflare";

/** A request that reached a cloud. */
export interface Call {
  readonly cloud: CloudName;
  /** ms since the epoch, as all times here. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** `POST /v2/reserved_ips/{reserved_ip}/actions` */
  readonly route: string;
  /** Name of the replica whose token it carries. */
  readonly caller: string;
  readonly body?: unknown;
  /** The fault that struck it. */
  readonly fault?: string;
  /** How often the API processed it. */
  readonly processed: number;
  readonly status?: number;
  /** The API's answer to a change. */
  readonly answer?: unknown;
}

/** The Lease as the storm's own watch showed it. */
export interface LeaseFact {
  /** When it was observed. */
  readonly at: number;
  /** Empty: released. */
  readonly holder: string;
  readonly renewedAt: number;
}

export interface SignalFact {
  readonly at: number;
  readonly signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT";
}

/** A replica's process. */
export interface ProcessFact {
  readonly name: string;
  /** Its name in the Lease, from its log; absent while it has not reported one. */
  readonly identity?: string;
  readonly startedAt: number;
  readonly signals: readonly SignalFact[];
  readonly exit?: { readonly at: number; readonly code: number | null; readonly signal: string | null };
}

/** A change that the storm itself made: in effect at some moment between `from` and `by`. */
export interface Fact<T> {
  readonly name: string;
  readonly from: number;
  readonly by: number;
  /** Absent: deleted. */
  readonly value?: T;
}

export type Presence = "ready" | "unready" | "absent";

export interface NodeState {
  readonly droplet: number;
  readonly ready: boolean;
  readonly cordoned: boolean;
  /** `hard`: no pool tolerates it. `pressure`: a taint that Kubernetes sets for a condition. */
  readonly taint: "none" | "hard" | "pressure";
  readonly group: string;
  /** The workload's pod on it. */
  readonly pod: Presence;
  /** The address that record sets publish. */
  readonly externalIp: string;
  readonly service: Service;
  /** Whether its kubelet renews its Lease. */
  readonly kubelet: boolean;
}

/** What a probe of the node's port finds; `hangs`: connections are accepted, and no request is answered. */
export type Service = "answers" | "hangs" | "closed";

/** `healthCheck` of a resource, as far as it varies. */
export interface CheckSettings {
  readonly type: "TCP" | "HTTP";
  readonly intervalSeconds: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
}

export type ResourceKind = "pool" | "set" | "routed";

/** A spec as the storm wrote it. */
export interface ResourceState {
  readonly kind: ResourceKind;
  readonly groups: readonly string[];
  /** Whether a node needs the workload's ready pod. */
  readonly needsPod: boolean;
  readonly family: "ipv4" | "ipv6";
  readonly desired: number;
  /** Addresses that the storm reserved for it. */
  readonly listed: readonly string[];
  readonly coolOffSeconds: number;
  readonly graceSeconds: number;
  readonly release: boolean;
  readonly paused: boolean;
  readonly dns?: { readonly cloud: CloudName; readonly fqdn: string; readonly deletes: boolean };
  /** Absent: no probe refuses a node. */
  readonly check?: CheckSettings;
  /** Whether it has the annotation that lets moves go on in a mass failure. */
  readonly ignoresMassFailure: boolean;
  /** Nodes with endpoints of the Service, by name (RoutedIP). */
  readonly endpoints: Readonly<Record<string, Presence>>;
}

/** A custom resource as the storm's own watch showed it. */
export interface ObjectFact {
  readonly at: number;
  readonly name: string;
  readonly kind: ResourceKind;
  readonly uid: string;
  readonly deleted: boolean;
  /** Addresses that spec, status or annotation names. */
  readonly known: readonly string[];
  /** Whether a creation is open, whose answer it may not have. */
  readonly pending: boolean;
  /** `status.createdIPs`, or the address that a RoutedIP created. */
  readonly created: readonly string[];
}

/** Who changed something at a cloud: a person behind the operator's back, the cluster (a node went and its machine with it), or a call. */
export type Origin = "hand" | "cluster" | "api";

/** An address changed its holder, appeared or vanished at the cloud. */
export interface HolderFact {
  readonly at: number;
  readonly ip: string;
  readonly family: "ipv4" | "ipv6";
  /** Droplet; null: unassigned; absent: not in the account. */
  readonly holder?: number | null;
  readonly by: Origin;
}

/** The values of one record set changed at the cloud. */
export interface RecordsFact {
  readonly at: number;
  readonly cloud: CloudName;
  /** `A www.example.com` */
  readonly key: string;
  readonly values: readonly string[];
  readonly by: Origin;
}

/** A stretch of time during which something was broken on purpose, or by the machine. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

/** A step of the schedule, when it was done. */
export interface StepFact {
  readonly at: number;
  readonly text: string;
}

export interface History {
  readonly seed: number;
  readonly round: number;
  readonly startedAt: number;
  /** Later facts are not complete yet; checks leave them out. */
  readonly until: number;
  readonly calls: readonly Call[];
  readonly leases: readonly LeaseFact[];
  readonly processes: readonly ProcessFact[];
  readonly nodes: readonly Fact<NodeState>[];
  readonly resources: readonly Fact<ResourceState>[];
  readonly objects: readonly ObjectFact[];
  readonly holders: readonly HolderFact[];
  readonly records: readonly RecordsFact[];
  /** The operators may not see the cluster as it is. */
  readonly blind: readonly Span[];
  /** Nodes that replicas run on. */
  readonly replicaNodes: readonly string[];
  /** A replica's connections to a node got no answer, although the node was well. */
  readonly cutOff: readonly Span[];
  /** The storm's own event loop stood still, or its watch of the Lease was down: times are not exact. */
  readonly unsure: readonly Span[];
  readonly steps: readonly StepFact[];
}

/** A broken rule. */
export interface Violation {
  readonly check: string;
  readonly at: number;
  readonly message: string;
}

export type Check = (history: History) => readonly Violation[];
