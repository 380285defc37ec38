/** RoutedIPs of the cluster: follows them, and runs each when something that concerns it has changed. */

import { CRD_PROBE_MS } from "../../bounds.js";
import { routedIpClaims } from "../../claims/read-claims.js";
import { keyOf } from "../../kube/objects.js";
import type { WholeObject } from "../../kube/slim.js";
import type { StoreEvent } from "../../kube/store.js";
import { forgetRouted } from "../../metrics/flipop.js";
import { nodesOfSlices, type SliceFacts } from "../../routing/endpoints.js";
import type { IssuerAccounts } from "../../routing/issuer-accounts.js";
import type { RoutedObject } from "../../routing/resource.js";
import type { Routing } from "../../routing/routing.js";
import { Controller } from "../../runtime/controller.js";
import { done } from "../../runtime/result.js";
import { ResourceStates } from "../units.js";
import type { JobTools } from "./jobs/gather.js";
import { RoutedIPState } from "./resource-state.js";
import { noteCreation } from "./routed-creation.js";
import { runRouted } from "./run-routed.js";

const NAME = "routed-ip";
const WORKERS = 16;

export class RoutedIPs {
  readonly controller: Controller;
  private readonly resourceStates: ResourceStates<RoutedIPState, RoutedObject>;
  private readonly ends: readonly (() => void)[];

  /** @param onUse somebody has begun, or ceased, to use an issuer or a class. */
  constructor(
    private readonly routing: Routing,
    tools: { readonly accounts: IssuerAccounts; readonly jobs?: JobTools },
    private readonly onUse: () => void,
  ) {
    const { context } = routing;
    const { clock, random, logger, runtime, settings, notifier, records } = context;
    this.resourceStates = new ResourceStates({
      logger,
      make: (key, object) => this.make(key, object),
      forget: (resourceState) => this.forget(resourceState),
    });
    this.controller = new Controller({
      ...{ name: NAME, clock, random, logger, workers: WORKERS, resyncMs: settings.resyncMs },
      reconcile: (key, run) => {
        const resourceState = this.resourceStates.get(key);
        const decided = resourceState !== undefined && context.claims.areAddressesDecided(resourceState.ref.uid);
        return !decided ? Promise.resolve(done) : runRouted({ routing, ...tools }, resourceState, run);
      },
      keys: () => this.resourceStates.keys(),
      metrics: { queue: runtime.queue, controller: runtime.controller },
    });
    this.ends = [
      routing.routed.listen((event) => this.changed(event)),
      notifier.listen((uids) => this.enqueue(uids)),
      records.zones.listen(() => this.claimAgain()),
      ...routing.services.map(({ store }) => store.listen(({ object }) => this.serviceChanged(keyOf(object)))),
      ...routing.slices.map(({ store }) => store.listen((event) => this.slicesChanged(event))),
      context.watches.nodes().store.listen((event) => {
        routing.taints.indexResource(event.object, event.type === "deleted");
      }),
    ];
    for (const node of context.watches.nodes().store.list()) routing.taints.indexResource(node, false);
  }

  /** What the RoutedIPs can't do for want of something that an administrator has to give. */
  degradedReason(): string | undefined {
    const resourceStates = [...this.resourceStates.all()];
    if (resourceStates.some(({ writer }) => writer.forbidden)) return ROLE_TEXT;
    const since = this.routing.context.clock.monotonic() - CRD_PROBE_MS;
    return resourceStates.some(({ droppedAt }) => droppedAt > since) ? CRD_TEXT : undefined;
  }

  /** A Job for it has changed. */
  jobChanged(uid: string): void {
    this.enqueue([uid]);
  }

  /** An issuer, a class or a Secret has changed: all who may use it look again. */
  requeue(): void {
    for (const resourceState of this.resourceStates.all()) {
      this.claim(resourceState);
      this.controller.add(resourceState.key);
    }
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.resourceStates.close();
  }

  private changed(event: StoreEvent<WholeObject<RoutedObject>>): void {
    const resourceState = this.resourceStates.follow(event);
    if (resourceState === undefined) return;
    this.claim(resourceState);
    this.controller.add(resourceState.key);
  }

  private make(key: string, object: RoutedObject): RoutedIPState {
    const onChange = () => this.controller.add(key);
    const resourceState: RoutedIPState = new RoutedIPState(
      { routing: this.routing, onChange, onWrite: () => this.claim(resourceState) },
      object,
    );
    this.onUse();
    return resourceState;
  }

  /** A newer version: what it claims counts from here on. */
  private claim(resourceState: RoutedIPState): void {
    if (resourceState.read()?.routed.spec.className !== undefined) this.onUse();
    const { claims, records } = this.routing.context;
    const read = resourceState.read();
    if (read === undefined) return;
    const { routed } = read;
    resourceState.follow(read);
    const provider = this.routing.providerOf(routed);
    claims.put(routedIpClaims(routed, provider, records.zones.lookUp));
    noteCreation(this.routing, resourceState);
  }

  private forget({ ref, inventory }: RoutedIPState): Promise<void> {
    const { claims, nodeRequests, creations, metrics } = this.routing.context;
    claims.drop(ref.uid);
    nodeRequests.withdraw(ref.uid);
    creations.end(ref.uid);
    inventory?.forget(ref);
    this.routing.firewalls.drop(ref.uid);
    this.routing.taints.drop(ref.uid);
    this.onUse();
    return forgetRouted(metrics, ref.namespace, ref.name);
  }

  private serviceChanged(service: string): void {
    for (const resourceState of this.following(service)) this.controller.add(resourceState.key);
  }

  private slicesChanged(event: StoreEvent<SliceFacts>): void {
    const before = event.type === "updated" ? event.old : undefined;
    const nodes = nodesOfSlices(event.object, before);
    for (const resourceState of this.following(event.object.service)) {
      resourceState.endpointsChanged(nodes);
      this.controller.add(resourceState.key);
    }
  }

  private *following(service: string): Iterable<RoutedIPState> {
    for (const resourceState of this.resourceStates.all()) if (resourceState.service === service) yield resourceState;
  }

  private enqueue(uids: readonly string[]): void {
    for (const uid of uids) {
      const resourceState = this.resourceStates.withUid(uid);
      if (resourceState !== undefined) this.controller.add(resourceState.key);
    }
  }

  private claimAgain(): void {
    for (const resourceState of this.resourceStates.all()) this.claim(resourceState);
  }
}

const CRD_TEXT =
  "CRD too old: the API server drops fields of RoutedIP, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of routedips or routedips/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
