import { NODE_LEASE_NAMESPACE } from "cdk8s-flipop/api";
import { type Clock, systemClock } from "../../clock.js";
import { type Logger, silentLogger } from "../../logging.js";
import type { KubeClient } from "../client.js";
import type { Cached, KubeObject, Transform } from "../objects.js";
import { Decoders } from "../protobuf/decoder.js";
import type { WatchTarget } from "../watch/list.js";
import type { ReflectorObserver, ServerFeatures } from "../watch/reflector.js";
import { type Cache, type CacheContext, type CacheState, ReflectedCache, type ToldCache } from "./cache.js";
import { PodScopes, PodView } from "./pods.js";
import { type SlimNode, type SlimPod, slimNodes, type WholeObject, wholeObjects } from "./slim-objects.js";
import type { StoreListener } from "./store.js";

export interface SharedWatchesProps {
  readonly client: KubeClient;
  /** Annotations of nodes that are kept, and of Services that are read, for example `["flipop.digitalocean.com/"]`. */
  readonly nodeAnnotationPrefixes: readonly string[];
  /** @default systemClock */
  readonly clock?: Clock;
  /** In [0, 1). @default Math.random */
  readonly random?: () => number;
  /** @default silent */
  readonly logger?: Logger;
  /** Makes the metrics of one reflector. @default none */
  readonly observe?: (name: string) => ReflectorObserver;
}

type KindOptions = Pick<WatchTarget, "labelSelector" | "fieldSelector" | "optional">;

export type NodeIndex = "providerID" | "address";

const NODE_INDEXES = {
  providerID: (node: SlimNode): readonly string[] => (node.providerID === undefined ? [] : [node.providerID]),
  address: (node: SlimNode): readonly string[] => node.addresses.map((seen) => seen.address),
} as const;

/**
 * Every watch of the operator: one of nodes, one for each distinct pod scope, one for each other kind. Watches start
 * with the first user and stop with the last one.
 */
export class SharedWatches {
  private readonly context: CacheContext;
  private readonly decoders: Decoders;
  private readonly pods: PodScopes;
  private readonly kinds = new Map<string, Cache<Cached>>();
  private nodeCache: ReflectedCache<SlimNode, NodeIndex> | undefined;

  constructor(private readonly props: SharedWatchesProps) {
    const features: ServerFeatures = { watchList: true };
    this.context = {
      client: props.client,
      clock: props.clock ?? systemClock,
      random: props.random ?? Math.random,
      logger: props.logger ?? silentLogger,
      features,
      observe: props.observe,
    };
    this.decoders = new Decoders(props.nodeAnnotationPrefixes);
    this.pods = new PodScopes(this.context, this.decoders.pods);
  }

  /** The one node cache. */
  nodes(): Cache<SlimNode, NodeIndex> {
    this.nodeCache ??= new ReflectedCache(this.context, {
      target: { name: "nodes", path: "/api/v1/nodes", decoder: this.decoders.nodes },
      transform: slimNodes(this.props.nodeAnnotationPrefixes),
      indexes: NODE_INDEXES,
    });
    return this.nodeCache;
  }

  /**
   * The one cache of another kind, for the life of the operator. Ask once for each path and hand it on.
   * @param name of the watch; `services` and `endpointslices` are read with the fields of their tables only.
   * @param options what the server leaves out, and whether the cluster may lack the kind. @default nothing, no
   */
  kind<T extends Cached>(name: string, path: string, transform: Transform<T>, options: KindOptions = {}): ToldCache<T> {
    if (this.kinds.has(path)) throw new Error(`watch of ${path}: exists already; share the cache that was made first`);
    const decoder = this.decoders.of(name);
    const target = { name, path, ...options, ...(decoder === undefined ? {} : { decoder }) };
    const cache = new ReflectedCache<T>(this.context, { target, transform });
    this.kinds.set(path, cache);
    return cache;
  }

  /** The Lease that the kubelet of one node renews. Its user stops it; readiness does not wait for it. */
  nodeLease<O extends KubeObject>(node: string): Cache<WholeObject<O>> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${NODE_LEASE_NAMESPACE}/leases`;
    const target = { name: "nodeleases", path, fieldSelector: `metadata.name=${node}` };
    return new ReflectedCache(this.context, { target, transform: wholeObjects<O>() });
  }

  /** A view of one resource's pods; close it when the resource is gone. */
  podView(listener: StoreListener<SlimPod>): PodView {
    return new PodView(this.pods, listener, this.context.logger);
  }

  /** Each cache, for readiness. */
  states(): CacheState[] {
    return this.caches().map((cache) => cache.state);
  }

  /** Resolves when all that have been asked for so far hold a complete set; rejects with the signal's reason. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.caches().map((cache) => cache.whenSynced(signal)));
  }

  /** Ends all watches; afterwards no event, socket or timer of them is left. */
  async stop(): Promise<void> {
    await Promise.all([
      this.nodeCache?.stop(),
      this.pods.stop(),
      ...[...this.kinds.values()].map((cache) => cache.stop()),
    ]);
  }

  private caches(): Pick<Cache<Cached>, "state" | "whenSynced">[] {
    const nodes = this.nodeCache === undefined ? [] : [this.nodeCache];
    return [...nodes, ...this.kinds.values(), ...this.pods.caches()];
  }
}
