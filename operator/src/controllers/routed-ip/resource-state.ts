/** One RoutedIP in this process: what it follows, what it remembers, what it has under way. */

import type { RoutedIPStatus } from "cdk8s-flipop/api";
import type { PollState } from "../../addresses/calls/poll.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { ListObservations } from "../../addresses/creation/list-observations.js";
import type { AccountInventory, Reservation } from "../../inventory/account-inventory.js";
import type { ResourceRef } from "../../inventory/types.js";
import { keyOf } from "../../kube/objects.js";
import type { PodScope } from "../../kube/pod-scopes.js";
import type { PodView } from "../../kube/pod-view.js";
import { MatchIndex } from "../../match/match-index.js";
import { OwnSeries, StateSeries } from "../../metrics/series.js";
import type { ProviderId } from "../../providers/types.js";
import type { CleanupMemory } from "../../reconcile/cleanup.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { LatestVersion } from "../../reconcile/objects/latest-version.js";
import { ObjectWriter } from "../../reconcile/objects/object-writer.js";
import { resourcePath } from "../../reconcile/objects/own-resources.js";
import type { RetryState } from "../../reconcile/retries/retry-schedule.js";
import { EndpointWorkload } from "../../routing/endpoints.js";
import type { PortPod } from "../../routing/ports.js";
import { type RoutedObject, type RoutedRead, readRouted } from "../../routing/resource.js";
import type { Routing } from "../../routing/routing.js";
import { type ServiceFacts, serviceKeyOf } from "../../routing/service.js";
import { withResult } from "./creation-fields.js";
import { everyNode } from "./every-node.js";

export const KIND = "RoutedIP";
export const PLURAL = "routedips";

export type PendingStatus = { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined };

export interface ResourceStateProps {
  readonly routing: Routing;
  readonly onChange: () => void;
  readonly onWrite: () => void;
}

export class RoutedIPState {
  readonly ref: ResourceRef;
  readonly createdAt: string;
  readonly key: string;
  readonly writer: ObjectWriter<RoutedObject>;
  readonly series = new OwnSeries();
  readonly states = new StateSeries();
  /** Of the status, not written yet. */
  pendingStatus: PendingStatus = {};
  addressRetry: RetryState | undefined;
  /** Where the class works by Jobs: what the last one said that failed; goes with `addressRetry`. */
  jobFailure: Problem | undefined;
  readonly nodeRetries = new Map<ProviderId, RetryState>();
  creationFailure: (Problem & { readonly retryAt: number; readonly state: RetryState }) | undefined;
  poll: PollState | undefined;
  reservation: Reservation | undefined;
  /** Under way: asked for by this process, and its end not seen yet. */
  move: { readonly ip: string; readonly node: { readonly name: string; readonly machine: ProviderId } } | undefined;
  placement: { readonly ip: string; readonly machine: ProviderId; readonly at: number } | undefined;
  reverts: readonly number[] = [];
  readonly listObservations = new ListObservations();
  creationResult: CreationResult | undefined;
  /** A creation's call is on its way. */
  creating = false;
  cleanup: CleanupMemory = { attempts: 0 };
  /** When the server last dropped the intent of a creation, monotonic ms. */
  droppedAt = Number.NEGATIVE_INFINITY;
  inventory: AccountInventory | undefined;
  private readonly latestVersion = new LatestVersion<RoutedObject>();
  private readonly life = new AbortController();
  private readCache:
    | { readonly object: RoutedObject; readonly result: CreationResult | undefined; readonly read: RoutedRead }
    | undefined;
  private followed:
    | { readonly service: string; readonly workload: EndpointWorkload; readonly index: MatchIndex }
    | undefined;
  private pods: PodView | undefined;
  private podKey = "";
  private scheme: string | undefined;

