/** RoutedIPs of the cluster: follows them, and runs each when something that concerns it has changed. */

import { familyOf } from "cdk8s-flipop/api";
import { routedIpClaims } from "../../claims/read-claims.js";
import { keyOf } from "../../kube/objects.js";
import type { WholeObject } from "../../kube/slim.js";
import type { StoreEvent } from "../../kube/store.js";
import { forgetRouted } from "../../metrics/flipop.js";
import { Controller } from "../../runtime/controller.js";
import { done } from "../../runtime/result.js";
import type { IssuerAccounts } from "../routed-ip-issuer/accounts.js";
import { nodesOfSlices, type SliceFacts } from "./endpoints.js";
import { creationKey } from "./gather.js";
import type { RoutedObject } from "./resource.js";
import type { Routing } from "./routing.js";
import type { JobTools } from "./run-jobs.js";
import { runRouted } from "./run-routed.js";
import { RoutedUnit } from "./unit.js";

const NAME = "routed-ip";
const WORKERS = 16;

export class RoutedIPs {
  readonly controller: Controller;
  private readonly units = new Map<string, RoutedUnit>();
  private readonly byUid = new Map<string, RoutedUnit>();
  private readonly closing = new Set<Promise<void>>();
  private readonly ends: readonly (() => void)[];

  /** @param onUse somebody has begun, or ceased, to use an issuer or a class. */
  constructor(
    private readonly routing: Routing,
    tools: { readonly accounts: IssuerAccounts; readonly jobs?: JobTools },
    private readonly onUse: () => void,
  ) {
    const { context } = routing;
    const { clock, random, logger, runtime, settings, news, records } = context;
    this.controller = new Controller({
      ...{ name: NAME, clock, random, logger, workers: WORKERS, resyncMs: settings.resyncMs },
      reconcile: (key, run) => {
        const unit = this.units.get(key);
        return unit === undefined ? Promise.resolve(done) : runRouted({ routing, ...tools }, unit, run);
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

  /** A Job for it has changed. */
  jobChanged(uid: string): void {
    this.concern([uid]);
  }

  /** An issuer, a class or a Secret has changed: all who may use it look again. */
  lookAgain(): void {
    for (const unit of this.units.values()) {
      this.claim(unit);
      this.controller.add(unit.key);
    }
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await Promise.all([...[...this.units.values()].map((unit) => unit.close()), ...this.closing]);
  }

  private changed({ type, object: { object } }: StoreEvent<WholeObject<RoutedObject>>): void {
    const key = keyOf({ namespace: object.metadata.namespace, name: object.metadata.name });
    const known = this.units.get(key);
    if (type === "deleted") {
      if (known?.ref.uid === object.metadata.uid) this.drop(known);
      return;
    }
    if (known !== undefined && known.ref.uid !== object.metadata.uid) this.drop(known);
    this.claim(this.units.get(key) ?? this.make(key, object));
    this.controller.add(key);
  }

  private make(key: string, object: RoutedObject): RoutedUnit {
    const onChange = () => this.controller.add(key);
    const unit: RoutedUnit = new RoutedUnit(
      { routing: this.routing, onChange, onWrite: () => this.claim(unit) },
      object,
    );
    this.units.set(key, unit);
    this.byUid.set(unit.ref.uid, unit);
    this.onUse();
    return unit;
  }

  /** A newer version: what it claims counts from here on. */
  private claim(unit: RoutedUnit): void {
    if (unit.read()?.routed.spec.className !== undefined) this.onUse();
    const { claims, creations, records } = this.routing.context;
    const read = unit.read();
    if (read === undefined) return;
    const { routed } = read;
    unit.follow(read);
    const provider = this.routing.providerOf(routed);
    claims.put(routedIpClaims(routed, provider, records.zones.lookUp));
    const { pendingCreation: intent } = routed.status;
    if (intent === undefined) return;
    const family = familyOf(routed.spec.routedIP ?? "");
    const key = creationKey(unit, { terms: undefined, family, account: undefined });
    const node = intent.providerID === undefined ? {} : { node: intent.providerID };
    creations.set({ ...key, provider: intent.provider, ...node });
  }

  private drop(unit: RoutedUnit): void {
    const { claims, demands, creations, metrics, logger } = this.routing.context;
    const { ref, key } = unit;
    this.units.delete(key);
    this.byUid.delete(ref.uid);
    claims.drop(ref.uid);
    demands.withdraw(ref.uid);
    creations.end(ref.uid);
    unit.inventory?.forget(ref);
    this.routing.firewalls.drop(ref.uid);
    this.routing.taints.drop(ref.uid);
    this.onUse();
    const closed = Promise.all([unit.close(), forgetRouted(metrics, ref.namespace, ref.name)])
      .then(() => undefined)
      .catch((error: unknown) => logger.error({ routedIP: key, error }, "a deleted RoutedIP leaves something behind"))
      .finally(() => this.closing.delete(closed));
    this.closing.add(closed);
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
    for (const unit of this.units.values()) if (unit.service === service) yield unit;
  }

  private concern(uids: readonly string[]): void {
    for (const uid of uids) {
      const unit = this.byUid.get(uid);
      if (unit !== undefined) this.controller.add(unit.key);
    }
  }

  private claimAgain(): void {
    for (const unit of this.units.values()) this.claim(unit);
  }
}
