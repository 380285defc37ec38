/**
 * From a record set as it is to one as it should be. Pure, and the same for every DNS provider. Addresses that are
 * there no longer are re-pointed to new ones, missing ones are created, and only then what is left over is deleted: at
 * no moment is the set empty, or does it hold an address that is in neither the old nor the new set.
 */

import { familyOf } from "cdk8s-flipop/api";
import type { RecordChangeSet, RecordFacts, RecordSetFacts, RecordStep, RecordType } from "./types.js";

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
    .map(({ type, records, values }) => planType({ type, records, values, ttl: ttlFor(current.records, request) }));
  return changeSet(current, parts, request.owner);
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
function ttlFor(records: readonly RecordFacts[], { ttl }: DesiredRecord): DesiredType["ttl"] {
  if (ttl !== "keep") return { existing: ttl, fresh: ttl };
  return { existing: undefined, fresh: records[0]?.ttl ?? DEFAULT_TTL_SECONDS };
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
  const levelled = kept.flatMap(({ id, value, ttl: seen, ttlFixed }): RecordStep[] =>
    ttl.existing === undefined || seen === ttl.existing || ttlFixed === true
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
