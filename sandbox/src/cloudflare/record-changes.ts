/** Single changes of a zone's records, on a map that the caller keeps or throws away. */

import type { JsonObject, JsonValue } from "../http/json.js";
import { PLANS, PROXIABLE, type RecordData, type ZoneData } from "./data.js";
import { REFUSALS } from "./errors.js";
import { mergeRecord, type RecordFields, readRecord } from "./record-fields.js";

/** The records while they change, and what new ones need. */
export interface Draft {
  readonly zone: ZoneData;
  readonly records: Map<string, RecordData>;
  /** The same by their names: a batch has thousands of changes. */
  readonly byName: Map<string, Set<RecordData>>;
  readonly nowMs: number;
  readonly newId: () => string;
}

/** A copy to change: the zone has none of it until it is given the draft's records. */
export function draftOf(zone: ZoneData, nowMs: number, newId: () => string): Draft {
  const draft: Draft = { zone, records: new Map(zone.records), byName: new Map(), nowMs, newId };
  for (const record of draft.records.values()) named(draft, record.name).add(record);
  return draft;
}

export function createRecord(draft: Draft, body: JsonValue | undefined): RecordData {
  const fields = readRecord(body, draft.zone);
  if (draft.records.size >= PLANS[draft.zone.plan].records) throw REFUSALS.quota();
  const id = draft.newId();
  return put(draft, { ...fields, id, createdAt: draft.nowMs, modifiedAt: draft.nowMs });
}

/** PUT: what is not given is reset. */
export function replaceRecord(draft: Draft, id: string, body: JsonValue | undefined): RecordData {
  const current = existing(draft, id);
  return put(draft, { ...current, ...readRecord(body, draft.zone), modifiedAt: draft.nowMs });
}

/** PATCH: what is not given stays. */
export function patchRecord(draft: Draft, id: string, body: JsonValue | undefined): RecordData {
  const current = existing(draft, id);
  return put(draft, { ...current, ...mergeRecord(body, current, draft.zone), modifiedAt: draft.nowMs });
}

export function deleteRecord(draft: Draft, id: string): RecordData {
  const record = existing(draft, id);
  draft.records.delete(id);
  named(draft, record.name).delete(record);
  return record;
}

export function existing({ records }: Pick<Draft, "records">, id: string): RecordData {
  const record = records.get(id);
  if (record === undefined) throw REFUSALS.unknownRecord();
  return record;
}

export function recordView(record: RecordData): JsonObject {
  const { id, type, name, content, ttl, proxied, comment, tags, createdAt, modifiedAt } = record;
  return {
    id,
    type,
    name,
    content,
    proxiable: PROXIABLE.includes(type),
    proxied,
    ttl,
    comment,
    tags,
    meta: { auto_added: false, source: "primary" },
    created_on: new Date(createdAt).toISOString(),
    modified_on: new Date(modifiedAt).toISOString(),
  };
}

function put(draft: Draft, record: RecordData): RecordData {
  const former = draft.records.get(record.id);
  for (const other of named(draft, record.name)) if (other !== former) checkBeside(record, other);
  if (former !== undefined) named(draft, former.name).delete(former);
  named(draft, record.name).add(record);
  draft.records.set(record.id, record);
  return record;
}

function named({ byName }: Draft, name: string): Set<RecordData> {
  const records = byName.get(name) ?? new Set();
  byName.set(name, records);
  return records;
}

/** Which two records cannot have one name. */
function checkBeside(record: RecordFields, other: RecordData): void {
  const addresses = ["A", "AAAA"];
  if (record.type === "CNAME" && (addresses.includes(other.type) || other.type === "CNAME")) throw REFUSALS.hostTaken();
  if (other.type === "CNAME" && addresses.includes(record.type)) throw REFUSALS.cnameInTheWay();
  if (record.type !== other.type || record.content !== other.content) return;
  const same = record.ttl === other.ttl && record.proxied === other.proxied;
  throw same ? REFUSALS.identicalRecord() : REFUSALS.recordExists();
}
