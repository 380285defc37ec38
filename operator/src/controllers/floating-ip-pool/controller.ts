/** FloatingIPPools of the cluster: follows them, and runs each when something that concerns it has changed. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { poolClaims } from "../../claims/read-claims.js";
import { keyOf } from "../../kube/objects.js";
import type { WholeObject } from "../../kube/slim.js";
import type { StoreEvent } from "../../kube/store.js";
import { forgetPool } from "../../metrics/flipop.js";
import { OwnSeries } from "../../metrics/series.js";
import { Controller } from "../../runtime/controller.js";
import type { Drainable } from "../../runtime/manager.js";
import { done, type Result } from "../../runtime/result.js";
import { Background } from "../background.js";
import type { ControllerContext, ControllerParts } from "../context.js";
import { OwnResources } from "../own-resources.js";
import { DnsDesk, dnsOfRegistry } from "../records/dns-desk.js";
import { creationKey } from "./gather.js";
import { labelsOf } from "./labels.js";
import { samplesOf } from "./metrics.js";
import { reserveOpenMoves } from "./open-moves.js";
import type { PoolObject } from "./read-pool.js";
import { type RunTools, runPool } from "./run-pool.js";
import type { Turn } from "./turn.js";
import { POOL_PLURAL, PoolUnit } from "./unit.js";
import { familyOfPool } from "./wish.js";

const NAME = "floating-ip-pool";
const WORKERS = 16;

export function createFloatingIPPoolController(context: ControllerContext): ControllerParts {
  const pools = new FloatingIPPools(context);
  return {
    controllers: [pools],
    caches: pools.resources.parts,
    checks: new Map([["floating-ip-pools", () => pools.trouble()]]),
    close: () => pools.close(),
  };
}

class FloatingIPPools implements Drainable {
  readonly name = NAME;
  readonly resources: OwnResources<PoolObject>;
  private readonly units = new Map<string, PoolUnit>();
  private readonly byUid = new Map<string, PoolUnit>();
  private readonly series = new Map<string, OwnSeries>();
  private readonly controller: Controller;
  private readonly background: Background;
  private readonly tools: RunTools;
  private readonly ends: readonly (() => void)[];
  private logged: string | undefined;

  constructor(private readonly context: ControllerContext) {
    const { clock, random, logger, runtime, settings, watches, records, providers, news, owners } = context;
    this.background = new Background(clock);
    this.controller = new Controller({
      ...{ name: NAME, clock, random, logger, workers: WORKERS, resyncMs: settings.resyncMs },
      reconcile: (key) => this.reconcile(key),
      keys: () => this.units.keys(),
      metrics: runtime,
    });
    this.tools = {
      context,
      background: this.background,
      desk: new DnsDesk({ records, dnsOf: dnsOfRegistry(providers) }),
      labelled: (snapshot) => labelsOf(context, snapshot.pool),
      regarding: ({ ref: { kind, namespace, name, uid } }) => ({
        apiVersion: GROUP_VERSION,
        kind,
        namespace,
        name,
        uid,
      }),
      again: ({ key }) => this.controller.add(key),
      show: (unit, turn) => this.show(unit, turn),
    };
    this.resources = new OwnResources<PoolObject>(watches, POOL_PLURAL, settings.watchNamespaces);
    owners.add((uid) => this.resources.has(uid));
    this.ends = [
      this.resources.listen((event) => this.changed(event)),
      news.listen((uids) => this.concern(uids)),
      records.zones.listen(() => this.claimAgain()),
    ];
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.controller.run(signal), this.background.run(signal)]);
  }

  async drain(deadlineMs: number): Promise<boolean> {
    const ends = await Promise.all([this.controller.drain(deadlineMs), this.background.drain(deadlineMs)]);
    return !ends.includes(false);
  }

  check(): string | undefined {
    return this.controller.check();
  }

  /** What the pools can't do for want of something that an administrator has to give. */
  trouble(): string | undefined {
    const units = [...this.units.values()];
    if (units.some(({ writer }) => writer.forbidden)) return ROLE_TEXT;
    if (units.some(({ crdTooOld }) => crdTooOld)) return CRD_TEXT;
    return units.some(({ nodesForbidden }) => nodesForbidden) ? NODE_ROLE_TEXT : undefined;
  }

  /** Once for each trouble: the refusals of the single writes are in the log anyway. */
  private logTrouble(): void {
    const trouble = this.trouble();
    if (trouble !== undefined && trouble !== this.logged)
      this.context.logger.error({ trouble }, "pools lack something");
    this.logged = trouble;
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await Promise.all([...this.units.values()].map((unit) => unit.close()));
  }

  private async reconcile(key: string): Promise<Result> {
    const unit = this.units.get(key);
    const read = unit?.read();
    if (unit === undefined || read === undefined) return done;
    const result = await runPool(this.tools, unit, read);
    this.logTrouble();
    return result;
  }

  private changed({ type, object: { object } }: StoreEvent<WholeObject<PoolObject>>): void {
    const key = keyOf({ namespace: object.metadata.namespace, name: object.metadata.name });
    const known = this.units.get(key);
    if (type === "deleted") {
      if (known?.ref.uid === object.metadata.uid) this.drop(known);
      return;
    }
    if (known !== undefined && known.ref.uid !== object.metadata.uid) this.drop(known);
    this.see(this.units.get(key) ?? this.make(key, object));
    this.controller.add(key);
  }

  private make(key: string, object: PoolObject): PoolUnit {
    const unit: PoolUnit = new PoolUnit(
      {
        context: this.context,
        cached: () => this.resources.get(key),
        onChange: () => this.controller.add(key),
        onWrite: () => this.see(unit),
      },
      object,
    );
    this.units.set(key, unit);
    this.byUid.set(unit.ref.uid, unit);
    this.series.set(unit.ref.uid, new OwnSeries());
    return unit;
  }

  /** A newer version: what it claims and asks for counts from here on. */
  private see(unit: PoolUnit): void {
    const { claims, creations, records } = this.context;
    const read = unit.read();
    if (read === undefined) return;
    const { pool } = read;
    claims.put(poolClaims(pool, records.zones.lookUp));
    unit.follow(read);
    reserveOpenMoves(this.context, unit);
    const { pendingCreation: intent } = pool.status;
    if (intent === undefined) {
      if (!unit.underWay.has("creation")) creations.end(unit.ref.uid);
      return;
    }
    const family = familyOfPool(pool);
    const node = intent.providerID === undefined ? {} : { node: intent.providerID };
    creations.set({ ...creationKey(unit, pool, { family, account: undefined }), ...node });
  }

  private drop(unit: PoolUnit): void {
    const { claims, demands, creations, owners, accounts, metrics, logger } = this.context;
    const { ref, key } = unit;
    this.units.delete(key);
    this.byUid.delete(ref.uid);
    this.series.get(ref.uid)?.clear();
    this.series.delete(ref.uid);
    claims.drop(ref.uid);
    demands.withdraw(ref.uid);
    creations.end(ref.uid);
    accounts.forget(ref);
    owners.gone(ref);
    const ended = Promise.all([unit.close(), forgetPool(metrics, ref.namespace, ref.name)]);
    ended.catch((error: unknown) => logger.error({ pool: key, error }, "a deleted pool leaves something behind"));
  }

  private concern(uids: readonly string[]): void {
    for (const uid of uids) {
      const unit = this.byUid.get(uid);
      if (unit !== undefined) this.controller.add(unit.key);
    }
  }

  private claimAgain(): void {
    for (const unit of this.units.values()) this.see(unit);
  }

  private show(unit: PoolUnit, { snapshot, plan }: Turn): void {
    const samples = samplesOf(this.context.metrics, labelsOf(this.context, snapshot.pool), snapshot, plan);
    this.series.get(unit.ref.uid)?.show(samples);
  }
}

const CRD_TEXT =
  "CRD too old: the API server drops fields of FloatingIPPool, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of floatingippools or floatingippools/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
const NODE_ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodes to this ServiceAccount, so no node is annotated; apply the roles of this release";
