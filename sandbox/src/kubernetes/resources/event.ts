import { type FieldError, invalidValue, requiredValue } from "../field-error.js";
import { at, defined, equal, isObject, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { age } from "../output/age.js";
import type { Column } from "../output/column.js";
import { type BuiltinSpec, builtin, column, nameColumn, wide } from "./define-built-in.js";
import { requireMicroTime } from "./lease.js";
import type { WriteContext } from "./resource-type.js";

/** Names of one field: in the core group (which is how events are stored), and in events.k8s.io. */
const RENAMED: readonly (readonly [core: string, modern: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

const MAX_NOTE = 1024;
const TYPES = ["Normal", "Warning"];
/** What an event is about never changes; its series does. */
const IMMUTABLE = ["involvedObject", "reason", "message", "type", "action", "reportingComponent", "eventTime"];

const columns: readonly Column[] = [
  column("Last Seen", (event, now) => age(lastSeen(event), now)),
  column("Type", (event) => textOf(event.type)),
  column("Reason", (event) => textOf(event.reason)),
  column("Object", (event) => objectCell(event)),
  wide(column("Subobject", (event) => textOf(at(event, "involvedObject", "fieldPath")))),
  wide(column("Source", (event) => sourceCell(event))),
  column("Message", (event) => textOf(event.message).trim()),
  wide(column("First Seen", (event, now) => age(event.firstTimestamp ?? event.eventTime ?? lastSeen(event), now))),
  wide(column("Count", (event) => at(event, "series", "count") ?? event.count ?? 1)),
  wide(nameColumn),
];

const common = {
  plural: "events",
  kind: "Event",
  storage: "events",
  shortNames: ["ev"],
  createOnUpdate: true,
  allColumns: columns,
} satisfies BuiltinSpec;

/** Events of the core group, as kubectl reads them. */
export const coreEvents = builtin({
  ...common,
  fields: { ...objectFields("involvedObject"), reportingComponent: text("reportingComponent"), source: source },
  behaviour: { normalise: (event) => checkTimes(event), encode: coreForm },
});

/** Events of events.k8s.io, as the operator writes them: a second view of the same objects. */
export const modernEvents = builtin({
  ...common,
  group: "events.k8s.io",
  fields: { ...objectFields("regarding"), reportingController: text("reportingComponent") },
  behaviour: {
    normalise: (event) => {
      rename(event, "modern");
      return checkTimes(event);
    },
    encode: (stored) => {
      const event = coreForm(stored);
      rename(event, "core");
      return event;
    },
    validate: (event, context) => ({ errors: errors(event, context), warnings: [] }),
  },
});

/** The API server shows these fields of every Event; `kubectl get events --sort-by` shows nothing where one is missing. */
function coreForm(stored: ApiObject): ApiObject {
  const empty = { source: {}, firstTimestamp: null, lastTimestamp: null, eventTime: null };
  return { ...empty, reportingComponent: "", reportingInstance: "", ...stored };
}

function rename(event: ApiObject, from: "core" | "modern"): void {
  for (const [core, modern] of RENAMED) {
    const [before, after] = from === "core" ? [core, modern] : [modern, core];
    if (!(before in event)) continue;
    event[after] = event[before];
    delete event[before];
  }
  event.apiVersion = from === "core" ? "events.k8s.io/v1" : "v1";
}

function checkTimes(event: ApiObject): readonly string[] {
  requireMicroTime(event.kind, event.eventTime);
  requireMicroTime(event.kind, at(event, "series", "lastObservedTime"));
  return [];
}

function errors(event: ApiObject, { old }: WriteContext): FieldError[] {
  return old ? changeErrors(event, old) : [...requiredErrors(event), ...contentErrors(event)];
}

function changeErrors(event: ApiObject, old: ApiObject): FieldError[] {
  const changed = IMMUTABLE.filter((field) => !equal(event[field], old[field]));
  return [...changed.map((field) => invalidValue(field, event[field], "field is immutable")), ...seriesErrors(event)];
}

function requiredErrors(event: ApiObject): FieldError[] {
  const required = [
    ["reportingController", "reportingComponent"],
    ["reportingInstance", "reportingInstance"],
    ["action", "action"],
    ["reason", "reason"],
  ] as const;
  const missing = required.filter(([, field]) => textOf(event[field]) === "").map(([name]) => requiredValue(name));
  return event.eventTime === undefined ? [requiredValue("eventTime"), ...missing] : missing;
}

function contentErrors(event: ApiObject): FieldError[] {
  const found: FieldError[] = [];
  const type = textOf(event.type);
  if (!TYPES.includes(type)) found.push(invalidValue("type", "", `has invalid value: ${type}`));
  if (textOf(event.message).length > MAX_NOTE) {
    found.push(invalidValue("message", "", `can have at most ${MAX_NOTE} characters`));
  }
  // An event about a cluster-scoped object lives in the namespace default.
  const about = textOf(at(event, "involvedObject", "namespace"));
  if (about === "" && event.metadata.namespace !== "default") {
    found.push(invalidValue("involvedObject.namespace", about, "does not match event.namespace"));
  }
  return [...found, ...seriesErrors(event)];
}

function seriesErrors(event: ApiObject): FieldError[] {
  if (!isObject(event.series) || Number(event.series.count ?? 0) >= 2) return [];
  return [invalidValue("series.count", "", "should be at least 2")];
}

function objectFields(prefix: string) {
  const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  const about = parts.map((part) => [
    `${prefix}.${part}`,
    (event: ApiObject) => textOf(at(event, "involvedObject", part)),
  ]);
  return { ...Object.fromEntries(about), reason: text("reason"), type: text("type") } as Readonly<
    Record<string, (event: ApiObject) => string>
  >;
}

function text(field: string) {
  return (event: ApiObject) => textOf(event[field]);
}

function source(event: ApiObject): string {
  return textOf(at(event, "source", "component")) || textOf(event.reportingComponent);
}

function lastSeen(event: ApiObject): unknown {
  return (
    at(event, "series", "lastObservedTime") ??
    event.lastTimestamp ??
    event.eventTime ??
    event.metadata.creationTimestamp
  );
}

function objectCell(event: ApiObject): string {
  const { kind, name } = defined({
    kind: "",
    name: "",
    ...(isObject(event.involvedObject) ? event.involvedObject : {}),
  });
  return `${textOf(kind).toLowerCase()}/${textOf(name)}`;
}

function sourceCell(event: ApiObject): string {
  const legacy = textOf(at(event, "source", "component"));
  return (
    legacy ||
    [textOf(event.reportingComponent), textOf(event.reportingInstance)].filter((part) => part !== "").join(", ")
  );
}
