/** RoutedIPs of the cluster: follows them, and runs each when something that concerns it has changed. */

import { CRD_PROBE_MS } from "../../bounds.js";
import { routedIpClaims } from "../../claims/read-claims.js";
import { keyOf } from "../../kube/objects.js";
import type { WholeObject } from "../../kube/slim.js";
import type { StoreEvent } from "../../kube/store.js";
import { forgetRouted } from "../../metrics/flipop.js";
import { Controller } from "../../runtime/controller.js";
import { done } from "../../runtime/result.js";
import { Units } from "../units.js";
import { nodesOfSlices, type SliceFacts } from "./endpoints.js";
import type { IssuerAccounts } from "./issuer-accounts.js";
import type { JobTools } from "./jobs/gather.js";
import type { RoutedObject } from "./resource.js";
import { noteCreation } from "./routed-creation.js";
import type { Routing } from "./routing.js";
import { runRouted } from "./run-routed.js";
import { RoutedUnit } from "./unit.js";

const NAME = "routed-ip";
const WORKERS = 16;

export class RoutedIPs {
  readonly controller: Controller;
  private readonly units: Units<RoutedUnit, RoutedObject>;
  private readonly ends: readonly (() => void)[];

  /** @param onUse somebody has begun, or ceased, to use an issuer or a class. */
  constructor(
    private readonly routing: Routing,
    tools: { readonly accounts: IssuerAccounts; readonly jobs?: JobTools },
    private readonly onUse: () => void,
  ) {
    const { context } = routing;
    const { clock, random, logger, runtime, settings, news, records } = context;
    this.units = new Units({
      logger,
      make: (key, object) => this.make(key, object),
      forget: (unit) => this.forget(unit),
    });
    this.controller = new Controller({
      ...{ name: NAME, clock, random, logger, workers: WORKERS, resyncMs: settings.resyncMs },
      reconcile: (key, run) => {
        const unit = this.units.get(key);
        const decided = unit !== undefined && context.claims.areAddressesDecided(unit.ref.uid);
        return !decided ? Promise.resolve(done) : runRouted({ routing, ...tools }, unit, run);
      },
      keys: () => this.units.keys(),
      metrics: { queue: runtime.queue, controller: runtime.controller },
    });
    this.ends = [
      routing.routed.listen((event) => this.changed(event)),
      news.listen((uids) => this.concern(uids)),
      records.zones.listen(() => this.claimAgain()),
      ...routing.services.map(({ store }) => store.listen(({ object }) => this.serviceChanged(keyOf(object)))),
      ...routing.slices.map(({ store }) => store.listen((event) => this.slicesChanged(event))),
      context.watches.nodes().store.listen((event) => {
        routing.taints.see(event.object, event.type === "deleted");
      }),
    ];
    for (const node of context.watches.nodes().store.list()) routing.taints.see(node, false);
  }

  /** What the RoutedIPs can't do for want of something that an administrator has to give. */
  trouble(): string | undefined {
    const units = [...this.units.all()];
    if (units.some(({ writer }) => writer.forbidden)) return ROLE_TEXT;
    const since = this.routing.context.clock.monotonic() - CRD_PROBE_MS;
    return units.some(({ droppedAt }) => droppedAt > since) ? CRD_TEXT : undefined;
  }

  /** A Job for it has changed. */
  jobChanged(uid: string): void {
    this.concern([uid]);
  }

  /** An issuer, a class or a Secret has changed: all who may use it look again. */
  lookAgain(): void {
    for (const unit of this.units.all()) {
      this.claim(unit);
      this.controller.add(unit.key);
    }
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.units.close();
  }

  private changed(event: StoreEvent<WholeObject<RoutedObject>>): void {
    const unit = this.units.follow(event);
    if (unit === undefined) return;
    this.claim(unit);
    this.controller.add(unit.key);
  }

  private make(key: string, object: RoutedObject): RoutedUnit {
    const onChange = () => this.controller.add(key);
    const unit: RoutedUnit = new RoutedUnit(
      { routing: this.routing, onChange, onWrite: () => this.claim(unit) },
      object,
    );
    this.onUse();
    return unit;
  }

  /** A newer version: what it claims counts from here on. */
  private claim(unit: RoutedUnit): void {
    if (unit.read()?.routed.spec.className !== undefined) this.onUse();
    const { claims, records } = this.routing.context;
    const read = unit.read();
    if (read === undefined) return;
    const { routed } = read;
    unit.follow(read);
    const provider = this.routing.providerOf(routed);
    claims.put(routedIpClaims(routed, provider, records.zones.lookUp));
    noteCreation(this.routing, unit);
  }

  private forget({ ref, inventory }: RoutedUnit): Promise<void> {
    const { claims, demands, creations, metrics } = this.routing.context;
    claims.drop(ref.uid);
    demands.withdraw(ref.uid);
    creations.end(ref.uid);
    inventory?.forget(ref);
    this.routing.firewalls.drop(ref.uid);
    this.routing.taints.drop(ref.uid);
    this.onUse();
    return forgetRouted(metrics, ref.namespace, ref.name);
  }

  private serviceChanged(service: string): void {
    for (const unit of this.following(service)) this.controller.add(unit.key);
  }

  private slicesChanged(event: StoreEvent<SliceFacts>): void {
    const before = event.type === "updated" ? event.old : undefined;
    const nodes = nodesOfSlices(event.object, before);
    for (const unit of this.following(event.object.service)) {
      unit.endpointsChanged(nodes);
      this.controller.add(unit.key);
    }
  }

  private *following(service: string): Iterable<RoutedUnit> {
    for (const unit of this.units.all()) if (unit.service === service) yield unit;
  }

  private concern(uids: readonly string[]): void {
    for (const uid of uids) {
      const unit = this.units.withUid(uid);
      if (unit !== undefined) this.controller.add(unit.key);
    }
  }

  private claimAgain(): void {
    for (const unit of this.units.all()) this.claim(unit);
  }
}

const CRD_TEXT =
  "CRD too old: the API server drops fields of RoutedIP, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of routedips or routedips/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
