/** FloatingIPPools of the cluster: follows them, and runs each when something that concerns it has changed. */

import { poolClaims } from "../../claims/read-claims.js";
import type { WholeObject } from "../../kube/slim.js";
import type { StoreEvent } from "../../kube/store.js";
import { forgetPool } from "../../metrics/flipop.js";
import { Controller } from "../../runtime/controller.js";
import type { Drainable } from "../../runtime/manager.js";
import { done, type Result } from "../../runtime/result.js";
import { Background } from "../background.js";
import type { ControllerContext, ControllerParts } from "../context.js";
import { OwnResources } from "../own-resources.js";
import { DnsDesk, dnsOfRegistry } from "../records/dns-desk.js";
import { Units } from "../units.js";
import { reserveOpenMoves } from "./open-moves.js";
import { noteCreation } from "./pool-creation.js";
import type { PoolObject } from "./read-pool.js";
import { type RunTools, runPool } from "./run-pool.js";
import { POOL_PLURAL, PoolUnit } from "./unit.js";

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
  private readonly units: Units<PoolUnit, PoolObject>;
  private readonly controller: Controller;
  private readonly background: Background;
  private readonly tools: RunTools;
  private readonly ends: readonly (() => void)[];
  private logged: string | undefined;

  constructor(private readonly context: ControllerContext) {
    const { clock, random, logger, runtime, settings, watches, records, providers, news, owners } = context;
    this.background = new Background(clock);
    this.units = new Units({
      logger,
      make: (key, object) => this.make(key, object),
      forget: (unit) => this.forget(unit),
    });
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
      again: ({ key }) => this.controller.add(key),
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
    const units = [...this.units.all()];
    if (units.some(({ writer }) => writer.forbidden)) return ROLE_TEXT;
    if (units.some(({ crdTooOld }) => crdTooOld)) return CRD_TEXT;
    return units.some(({ nodesForbidden }) => nodesForbidden) ? NODE_ROLE_TEXT : undefined;
  }

  /** Once for each trouble: the refusals of the single writes are in the log anyway. */
  private logTrouble(): void {
    const trouble = this.trouble();
    if (trouble !== undefined && trouble !== this.logged)
      this.context.logger.error({ trouble }, "pools are served in part only");
    this.logged = trouble;
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.units.close();
  }

  private async reconcile(key: string): Promise<Result> {
    const unit = this.units.get(key);
    const read = unit?.read();
    if (unit === undefined || read === undefined) return done;
    if (!this.context.claims.areAddressesDecided(unit.ref.uid)) return done;
    const result = await runPool(this.tools, unit, read);
    this.logTrouble();
    return result;
  }

  private changed(event: StoreEvent<WholeObject<PoolObject>>): void {
    const unit = this.units.follow(event);
    if (unit === undefined) return;
    this.see(unit);
    this.controller.add(unit.key);
  }

  private make(key: string, object: PoolObject): PoolUnit {
    const unit: PoolUnit = new PoolUnit(
      {
        context: this.context,
        cached: () => this.resources.get(key),
        onChange: () => this.controller.add(key),
        onWrite: (written) => {
          this.resources.wrote(written);
          this.see(unit);
        },
        onResult: () => this.see(unit),
      },
      object,
    );
    return unit;
  }

  /** A newer version: what it claims and asks for counts from here on. */
  private see(unit: PoolUnit): void {
    const { claims, records } = this.context;
    const read = unit.read();
    if (read === undefined) return;
    const { pool } = read;
    claims.put(poolClaims(pool, records.zones.lookUp));
    unit.follow(read);
    reserveOpenMoves(this.context, unit);
    noteCreation(this.context, unit);
  }

  private forget({ ref }: PoolUnit): Promise<void> {
    const { claims, demands, creations, owners, accounts, metrics } = this.context;
    claims.drop(ref.uid);
    demands.withdraw(ref.uid);
    creations.end(ref.uid);
    accounts.forget(ref);
    owners.gone(ref);
    return forgetPool(metrics, ref.namespace, ref.name);
  }

  private concern(uids: readonly string[]): void {
    for (const uid of uids) {
      const unit = this.units.withUid(uid);
      if (unit !== undefined) this.controller.add(unit.key);
    }
  }

  private claimAgain(): void {
    for (const unit of this.units.all()) this.see(unit);
  }
}

const CRD_TEXT =
  "CRD too old: the API server drops fields of FloatingIPPool, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of floatingippools or floatingippools/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
const NODE_ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodes to this ServiceAccount, so no node is annotated; apply the roles of this release";
