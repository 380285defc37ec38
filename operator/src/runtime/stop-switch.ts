/**
 * The switch by which a person stops all changes to clouds and DNS: an annotation on the operator's Lease. The Lease
 * outlives every process, so a restart or another leader changes nothing. The watch of the Lease decides; what the
 * election reads of it counts as well, so that a new leader knows the switch before its first write.
 */

import { Annotation, LEASE_NAME } from "cdk8s-flipop/api";
import type { Cache } from "../kube/cache/cache.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import { type WholeObject, wholeObjects } from "../kube/cache/slim-objects.js";
import type { Logger } from "../logging.js";
import type { FlipopMetrics } from "../metrics/definitions.js";
import { type Fence, NotLeaderError } from "./fence.js";
import type { Synced } from "./manager.js";
import { cachePart } from "./synced-kinds.js";

/** The operator is stopped. */
export interface Stop {
  /** What the person wrote; may be empty. */
  readonly reason: string;
}

/** What the engine needs of the switch. */
export interface StopView {
  /** `undefined`: the operator works. */
  readonly current: Stop | undefined;
  /** @returns the function that ends it. */
  onChange(listener: () => void): () => void;
}

const FORBIDDEN = 403;

type LeaseWatch = Pick<Cache<WholeObject>, "store" | "state" | "stop">;

interface AnnotatedLease {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

export class StopSwitch implements StopView {
  private stop: Stop | undefined;
  private readonly listeners = new Set<() => void>();

  private watch: LeaseWatch | undefined;

  constructor(private readonly logger: Logger) {}

  get current(): Stop | undefined {
    return this.stop;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Follows the watch of the Lease. @returns what the operator waits for before it works. */
  follow(watch: LeaseWatch): Synced {
    this.watch = watch;
    watch.store.listen(({ type, object }) => this.set(type === "deleted" ? undefined : stopOf(object.object)));
    const part = cachePart(watch);
    // Under older roles, the election alone shows the switch.
    return { ...part, hasSynced: () => part.hasSynced() || part.refusal?.() === FORBIDDEN };
  }

  /** The Lease as the election reads it. Its answer may be older than the watch: that must not start a stopped operator. */
  readonly elected = (lease: AnnotatedLease | undefined): void => {
    const stop = stopOf(lease);
    if (stop !== undefined || this.watch?.state.connected !== true) this.set(stop);
  };

  private set(stop: Stop | undefined): void {
    if (stop?.reason === this.stop?.reason && (stop === undefined) === (this.stop === undefined)) return;
    this.stop = stop;
    if (stop === undefined) this.logger.info({}, "Resumed: the annotation on the Lease is gone");
    else
      this.logger.warn(
        { reason: stop.reason },
        "Stopped by the annotation on the Lease: no call changes a cloud or DNS",
      );
    for (const listener of [...this.listeners]) listener();
  }
}

/** One object: a Role can allow that by its name. */
export function watchLease(watches: Pick<SharedWatches, "kind">, namespace: string): LeaseWatch {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  return watches.kind("leases", path, wholeObjects(), { fieldSelector: `metadata.name=${LEASE_NAME}` });
}

function stopOf(lease: AnnotatedLease | undefined): Stop | undefined {
  const reason = lease?.metadata?.annotations?.[Annotation.stop];
  return reason === undefined ? undefined : { reason };
}

/** Keeps the gauge on the state of the switch. */
export function showStop(stop: StopView, { stopped }: Pick<FlipopMetrics, "stopped">): void {
  const show = () => stopped.set({}, stop.current === undefined ? 0 : 1);
  show();
  stop.onChange(show);
}

/** A write to a cloud or to DNS was withheld. */
export class StoppedError extends NotLeaderError {
  constructor() {
    super("write refused: the operator is stopped; flipop resume starts it again");
  }
}

/** The same fence, shut to writes while the operator is stopped. */
export function stoppable(fence: Fence, stop: Pick<StopView, "current">): Fence {
  return {
    assertHeld: () => {
      fence.assertHeld();
      if (stop.current !== undefined) throw new StoppedError();
    },
    remainingMs: () => fence.remainingMs(),
    track: (write, signal) => fence.track?.(write, signal) ?? write,
  };
}
