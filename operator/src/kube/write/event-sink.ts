/** Puts Events onto the API server: create first, then count up. */

import type { KubeClient, KubeRequest } from "../client.js";
import { isConflict, isNotFound, StatusError } from "../status-error.js";
import { EVENTS_API_VERSION, redirected } from "./event-object.js";
import type { EventEntry } from "./event-series.js";
import { microTime } from "./micro-time.js";

export class EventSink {
  constructor(private readonly client: KubeClient) {}

  /** Creates the Event or counts it up. Resolves to what it did. */
  async write(entry: EventEntry, deadlineSeconds: number): Promise<"create" | "patch"> {
    if (entry.written > 0 && (await this.patch(entry, deadlineSeconds))) return "patch";
    await this.create(entry, deadlineSeconds);
    return "create";
  }

  /** Resolves to false when the Event is not there any more: Events live for an hour. */
  private async patch(entry: EventEntry, deadlineSeconds: number): Promise<boolean> {
    const { name, namespace } = entry.event.metadata;
    const path = `${collection(namespace)}/${encodeURIComponent(name)}`;
    try {
      await this.request({ method: "PATCH", path, body: seriesOf(entry), deadlineSeconds });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  private async create(entry: EventEntry, deadlineSeconds: number): Promise<void> {
    const path = collection(entry.event.metadata.namespace);
    const body = { ...entry.event, ...seriesOf(entry) };
    try {
      await this.request({ method: "POST", path, body, deadlineSeconds });
    } catch (error) {
      // The answer to an earlier try was lost.
      if (isConflict(error)) return;
      if (!isNamespaceTerminating(error) || entry.redirected) throw error;
      entry.redirected = true;
      entry.event = redirected(entry.event);
      await this.create(entry, deadlineSeconds);
    }
  }

  /** Sends once: the waits between tries are the recorder's, so that a stop ends them. */
  private request(request: KubeRequest): Promise<unknown> {
    return this.client.request({ ...request, maxAttempts: 1 });
  }
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TIMEOUT = 408;
const TOO_MANY = 429;

/** A 4xx that says the same next time. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  if ([TIMEOUT, TOO_MANY, UNAUTHORIZED].includes(error.code)) return false;
  return error.code >= 400 && error.code < 500;
}

function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError) || error.code !== FORBIDDEN) return false;
  return (error.details.causes ?? []).some((cause) => cause.reason === "NamespaceTerminating");
}

function collection(namespace: string): string {
  return `/apis/${EVENTS_API_VERSION}/namespaces/${encodeURIComponent(namespace)}/events`;
}

function seriesOf(entry: EventEntry): object {
  if (entry.count < 2) return {};
  return { series: { count: entry.count, lastObservedTime: microTime(entry.lastEpochMs) } };
}
