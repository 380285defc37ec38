/**
 * The seam between a provider and everything that is the same for all of them. A provider sends each request through
 * a `CallRunner`; metrics, rate limits, retries, the circuit breaker, deadlines and the fence are layers of it.
 */

/**
 * Work classes, the most urgent first. Each has a guaranteed share of the account's limits (limiter.ts).
 * - `assignment`: moves of addresses, with the reads, polls and firewall rules that a move needs.
 * - `records`: changes of records, creations and releases, and the reads that they need.
 * - `check`: everything that only looks.
 */
export const CALL_PRIORITIES = ["assignment", "records", "check"] as const;

export type CallPriority = (typeof CALL_PRIORITIES)[number];

/** Of a shared read: the most urgent caller decides, whenever it comes. */
export class Urgency {
  private readonly listeners = new Set<() => void>();

  constructor(private current: CallPriority) {}

  get priority(): CallPriority {
    return this.current;
  }

  /** Never lowers it. */
  raise(to: CallPriority): void {
    if (CALL_PRIORITIES.indexOf(to) >= CALL_PRIORITIES.indexOf(this.current)) return;
    this.current = to;
    for (const listener of [...this.listeners]) listener();
  }

  /** @returns the end of it. */
  onRaise(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The resource on whose behalf a call is made. All empty: a read that many share. */
export interface Requester {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Why a change must not be sent any more; `undefined`: its decision still holds. Reads memory only, and waits for
 * nothing: the limiter asks at the moment at which the call may be sent.
 */
export type Recheck = () => string | undefined;

/** Who asks, and why. Every method of a provider takes one. */
export interface CallContext {
  readonly requester: Requester;
  /** For the audit record and logs, a short phrase: `203.0.113.7 moves from node-3 (NodeNotReady for 12 s) to node-9`. */
  readonly why: string;
  readonly priority: CallPriority;
  /** Aborts the call, whatever it waits for. @default never */
  readonly signal?: AbortSignal;
  /** Of a change: asked each time that one of its requests may be sent. @default it must be sent within 2 s */
  readonly recheck?: Recheck;
  /** Of a read that others may join: its class rises with the most urgent of them. @default `priority` stays */
  readonly urgency?: Urgency;
}

/** Calls for which an API has a limit of their own, beside the one for all calls. */
export type CallGroup = "IPv4 creations" | "IPv6 creations";

/** One request to the API, as the layers see it. */
export interface ApiCall {
  /** Name of the provider, as in `spec.provider`: the label `provider`. */
  readonly provider: string;
  /** The label `call`. */
  readonly name: CallName;
  /** For messages: what was attempted, with ids, such as `assign 203.0.113.7 to droplet 12`. */
  readonly subject: string;
  /** Whether it changes anything: writes need the lease. */
  readonly write: boolean;
  /** Whether sending it twice is the same as sending it once. Reads are; a create never is. */
  readonly repeatable: boolean;
  /** Calls that the API counts on their own too. @default none */
  readonly group?: CallGroup;
  readonly context: CallContext;
  /** Set by the deadline layer: when the call began, and when it ends at the latest, monotonic ms. */
  readonly startedAt?: number;
  readonly endsAt?: number;
}

/** What an answer's headers tell of the rate limit. */
export interface RateFacts {
  /** Calls in the window. */
  readonly limit: number;
  /** Calls left in it. */
  readonly remaining: number;
  /** When all of them are there again, ms since the epoch, where the API says so. */
  readonly resetAt?: number;
}

/** What a provider gets for one attempt. */
export interface Attempt {
  /** Aborts at the deadline, when the caller gives up, or before the lease could be lost. Hand it to the HTTP client. */
  readonly signal: AbortSignal;
  /** Tell what the answer's headers said of the rate limit, failed answers included. */
  sawLimit(facts: RateFacts): void;
}

/** One HTTP request and its answer, understood. Throws a ProviderError and nothing else. */
export type Send<T> = (attempt: Attempt) => Promise<T>;

/** Runs `send` when it may, and again where that is safe. Rejects with ProviderError or NotLeaderError. */
export type CallRunner = <T>(call: ApiCall, send: Send<T>) => Promise<T>;

/** One concern of the stack in compose.ts. */
export type CallLayer = (next: CallRunner) => CallRunner;

/**
 * Values of the label `call`. Where the metrics of FLIPOP, the Go operator, have one for what a call serves, it is that
 * one, since dashboards exist: `IPToProviderID` for reading an address, `EnsureDNSARecordSet` for any write of records.
 */
export const CALL = {
  account: "Account",
  listAddresses: "ListIPs",
  getAddress: "IPToProviderID",
  createAddress: "CreateIP",
  releaseAddress: "ReleaseIP",
  assign: "AssignIP",
  unassign: "UnassignIP",
  action: "ActionStatus",
  listActions: "ListActions",
  readRecords: "ReadDNSRecordSet",
  writeRecords: "EnsureDNSARecordSet",
  zone: "FindZone",
  listFirewalls: "ListFirewalls",
  getNode: "GetNode",
  createFirewall: "CreateFirewall",
  changeFirewall: "ChangeFirewall",
  removeFirewall: "RemoveFirewall",
} as const;

/** A value of the label `call`. */
export type CallName = (typeof CALL)[keyof typeof CALL];

/** What a call is about, for messages. An API may fail in one part and work in the others. */
export type CallPart = "the account" | "addresses" | "nodes" | "firewalls" | "DNS records";

export const PART_OF: Readonly<Record<CallName, CallPart>> = {
  [CALL.account]: "the account",
  [CALL.listAddresses]: "addresses",
  [CALL.getAddress]: "addresses",
  [CALL.createAddress]: "addresses",
  [CALL.releaseAddress]: "addresses",
  [CALL.assign]: "addresses",
  [CALL.unassign]: "addresses",
  [CALL.action]: "addresses",
  [CALL.listActions]: "addresses",
  [CALL.getNode]: "nodes",
  [CALL.listFirewalls]: "firewalls",
  [CALL.createFirewall]: "firewalls",
  [CALL.changeFirewall]: "firewalls",
  [CALL.removeFirewall]: "firewalls",
  [CALL.readRecords]: "DNS records",
  [CALL.writeRecords]: "DNS records",
  [CALL.zone]: "DNS records",
};

const NOBODY: Requester = { kind: "", namespace: "", name: "" };

/** The context of a read that serves many resources. */
export function sharedRead(why: string, priority: CallPriority | Urgency = "check"): CallContext {
  if (typeof priority === "string") return { requester: NOBODY, why, priority };
  return { requester: NOBODY, why, priority: priority.priority, urgency: priority };
}

/** `kind/namespace/name`: the key of fairness; `//` for shared reads. */
export function requesterKey({ kind, namespace, name }: Requester): string {
  return `${kind}/${namespace}/${name}`;
}

/** For error messages: `digitalocean: assign 203.0.113.7 to droplet 12`. */
export function callText(call: Pick<ApiCall, "provider" | "subject">): string {
  return `${call.provider}: ${call.subject}`;
}
