/** What the API makes of a DNS record: names, data, TTL, and why it refuses some. */

import { isIPv4, isIPv6 } from "node:net";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorRequest } from "../../http/message.js";
import type { DomainData, RecordData } from "../data.js";
import { unprocessable } from "../errors.js";
import { integerField, textField } from "../fields.js";

export const RECORD_MESSAGES = {
  notIpv4: "IP address did not match IPv4 format (e.g. 255.255.255.255).",
  notIpv6: "IP address did not match IPv6 format (e.g. 2001:db8::ff00:42:8329).",
  noDot: "Data needs to end with a dot (.)",
  cnameShares: "CNAME records cannot share a name with other records",
  cnameApex: "CNAME records cannot be used at the apex of a domain",
  badName: "Only valid hostname characters are allowed. (a-z, A-Z, 0-9, ., _ and -) Or a single record of '@'.",
  duplicate: "Record already exists",
} as const;

const TYPES = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SOA", "SRV", "TXT"];
/** Types whose data is a host name. */
const HOST_TYPES = ["CNAME", "MX", "NS", "SRV"];
const DEFAULT_TTL = 1_800;

export type RecordFields = Omit<RecordData, "id">;

/** The record that a body describes; what it leaves out comes from `base`, then from the defaults. Throws 422. */
export function readRecord(
  request: SimulatorRequest,
  domain: DomainData,
  body: JsonObject,
  base: RecordFields = BLANK,
): RecordFields {
  const type = (textField(request, body, "type") ?? base.type).toUpperCase();
  if (!TYPES.includes(type)) throw unprocessable(request, `${type} is not a valid record type.`);
  const name = nameOf(request, domain, textField(request, body, "name")) ?? base.name;
  const data = dataOf(request, type, textField(request, body, "data")) ?? base.data;
  if (data === "") throw unprocessable(request, "data is required.");
  const ttl = integerField(request, body, "ttl") ?? (base === BLANK ? sharedTtl(domain, name) : base.ttl);
  const tag = textField(request, body, "tag") ?? base.tag;
  return { type, name, data, ttl, tag, ...numbersOf(request, body, base) };
}

/** A new record before its body is read. */
const BLANK: RecordFields = {
  ...{ type: "", name: "@", data: "", ttl: DEFAULT_TTL },
  ...{ priority: null, port: null, weight: null, flags: null, tag: null },
};

function numbersOf(request: SimulatorRequest, body: JsonObject, base: RecordFields) {
  const read = (name: "priority" | "port" | "weight" | "flags") => integerField(request, body, name) ?? base[name];
  return { priority: read("priority"), port: read("port"), weight: read("weight"), flags: read("flags") };
}

/** All records of a name share a TTL; a new one without its own takes theirs. */
function sharedTtl({ records }: DomainData, name: string): number {
  return [...records.values()].find((record) => record.name === name && record.type !== "SOA")?.ttl ?? DEFAULT_TTL;
}

/** Relative to the domain, `@` for the domain itself; a name with a dot at the end is taken as absolute. */
function nameOf(request: SimulatorRequest, { name: domain }: DomainData, sent: string | undefined) {
  if (sent === undefined) return undefined;
  const lower = sent.toLowerCase();
  if (lower === "@" || lower === "" || lower === `${domain}.`) return "@";
  const name = lower.endsWith(`.${domain}.`) ? lower.slice(0, -domain.length - 2) : lower;
  const labels = name.split(".");
  const valid = labels.every((label, index) => isLabel(label) || (label === "*" && index === 0));
  if (!valid || name.length + domain.length > 252) throw unprocessable(request, RECORD_MESSAGES.badName);
  return name;
}

function isLabel(label: string): boolean {
  return /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
}

/** Host names must end with a dot and are kept without it; `@` is the domain itself. */
function dataOf(request: SimulatorRequest, type: string, sent: string | undefined): string | undefined {
  if (sent === undefined) return undefined;
  if (type === "A" && !isIPv4(sent)) throw unprocessable(request, RECORD_MESSAGES.notIpv4);
  if (type === "AAAA" && !isIPv6(sent)) throw unprocessable(request, RECORD_MESSAGES.notIpv6);
  if (!HOST_TYPES.includes(type) || sent === "@") return sent;
  if (!sent.endsWith(".")) throw unprocessable(request, RECORD_MESSAGES.noDot);
  return sent.slice(0, -1);
}

export interface RecordSwitches {
  readonly minimumRecordTtl: number;
  readonly duplicateRecordRefused: boolean;
}

/** Throws 422 where the record can't be beside the others. */
export function checkRecord(
  request: SimulatorRequest,
  record: RecordFields,
  others: readonly RecordData[],
  { minimumRecordTtl, duplicateRecordRefused }: RecordSwitches,
): void {
  const { type, name, data, ttl } = record;
  if (ttl < minimumRecordTtl) throw unprocessable(request, `TTL must be at least ${minimumRecordTtl} seconds.`);
  if (type === "CNAME" && name === "@") throw unprocessable(request, RECORD_MESSAGES.cnameApex);
  const same = others.filter((other) => other.name === name);
  if (same.some((other) => (other.type === "CNAME") !== (type === "CNAME") || type === "CNAME")) {
    throw unprocessable(request, RECORD_MESSAGES.cnameShares);
  }
  const twin = same.some((other) => other.type === type && other.data === data);
  if (twin && duplicateRecordRefused) throw unprocessable(request, RECORD_MESSAGES.duplicate);
}
