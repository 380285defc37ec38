/** A tiny cluster and cloud account that plans are applied to: crashes at any action, lost answers, refusals. */

import {
  type AddressStatus,
  Annotation,
  canonicalIp,
  Finalizer,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
} from "cdk8s-flipop/api";
import type { PlannedAction } from "../../../src/addresses/actions.js";
import { ownerName } from "../../../src/addresses/annotations/owners.js";
import type { CreationResult } from "../../../src/addresses/creation/creation-result.js";
import { type ListObservation, withList } from "../../../src/addresses/creation/list-observations.js";
import { Claims } from "../../../src/claims/claims.js";
import { poolClaims } from "../../../src/claims/read-claims.js";
import { type Plan, plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import type { Pool, Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { addressSetOf } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import type { CachedState } from "../../../src/inventory/cached-state.js";
import { createView } from "../../../src/inventory/view.js";
import type { SlimNode } from "../../../src/kube/slim.js";
import { type CheckInput, refusalsOf } from "../../../src/match/checks.js";
import { nodeFacts } from "../../../src/match/node-facts.js";
import type { CreateAddress, RecordSetFacts } from "../../../src/providers/types.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { timestamp } from "../../../src/times.js";
import { meta } from "../../claims/resources.js";
import { compiled, readyCondition, slimNode } from "../../match/cluster.js";
import { NO_MEMORY } from "./no-memory.js";

/** What goes wrong at the n-th action of a run. */
export interface Fault {
  readonly at: number;
  /** `lost`: done, and the answer never comes. */
  readonly what: "crash-before" | "crash-after" | "lost" | "refused";
}

export interface Move {
  readonly pool: string;
  readonly ip: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly at: number;
}

type Outcome = { readonly [K in keyof AddressStatus]?: AddressStatus[K] | undefined };

interface Run {
  readonly fault: Fault | undefined;
  readonly outcomes: Map<string, Outcome>;
}

const CAPABILITIES = {
  families: ["IPv4", "IPv6"],
  addressesPerNode: 1,
  regional: true,
  movesHeld: true,
  createsOnNode: ["IPv4"],
  providerIdScheme: "digitalocean",
} as const;
const MATCH = compiled({}, CAPABILITIES.providerIdScheme);

/** An action of the cloud that runs. */
interface Running {
  readonly id: string;
  readonly to: string;
  readonly endsAt: number;
}

class Crash extends Error {}
class Failed extends Error {}

export class ModelCloud {
  now = Date.parse("2025-06-01T10:00:00Z");
  readonly nodes = new Map<string, SlimNode>();
  readonly pools = new Map<string, Pool>();
  /** Holder of each address. */
  readonly addresses = new Map<string, string | undefined>();
  readonly zone = new Map<string, readonly string[]>();
  readonly moves: Move[] = [];
  /** Whose create call made an address. */
  readonly createdBy = new Map<string, string>();
  /** Created, and the operator never got the answer: ownership of these can only be inferred. */
  readonly unanswered = new Set<string>();
  private readonly lists = new Map<string, readonly ListObservation[]>();
  /** How long assignments take, seconds. */
  actionSeconds = 0;
  private readonly running = new Map<string, Running>();
  private actionsLeft = 0;

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
    return {
      pool,
      set: addressSetOf(pool),
      now: this.now,
      cachesComplete: true,
      candidates: all.filter(({ machine }) => this.matches(machine)),
      verdictOf: (machine) => this.verdictOf(machine),
      refusals: "",
      inventory: this.view(),
      capabilities: CAPABILITIES,
      claims: claims.view(pool.metadata.uid),
      ownerOf: (ip) => claims.holderOf(ip),
      share: (wants, nodes) => nodes.slice(0, wants),
      otherCreations: others.map(({ metadata, status }) => ({
        resource: { kind: "FloatingIPPool", namespace: "default", name: metadata.name, uid: metadata.uid },
        ...(status.pendingCreation?.providerID === undefined ? {} : { node: status.pendingCreation.providerID }),
      })),
      annotated: all.filter(({ annotations }) => annotations[Annotation.reservedIpv4] !== undefined),
      ...(pool.spec.dnsRecordSet === undefined ? {} : { dns: this.dns(pool) }),
      crdTooOld: false,
      memory: { ...NO_MEMORY, lists: this.lists.get(name) ?? [] },
    };
  }

  /** One run of the controller; false: the process died in it. */
  run(name: string, fault?: Fault): boolean {
    this.evaluate(name);
    const made = plan(this.snapshot(name));
    const outcomes = new Map<string, Outcome>();
    this.actionsLeft = fault?.at ?? Number.POSITIVE_INFINITY;
    try {
      for (const sequence of made.sequences) this.runChain(name, actionsOf(sequence), { fault, outcomes });
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.lists.clear();
      return false;
    }
    this.writeStatus(name, made, outcomes);
    return true;
  }

  /** The status that a run would leave if all its actions were refused nothing: used to see that it is at rest. */
  plan(name: string): Plan {
    return plan(this.snapshot(name));
  }

  private evaluate(name: string): void {
    for (const [ip, { to, endsAt }] of this.running) {
      if (endsAt > this.now) continue;
      this.running.delete(ip);
      this.addresses.set(ip, this.nodes.has(to.split("//")[1] ?? "") ? to : undefined);
    }
    const unassigned = new Set([...this.addresses].filter(([, holder]) => holder === undefined).map(([ip]) => ip));
    if (this.pool(name).status.pendingCreation === undefined) this.lists.delete(name);
    else this.lists.set(name, withList(this.lists.get(name) ?? [], { at: this.now, unassigned }));
  }

  private runChain(name: string, sequence: readonly PlannedAction[], run: Run): void {
    for (const action of sequence) {
      const hit = this.actionsLeft-- === 0 ? run.fault?.what : undefined;
      if (hit === "crash-before") throw new Crash();
      if (!this.succeeds(name, action, hit)) {
        this.failed(name, action, { lost: hit === "lost", outcomes: run.outcomes });
        return;
      }
      if (action.do === "assign" || action.do === "poll") {
        run.outcomes.set(action.ip, this.movedOrMoving(action.ip));
        if (this.running.has(action.ip)) return;
      }
    }
  }

  private movedOrMoving(ip: string): Outcome {
    const action = this.running.get(ip);
    if (action !== undefined) return { state: "in-progress", actionID: action.id };
    return { state: "active", actionID: undefined, graceSince: undefined };
  }

  private succeeds(name: string, action: PlannedAction, hit: Fault["what"] | undefined): boolean {
    if (hit === "refused") return false;
    try {
      this.apply(name, action, hit === "crash-after" || hit === "lost");
    } catch (error) {
      if (error instanceof Failed) return false;
      throw error;
    }
    if (hit === "crash-after") throw new Crash();
    return hit !== "lost";
  }

  private failed(
    name: string,
    action: PlannedAction,
    { lost, outcomes }: Pick<Run, "outcomes"> & { readonly lost: boolean },
  ) {
    if (action.do === "create-address" && !lost) this.patch(name, { pendingCreation: undefined });
    if (action.do === "assign" || action.do === "unassign") {
      outcomes.set(action.ip, { state: "error", error: "refused", retryAt: timestamp(this.now + 1000) });
    }
  }

  /** @param unheard the answer never comes: what it would have told is not recorded. */
  private apply(name: string, action: PlannedAction, unheard: boolean): void {
    const { createdIPs = [] } = this.pool(name).status;
    if (action.do === "record-intent") this.patch(name, { pendingCreation: action.intent });
    else if (action.do === "settle-creation") this.settled(name, action.result);
    else if (action.do === "record-assignment") this.patch(name, { lastAssignmentTime: action.at });
    else if (action.do === "mark-in-spec") this.markInSpec(name, action.ip);
    else if (action.do === "record-dns") this.patch(name, { dns: action.written });
    else if (action.do === "forget-created")
      this.patch(name, { createdIPs: createdIPs.filter(({ ip }) => ip !== action.ip) });
    else this.applyToObject(name, action, unheard);
  }

  private applyToObject(name: string, action: PlannedAction, unheard: boolean): void {
    const { spec, metadata } = this.pool(name);
    const { ips = [] } = spec;
    const meta = (change: Partial<Pool["metadata"]>) => this.edit(name, { metadata: { ...metadata, ...change } });
    if (action.do === "append-to-spec") {
      this.edit(name, { spec: { ...spec, ips: [...ips, action.ip] } });
      if (!unheard) this.markInSpec(name, action.ip);
    } else if (action.do === "drop-from-spec") {
      this.edit(name, { spec: { ...spec, ips: ips.filter((ip) => ip !== action.ip) } });
    } else if (action.do === "annotate-pool") {
      meta({ annotations: action.value === undefined ? {} : { [Annotation.createdIps]: action.value } });
    } else if (action.do === "clear-forget-creation") meta({ annotations: {} });
    else if (action.do === "add-finalizer") meta({ finalizers: [Finalizer.cleanup] });
    else if (action.do === "remove-finalizer") meta({ finalizers: [] });
    else this.applyToCloud(name, action, unheard);
  }

  private applyToCloud(name: string, action: PlannedAction, unheard: boolean): void {
    if (action.do === "create-address") this.create(name, action.desired, unheard);
    else if (action.do === "assign") this.hold(name, action.ip, action.node.machine);
    else if (action.do === "unassign") this.unassign(action.ip);
    else if (action.do === "release") this.release(action.ip);
    else if (action.do === "apply-records") this.zone.set(action.changes.fqdn, action.changes.after);
    else if (action.do === "unannotate-node") this.annotate(action.node, {});
    else if (action.do === "annotate-node") {
      const owner = ownerName(this.pool(name).metadata);
      this.annotate(action.node, { [Annotation.reservedIpv4]: action.ip, [Annotation.reservedIpv4Owner]: owner });
    }
  }

  private settled(name: string, { created }: CreationResult): void {
    const { createdIPs = [] } = this.pool(name).status;
    const { ip = "", createdTime = "", inferred } = created ?? {};
    const entry = created === undefined ? [] : [{ ip, createdTime, ...(inferred && { inferred }) }];
    this.patch(name, { pendingCreation: undefined, createdIPs: [...createdIPs, ...entry] });
  }

  private create(name: string, desired: CreateAddress, unheard: boolean): void {
    if ("node" in desired) this.checkRoom(desired.node);
    const ip = `198.51.100.${this.createdBy.size + 1}`;
    this.addresses.set(ip, undefined);
    this.createdBy.set(ip, name);
    if ("node" in desired) this.hold(name, ip, desired.node);
    const time = timestamp(this.now);
    if (unheard) this.unanswered.add(ip);
    else this.settled(name, { startedAt: time, created: { ip, createdTime: time, status: {} } });
  }

  private unassign(ip: string): void {
    if (this.running.has(ip)) throw new Failed();
    this.addresses.set(ip, undefined);
  }

  private release(ip: string): void {
    if (this.addresses.get(ip) !== undefined || this.running.has(ip)) throw new Failed();
    this.addresses.delete(ip);
  }

  private hold(pool: string, ip: string, to: string): void {
    this.checkRoom(to);
    this.moves.push({ pool, ip, from: this.addresses.get(ip), to, at: this.now });
    if (this.actionSeconds === 0) this.addresses.set(ip, to);
    else this.running.set(ip, { id: `action-${this.moves.length}`, to, endsAt: this.now + this.actionSeconds * 1000 });
  }

  private checkRoom(machine: string): void {
    const holders = [...this.addresses.values(), ...[...this.running.values()].map((action) => action.to)];
    if (holders.includes(machine)) throw new Failed();
  }

  private annotate(name: string, annotations: Readonly<Record<string, string>>): void {
    const node = this.nodes.get(name);
    if (node !== undefined) this.nodes.set(name, { ...node, annotations });
  }

  private markInSpec(name: string, ip: string): void {
    const entries = this.pool(name).status.createdIPs ?? [];
    this.patch(name, { createdIPs: entries.map((entry) => (entry.ip === ip ? { ...entry, inSpec: true } : entry)) });
  }

  private patch(
    name: string,
    change: { readonly [K in keyof FloatingIPPoolStatus]?: FloatingIPPoolStatus[K] | undefined },
  ): void {
    this.edit(name, { status: without({ ...this.pool(name).status, ...change }) });
  }

  private writeStatus(name: string, { addresses }: Plan, outcomes: ReadonlyMap<string, Outcome>): void {
    const ips = addresses.map(({ ip, status }): [string, AddressStatus] => {
      return [ip, without({ ...status, ...outcomes.get(ip) })];
    });
    this.patch(name, { ips: Object.fromEntries(ips) });
  }

  private verdictOf(machine: string) {
    const node = [...this.nodes.values()].find(({ providerID }) => providerID === machine);
    if (node === undefined) return undefined;
    const input: CheckInput = { node: nodeFacts(node), match: MATCH };
    return { node: input.node, refusals: refusalsOf(input) };
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
    const gone = new Set(named.map(canonicalIp).filter((ip) => !this.addresses.has(ip)));
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

/** Fields that are `undefined` are not there. */
function without<T extends object>(value: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
