/** Pure: whether a change of records depends on what an older reading showed, and whether a newer one still allows it. */

import { isProxied, longestTtl } from "../providers/diff.js";
import { type ProviderError, supersededError } from "../providers/errors.js";
import type { DnsProvider, RecordChangeSet, RecordFacts, RecordSetFacts, RecordStep } from "../providers/types.js";
import { sameRecords } from "./record-equality.js";

/** Whether the change relies on records, or on their settings, that somebody may have changed since. */
export function needsFreshReading(
  provider: Pick<DnsProvider, "capabilities">,
  changes: RecordChangeSet,
  facts: RecordSetFacts,
): boolean {
  if (changes.keepsTtl === true || onlyDeletes(changes) || inherits(provider, changes, facts)) return true;
  return provider.capabilities.inherits === true && changes.steps.some(isOfTtl);
}

/** The TTL of a proxied name is not for a plan to choose. */
export function isStillRight(
  { keepsTtl, steps }: RecordChangeSet,
  before: RecordSetFacts,
  now: RecordSetFacts,
): boolean {
  // Of a record that somebody has replaced, the provider would say that it is gone.
  if (!steps.every((step) => step.do === "create" || now.records.some(({ id }) => id === step.id))) return false;
  // The status keeps the longest TTL before a change.
  if (!sameRecords(before, now) || longestTtl(now.records) > longestTtl(before.records)) return false;
  if (isProxied(now)) return !steps.some(isOfTtl);
  if (keepsTtl !== true) return true;
  return ttlsOf(before.records) === ttlsOf(now.records);
}

/** A newer reading does not allow the change: the resource plans again. */
export function supersededChange(provider: Pick<DnsProvider, "name">, { fqdn }: RecordChangeSet): ProviderError {
  const call = { provider: provider.name, subject: `change records of ${fqdn}` };
  return supersededError(call, "the records are not those that the operator last saw");
}

/** The address stays, and the TTL changes. */
function isOfTtl(step: RecordStep): boolean {
  return step.do === "update" && step.from === step.to;
}

/** Of records with the same addresses. */
function ttlsOf(records: readonly RecordFacts[]): string {
  return `${records.map(({ value, ttl }) => `${value} ${ttl}`).sort()}`;
}

/** It counts on the values that stay. Where none stays, resolvers have what goes for as long as its TTL says. */
function onlyDeletes({ steps }: RecordChangeSet): boolean {
  return steps.length > 0 && steps.every(({ do: what }) => what === "delete");
}

/** Creates records that get settings of others on the name, such as Cloudflare's proxy. */
function inherits(
  { capabilities }: Pick<DnsProvider, "capabilities">,
  { steps }: RecordChangeSet,
  { records, others = [] }: RecordSetFacts,
): boolean {
  if (capabilities.inherits !== true || records.length + others.length === 0) return false;
  return steps.some(({ do: what }) => what === "create");
}
