import { errorText, type Logger } from "../../logging.js";
import { keyOf } from "../objects.js";
import type { Cache } from "./cache.js";
import { jsonEqual } from "./equal.js";
import { type PodIndex, type PodScope, type PodScopes, scopeKey } from "./pod-scopes.js";
import type { Share } from "./shared-caches.js";
import type { SlimPod } from "./slim.js";
import type { StoreEvent, StoreListener } from "./store.js";

interface Pending {
  readonly key: string;
  readonly share: Share<SlimPod, PodIndex>;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/**
 * One resource's pods. A changed selector swaps at once: the old set stays visible until the new one is complete, then
 * the differences are sent as events.
 */
export class PodView {
  private current: Share<SlimPod, PodIndex> | undefined;
  private next: Pending | undefined;
  private key: string | undefined;
  private unlisten = () => {};
  private closed = false;
  private readonly work = new Set<Promise<void>>();

  constructor(
    private readonly scopes: PodScopes,
    private readonly listener: StoreListener<SlimPod>,
    private readonly logger: Logger,
  ) {}

  /** The complete set of the last selector that has synced; `undefined` before the first. */
  get store(): Cache<SlimPod, PodIndex>["store"] | undefined {
    return this.current?.cache.store;
  }

  /** The set is that of the selector asked for last. */
  get settled(): boolean {
    return this.current !== undefined && this.next === undefined;
  }

  /** Asks for other pods; the same ones again is nothing. Resolves when they are visible or no longer asked for. */
  async select(scope: PodScope): Promise<void> {
    const key = scopeKey(scope);
    if (this.closed) return;
    if (key === this.next?.key) return this.next.done;
    this.abandon();
    if (key === this.key) return;
    const share = this.scopes.hold(scope);
    const controller = new AbortController();
    const synced = share.cache.whenSynced(controller.signal);
    const next: Pending = {
      key,
      share,
      controller,
      done: synced.then(
        () => this.swap(next),
        () => {},
      ),
    };
    this.next = next;
    return next.done;
  }

  /** Gives everything back; no event after it. */
  async close(): Promise<void> {
    this.closed = true;
    this.unlisten();
    this.abandon();
    if (this.current !== undefined) this.track(this.current.release());
    this.current = undefined;
    await Promise.all(this.work);
  }

  private abandon(): void {
    const { next } = this;
    if (next === undefined) return;
    this.next = undefined;
    next.controller.abort(new Error(`pods ${next.key}: no longer asked for`));
    this.track(next.share.release());
  }

  private swap(next: Pending): void {
    if (this.next !== next) return;
    const old = this.current;
    this.unlisten();
    this.current = next.share;
    this.key = next.key;
    this.next = undefined;
    this.unlisten = next.share.cache.store.listen((event) => this.tell(event));
    for (const event of difference(old?.cache.store, next.share.cache.store)) this.tell(event);
    if (old !== undefined) this.track(old.release());
  }

  private tell(event: StoreEvent<SlimPod>): void {
    if (this.closed) return;
    try {
      this.listener(event);
    } catch (error) {
      this.logger.error({ object: keyOf(event.object), error: errorText(error) }, "a pod listener threw");
    }
  }

  private track(work: Promise<void>): void {
    this.work.add(work);
    work.finally(() => this.work.delete(work)).catch(() => {});
  }
}

type Pods = Cache<SlimPod, PodIndex>["store"];

function difference(old: Pods | undefined, next: Pods): StoreEvent<SlimPod>[] {
  const gone: StoreEvent<SlimPod>[] = [];
  const come: StoreEvent<SlimPod>[] = [];
  for (const pod of old?.list() ?? []) {
    if (next.getByUid(pod.uid) === undefined) gone.push({ type: "deleted", object: pod });
  }
  for (const pod of next.list()) {
    const before = old?.getByUid(pod.uid);
    if (before === undefined) come.push({ type: "added", object: pod });
    else if (!jsonEqual(before, pod)) come.push({ type: "updated", object: pod, old: before });
  }
  return gone.concat(come);
}
