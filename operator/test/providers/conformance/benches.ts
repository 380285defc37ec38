/**
 * What a test needs to hold a provider against its contract: the provider behind all layers, and a hand on the cloud
 * behind it, real or simulated. A new provider writes one bench and gets all contract tests.
 */

import { afterEach } from "mocha";
import type { CallContext } from "../../../src/providers/call.js";
import type { FirewallProvider, FirewallRuleFacts } from "../../../src/providers/firewall-types.js";
import type { AuditRecord } from "../../../src/providers/layers/mutations.js";
import type { AddressProvider, DnsProvider, IpFamily, ProviderId, RecordType } from "../../../src/providers/types.js";

/** What all benches have. */
export interface Bench {
  /** Audit records so far. */
  readonly audit: readonly AuditRecord[];
  /** Requests that have reached the cloud. */
  calls(): number;
  /** Awaits work while the clock moves as far as the work needs. */
  drive<T>(work: Promise<T>): Promise<T>;
  /** ms since the epoch, on the clock. */
  now(): number;
  /** Lets time pass on the clock. */
  pass(ms: number): Promise<void>;
  /** From now on: no lease. */
  loseLease(): void;
  /** From now on the token is refused. */
  revokeToken(): void;
  /** Ends everything; fails if the cloud saw a request that its description does not allow. */
  close(): Promise<void>;
}

export interface AddressBench extends Bench {
  readonly provider: AddressProvider;
  /** Regions; the first is where everything is unless said otherwise. */
  readonly regions: readonly [string, string];
  addNode(region?: string): ProviderId;
  removeNode(node: ProviderId): void;
  /** Switches its machine off. Leave it out where the provider has no `machineState`. */
  switchOff?(node: ProviderId): void;
  /** An address of the account that was not created through the provider. A node may get several. */
  addAddress(family: IpFamily, holder?: ProviderId): string;
  /** How things really are by now: a simulator must first carry out the actions whose time has come. */
  addresses(): ReadonlyMap<string, ProviderId | undefined>;
  /** Addresses on a full page of the list. */
  readonly pageSize: number;
  /** The next action ends errored. Leave it out where an assignment is over when it is answered: there are no actions. */
  failNextAction?(): void;
  /** No more addresses can be created. */
  exhaustQuota(): void;
}

export interface DnsBench extends Bench {
  readonly provider: DnsProvider;
  /** A zone that exists, by name. */
  readonly zone: string;
  addRecord(relativeName: string, type: RecordType | "CNAME" | "NS", value: string, ttl: number): void;
  /** How things really are: `value ttl`, sorted. */
  records(relativeName: string, type: RecordType): readonly string[];
  /** Called after each request, to look at every state in between. */
  afterEach(evaluate: () => void): void;
}

export interface FirewallBench extends Bench {
  readonly provider: FirewallProvider;
  addNode(): ProviderId;
  /** A firewall of somebody else. */
  addFirewall(name: string, nodes: readonly ProviderId[], rules: readonly FirewallRuleFacts[]): void;
  /** Covers a node by a tag, where the cloud has tags. */
  coverByTag?(name: string, node: ProviderId): void;
  /** How things really are: rules as `protocol ports`, and nodes; `undefined`: there is none. */
  firewall(name: string): { readonly rules: readonly string[]; readonly nodes: readonly ProviderId[] } | undefined;
}

/** A caller that waits for an assignment. */
export const ASKER: CallContext = {
  requester: { kind: "FloatingIPPool", namespace: "apps", name: "web" },
  why: "a test asks",
  priority: "assignment",
};

/** For tests of faults: what can go wrong on the way, by name. */
export interface FaultBench {
  /** Strikes the `nth` request from now on, counted from 1. */
  inject(fault: string, nth: number): void;
  /** No more faults, the token is good again, and time has passed until calls are welcome. */
  heal(): Promise<void>;
}

/** Closes each bench that a test has started after the test, however it ended. Call it inside of `describe`. */
export function closing<B extends Pick<Bench, "close">>(start: () => Promise<B>): () => Promise<B> {
  const open: B[] = [];
  afterEach(async () => {
    for (const bench of open.splice(0)) await bench.close();
  });
  return async () => {
    const bench = await start();
    open.push(bench);
    return bench;
  };
}
