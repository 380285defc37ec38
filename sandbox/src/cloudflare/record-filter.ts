/** Filters and order of `GET /zones/{zone_id}/dns_records`. Filters are case-insensitive. */

import type { RecordData } from "./data.js";
import { REFUSALS } from "./errors.js";

type Test = (text: string, wanted: string) => boolean;

/** `name` alone is the same as `name.exact`. */
const OPERATORS: Readonly<Record<string, Test>> = {
  "": (text, wanted) => text === wanted,
  ".exact": (text, wanted) => text === wanted,
  ".contains": (text, wanted) => text.includes(wanted),
  ".startswith": (text, wanted) => text.startsWith(wanted),
  ".endswith": (text, wanted) => text.endsWith(wanted),
};

const FIELDS: Readonly<Record<string, (record: RecordData) => string>> = {
  name: (record) => record.name,
  content: (record) => record.content,
  comment: (record) => record.comment ?? "",
};

type Filter = (record: RecordData) => boolean;

/** The records that the query asks for, in the order of creation unless it says otherwise. */
export function filterRecords(records: Iterable<RecordData>, query: URLSearchParams): readonly RecordData[] {
  const filters = [...textFilters(query), ...otherFilters(query)];
  const any = query.get("match") === "any" && filters.length > 0;
  const found = [...records].filter((record) =>
    any ? filters.some((holds) => holds(record)) : filters.every((holds) => holds(record)),
  );
  return sorted(found, query);
}

function textFilters(query: URLSearchParams): readonly Filter[] {
  return Object.entries(FIELDS).flatMap(([field, read]) =>
    Object.entries(OPERATORS).flatMap(([suffix, holds]): Filter[] => {
      const wanted = query.get(`${field}${suffix}`)?.toLowerCase();
      return wanted === undefined ? [] : [(record) => holds(read(record).toLowerCase(), wanted)];
    }),
  );
}

function otherFilters(query: URLSearchParams): readonly Filter[] {
  const type = query.get("type");
  const proxied = query.get("proxied");
  return [
    ...(type === null ? [] : [(record: RecordData) => record.type === type]),
    ...(proxied === null ? [] : [(record: RecordData) => String(record.proxied) === proxied]),
    ...(query.has("comment.present") ? [(record: RecordData) => record.comment !== null] : []),
    ...(query.has("comment.absent") ? [(record: RecordData) => record.comment === null] : []),
  ];
}

const ORDERS: Readonly<Record<string, (record: RecordData) => string | number>> = {
  type: (record) => record.type,
  name: (record) => record.name,
  content: (record) => record.content,
  ttl: (record) => record.ttl,
  proxied: (record) => Number(record.proxied),
};

function sorted(records: RecordData[], query: URLSearchParams): readonly RecordData[] {
  const order = query.get("order");
  if (order === null) return records;
  const key = ORDERS[order];
  if (key === undefined) throw REFUSALS.badParameter(`order must be one of ${Object.keys(ORDERS).join(", ")}`);
  const sign = query.get("direction") === "desc" ? -1 : 1;
  return records.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === right) return 0;
    return left < right ? -sign : sign;
  });
}
