/** A tiny cluster and cloud account: what there is, how people change it, and what the plan of a pool sees of it. */

import { Annotation, canonicalIp, type FloatingIPPoolSpec } from "cdk8s-flipop/api";
import type { ListObservation } from "../../../../src/addresses/creation/creation-registry.js";
import { isIn } from "../../../../src/addresses/moves/addresses-by-region.js";
import { Claims } from "../../../../src/claims/claims.js";
import { poolClaims } from "../../../../src/claims/read-claims.js";
import { timestamp } from "../../../../src/clock.js";
import { type Plan, plan } from "../../../../src/controllers/floating-ip-pool/plan.js";
import { addressSetOf, type Pool, type Snapshot } from "../../../../src/controllers/floating-ip-pool/snapshot.js";
import type { CachedState } from "../../../../src/inventory/cached-address.js";
import { createView } from "../../../../src/inventory/view.js";
import type { SlimNode } from "../../../../src/kube/cache/slim-objects.js";
import type { ProbeFailures } from "../../../../src/match/checks.js";
import { type CheckInput, refusalsOf } from "../../../../src/match/checks.js";
import { nodeFacts } from "../../../../src/match/node-facts.js";
import { tallyOf } from "../../../../src/match/tally.js";
import { type RefusedNodes, refusedNodes } from "../../../../src/messages/nodes/refused-nodes.js";
import type { RecordSetFacts } from "../../../../src/providers/types.js";
import { meta } from "../../../claims/resources.js";
import { compiled, readyCondition, slimNode } from "../../../match/cluster.js";
import { NO_MEMORY } from "./no-memory.js";

const CAPABILITIES = {
  families: ["IPv4", "IPv6"],
  addressesPerNode: 1,
  regional: true,
  movesHeld: true,
  createsOnNode: ["IPv4"],
  providerIdScheme: "digitalocean",
} as const;
const MATCH = compiled({}, CAPABILITIES);

/** An action of the cloud that runs. */
interface Running {
  readonly id: string;
  readonly to: string;
  readonly endsAt: number;
}

export class PoolView {
  now = Date.parse("2025-06-01T10:00:00Z");
  readonly nodes = new Map<string, SlimNode>();
  readonly pools = new Map<string, Pool>();
  /** Holder of each address. */
  readonly addresses = new Map<string, string | undefined>();
  readonly zone = new Map<string, readonly string[]>();
  protected readonly lists = new Map<string, readonly ListObservation[]>();
  /** Addresses that have been on a node: their history, which the operator reads after a lost answer, says so. */
  protected readonly onceAssigned = new Set<string>();
  /** What probes found wrong with nodes. @default nothing */
  probes: ProbeFailures | undefined;
  protected readonly running = new Map<string, Running>();

  addNode(name: string, more: Partial<SlimNode> = {}): void {
    this.nodes.set(name, slimNode(name, { creationTimestamp: timestamp(this.now), ...more }));
  }

  setReady(name: string, ready: boolean): void {
    const node = this.nodes.get(name);
    if (node) this.nodes.set(name, { ...node, conditions: [readyCondition(ready ? "True" : "False")] });
  }

  /** The machine goes with it: its address is unassigned. */
  removeNode(name: string): void {
    const machine = this.nodes.get(name)?.providerID;
    this.nodes.delete(name);
    for (const [ip, holder] of this.addresses) if (holder === machine) this.addresses.set(ip, undefined);
  }

  addPool(name: string, spec: Partial<FloatingIPPoolSpec>): void {
    for (const ip of spec.ips ?? []) if (!this.addresses.has(ip)) this.addresses.set(ip, undefined);
    this.pools.set(name, {
      metadata: meta(name),
      spec: { provider: "digitalocean", region: "r", ...spec },
      status: {},
    });
  }

  pool(name: string): Pool {
    const pool = this.pools.get(name);
    if (pool === undefined) throw new Error(`no pool ${name}`);
    return pool;
  }

  edit(name: string, change: Partial<Pool>): void {
    this.pools.set(name, { ...this.pool(name), ...change });
  }

  matches(machine: string | undefined): boolean {
    return machine !== undefined && this.verdictOf(machine)?.refusals.length === 0;
  }

