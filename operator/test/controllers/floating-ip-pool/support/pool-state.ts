/** One pool as the engine knows it, without an API server. */

import { PoolMemory } from "../../../../src/controllers/floating-ip-pool/memory.js";
import {
  KIND,
  type PoolObject,
  type PoolState,
  type PoolTypes,
  readPool,
} from "../../../../src/controllers/floating-ip-pool/resource.js";
import { MatchFollower, type MatchFollowerProps } from "../../../../src/match/match-feed.js";
import { NodeDirectory } from "../../../../src/match/node-directory.js";
import type { ObjectWriters } from "../../../../src/reconcile/object-writer.js";
import { ResourceState } from "../../../../src/reconcile/resource-state.js";
import { partial } from "../../../support/kube/partial.js";

const METADATA = { name: "web", namespace: "default", uid: "u", resourceVersion: "1" };

export function poolState(status: PoolObject["status"] = {}): PoolState {
  const object: PoolObject = { metadata: METADATA, spec: { provider: "digitalocean" }, status };
  const writers = { get: () => object } as unknown as ObjectWriters<PoolObject>;
  const context = partial<MatchFollowerProps["context"]>({ nodes: new NodeDirectory() });
  const match = new MatchFollower({ context, resource: "web", onChange: () => undefined });
  const kind = {
    names: { kind: KIND },
    source: { writers, keys: () => [], cached: () => object, listen: () => () => undefined },
    read: readPool,
    remember: () => new PoolMemory(match, () => undefined),
  };
  return new ResourceState<PoolTypes>({ kind, key: "default/web", enqueue: () => undefined }, object);
}
