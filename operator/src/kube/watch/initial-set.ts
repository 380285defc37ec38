import { errorText, type Logger } from "../../logging.js";
import { type Cached, type KubeObject, keyOf, type Transform, type WatchEvent } from "../objects.js";

/** Marks the bookmark after the last initial event of a watch list. */
export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

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
