/**
 * All writes to the objects of one kind, one after the other for each object. Each is based on the cache, or on the answer to
 * the last own write until the cache catches up. That wait ends: the versions of a restored server begin lower.
 */

import { type Clock, systemClock } from "../clock.js";
import { isConflict, isForbidden, type KubeClient } from "../kube/client.js";
import type { KubeObject } from "../kube/objects.js";
import { OwnStatus } from "../kube/write/own-status.js";
import { MERGE_PATCH, type Patch, sendPatch } from "../kube/write/patch.js";
import { FACT_WRITE_ATTEMPTS, OWN_WRITE_MS, RIGHTS_PROBE_MS } from "../timings.js";

interface ObjectWriterProps<O extends KubeObject> {
  readonly client: KubeClient;
  /** Of the object. */
  readonly path: string;
  readonly latestVersion: LatestVersion<O>;
  /** As the cache has it. */
  readonly cached: () => O | undefined;
  /** Called with each answer. */
  readonly onWrite: (object: O) => void;
  /** @default systemClock */
  readonly clock?: Pick<Clock, "monotonic">;
}

export interface ObjectWrite<O extends KubeObject> {
  /** `undefined`: there is nothing to write. */
  readonly patch: (object: O) => Patch | undefined;
  readonly subresource?: "status";
  /** What is written is a fact that must not get lost: a conflict is met with a fresh look. @default false */
  readonly fact?: boolean;
  readonly signal?: AbortSignal;
}

type Part = "status" | "object";

/** The object has been deleted. */
export class ObjectGone extends Error {
  override readonly name = "ObjectGone";
}

export class ObjectWriter<O extends KubeObject> {
  readonly ownStatus = new OwnStatus();
  /** What the operator may not write, and since its last try (monotonic ms): the status and the rest are separate rights. */
  private readonly refused = new Map<Part, number>();
  private last: Promise<unknown> = Promise.resolve();
  private readonly clock: Pick<Clock, "monotonic">;

  constructor(private readonly props: ObjectWriterProps<O>) {
    this.clock = props.clock ?? systemClock;
  }

  /** The server refused the last write of a part because a right is missing; the deletion of a namespace may have removed it. */
  get forbidden(): boolean {
    const { latestVersion, cached } = this.props;
    return this.refused.size > 0 && latestVersion.of(cached())?.metadata.deletionTimestamp === undefined;
  }

  /** ms until `probe` tries what was refused; `undefined`: no right is missing. */
  get probeMs(): number | undefined {
    if (!this.forbidden) return undefined;
    const due = Math.min(...this.refused.values()) + RIGHTS_PROBE_MS;
    return Math.max(0, due - this.clock.monotonic());
  }

  /** Finds out with an empty patch whether a missing right has been granted: there may be nothing else to write. Never rejects. */
  async probe(signal?: AbortSignal): Promise<void> {
    if (this.probeMs !== 0) return;
    for (const part of [...this.refused.keys()]) {
      const subresource = part === "status" ? { subresource: part } : {};
      const patch = ({ metadata: { uid } }: O): Patch => ({ contentType: MERGE_PATCH, body: { metadata: { uid } } });
      await this.write({ patch, ...subresource, ...(signal && { signal }) }).catch(() => {
        if (this.refused.has(part)) this.refused.set(part, this.clock.monotonic());
      });
    }
  }

  /** Resolves to the object after the write. Rejects with StatusError (409: it has changed), or with ObjectGone. */
  write(write: ObjectWrite<O>): Promise<O> {
    const iteration = this.last.then(() => this.attempt(write));
    this.last = iteration.catch(() => undefined);
    return iteration;
  }

  private async attempt(write: ObjectWrite<O>): Promise<O> {
    for (let left = write.fact === true ? FACT_WRITE_ATTEMPTS : 1; ; left--) {
      try {
        return await this.send(write);
      } catch (error) {
        if (!isConflict(error)) throw error;
        // Also for who plans anew: where nothing watches any more, no cache catches up.
        await this.evaluate(write.signal);
        if (left <= 1) throw error;
      }
    }
  }

  private async send({ patch, subresource, signal }: ObjectWrite<O>): Promise<O> {
    const { client, path } = this.props;
    const before = this.current();
    const part = subresource ?? "object";
    const options = { ...(subresource && { subresource }), ...(signal && { signal }) };
    const made = patch(before);
    const after = await sendPatch<O>(client, path, made, options).catch((error: unknown) => {
      if (!isConflict(error)) this.ownStatus.forget();
      if (isForbidden(error)) this.refused.set(part, this.clock.monotonic());
      else this.refused.delete(part);
      throw error;
    });
    if (after === undefined) return before;
    this.refused.delete(part);
    if (part === "status") this.ownStatus.wrote(made?.body, after.status);
    this.took(before, after);
    return after;
  }