  snapshot(name: string): Snapshot {
    const pool = this.pool(name);
    const claims = new Claims();
    for (const other of this.pools.values()) claims.put(poolClaims(other));
    const all = [...this.nodes.values()].map((node) => nodeFacts(node));
    const others = [...this.pools.values()].filter((other) => other !== pool && other.status.pendingCreation);
    const wasAssigned = new Map([...this.addresses.keys()].map((ip) => [ip, this.onceAssigned.has(ip)]));
    return {
      pool,
      set: addressSetOf(pool),
      now: this.now,
      cachesComplete: true,
      candidates: all.filter(({ machine }) => this.matches(machine)),
      verdictOf: (machine) => this.verdictOf(machine),
      refusals: this.tally(),
      refusalsIn: (region) => this.tally(region),
      clusterNodes: () => all,
      inventory: this.view(),
      capabilities: CAPABILITIES,
      claims: claims.view(pool.metadata.uid),
      ownerOf: (ip) => claims.holderOf(ip),
      share: ({ wants }, nodes) => nodes.slice(0, wants),
      otherCreations: others.map(({ metadata, status }) => ({
        resource: { kind: "FloatingIPPool", namespace: "default", name: metadata.name, uid: metadata.uid },
        ...(status.pendingCreation?.providerID === undefined ? {} : { node: status.pendingCreation.providerID }),
      })),
      annotated: all.filter(({ annotations }) => annotations[Annotation.reservedIpv4] !== undefined),
      ...(pool.spec.dnsRecordSet === undefined ? {} : { dns: this.dns(pool) }),
      crdTooOld: false,
      memory: { ...NO_MEMORY, lists: this.lists.get(name) ?? [], wasAssigned },
    };
  }

  /** The status that a run would leave if all its actions were refused nothing: used to see that it is at rest. */
  plan(name: string): Plan {
    return plan(this.snapshot(name));
  }

  private verdictOf(machine: string) {
    const node = [...this.nodes.values()].find(({ providerID }) => providerID === machine);
    if (node === undefined) return undefined;
    const facts = nodeFacts(node);
    const probeFailure = this.probes?.failureOf(facts);
    const input: CheckInput = { node: facts, match: MATCH, ...(probeFailure !== undefined && { probeFailure }) };
    return { node: input.node, refusals: refusalsOf(input) };
  }

  private tally(region?: string): RefusedNodes {
    const all = [...this.nodes.values()].flatMap(({ providerID }) => this.verdictOf(providerID ?? "") ?? []);
    const verdicts = all.filter(({ node }) => region === undefined || isIn(node, new Set([region])));
    return refusedNodes(tallyOf({ nodes: verdicts.length, lacking: { label: "pool=web" } }, verdicts), "match");
  }

  private view() {
    const cachedStates = new Map<string, CachedState>();
    for (const [ip, holder] of this.addresses) {
      const action = this.running.get(ip);
      const facts = {
        ip,
        family: "IPv4" as const,
        region: "",
        ...(holder === undefined ? {} : { holder }),
        ...(action === undefined ? {} : { action: { id: action.id } }),
      };
      cachedStates.set(ip, { facts, at: 0 });
    }
    const named = [...this.pools.values()].flatMap(({ spec, status }) => [
      ...(spec.ips ?? []),
      ...(status.createdIPs ?? []).map(({ ip }) => ip),
    ]);
    const missing = named.map(canonicalIp).filter((ip) => !this.addresses.has(ip));
    const gone = new Map(missing.map((ip) => [ip, Number.NEGATIVE_INFINITY]));
    return createView({ now: 0, listedAt: 0, cachedStates, gone, reservations: new Map() });
  }

  private dns(pool: Pool) {
    const name = pool.spec.dnsRecordSet?.recordName ?? "";
    const previous = pool.status.dns?.recordName ?? name;
    const ours = { ours: true } as const;
    const capabilities = { ttl: (seconds: number) => seconds, owner: false };
    return {
      capabilities,
      claim: ours,
      records: this.records(name),
      previous: { records: this.records(previous), claim: ours },
    };
  }

  private records(fqdn: string): RecordSetFacts {
    const values = this.zone.get(fqdn) ?? [];
    const records = values.map((value) => ({ id: `id-${value}`, type: "A" as const, value, ttl: 60 }));
    return { zone: "example.com", fqdn, types: ["A"], records };
  }
}
