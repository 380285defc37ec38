/** The resources of one kind that this process follows: one unit for each, found by its key or its uid. */

import type { ResourceRef } from "../inventory/types.js";
import { type KubeObject, keyOf } from "../kube/objects.js";
import type { WholeObject } from "../kube/slim.js";
import type { StoreEvent } from "../kube/store.js";
import type { Logger } from "../logging.js";

export interface ResourceState {
  readonly ref: ResourceRef;
  /** `namespace/name`. */
  readonly key: string;
  close(): Promise<void>;
}

export interface ResourceStatesProps<U extends ResourceState, O extends KubeObject> {
  readonly logger: Logger;
  readonly make: (key: string, object: O) => U;
  /** The object is gone: nothing of it counts from here on. A promise is waited for where all is closed. */
  readonly forget: (resourceState: U) => unknown;
}

export class ResourceStates<U extends ResourceState, O extends KubeObject> {
  private readonly byKey = new Map<string, U>();
  private readonly byUid = new Map<string, U>();
  private readonly closing = new Set<Promise<void>>();

  constructor(private readonly props: ResourceStatesProps<U, O>) {}

  get(key: string): U | undefined {
    return this.byKey.get(key);
  }

  withUid(uid: string): U | undefined {
    return this.byUid.get(uid);
  }

  keys(): Iterable<string> {
    return this.byKey.keys();
  }

  all(): Iterable<U> {
    return this.byKey.values();
  }

  /** Follows the cache; another object under a known name is another resource. @returns `undefined`: it is gone. */
  follow({ type, object: { object } }: StoreEvent<WholeObject<O>>): U | undefined {
    const { namespace, name, uid } = object.metadata;
    const key = keyOf({ namespace, name });
    const known = this.byKey.get(key);
    const same = known?.ref.uid === uid ? known : undefined;
    if (type === "deleted") {
      if (same !== undefined) this.drop(same);
      return undefined;
    }
    if (same !== undefined) return same;
    if (known !== undefined) this.drop(known);
    const made = this.props.make(key, object);
    this.byKey.set(key, made);
    this.byUid.set(uid, made);
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...[...this.byKey.values()].map((resourceState) => resourceState.close()), ...this.closing]);
  }

  private drop(resourceState: U): void {
    this.byKey.delete(resourceState.key);
    this.byUid.delete(resourceState.ref.uid);
    const { logger, forget } = this.props;
    const closed = Promise.all([forget(resourceState), resourceState.close()])
      .then(() => undefined)
      .catch((error: unknown) =>
        logger.error({ resource: resourceState.key, error }, "a deleted resource is not forgotten whole"),
      )
      .finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }
}
