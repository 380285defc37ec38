/** `events.k8s.io/v1` Events as the API server accepts them (k8s.io/kubernetes/pkg/apis/core/validation/events.go), and which of them repeat an earlier one. */

import { TokenBucket } from "../../async.js";
import { microTime } from "../../clock.js";
import { printable } from "../../printable.js";
import { EVENT_SERIES_END_MS, EVENT_SERIES_WRITE_MS, MAX_EVENT_BUCKETS, MAX_EVENT_GROUPS } from "../../timings.js";

export const EVENTS_API_VERSION = "events.k8s.io/v1";

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent: cluster-scoped. */
  readonly namespace?: string;
  readonly uid?: string;
}

/** A happening that a controller reports. */
export interface EventInput {
  readonly regarding: ObjectRef;
  readonly related?: ObjectRef;
  readonly type: "Normal" | "Warning";
  /** Why, one word in CamelCase, at most 128 bytes. */
  readonly reason: string;
  /** What was done, one word in CamelCase, at most 128 bytes. */
  readonly action: string;
  /** For people. Cut at 1,024 bytes. */
  readonly note: string;
}

export interface Reporter {
  /** A qualified name: `flipop.digitalocean.com/flipop-operator`. */
  readonly controller: string;
  /** The pod's name. */
  readonly instance: string;
}

interface KubeEvent {
  readonly apiVersion: string;
  readonly kind: "Event";
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly type: string;
  readonly reason: string;
  readonly action: string;
  readonly regarding: ObjectRef;
  readonly related?: ObjectRef;
  readonly note: string;
}

const DEFAULT_NAMESPACE = "default";
const NOTE_BYTES = 1024;
const WORD_BYTES = 128;
const NAME_LENGTH = 253;
const ELLIPSIS = "...";

/** @param suffix makes the name unique; lower-case letters and digits. */
export function eventObject(input: EventInput, by: Reporter, at: { epochMs: number; suffix: string }): KubeEvent {
  const { regarding, related } = input;
  return {
    apiVersion: EVENTS_API_VERSION,
    kind: "Event",
    // The API server wants the Events of cluster-scoped objects in this namespace.
    metadata: { name: eventName(regarding.name, at.suffix), namespace: regarding.namespace ?? DEFAULT_NAMESPACE },
    eventTime: microTime(at.epochMs),
    reportingController: by.controller,
    reportingInstance: cutBytes(by.instance, WORD_BYTES),
    type: input.type,
    reason: cutBytes(input.reason, WORD_BYTES),
    action: cutBytes(input.action, WORD_BYTES),
    regarding,
    ...(related === undefined ? {} : { related }),
    note: cutBytes(printable(input.note), NOTE_BYTES),
  };
}

/** The same news about the namespace of the object: a namespace that is being deleted takes no new objects. */
export function redirected(event: KubeEvent): KubeEvent {
  const { kind, name, namespace = DEFAULT_NAMESPACE } = event.regarding;
  return {
    ...event,
    metadata: { ...event.metadata, namespace: DEFAULT_NAMESPACE },
    regarding: { apiVersion: "v1", kind: "Namespace", name: namespace },
    related: event.regarding,
    note: cutBytes(`${kind} ${namespace}/${name}: ${event.note}`, NOTE_BYTES),
  };
}

/** The text in at most `limit` bytes of UTF-8: Go counts bytes where the API's documentation says characters. */
export function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit - ELLIPSIS.length;
  // Not in the middle of a character: continuation bytes are 10xxxxxx.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString() + ELLIPSIS;
}

function eventName(object: string, suffix: string): string {
  const room = NAME_LENGTH - suffix.length - 1;
  // Each part of a DNS name ends with a letter or a digit; RBAC names have colons.
  const stem = object
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .slice(0, room)
    .replace(/[^a-z0-9]+$/, "");
  return `${stem === "" ? "event" : stem}.${suffix}`;
}

/** One Event object on the server and how often it happened. */
export interface EventEntry {
  event: KubeEvent;
  /** Times it happened; what the server knows is `written`, 0 before it exists there. */
  count: number;
  written: number;
  /** Of the last time it happened: ms since the epoch. */
  lastEpochMs: number;
  /** Monotonic ms. */
  lastMs: number;
  lastWriteMs: number;
  /** In the queue of the writer. */
  queued: boolean;
  redirected: boolean;
}

interface Moment {
  readonly nowMs: number;
  readonly epochMs: number;
}

interface Group {
  readonly byNote: Map<string, EventEntry>;
  /** Takes all further notes. */
  rest?: EventEntry;
}

