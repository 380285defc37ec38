/** Nodes, record sets and DNS in memory: the plan, the book and the service are the real ones. */

import type { NodeDNSRecordSetSpec } from "cdk8s-flipop/api";
import { Claims } from "../../../src/claims/claims.js";
import { statusOf } from "../../../src/controllers/node-dns-record-set/controller.js";
import { type Plan, plan } from "../../../src/controllers/node-dns-record-set/plan.js";
import { desiredOf } from "../../../src/controllers/node-dns-record-set/published-nodes.js";
import {
  type Action,
  claimsOf,
  type NodeRecordSet,
  type Snapshot,
} from "../../../src/controllers/node-dns-record-set/resource.js";
import { mergeConditions } from "../../../src/kube/write/patch.js";
import { MatchIndex } from "../../../src/match/match-index.js";
import { refusedNodes } from "../../../src/messages/nodes/refused-nodes.js";
import type { CallContext } from "../../../src/providers/call.js";
import { isProviderError } from "../../../src/providers/errors.js";
import { stamped } from "../../../src/reconcile/conditions.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { DnsService, type DnsView, RecordRegistry } from "../../../src/records/dns-service.js";
import { type DnsAction, supersededRecords } from "../../../src/records/record-actions.js";
import { dnsFields } from "../../../src/records/resolver-caches.js";
import { omitUndefined } from "../../../src/values.js";
import { compiled } from "../../match/cluster.js";
import { ASKER, FakeDns } from "../../records/fake-dns.js";
import { limitedTo } from "../../support/kube/limited-to.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { WorldNodes } from "./world-nodes.js";

export const ZONE = "example.com";
export const NAME = "game.example.com";
export const DRIFT_MS = 600_000;

/** As the tests write specs. */
export type Spec = Partial<NodeDNSRecordSetSpec>;

interface Entry {
  resource: NodeRecordSet;
  index: MatchIndex;
  noNodeSince: number | undefined;
  cleanup: Snapshot["cleanup"];
}

export class World extends WorldNodes {
  readonly clock = new FakeClock();
  readonly dns = new FakeDns("digitalocean");
  readonly cloudflare = new FakeDns("cloudflare");
  /** What was done, in order. */
  readonly done: Action["do"][] = [];
  connected = true;
  cachesComplete = true;
  private readonly claims = new Claims();
  private readonly entries = new Map<string, Entry>();
  private registry = this.newRegistry();
  private dnsService = this.newDnsService();

  /** A record set `name`; its record is `game.example.com` unless the spec says otherwise. */
  add(name: string, spec: Spec = {}): void {
    const resource: NodeRecordSet = {
      metadata: {
        name,
        namespace: "default",
        uid: `uid-${name}`,
        resourceVersion: "1",
        generation: 1,
        creationTimestamp: new Date(this.clock.now()).toISOString(),
      },
      spec: { dnsRecordSet: { zone: ZONE, recordName: NAME }, match: { nodeLabel: "pool=game" }, ...spec },
      status: {},
    };
    const index = this.indexOf(resource.spec);
    this.entries.set(name, { resource, index, noNodeSince: undefined, cleanup: { attempts: 0 } });
    this.claim(name);
  }

  edit(name: string, spec: Spec): void {
    const entry = this.of(name);
    entry.resource = { ...entry.resource, spec: { ...entry.resource.spec, ...spec } };
    entry.index.close();
    entry.index = this.indexOf(entry.resource.spec);
    this.claim(name);
  }

  patch(name: string, change: Partial<NodeRecordSet>): void {
    const entry = this.of(name);
    entry.resource = { ...entry.resource, ...change };
    this.claim(name);
  }

  delete(name: string): void {
    const { resource } = this.of(name);
    const deletionTimestamp = new Date(this.clock.now()).toISOString();
    this.patch(name, { metadata: { ...resource.metadata, deletionTimestamp } });
  }

  resource(name: string): NodeRecordSet {
    return this.of(name).resource;
  }

  /** Another process takes over: memory is lost, statuses are not. */
  restart(): void {
    this.registry = this.newRegistry();
    this.dnsService = this.newDnsService();
    for (const entry of this.entries.values()) {
      entry.noNodeSince = undefined;
      entry.cleanup = { attempts: 0 };
    }
  }

  snapshot(name: string): Snapshot {
    return this.evaluate(name).snapshot;
  }

  plan(name: string): Plan {
    return plan(this.snapshot(name));
  }

  /** One run, as the controller does it, with its status. */
  async run(name: string): Promise<Plan> {
    for (let round = 0; ; round++) {
      const { snapshot, dns } = this.evaluate(name);
      const made = plan(snapshot);
      if (made.sequences.length === 0) return this.writeStatus(name, snapshot, made);
      if (round === 8) throw new Error(`does not come to rest: ${made.sequences[0]?.lockKey}`);
      if (!(await this.carryOut(name, dns, made))) {
        const last = this.snapshot(name);
        return this.writeStatus(name, last, plan(last));
      }
    }
  }

