import { errorText, type Logger } from "../../logging.js";
import { LIST_PAGE_SECONDS, MAX_LIST_RESTARTS } from "../../timings.js";
import { type BodyDecoder, isExpired, type KubeClient, type KubeRequest } from "../client.js";
import { type Cached, type KubeObject, keyOf, type Transform, type WatchEvent } from "../objects.js";

/** Which objects of a collection the server sends. */
export interface Selectors {
  /** @default everything */
  readonly labelSelector?: string;
  /** @default everything */
  readonly fieldSelector?: string;
}

/** What to list and watch. */
export interface WatchTarget extends Selectors {
  /** For logs and metrics, for example `pods`. */
  readonly name: string;
  /** The collection, for example `/api/v1/pods`. */
  readonly path: string;
  /** The cluster may lack the kind: that is no reason to warn. @default false */
  readonly optional?: boolean;
  /** Reads this kind from protobuf, with the fields that the transform needs. @default JSON */
  readonly decoder?: BodyDecoder;
}

/** Objects in one page. 500 pods of 8 KB are parsed in about 25 ms. */
export const PAGE_SIZE = 500;

interface ListProps {
  readonly client: KubeClient;
  readonly target: WatchTarget;
  readonly signal: AbortSignal;
}

interface ListPage {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  /** `null` for an empty list of some servers. */
  readonly items: readonly KubeObject[] | null;
}

/**
 * Lists page by page, from the most recent state: never back in time, and never a whole collection in one answer, which
 * is what `resourceVersion=0` gets from a watch cache that ignores `limit`.
 * @param onPage takes a page before the next is asked for; pages of a listing that starts over come again after `onRestart`.
 * @returns the resource version to watch from.
 */
export async function listPages(
  props: ListProps,
  onPage: (items: readonly KubeObject[]) => Promise<void>,
  onRestart: () => void,
): Promise<string> {
  for (let restarts = 0; ; restarts++) {
    try {
      return await listOnce(props, onPage);
    } catch (error) {
      if (!isExpired(error) || restarts >= MAX_LIST_RESTARTS) throw error;
      onRestart();
    }
  }
}

async function listOnce(props: ListProps, onPage: (items: readonly KubeObject[]) => Promise<void>): Promise<string> {
  let token: string | undefined;
  for (;;) {
    const page = await fetchPage(props, token);
    props.signal.throwIfAborted();
    await onPage(page.items ?? []);
    token = page.metadata.continue;
    if (token === undefined || token === "") return page.metadata.resourceVersion;
  }
}

function fetchPage({ client, target, signal }: ListProps, token: string | undefined): Promise<ListPage> {
  return client.request<ListPage>({
    method: "GET",
    path: target.path,
    query: { ...selectors(target), limit: PAGE_SIZE, continue: token },
    ...decoding(target),
    deadlineSeconds: LIST_PAGE_SECONDS,
    maxAttempts: 1,
    signal,
  });
}

/**
 * Asks whether the server has reached `resourceVersion`. A watch from a version of the future (after a restore of etcd)
 * would be answered with 200 and then stay silent for ever.
 * @throws StatusError, `isTooLargeResourceVersion` when it has not.
 */
export async function probeVersion({ client, target, signal }: ListProps, resourceVersion: string): Promise<void> {
  await client.request({
    method: "GET",
    path: target.path,
    query: { ...selectors(target), limit: 1, resourceVersion, resourceVersionMatch: "NotOlderThan" },
    ...decoding(target),
    maxAttempts: 1,
    signal,
  });
}

/** The wire format of a request for the target. */
export function decoding({ decoder }: WatchTarget): Pick<KubeRequest, "decoder"> {
  return decoder === undefined ? {} : { decoder };
}

export function selectors({ labelSelector, fieldSelector }: WatchTarget): Record<string, string | undefined> {
  return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
}

/** Marks the bookmark after the last initial event of a watch list. */
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** Gathers the set that a listing or the first part of a watch list sends, out of readers' sight. */
export class InitialSet<T extends Cached> {
  private readonly objects = new Map<string, T>();

  constructor(private readonly transform: SafeTransform<T>) {}

  get size(): number {
    return this.objects.size;
  }

  add(raw: KubeObject): void {
    const object = this.transform(raw);
    if (object !== undefined) this.objects.set(keyOf(object), object);
  }

  /** Changes can come between the initial events. */
  apply(event: WatchEvent): void {
    if (event.type === "DELETED") this.objects.delete(keyOf(identify(event.object)));
    else this.add(event.object);
  }

  clear(): void {
    this.objects.clear();
  }

  values(): Iterable<T> {
    return this.objects.values();
  }
}

export function isInitialEventsEnd(event: WatchEvent): boolean {
  return event.type === "BOOKMARK" && event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

export function identify({ metadata }: KubeObject): Cached {
  return { uid: metadata.uid, name: metadata.name, namespace: metadata.namespace };
}

/** `undefined` for an object that can't be understood: it is logged and left out, and the others live on. */
export type SafeTransform<T extends Cached> = (raw: KubeObject) => T | undefined;

export function safely<T extends Cached>(transform: Transform<T>, name: string, logger: Logger): SafeTransform<T> {
  return (raw) => {
    try {
      return transform(raw);
    } catch (error) {
      const object = raw.metadata?.name;
      logger.error({ reflector: name, object, error: errorText(error) }, "cannot parse an object; it is ignored");
      return undefined;
    }
  };
}
