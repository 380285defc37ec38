/** The resources of one kind that this process follows: one state for each, found by its key or its uid. */

import type { KubeObject } from "../kube/objects.js";
import type { Logger } from "../logging.js";
import type { Kind } from "./kind.js";
import type { SourceEvent } from "./objects/source.js";
import type { KindTypes } from "./plan.js";
import { ResourceState } from "./resource-state.js";

export interface ResourceStatesProps<T extends KindTypes> {
  readonly kind: Kind<T>;
  readonly logger: Logger;
  readonly enqueue: (key: string, afterMs: number) => void;
}

export class ResourceStates<T extends KindTypes> {
  private readonly byKey = new Map<string, ResourceState<T>>();
  private readonly byUid = new Map<string, ResourceState<T>>();
  private readonly closing = new Set<Promise<void>>();

  constructor(private readonly props: ResourceStatesProps<T>) {}

  /** The state of the object that the cache has now; made where it is new. `undefined`: there is none. */
  get(key: string): ResourceState<T> | undefined {
    const object = this.props.kind.source.cached(key);
    if (object !== undefined) return this.met(key, object);
    const known = this.byKey.get(key);
    if (known !== undefined) this.drop(known);
    return undefined;
  }

  withUid(uid: string): ResourceState<T> | undefined {
    return this.byUid.get(uid);
  }

  all(): readonly ResourceState<T>[] {
    return [...this.byKey.values()];
  }

  /** Follows the cache. @returns `undefined`: the resource is gone. */
  follow({ key, object, deleted }: SourceEvent<T["object"]>): ResourceState<T> | undefined {
    if (!deleted) return this.met(key, object);
    const known = this.byKey.get(key);
    if (known?.ref.uid === object.metadata.uid) this.drop(known);
    return undefined;
  }

  async close(): Promise<void> {
    for (const state of this.all()) state.close();
    await Promise.all([...this.all().map((state) => this.props.kind.close?.(state)), ...this.closing]);
  }

  /** Another object under a known name is another resource. */
  private met(key: string, object: KubeObject): ResourceState<T> {
    const known = this.byKey.get(key);
    if (known?.ref.uid === object.metadata.uid) return known;
    if (known !== undefined) this.drop(known);
    const { kind, enqueue } = this.props;
    const made = new ResourceState<T>({ kind, key, enqueue: (afterMs) => enqueue(key, afterMs) }, object);
    this.byKey.set(key, made);
    this.byUid.set(made.ref.uid, made);
    return made;
  }

  private drop(state: ResourceState<T>): void {
    this.byKey.delete(state.key);
    this.byUid.delete(state.ref.uid);
    state.close();
    const { kind, logger } = this.props;
    const closed = Promise.all([kind.forget?.(state), kind.close?.(state)])
      .then(() => undefined)
      .catch((error: unknown) => logger.error({ resource: state.key, error }, "Failed to forget a deleted resource"))
      .finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }
}
