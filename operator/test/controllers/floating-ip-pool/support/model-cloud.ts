/** A tiny cluster and cloud account that plans are applied to: crashes at any action, lost answers, refusals. */

import { type AddressStatus, Annotation, Finalizer, type FloatingIPPoolStatus } from "cdk8s-flipop/api";
import type { PlannedAction } from "../../../../src/addresses/actions.js";
import { ownerName } from "../../../../src/addresses/annotations.js";
import { withList } from "../../../../src/addresses/creation/creation-registry.js";
import type { CreationResult } from "../../../../src/addresses/creation/creation-result.js";
import { timestamp } from "../../../../src/clock.js";
import { type Plan, plan } from "../../../../src/controllers/floating-ip-pool/plan.js";
import type { Pool } from "../../../../src/controllers/floating-ip-pool/snapshot.js";
import type { CreateAddress } from "../../../../src/providers/types.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { dnsFields } from "../../../../src/records/resolver-caches.js";
import { PoolView } from "./model-view.js";

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

class Crash extends Error {}
class Failed extends Error {}

export class ModelCloud extends PoolView {
  readonly moves: Move[] = [];
  /** Whose create call made an address. */
  readonly createdBy = new Map<string, string>();
  /** Created, and the operator never got the answer: ownership of these can only be inferred. */
  readonly unanswered = new Set<string>();
  /** How long assignments take, seconds. */
  actionSeconds = 0;
  private actionsLeft = 0;

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
    // Of an answer that is lost nothing is recorded; a refusal leaves the node out.
    if (lost || (action.do !== "assign" && action.do !== "unassign")) return;
    const refused = { state: "error", error: "refused", retryAt: timestamp(this.now + 1000) } as const;
    outcomes.set(action.ip, { ...refused, nodeName: undefined, providerID: undefined });
  }

  /** @param unheard the answer never comes, so that nothing of it is recorded. */
  private apply(name: string, action: PlannedAction, unheard: boolean): void {
    const { createdIPs = [] } = this.pool(name).status;
    if (action.do === "record-intent") this.patch(name, { pendingCreation: action.intent });
    else if (action.do === "settle-creation") this.settled(name, action.result);
    else if (action.do === "record-assignment") this.patch(name, { lastAssignmentTime: action.at });
    else if (action.do === "mark-in-spec") this.markInSpec(name, action.ip);
    else if (action.do === "record-dns") this.patch(name, dnsFields(action, this.cachedRecords(name)));
    else if (action.do === "forget-created")
      this.patch(name, { createdIPs: createdIPs.filter(({ ip }) => ip !== action.ip) });
    else this.applyToObject(name, action, unheard);
  }

  private cachedRecords(name: string) {
    return { now: this.now, cachedUntil: this.pool(name).status.recordsCachedUntil };
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
    this.onceAssigned.add(ip);
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
}

/** Fields that are `undefined` are not there. */
function without<T extends object>(value: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
