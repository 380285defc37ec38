/** The changes of record sets and firewalls: from the observed state to the desired one. Pure, and the same for every provider. */

import { familyOf } from "cdk8s-flipop/api";
import { printable } from "../printable.js";
import { AUTOMATIC_TTL_SECONDS } from "../timings.js";
import { ProviderError } from "./errors.js";
import type { FirewallChange, FirewallFacts, FirewallRuleFacts } from "./firewall-types.js";
import type { RecordChangeSet, RecordFacts, RecordSetFacts, RecordStep, RecordType } from "./types.js";

/**
 * The full name in lower case without the final dot. Both forms are taken: relative to the zone (`@` or nothing: the
 * zone itself), or full. A relative name that repeats the zone has to be written in full.
 * @param zone name of the zone.
 * @throws ProviderError the zone is no name, the name is too long, or a name with a final dot is full, and this one is not
 *   in the zone
 */
export function fullRecordName(zone: string, name: string): string {
  checkZoneName(zone);
  const apex = trimmed(zone);
  const wanted = trimmed(name);
  if (wanted === "@" || wanted === "" || wanted === apex) return apex;
  if (wanted.endsWith(`.${apex}`)) return wanted;
  if (isFull(name)) throw outsideZone(name.trim(), apex);
  const full = `${wanted}.${apex}`;
  checkLengths(full);
  return full;
}

/** The providers' own words for it are about characters. @throws ProviderError the name, or a label, is too long */
function checkLengths(fqdn: string): void {
  const label = fqdn.split(".").find(({ length }) => length > MAX_LABEL);
  if (label === undefined && fqdn.length <= MAX_NAME) return;
  throw new ProviderError({
    kind: "Terminal",
    where: label === undefined ? "recordName and zone" : `label ${printable(label)}`,
    seen:
      label === undefined
        ? `they have ${fqdn.length} characters together: a DNS name has at most ${MAX_NAME}`
        : `it has ${label.length} characters: a part of a DNS name between two dots has at most ${MAX_LABEL}`,
    remedy: "shorten recordName",
    outcome: "not-sent",
  });
}

const MAX_NAME = 253;
const MAX_LABEL = 63;

/** @throws ProviderError it is no name: the providers would refuse it, and would not say which dot is too many */
export function checkZoneName(zone: string): void {
  if (!ZONE.test(trimmed(zone))) throw noZoneName(zone);
}

/** Labels in any alphabet, none of them empty: in a URL, ".." would lead to another path. */
const ZONE = /^[^./\s]+(\.[^./\s]+)*$/u;

/** What makes a text no name; one of them applies. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^$/, "it is empty"],
  [/\s/, "it contains a space"],
  [/\//, "it contains a slash"],
  [/^\./, "it begins with a dot"],
  [/\.\.$/, "it ends with more than one dot"],
  [/\.\./, "it has two dots side by side"],
];

function noZoneName(zone: string): ProviderError {
  return new ProviderError({
    kind: "Terminal",
    // As written: the mistake may be in its dots.
    where: `zone ${printable(JSON.stringify(zone))}`,
    seen: `it is not the name of a zone: ${MISTAKES.find(([mistake]) => mistake.test(zone.trim()))?.[1]}`,
    remedy: "correct dnsRecordSet.zone: write the domain name of the zone, such as example.com",
    outcome: "not-sent",
  });
}

/** With the final dot of a full name. */
export function isFull(name: string): boolean {
  return name.trim().endsWith(".");
}

function outsideZone(name: string, zone: string): ProviderError {
  return new ProviderError({
    kind: "Terminal",
    where: `recordName ${name}`,
    seen: `the final dot makes it a full name, which is not in zone ${zone}`,
    remedy: "write a name in the zone, or without the final dot for a name relative to the zone",
    outcome: "not-sent",
  });
}

/** As the zone's own API wants it: `@`, or what comes before the zone. */
export function relativeRecordName(zone: string, fqdn: string): string {
  const apex = trimmed(zone);
  return fqdn === apex ? "@" : fqdn.slice(0, -apex.length - 1);
}

function trimmed(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}

/** The TTL of a new record if the resource sets none, in seconds. */
export const DEFAULT_TTL_SECONDS = 60;

