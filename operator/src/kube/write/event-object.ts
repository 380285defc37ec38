/** `events.k8s.io/v1` Events as the API server accepts them (k8s.io/kubernetes/pkg/apis/core/validation/events.go). */

import { microTime } from "./micro-time.js";

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

export interface KubeEvent {
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
    note: cutBytes(input.note, NOTE_BYTES),
  };
}

/** The same news about the namespace of the object: a namespace that is being deleted takes no new objects. */
export function redirected(event: KubeEvent): KubeEvent {
  const { kind, name, namespace = DEFAULT_NAMESPACE } = event.regarding;
  return {
    ...event,
    metadata: { ...event.metadata, namespace: DEFAULT_NAMESPACE },
    regarding: { apiVersion: "v1", kind: "Namespace", name: namespace },
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