  constructor(
    private readonly props: ResourceStateProps,
    { metadata }: RoutedObject,
  ) {
    const { routing, onWrite } = props;
    const { namespace = "", name, uid, creationTimestamp = "" } = metadata;
    this.ref = { kind: KIND, namespace, name, uid };
    this.createdAt = creationTimestamp;
    this.key = keyOf({ namespace, name });
    const { latestVersion } = this;
    this.writer = new ObjectWriter({
      client: routing.context.client,
      path: resourcePath(PLURAL, metadata),
      latestVersion,
      cached: () => this.cached(),
      onWrite: (object) => {
        routing.routed.wrote(object);
        onWrite();
      },
    });
  }

  /** Aborts when the RoutedIP is gone. */
  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** `namespace/name` of the Service that it follows now. */
  get service(): string {
    return this.followed?.service ?? "";
  }

  get index(): MatchIndex | undefined {
    return this.followed?.index;
  }

  /** The newest version that is known, with what no status shows of a creation yet; `undefined`: it is gone. */
  read(): RoutedRead | undefined {
    const object = this.latestVersion.of(this.cached());
    if (object === undefined) return undefined;
    const { readCache, creationResult: result } = this;
    if (readCache?.object === object && readCache.result === result) return readCache.read;
    const read = withResult(readRouted(object), result);
    this.readCache = { object, result, read };
    return read;
  }

  /** What this process knows of its creation counts from here on. */
  get onResult(): () => void {
    return this.props.onWrite;
  }

  /** Follows the Service that the spec names: its endpoints, and its pods for their ports. */
  follow({ routed }: RoutedRead): void {
    const { routing, onChange } = this.props;
    const service = serviceKeyOf(routed.metadata, routed.spec);
    if (this.followed?.service !== service) {
      this.followed?.index.close();
      const workload = new EndpointWorkload(service, () => routing.slicesFor(service));
      const match = everyNode(this.scheme);
      const index = new MatchIndex(routing.context.nodes, { match, workload }, onChange);
      this.followed = { service, workload, index };
    }
    this.watchPods(routing.service(service));
  }

  /** Nodes of another cloud can't hold the address. @param scheme `AddressCapabilities.providerIdScheme` */
  limitTo(scheme: string): void {
    if (scheme === this.scheme) return;
    this.scheme = scheme;
    const { index, workload } = this.followed ?? {};
    if (workload !== undefined) index?.rematch({ match: everyNode(scheme), workload });
  }

  endpointsChanged(nodes: Iterable<string>): void {
    for (const node of nodes) this.index?.workloadChanged(node);
  }

  servesAt(node: string): boolean {
    return this.followed?.workload.servesAt(node) ?? false;
  }

  /** Those behind the Service; `undefined`: not read yet. */
  podsBehind(): readonly PortPod[] | undefined {
    if (this.podKey === "") return [];
    const store = this.pods?.settled === true ? this.pods.store : undefined;
    return store === undefined ? undefined : [...store.list()];
  }

  async close(): Promise<void> {
    this.life.abort(new Error(`${KIND} ${this.key} is gone`));
    this.series.clear();
    this.states.clear();
    this.reservation?.release();
    this.followed?.index.close();
    await this.pods?.close();
  }

  private watchPods(service: ServiceFacts | undefined): void {
    const { routing, onChange } = this.props;
    const wanted = service === undefined ? undefined : podsOf(service, routing.context.settings.podNamespaces);
    const key = wanted === undefined ? "" : JSON.stringify(wanted);
    if (key === this.podKey) return;
    this.podKey = key;
    if (wanted === undefined) return;
    this.pods ??= routing.context.watches.podView(onChange);
    this.pods.select(wanted).then(onChange, (error: unknown) => {
      routing.context.logger.error({ routedIP: this.key, error }, "cannot watch the pods of the Service");
    });
  }

  private cached(): RoutedObject | undefined {
    const object = this.props.routing.routed.get(this.key);
    return object?.metadata.uid === this.ref.uid ? object : undefined;
  }
}

/** `undefined`: it has no selector, or its pods may not be read; then its hostPorts are not known. */
function podsOf({ namespace, selector }: ServiceFacts, podNamespaces: readonly string[]): PodScope | undefined {
  const reachable = podNamespaces.length === 0 || podNamespaces.includes(namespace);
  return reachable && selector !== undefined ? { namespace, selector: { matchLabels: selector } } : undefined;
}