export interface DesiredRecord {
  /** Canonical addresses of both families. A family without one is left as it is: see `planRemoval`. */
  readonly values: readonly string[];
  /** Seconds, already one that the provider takes; `keep`: existing ones stay, new records get theirs. */
  readonly ttl: number | "keep";
  /** Written beside each new or changed record where the provider can. */
  readonly owner?: string;
}

/** Nothing to do gives no steps. Types that were not read are not touched. */
export function planRecordChanges(current: RecordSetFacts, request: DesiredRecord): RecordChangeSet {
  const parts = current.types
    .map((type) => ({
      type,
      records: current.records.filter((record) => record.type === type),
      values: [...new Set(request.values.filter((value) => typeOf(value) === type))],
    }))
    .filter(({ values }) => values.length > 0)
    .map(({ type, records, values }) => planType({ type, records, values, ttl: ttlFor(current, request) }));
  const change = changeSet(current, parts, request.owner);
  return keepsTtl(current, request, change) ? { ...change, keepsTtl: true } : change;
}

/** A first record on a name has no TTL to keep. */
function keepsTtl({ records }: RecordSetFacts, { ttl }: DesiredRecord, { steps }: RecordChangeSet): boolean {
  return ttl === "keep" && records.length > 0 && steps.some(({ do: what }) => what !== "delete");
}

/** Deletes every record of the types that were read. Only for a resource that goes, or that asks for it. */
export function planRemoval(current: RecordSetFacts): RecordChangeSet {
  const steps: RecordStep[] = current.records.map(({ id, type, value }) => ({ do: "delete", id, type, from: value }));
  return changeSet(current, [{ steps, before: current.records.map(({ value }) => value), after: [] }], undefined);
}

/**
 * The set after changes that were all made. `undefined`: the answers do not show it, so it has to be read.
 * @param written see `DnsProvider.apply`.
 */
export function recordsAfter(
  current: RecordSetFacts,
  { zone, fqdn, steps }: RecordChangeSet,
  written: readonly RecordFacts[],
): RecordSetFacts | undefined {
  const desiredItems = steps.flatMap((step) => (step.do === "delete" ? [] : [`${step.type} ${step.to}`])).sort();
  const answers = written.map(({ type, value }) => `${type} ${value}`).sort();
  if (zone !== current.zone || fqdn !== current.fqdn || `${desiredItems}` !== `${answers}`) return undefined;
  const touched = new Set(steps.flatMap((step) => (step.do === "create" ? [] : [step.id])));
  const records = [...current.records.filter(({ id }) => !touched.has(id)), ...written];
  return { ...current, records };
}

/** Those of the types that were asked for, and the others. */
export function byType(
  all: readonly RecordFacts[],
  types: readonly RecordType[],
): Required<Pick<RecordSetFacts, "records" | "others">> {
  const isAsked = ({ type }: RecordFacts) => types.includes(type);
  return { records: all.filter(isAsked), others: all.filter((record) => !isAsked(record)) };
}

/** The type of the record that publishes an address. */
export function typeOf(ip: string): RecordType {
  return familyOf(ip) === "IPv6" ? "AAAA" : "A";
}

interface DesiredType {
  readonly type: RecordType;
  readonly records: readonly RecordFacts[];
  readonly values: readonly string[];
  /** `undefined`: leave that of existing records. */
  readonly ttl: { readonly existing: number | undefined; readonly fresh: number };
}