  private async evaluate(signal: AbortSignal | undefined): Promise<void> {
    const { client, path } = this.props;
    const before = this.current();
    const limits = { ...(signal && { signal }) };
    const after = await client.request<O>({ method: "GET", path, ...limits }).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      // In a namespace that goes the right to read goes first: a patch of nothing is answered with the object, too.
      const body = { metadata: { uid: before.metadata.uid } };
      return client.request<O>({ method: "PATCH", path, body, ...limits });
    });
    if (after.metadata.uid !== before.metadata.uid) throw new ObjectGone(`${path} is another object now`);
    this.took(before, after);
  }

  private took(before: O, after: O): void {
    this.props.latestVersion.wrote(before, after);
    this.props.onWrite(after);
  }

  private current(): O {
    const { latestVersion, cached, path } = this.props;
    const object = latestVersion.of(cached());
    if (object === undefined) throw new ObjectGone(`${path} does not exist any more`);
    return object;
  }
}

interface Entry<O extends KubeObject> {
  readonly latest: LatestVersion<O>;
  readonly writer: ObjectWriter<O>;
}

export class ObjectWriters<O extends KubeObject> {
  private readonly entries = new Map<string, Entry<O>>();
  private readonly listeners = new Set<(key: string, object: O) => void>();

  /**
   * @param pathOf of an object by its key.
   * @param clock @default systemClock
   */
  constructor(
    private readonly client: KubeClient,
    private readonly cached: (key: string) => O | undefined,
    private readonly pathOf: (key: string) => string,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {}

  /** The latest version that is known; `undefined`: it is gone. */
  get(key: string): O | undefined {
    const cached = this.cached(key);
    if (cached === undefined) this.entries.delete(key);
    return this.entries.get(key)?.latest.of(cached) ?? cached;
  }

  /** ms after which the cached object counts again, though it is older than our last write; `undefined`: it counts now. */
  untilCachedMs(key: string): number | undefined {
    return this.entries.get(key)?.latest.untilCachedMs(this.cached(key));
  }

  of(key: string): ObjectWriter<O> {
    const known = this.entries.get(key);
    if (known !== undefined) return known.writer;
    const latest = new LatestVersion<O>(this.clock);
    const { client, pathOf, cached, clock } = this;
    const writer = new ObjectWriter<O>({
      client,
      path: pathOf(key),
      latestVersion: latest,
      clock,
      cached: () => cached(key),
      onWrite: (object) => {
        for (const listener of [...this.listeners]) listener(key, object);
      },
    });
    this.entries.set(key, { latest, writer });
    return writer;
  }

  /** Gets the answer to each write. @returns the function that ends it. */
  onWrite(listener: (key: string, object: O) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}

interface OwnVersion<O extends KubeObject> {
  readonly object: O;
  /** Monotonic ms. */
  readonly until: number;
}

export class LatestVersion<O extends KubeObject> {
  private own: OwnVersion<O> | undefined;
  private readonly superseded = new Set<string>();

  /** @param clock @default systemClock */
  constructor(private readonly clock: Pick<Clock, "monotonic"> = systemClock) {}

  /** @param cached as the cache has it now; `undefined`: it is gone. */
  of(cached: O | undefined): O | undefined {
    const { own } = this;
    if (own === undefined || cached === undefined) return cached;
    const stale = own.object.metadata.uid === cached.metadata.uid && this.isOlder(cached, own.object);
    if (stale && this.clock.monotonic() < own.until) return own.object;
    this.own = undefined;
    this.superseded.clear();
    return cached;
  }

  /** ms after which the cached version counts again, though it is older than our own; `undefined`: it counts now. */
  untilCachedMs(cached: O | undefined): number | undefined {
    if (cached === undefined || this.of(cached) === cached || this.own === undefined) return undefined;
    return this.own.until - this.clock.monotonic();
  }

  /** The server answered a write to (or a read of) the object with `after`. */
  wrote(before: O, after: O): void {
    this.superseded.add(before.metadata.resourceVersion);
    this.own = { object: after, until: this.clock.monotonic() + OWN_WRITE_MS };
  }

  /** Versions of one kind are numbers that grow; where a server has others, those that our writes replaced are older. */
  private isOlder({ metadata: cached }: O, { metadata: own }: O): boolean {
    const [a, b] = [cached.resourceVersion, own.resourceVersion];
    if (DECIMAL.test(a) && DECIMAL.test(b)) return BigInt(a) < BigInt(b);
    return this.superseded.has(a);
  }
}

const DECIMAL = /^\d+$/;
