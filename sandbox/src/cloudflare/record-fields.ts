/** What a client may write into a record, checked in the order in which the API complains. */

import { isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { isObject, type JsonObject, type JsonValue } from "../http/json.js";
import { PLANS, PROXIABLE, RECORD_TYPES, type RecordData, type SimulatedType, type ZoneData } from "./data.js";
import { REFUSALS } from "./errors.js";

/** A record without what the API itself writes. */
export type RecordFields = Pick<RecordData, "type" | "name" | "content" | "ttl" | "proxied" | "comment" | "tags">;

/** The fields of a new or replaced record; throws the API's refusals. */
export function readRecord(body: JsonValue | undefined, zone: ZoneData): RecordFields {
  const fields = objectOf(body);
  const type = readType(fields.type);
  const proxied = fields.proxied === true && PROXIABLE.includes(type);
  return {
    type,
    name: readName(fields.name, zone),
    content: readContent(fields.content, type),
    // A proxied record's TTL is Cloudflare's own affair.
    ttl: proxied ? 1 : readTtl(fields.ttl, zone),
    proxied,
    comment: readComment(fields.comment, zone),
    tags: readTags(fields.tags, zone),
  };
}

/** The fields of a record of which only some are given; the others stay as they are. */
export function mergeRecord(body: JsonValue | undefined, current: RecordData, zone: ZoneData): RecordFields {
  const { type, name, content, ttl, proxied, comment, tags } = current;
  const unproxied = current.proxied && objectOf(body).proxied === false;
  return readRecord(
    { type, name, content, proxied, comment, tags, ...(unproxied ? {} : { ttl }), ...objectOf(body) },
    zone,
  );
}

export function objectOf(body: JsonValue | undefined): JsonObject {
  if (!isObject(body)) throw REFUSALS.badParameter("Request body must be a JSON object");
  return body;
}

function readType(value: JsonValue | undefined): SimulatedType {
  const type = RECORD_TYPES.find((known) => known === value);
  if (type === undefined) throw REFUSALS.invalid(9004, `DNS record type "${String(value)}" is invalid.`);
  return type;
}

function readName(value: JsonValue | undefined, zone: ZoneData): string {
  const text = typeof value === "string" ? value.trim().toLowerCase().replace(/\.$/, "") : "";
  const ascii = /^[\x20-\x7e]*$/.test(text) ? text : domainToASCII(text);
  const full = ascii === "@" || ascii === zone.name ? zone.name : withZone(ascii, zone.name);
  const labels = full.split(".");
  const valid = labels.every((label, index) => /^[\w-]{1,63}$/.test(label) || (index === 0 && label === "*"));
  if (ascii === "" || !valid || full.length > 253) throw REFUSALS.invalid(9000, "DNS name is invalid.");
  return full;
}

function withZone(name: string, zone: string): string {
  return name.endsWith(`.${zone}`) ? name : `${name}.${zone}`;
}

function readContent(value: JsonValue | undefined, type: SimulatedType): string {
  const text = typeof value === "string" ? value : "";
  if (type === "A") {
    if (!isIPv4(text)) throw REFUSALS.invalid(9005, "Content for A record must be a valid IPv4 address.");
    return text;
  }
  if (type === "AAAA") {
    if (!isIPv6(text)) throw REFUSALS.invalid(9006, "Content for AAAA record must be a valid IPv6 address.");
    return shortest(text);
  }
  if (text === "") throw REFUSALS.invalid(9007, `Content for ${type} record is invalid.`);
  return text;
}

/** RFC 5952, as the API writes it: URLs are normalised to it. */
function shortest(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
}

function readTtl(value: JsonValue | undefined, { plan }: ZoneData): number {
  const ttl = value ?? 1;
  const { ttl: least } = PLANS[plan];
  if (typeof ttl === "number" && (ttl === 1 || (Number.isInteger(ttl) && ttl >= least && ttl <= 86_400))) return ttl;
  throw REFUSALS.invalid(9021, `TTL must be between ${least} and 86400 seconds, or 1 for Automatic.`);
}

function readComment(value: JsonValue | undefined, { plan }: ZoneData): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string" || /[\r\n]/.test(value)) {
    throw REFUSALS.badParameter("DNS record comment must be one line of text.");
  }
  const { comment: most } = PLANS[plan];
  if ([...value].length <= most) return value;
  throw REFUSALS.invalid(9313, `DNS record comment exceeds the maximum length of ${most} characters.`);
}

function readTags(value: JsonValue | undefined, { plan }: ZoneData): readonly string[] {
  const tags = Array.isArray(value) ? value.map(String) : [];
  const { tags: most } = PLANS[plan];
  if (tags.length <= most) return tags;
  throw REFUSALS.invalid(9300, `DNS record has ${tags.length} tags, exceeding the quota of ${most}.`);
}