interface TypePlan {
  readonly steps: readonly RecordStep[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** New records of a name take over the TTL of those beside them: several TTLs for one name are refused or levelled. */
function ttlFor(current: RecordSetFacts, { ttl }: DesiredRecord): DesiredType["ttl"] {
  if (ttl !== "keep") return { existing: isProxied(current) ? undefined : ttl, fresh: ttl };
  return { existing: undefined, fresh: current.records[0]?.ttl ?? DEFAULT_TTL_SECONDS };
}

/** Cloudflare treats a name as proxied when one record is, and decides on its TTL. */
export function isProxied({ records, others = [] }: Pick<RecordSetFacts, "records" | "others">): boolean {
  return [...records, ...others].some(({ proxied }) => proxied === true);
}

/** How long resolvers may keep a record with the TTL, seconds: at Cloudflare, 1 is automatic. */
export function resolverSeconds(ttl: number): number {
  return ttl === 1 ? AUTOMATIC_TTL_SECONDS : ttl;
}

/** Resolvers get addresses of Cloudflare from a proxied name. */
export function longestTtl(records: readonly Pick<RecordFacts, "ttl" | "proxied">[]): number {
  return Math.max(0, ...records.map(({ ttl, proxied }) => (proxied === true ? 0 : resolverSeconds(ttl))));
}

function planType({ type, records, values, ttl }: DesiredType): TypePlan {
  const { kept, spare } = sortOut(records, values);
  const held = new Set(kept.map(({ value }) => value));
  const missing = values.filter((value) => !held.has(value));
  const updates = missing.slice(0, spare.length).flatMap((to, index): RecordStep[] => {
    const record = spare[index];
    if (record === undefined) return [];
    return [{ do: "update", id: record.id, type, from: record.value, to, ttl: ttl.existing ?? record.ttl }];
  });
  const levelled = kept.flatMap(({ id, value, ttl: seen }): RecordStep[] =>
    ttl.existing === undefined || seen === ttl.existing
      ? []
      : [{ do: "update", id, type, from: value, to: value, ttl: ttl.existing }],
  );
  const creates = missing.slice(spare.length).map((to): RecordStep => ({ do: "create", type, to, ttl: ttl.fresh }));
  const deletes = spare
    .slice(missing.length)
    .map((record): RecordStep => ({ do: "delete", id: record.id, type, from: record.value }));
  return {
    steps: [...updates, ...levelled, ...creates, ...deletes],
    before: records.map(({ value }) => value),
    after: values,
  };
}

/** The first record of each wanted value stays; doubles and strangers are spare. */
function sortOut(records: readonly RecordFacts[], values: readonly string[]) {
  const wanted = new Set(values);
  const kept: RecordFacts[] = [];
  const spare: RecordFacts[] = [];
  for (const record of records) (wanted.delete(record.value) ? kept : spare).push(record);
  return { kept, spare };
}

/** Deletes of all types come after everything else, so that a failure half-way removes nothing. */
function changeSet(current: RecordSetFacts, parts: readonly TypePlan[], owner: string | undefined): RecordChangeSet {
  const changing = parts.filter(({ steps }) => steps.length > 0);
  const steps = changing.flatMap((part) => part.steps);
  const order = { update: 0, create: 1, delete: 2 };
  return {
    zone: current.zone,
    fqdn: current.fqdn,
    steps: [...steps].sort((a, b) => order[a.do] - order[b.do]),
    before: changing.flatMap((part) => part.before).sort(),
    after: changing.flatMap((part) => part.after).sort(),
    ...(owner === undefined ? {} : { owner }),
  };
}

export function isEmptyChange(change: FirewallChange): boolean {
  const { addRules, addNodes, removeRules, removeNodes } = change;
  return [addRules, addNodes, removeRules, removeNodes].every((part) => part.length === 0);
}

/** Rules have no id: two with the same key are one. A rule with other sources is never equal to one of ours. */
export function ruleKey({ protocol, ports, sources, otherSources }: FirewallRuleFacts): string {
  return `${protocol} ${ports} ${[...sources].sort().join(",")}${otherSources ? " +others" : ""}`;
}

/** Whether a name is that of a firewall with a number behind it: `ingress-2` of `ingress`. */
export function isNumbered(name: string, other: string): boolean {
  return other.startsWith(`${name}-`) && /^\d+$/.test(other.slice(name.length + 1));
}

/** A firewall that would have too many rules, or nodes. */
export interface Excess {
  readonly name: string;
  readonly count: number;
  readonly most: number;
}

/** `undefined` where so many more rules fit, also half-way, as additions come first. */
export function excessRules(
  { name, rules, outboundRules = 0 }: FirewallFacts,
  added: number,
  most: number,
): Excess | undefined {
  const count = rules.length + outboundRules + added;
  return count > most ? { name, count, most } : undefined;
}

/** `undefined` where one more node fits. */
export function excessNodes({ name, nodes }: FirewallFacts, most: number): Excess | undefined {
  const count = nodes.length + 1;
  return count > most ? { name, count, most } : undefined;
}

/** The change of one step. */
export function changeOf(facts: FirewallFacts, part: Partial<FirewallChange>): FirewallChange {
  const { id, name } = facts;
  return { addRules: [], addNodes: [], removeRules: [], removeNodes: [], ...part, id, name };
}
