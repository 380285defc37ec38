/** A plain watch of a collection that survives restarts of the API server. It shares no code with the operator. */

import { setTimeout as delay } from "node:timers/promises";
import type { Client, ObjectMeta } from "flipop-testbed";

export interface Watched {
  readonly metadata: ObjectMeta;
}

export interface FollowOptions<T> {
  readonly client: Client;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly indexResource: (object: T, deleted: boolean) => void;
  /** Changes between these times may have been missed but for the last one. */
  readonly gap?: (from: number, to: number) => void;
}

const AGAIN_MS = 150;

/** Resolves when the signal aborts; never rejects. */
export async function follow<T extends Watched>(options: FollowOptions<T>): Promise<void> {
  const { signal, gap } = options;
  const known = new Map<string, T>();
  let lostAt = Date.now();
  while (!signal.aborted) {
    const version = await readAll(options, known).catch(() => undefined);
    if (version !== undefined) {
      gap?.(lostAt, Date.now());
      await watchFrom(options, known, version).catch(() => undefined);
      lostAt = Date.now();
    }
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function readAll<T extends Watched>(options: FollowOptions<T>, known: Map<string, T>): Promise<string> {
  const { client, path, indexResource } = options;
  const { status, body } = await client.list<T>(path);
  if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
  const present = new Set(body.items.map(({ metadata }) => metadata.uid));
  for (const [uid, object] of known) {
    if (present.has(uid)) continue;
    known.delete(uid);
    indexResource(object, true);
  }
  for (const object of body.items) note(options, known, object);
  return body.metadata.resourceVersion;
}

async function watchFrom<T extends Watched>(
  options: FollowOptions<T>,
  known: Map<string, T>,
  resourceVersion: string,
): Promise<void> {
  const { client, path, signal, indexResource } = options;
  for await (const { type, object } of client.watch<T>(path, { resourceVersion }, signal)) {
    if (type === "ERROR") return;
    if (type === "BOOKMARK") continue;
    if (type !== "DELETED") note(options, known, object);
    else {
      known.delete(object.metadata.uid);
      indexResource(object, true);
    }
  }
}

function note<T extends Watched>({ indexResource }: FollowOptions<T>, known: Map<string, T>, object: T): void {
  const { uid, resourceVersion } = object.metadata;
  if (known.get(uid)?.metadata.resourceVersion === resourceVersion) return;
  known.set(uid, object);
  indexResource(object, false);
}