/** Different notes for one reason and object, after which they are counted together. */
export const MAX_NOTES = 10;
/** New Events of one type for one object: as client-go's spam filter, but with ten times the rate after the burst. */
const SPAM_LIMIT = { perSecond: 1 / 30, burst: 25 };

export class EventSeries {
  private readonly groups = new Map<string, Group>();
  /** By object and type: a Warning is worth more than the Normal ones before it. */
  private readonly buckets = new Map<string, TokenBucket>();

  /** @param make the object for an Event that is new. */
  constructor(private readonly make: (input: EventInput, epochMs: number) => KubeEvent) {}

  get isEmpty(): boolean {
    return this.groups.size === 0;
  }

  /** Counts an Event. Undefined: there were too many new ones of its type for its object. */
  count(input: EventInput, at: Moment): EventEntry | undefined {
    const key = groupKey(input);
    const group = this.groups.get(key) ?? { byNote: new Map<string, EventEntry>() };
    const known = group.byNote.get(input.note) ?? (group.byNote.size >= MAX_NOTES ? group.rest : undefined);
    if (known !== undefined) return again(known, at);
    if (!this.bucket(input, at.nowMs).tryTake(at.nowMs)) return undefined;
    const entry = newEntry(this.make(asCollected(input, group), at.epochMs), at);
    if (group.byNote.size >= MAX_NOTES) group.rest = entry;
    else group.byNote.set(input.note, entry);
    keep(this.groups, key, group, MAX_EVENT_GROUPS);
    return entry;
  }

  /** Forgets an entry, so that its next occurrence makes a new object. */
  drop(entry: EventEntry): void {
    this.remove((candidate) => candidate === entry);
  }

  /** Drops ended series. Returns the entries whose count has to be written. */
  sweep(nowMs: number): readonly EventEntry[] {
    this.remove((entry) => entry.written >= entry.count && nowMs - entry.lastMs >= EVENT_SERIES_END_MS);
    for (const [key, bucket] of this.buckets) if (bucket.isFull(nowMs)) this.buckets.delete(key);
    return [...this.groups.values()].flatMap(entriesOf).filter((entry) => isDue(entry, nowMs));
  }

  private remove(gone: (entry: EventEntry) => boolean): void {
    for (const [key, group] of this.groups) {
      for (const [note, entry] of group.byNote) if (gone(entry)) group.byNote.delete(note);
      if (group.rest !== undefined && gone(group.rest)) delete group.rest;
      if (group.byNote.size === 0 && group.rest === undefined) this.groups.delete(key);
    }
  }

  private bucket({ regarding, type }: EventInput, nowMs: number): TokenBucket {
    const key = `${type} ${refKey(regarding)}`;
    const bucket = this.buckets.get(key) ?? new TokenBucket(SPAM_LIMIT, nowMs);
    keep(this.buckets, key, bucket, MAX_EVENT_BUCKETS);
    return bucket;
  }
}

/** Whether the server should hear of the entry: when it is new, the second time, and from then on now and then. */
export function isDue(entry: EventEntry, nowMs: number): boolean {
  if (entry.queued || entry.written >= entry.count) return false;
  return entry.written < 2 || nowMs - entry.lastWriteMs >= EVENT_SERIES_WRITE_MS;
}

function newEntry(event: KubeEvent, { epochMs, nowMs }: Moment): EventEntry {
  const times = { lastEpochMs: epochMs, lastMs: nowMs, lastWriteMs: nowMs };
  return { event, count: 1, written: 0, ...times, queued: false, redirected: false };
}

function again(entry: EventEntry, { epochMs, nowMs }: Moment): EventEntry {
  entry.count += 1;
  entry.lastEpochMs = epochMs;
  entry.lastMs = nowMs;
  return entry;
}

function asCollected(input: EventInput, group: Group): EventInput {
  return group.byNote.size < MAX_NOTES ? input : { ...input, note: `(one of several like it) ${input.note}` };
}

function entriesOf(group: Group): readonly EventEntry[] {
  return group.rest === undefined ? [...group.byNote.values()] : [...group.byNote.values(), group.rest];
}

/** Puts the entry last, and the one that was used longest ago out where there are too many. */
function keep<T>(map: Map<string, T>, key: string, value: T, limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

/** Without the action: one cause is one series, whichever condition it turns first. */
function groupKey({ type, reason, regarding, related }: EventInput): string {
  return JSON.stringify([type, reason, refKey(regarding), related === undefined ? "" : refKey(related)]);
}

function refKey({ apiVersion, kind, namespace, name, uid }: ObjectRef): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}
