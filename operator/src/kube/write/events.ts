/** Writes `events.k8s.io/v1` Events about the operator's work. Never blocks, never throws, drops Events under load. */

import { exponentialMs, jittered, pause, type Random } from "../../async.js";
import { type Clock, microTime, type Timer } from "../../clock.js";
import type { Logger } from "../../logging.js";
import { type DropCause, type EventMetrics, noEventMetrics } from "../../metrics/definitions.js";
import {
  EVENT_ATTEMPTS,
  EVENT_CALL_SECONDS,
  EVENT_FLUSH_MS,
  EVENT_RETRY_FIRST_MS,
  EVENT_RETRY_LONGEST_MS,
  EVENT_SERIES_WRITE_MS,
  MAX_QUEUED_EVENTS,
  SECOND_MS,
} from "../../timings.js";
import { isConflict, isNotFound, type KubeClient, type KubeRequest, StatusError } from "../client.js";
import {
  EVENTS_API_VERSION,
  type EventEntry,
  type EventInput,
  EventSeries,
  eventObject,
  isDue,
  type Reporter,
  redirected,
} from "./event-series.js";

export type { EventInput, ObjectRef, Reporter } from "./event-series.js";

export interface EventRecorder {
  record(input: EventInput): void;
}

interface ApiEventRecorderOptions {
  readonly client: KubeClient;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @default Math.random */
  readonly random?: Random;
  readonly metrics?: EventMetrics;
}

const RETRY_JITTER = 0.25;
const SUFFIX_RADIX = 36;
const SUFFIX_RANDOM = 36 ** 5;

export class ApiEventRecorder implements EventRecorder {
  readonly name = "event-recorder";
  private readonly series: EventSeries;
  private readonly sink: EventSink;
  private readonly queue: EventEntry[] = [];
  private readonly metrics: EventMetrics;
  private readonly random: Random;
  private wake: () => void = () => undefined;
  private sweepAtMs: number;

  constructor(private readonly options: ApiEventRecorderOptions) {
    this.metrics = options.metrics ?? noEventMetrics;
    this.random = options.random ?? Math.random;
    this.sink = new EventSink(options.client);
    this.sweepAtMs = options.clock.monotonic() + EVENT_SERIES_WRITE_MS;
    this.series = new EventSeries((input, epochMs) =>
      eventObject(input, options.reporter, { epochMs, suffix: this.suffix(epochMs) }),
    );
  }

  record(input: EventInput): void {
    const at = { nowMs: this.options.clock.monotonic(), epochMs: this.options.clock.now() };
    const entry = this.series.count(input, at);
    if (entry === undefined) this.dropSpam(input);
    else if (isDue(entry, at.nowMs)) this.enqueue(entry);
  }

  /** Writes Events until the signal aborts, then what is queued for a short while. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.sweep();
      const entry = this.queue.shift();
      if (entry === undefined) await this.idle(signal);
      else await this.write(entry, signal);
    }
    await this.flush();
  }

  /** Only the log has it then. */
  private dropSpam({ regarding, type, reason, note }: EventInput): void {
    this.metrics.dropped("spam");
    const level = type === "Warning" ? "warn" : "debug";
    this.options.logger[level]({ regarding, reason, note }, "Dropped an Event: there are too many for its object");
  }

  private enqueue(entry: EventEntry): void {
    if (this.queue.length >= MAX_QUEUED_EVENTS) {
      this.giveUp(entry, "queue_full");
      return;
    }
    entry.queued = true;
    this.queue.push(entry);
    this.wake();
  }

  private sweep(): void {
    const nowMs = this.options.clock.monotonic();
    if (nowMs < this.sweepAtMs) return;
    this.sweepAtMs = nowMs + EVENT_SERIES_WRITE_MS;
    for (const entry of this.series.sweep(nowMs)) this.enqueue(entry);
  }

  /** Until there is something to write, or to sweep. A recorder without open series holds no timer. */
  private async idle(signal: AbortSignal): Promise<void> {
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      signal.addEventListener("abort", this.wake, { once: true });
      const { clock } = this.options;
      if (!this.series.isEmpty) timer = clock.setTimer(this.sweepAtMs - clock.monotonic(), resolve);
    });
    timer?.cancel();
    signal.removeEventListener("abort", this.wake);
    this.wake = () => undefined;
  }

  private async write(entry: EventEntry, signal: AbortSignal): Promise<void> {
    entry.queued = false;
    for (let attempt = 0; attempt < EVENT_ATTEMPTS; attempt++) {
      try {
        await this.send(entry, EVENT_CALL_SECONDS);
        return;
      } catch (error) {
        if (isRefusal(error)) {
          this.giveUp(entry, "refused", error);
          return;
        }
        const waitMs = jittered(
          exponentialMs(attempt, EVENT_RETRY_FIRST_MS, EVENT_RETRY_LONGEST_MS),
          RETRY_JITTER,
          this.random,
        );
        if (!(await pause(this.options.clock, waitMs, signal))) break;
      }
    }
    this.giveUp(entry, signal.aborted ? "shutdown" : "unreachable");
  }

  private async send(entry: EventEntry, deadlineSeconds: number): Promise<void> {
    const count = entry.count;
    const verb = await this.sink.write(entry, deadlineSeconds);
    entry.written = count;
    entry.lastWriteMs = this.options.clock.monotonic();
    this.metrics.written(verb);
  }

  private async flush(): Promise<void> {
    const { clock } = this.options;
    const endMs = clock.monotonic() + EVENT_FLUSH_MS;
    for (let entry = this.queue.shift(); entry !== undefined; entry = this.queue.shift()) {
      entry.queued = false;
      const leftSeconds = (endMs - clock.monotonic()) / SECOND_MS;
      if (leftSeconds <= 0) this.giveUp(entry, "shutdown");
      else await this.send(entry, leftSeconds).catch((error: unknown) => this.giveUp(entry, "shutdown", error));
    }
  }

  private giveUp(entry: EventEntry, cause: DropCause, error?: unknown): void {
    this.metrics.dropped(cause);
    // An Event that never arrived starts anew; a count that did not arrive is sent next time.
    if (entry.written === 0) this.series.drop(entry);
    const { regarding, reason } = entry.event;
    this.options.logger.debug({ cause, regarding, reason, ...(error === undefined ? {} : { error }) }, "event dropped");
  }

  private suffix(epochMs: number): string {
    const random = Math.floor(this.random() * SUFFIX_RANDOM);
    return `${Math.floor(epochMs).toString(SUFFIX_RADIX)}${random.toString(SUFFIX_RADIX).padStart(5, "0")}`;
  }
}

class EventSink {
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
function isRefusal(error: unknown): boolean {
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
