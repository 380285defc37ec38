/** What the condition says of a record set that is in place: where it is, and what users of the name may not expect. */

import { type DnsRecordSet, type DnsStatus, looksComplete } from "cdk8s-flipop/api";
import type { Problem } from "../messages/message.js";
import { recordRemarks } from "../messages/record-remarks.js";
import { recordMessages } from "../messages/records.js";
import { typeOf } from "../providers/diff.js";
import { no, type PlannedCondition, unknown, yes } from "../reconcile/conditions.js";
import { isDesired, type Named as NamedSet } from "./foreign-values.js";
import type { DnsSnapshot } from "./record-actions.js";
import { fullNameOf } from "./record-plan.js";
import { ttlOf } from "./resolver-caches.js";

type Named = Partial<DnsRecordSet> & {
  /** Without `ttl` in the spec, that of existing records stays. @default false */
  readonly keepsTtl?: boolean;
};
type Seen = Pick<DnsSnapshot, "fqdn" | "capabilities" | "remarks">;

/** @param held the content. The provider is the one that has the record set, whether the spec names it or not. */
export function inPlace(dns: Seen | undefined, named: Named, held: Problem): PlannedCondition {
  const { recordName = "", provider = "" } = named;
  const name = fullNameOf(dns, named);
  const { delegation } = dns?.remarks ?? {};
  if (delegation !== undefined) {
    const { zone, name: delegated } = delegation;
    return no("DNSReady", recordRemarks.delegated({ cause: held, name, recordName, provider, zone, delegated }));
  }
  const cause = withRemarks(dns, named, held);
  return yes(
    "DNSReady",
    looksComplete(recordName, name) ? recordRemarks.nameCompleted({ recordName, name, cause }) : cause,
  );
}

/** What the operator has written under the name that the spec has; empty: it has another one on record. `undefined`: none. */
export function writtenValues(last: DnsStatus | undefined, named: NamedSet): readonly string[] | undefined {
  return isDesired(last, named) ? last?.values : last && [];
}

/** The record set does not hold yet what it should. @param written what the status says of it */
export function beingChanged(
  dns: Pick<DnsSnapshot, "fqdn" | "longWait"> | undefined,
  named: Named,
  written: readonly string[] = [],
): PlannedCondition {
  const name = fullNameOf(dns, named);
  if (dns?.longWait !== undefined) return unknown("DNSReady", recordMessages.waitsForLimit({ name, ...dns.longWait }));
  return unknown("DNSReady", recordMessages.beingChanged({ name, values: [...written].sort() }));
}

/** Values that the set holds as far as the operator knows, if they are not those that it should hold, or a change is under way. */
export function heldInstead(
  dns: Pick<DnsSnapshot, "held" | "halfDone" | "records"> | undefined,
  values: readonly string[],
  paused: boolean,
): readonly string[] | undefined {
  const { held, halfDone, records = "unknown" } = dns ?? {};
  if (held !== undefined && !paused) return held;
  const isKnown = halfDone !== undefined && records !== "unknown" && !paused;
  const seen = held ?? (isKnown ? records.records.map(({ value }) => value) : values);
  const all = [...new Set(seen)].sort();
  return `${all}` === `${values}` ? undefined : all;
}

interface FormerSet extends NamedSet {
  readonly dns: Pick<DnsSnapshot, "previous"> | undefined;
  /** As the status has it. */
  readonly last: DnsStatus | undefined;
  /** Addresses to publish. None: the former name keeps the last ones. */
  readonly values: readonly string[];
}

/** What becomes of the former name, which clients still use, while the new one is not written. */
export function withFormerName(condition: PlannedCondition, set: FormerSet): PlannedCondition {
  const { said: cause, status } = condition;
  const last = formerInUse(set);
  if (status !== "False" || cause === undefined || last === undefined) return condition;
  const { retryAt, lost } = set.dns?.previous ?? {};
  const wanted = set.values.filter((value) => last.types.includes(typeOf(value)));
  const stuck = retryAt !== undefined || lost !== undefined;
  const left = stuck || wanted.length === 0 ? last.values.filter((value) => !wanted.includes(value)) : [];
  return no("DNSReady", recordRemarks.formerName({ cause, former: fullNameOf(undefined, last), left, stuck }));
}

function formerInUse({ dns, last, ...named }: FormerSet): DnsStatus | undefined {
  if (last === undefined || last.values.length === 0 || isDesired(last, named)) return undefined;
  return dns?.previous.claim?.ours === true ? last : undefined;
}

/** The TTL of a proxied name is not for the resource to choose. */
function withRemarks(dns: Seen | undefined, named: Named, cause: Problem): Problem {
  const { provider = "" } = named;
  const { proxied, others } = dns?.remarks ?? { proxied: false, others: [] };
  const remarked = { cause, provider, others };
  if (proxied) return recordRemarks.proxied(remarked);
  const raised = raisedTtl(dns, named.ttl);
  if (raised !== undefined) return recordRemarks.ttlRaised({ ...remarked, ...raised });
  const seconds = longTtl(dns, named);
  if (seconds !== undefined) return recordRemarks.longTtl({ ...remarked, seconds });
  if (others.length > 0) return recordRemarks.unmanaged(remarked);
  return provider === "" ? cause : recordRemarks.at({ cause, provider, ...zonePart(fullNameOf(dns, named), named) });
}

/** Readers take what follows the first label of the name for the zone. */
function zonePart(name: string, { zone = "" }: Named): { readonly zone?: string } {
  const domain = zone.trim().toLowerCase().replace(/\.$/, "");
  const isGuessed = !domain.includes(".") || name === `${name.split(".", 1)[0]}.${domain}`;
  return isGuessed ? {} : { zone: domain };
}

function raisedTtl(dns: Seen | undefined, asked = 0) {
  const used = ttlOf(dns, { ttl: asked });
  return asked > 0 && used > asked ? { asked, used } : undefined;
}

/** A TTL that the resource keeps, and that few people would choose. */
function longTtl(dns: Seen | undefined, { ttl, keepsTtl = false }: Named): number | undefined {
  const { ttl: seen = 0 } = dns?.remarks ?? {};
  return keepsTtl && !ttl && seen > USUAL_TTL_SECONDS ? seen : undefined;
}

/** Of providers' defaults, the longest that is usual for addresses. */
const USUAL_TTL_SECONDS = 3600;
