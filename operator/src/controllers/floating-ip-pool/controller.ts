/** FloatingIPPools of the cluster: follows them, and runs each when something that concerns it has changed. */

import { poolClaims } from "../../claims/read-claims.js";
import type { WholeObject } from "../../kube/slim.js";
import type { StoreEvent } from "../../kube/store.js";
import { forgetPool } from "../../metrics/flipop.js";
import { Background } from "../../reconcile/background.js";
import { OwnResources } from "../../reconcile/objects/own-resources.js";
import { DnsService, dnsOfRegistry } from "../../records/dns-service.js";
import { Controller } from "../../runtime/controller.js";
import type { Drainable } from "../../runtime/manager.js";
import { done, type Result } from "../../runtime/result.js";
import type { ControllerContext, ControllerParts } from "../context.js";
import { ResourceStates } from "../units.js";
import { reserveOpenMoves } from "./open-moves.js";
import { noteCreation } from "./pool-creation.js";
import type { PoolObject } from "./read-pool.js";
import { POOL_PLURAL, PoolState } from "./resource-state.js";
import { type RunTools, runPool } from "./run-pool.js";

const NAME = "floating-ip-pool";
const WORKERS = 16;

export function createFloatingIPPoolController(context: ControllerContext): ControllerParts {
  const pools = new FloatingIPPools(context);
  return {
    controllers: [pools],
    caches: pools.resources.parts,
    checks: new Map([["floating-ip-pools", () => pools.degradedReason()]]),
    close: () => pools.close(),
  };
}

class FloatingIPPools implements Drainable {
  readonly name = NAME;
  readonly resources: OwnResources<PoolObject>;
  private readonly resourceStates: ResourceStates<PoolState, PoolObject>;
  private readonly controller: Controller;
  private readonly background: Background;
  private readonly tools: RunTools;
  private readonly ends: readonly (() => void)[];
  private logged: string | undefined;

  constructor(private readonly context: ControllerContext) {
    const { clock, random, logger, runtime, settings, watches, records, providers, notifier, owners } = context;
    this.background = new Background(clock);
    this.resourceStates = new ResourceStates({
      logger,
      make: (key, object) => this.make(key, object),
      forget: (resourceState) => this.forget(resourceState),
    });
    this.controller = new Controller({
      ...{ name: NAME, clock, random, logger, workers: WORKERS, resyncMs: settings.resyncMs },
      reconcile: (key) => this.reconcile(key),
      keys: () => this.resourceStates.keys(),
      metrics: runtime,
    });
    this.tools = {
      context,
      background: this.background,
      dnsService: new DnsService({ records, dnsOf: dnsOfRegistry(providers) }),
      again: ({ key }) => this.controller.add(key),
    };
    this.resources = new OwnResources<PoolObject>(watches, POOL_PLURAL, settings.watchNamespaces);
    owners.add((uid) => this.resources.has(uid));
    this.ends = [
      this.resources.listen((event) => this.changed(event)),
      notifier.listen((uids) => this.enqueue(uids)),
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
  degradedReason(): string | undefined {
    const resourceStates = [...this.resourceStates.all()];
    if (resourceStates.some(({ writer }) => writer.forbidden)) return ROLE_TEXT;
    if (resourceStates.some(({ crdTooOld }) => crdTooOld)) return CRD_TEXT;
    return resourceStates.some(({ nodesForbidden }) => nodesForbidden) ? NODE_ROLE_TEXT : undefined;
  }

  /** Once for each trouble: the refusals of the single writes are in the log anyway. */
  private logDegradedReason(): void {
    const degradedReason = this.degradedReason();
    if (degradedReason !== undefined && degradedReason !== this.logged)
      this.context.logger.error({ degradedReason }, "pools are served in part only");
    this.logged = degradedReason;
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.resourceStates.close();
  }

  private async reconcile(key: string): Promise<Result> {
    const resourceState = this.resourceStates.get(key);
    const read = resourceState?.read();
    if (resourceState === undefined || read === undefined) return done;
    if (!this.context.claims.areAddressesDecided(resourceState.ref.uid)) return done;
    const result = await runPool(this.tools, resourceState, read);
    this.logDegradedReason();
    return result;
  }

  private changed(event: StoreEvent<WholeObject<PoolObject>>): void {
    const resourceState = this.resourceStates.follow(event);
    if (resourceState === undefined) return;
    this.indexResource(resourceState);
    this.controller.add(resourceState.key);
  }

  private make(key: string, object: PoolObject): PoolState {
    const resourceState: PoolState = new PoolState(
      {
        context: this.context,
        cached: () => this.resources.get(key),
        onChange: () => this.controller.add(key),
        onWrite: (written) => {
          this.resources.wrote(written);
          this.indexResource(resourceState);
        },
        onResult: () => this.indexResource(resourceState),
      },
      object,
    );
    return resourceState;
  }

  /** A newer version: what it claims and asks for counts from here on. */
  private indexResource(resourceState: PoolState): void {
    const { claims, records } = this.context;
    const read = resourceState.read();
    if (read === undefined) return;
    const { pool } = read;
    claims.put(poolClaims(pool, records.zones.lookUp));
    resourceState.follow(read);
    reserveOpenMoves(this.context, resourceState);
    noteCreation(this.context, resourceState);
  }

  private forget({ ref }: PoolState): Promise<void> {
    const { claims, nodeRequests, creations, owners, accounts, metrics } = this.context;
    claims.drop(ref.uid);
    nodeRequests.withdraw(ref.uid);
    creations.end(ref.uid);
    accounts.forget(ref);
    owners.gone(ref);
    return forgetPool(metrics, ref.namespace, ref.name);
  }

  private enqueue(uids: readonly string[]): void {
    for (const uid of uids) {
      const resourceState = this.resourceStates.withUid(uid);
      if (resourceState !== undefined) this.controller.add(resourceState.key);
    }
  }

  private claimAgain(): void {
    for (const resourceState of this.resourceStates.all()) this.indexResource(resourceState);
  }
}

const CRD_TEXT =
  "CRD too old: the API server drops fields of FloatingIPPool, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of floatingippools or floatingippools/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
const NODE_ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodes to this ServiceAccount, so no node is annotated; apply the roles of this release";