  /** Runs again whenever the plan asks for it, for so long. */
  async pass(name: string, ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      const { requeueAt = end } = await this.run(name);
      const next = Math.max(requeueAt, this.clock.now() + 1);
      if (next >= end) break;
      await this.clock.advance(next - this.clock.now());
    }
    await this.clock.advance(end - this.clock.now());
  }

  condition(name: string, type: string): string {
    const found = this.plan(name).conditions.find((condition) => condition.type === type);
    return `${found?.status}/${found?.reason}`;
  }

  private evaluate(name: string): { readonly snapshot: Snapshot; readonly dns: DnsView } {
    const entry = this.of(name);
    const { resource, index, cleanup } = entry;
    const desired = desiredOf(resource.spec);
    const claims = this.claims.view(resource.metadata.uid);
    const { dns: last, begunRecords: begun } = resource.status;
    const question = {
      provider: desired?.provider ?? "",
      wanted: desired?.recordSet,
      types: desired?.types ?? [],
      ...{ last, begun, claims, deleting: resource.metadata.deletionTimestamp !== undefined },
    };
    const dns = this.dnsService.evaluate(question);
    const now = this.clock.now();
    entry.noNodeSince = index.anyNodeHasLabels() ? undefined : (entry.noNodeSince ?? now);
    const since = entry.noNodeSince;
    const snapshot: Snapshot = {
      ...{ resource, now, cleanup, cachesComplete: this.cachesComplete, passedOver: [] },
      candidates: index.candidates(),
      cordoned: () => index.cordoned(),
      verdictOf: (node) => index.verdict(node),
      refusals: refusedNodes(index.tally(), "match"),
      leftOut: (published: ReadonlySet<string>) => index.leftOut(published),
      meant: () => index.meant(),
      ...(desired === undefined ? { problem: { reason: "Invalid", message: "spec.dnsRecordSet: is required" } } : {}),
      ...(since === undefined ? {} : { noNode: { since, connected: this.connected } }),
      ...{ dns: dns.snapshot, ours: dns.ours, lost: dns.lost, reverts: dns.reverts },
    };
    return { snapshot, dns };
  }

  /** @returns whether all was done. */
  private async carryOut(name: string, dns: DnsView, made: Plan): Promise<boolean> {
    for (const action of made.sequences.flatMap(actionsOf)) {
      try {
        await this.perform(name, { dns, made }, action);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        this.noteCleanup(name);
        return false;
      }
      this.done.push(action.do);
    }
    return true;
  }

  private async perform(
    name: string,
    { dns, made }: { readonly dns: DnsView; readonly made: Plan },
    action: Action,
  ): Promise<void> {
    const { metadata, status } = this.of(name).resource;
    if (action.do === "record-dns") {
      const {
        dns: _former,
        begunRecords,
        recordsCachedUntil,
        ...rest
      } = { ...status, ...dnsFields(action, { now: this.clock.now(), cachedUntil: status.recordsCachedUntil }) };
      const written = action.written === undefined ? {} : { dns: action.written };
      // The record set is only begun: nothing else is published.
      const begins = action.begun !== undefined && action.written === status.dns;
      const addresses = action.written?.values.length === 0 ? [] : made.intended;
      const begun = omitUndefined({ begunRecords, recordsCachedUntil });
      this.patch(name, { status: { ...rest, ...begun, ...written, ...(begins ? {} : { addresses }) } });
    } else if (action.do === "add-finalizer") {
      this.patch(name, { metadata: { ...metadata, finalizers: ["flipop.digitalocean.com/cleanup"] } });
    } else if (action.do === "remove-finalizer") {
      this.patch(name, { metadata: { ...metadata, finalizers: [] } });
    } else await this.dnsService.carryOut(dns, action, this.contextOf(name, action));
  }

  private contextOf(name: string, action: DnsAction): CallContext {
    const recheck = () => supersededRecords(this.plan(name).sequences.flatMap(actionsOf), action);
    return { ...ASKER, ...(this.dns.asksAgain && { recheck }) };
  }

  private noteCleanup(name: string): void {
    const entry = this.of(name);
    const { attempts, since } = entry.cleanup;
    entry.cleanup = { attempts: attempts + 1, since: since ?? this.clock.now() };
  }

  private writeStatus(name: string, snapshot: Snapshot, made: Plan): Plan {
    const desired = statusOf(snapshot, made);
    if (desired === undefined) return made;
    const { conditions: seen, begunRecords } = this.of(name).resource.status;
    const { generation } = snapshot.resource.metadata;
    const merged = mergeConditions(seen, stamped(made.conditions, { now: snapshot.now, generation }));
    const fields = Object.entries({ ...desired, begunRecords, conditions: merged }).filter(
      ([, value]) => value !== undefined,
    );
    this.patch(name, { status: Object.fromEntries(fields) });
    return made;
  }

  private claim(name: string): void {
    const providers = { names: [], get: () => ({ close: async () => undefined }) };
    this.claims.put(claimsOf({ tenants: limitedTo({}), records: this.registry, providers }, this.of(name).resource));
  }

  private indexOf({ match = {} }: Spec): MatchIndex {
    return new MatchIndex(this.directory, { match: compiled(match) }, () => undefined);
  }

  private newRegistry(): RecordRegistry {
    const registry = new RecordRegistry(this.clock, DRIFT_MS);
    registry.zones.listen(() => {
      for (const name of this.entries.keys()) this.claim(name);
    });
    return registry;
  }

  private newDnsService(): DnsService {
    const providers = new Map([
      ["digitalocean", this.dns],
      ["cloudflare", this.cloudflare],
    ]);
    return new DnsService({ records: this.registry, claims: this.claims, dnsOf: (name) => providers.get(name) });
  }

  private of(name: string): Entry {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new Error(`no record set ${name} in the world`);
    return entry;
  }
}

/** A world at rest with these nodes and the record set `game`. */
export async function settled(nodes: readonly string[], spec: Spec = {}): Promise<World> {
  const world = new World();
  for (const node of nodes) world.addNode(node);
  world.add("game", spec);
  await world.run("game");
  return world;
}
