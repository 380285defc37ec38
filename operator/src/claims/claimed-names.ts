/** The DNS names that a resource claims. Names of record sets have one form, so that equal names compare as equal. */

import { type DnsRecordSet, type DnsStatus, normalRecordName } from "cdk8s-flipop/api";
import type { RecordSetName, RecordType } from "../providers/types.js";
import type { Title } from "./claim-rank.js";
import type { ClaimedName } from "./claimant.js";

/** A zone as it was found out from a provider: some name zones by an id. */
export interface KnownZone {
  /** The zone's domain name. */
  readonly domain: string;
}

/** What is known of a zone, without I/O. `undefined`: nothing (yet). */
export type ZoneLookUp = (provider: string, zone: string) => KnownZone | undefined;

/** @default nothing is known: zones are domain names */
export const noZones: ZoneLookUp = () => undefined;

/** The zone and the full name of a record set, as `normalRecordName` writes them. */
export function normalName(
  provider: string,
  { zone, name }: Pick<RecordSetName, "zone" | "name">,
  zones: ZoneLookUp = noZones,
): { readonly zone: string; readonly fqdn: string } {
  return normalRecordName({ zone, recordName: name, domain: zones(provider, zone)?.domain });
}

/** What the operator has written, and what it has begun to write. */
interface WrittenSets {
  readonly dns?: DnsStatus;
  readonly begunRecords?: readonly DnsStatus[];
}

export interface DesiredRecordSet {
  readonly recordSet: DnsRecordSet | undefined;
  /** Where the record set names none. */
  readonly provider: string | undefined;
  readonly types: readonly RecordType[];
  readonly status: WrittenSets | undefined;
  /** Of `types`, those that it can publish on a new name at once. */
  readonly takes: readonly RecordType[];
}

/** A former name stays claimed: its records are kept up to date until the new name has them. */
export function claimedNames(
  { recordSet, provider, types, status = {}, takes }: DesiredRecordSet,
  zones: ZoneLookUp,
): readonly ClaimedName[] {
  const { dns: written, begunRecords: begun = [] } = status;
  const holds = written === undefined ? [] : namesOf(written, written.types, "holds", zones);
  if (recordSet === undefined) return [written, ...begun].flatMap((entry) => clearing(entry, zones));
  const dnsProvider = recordSet.provider || provider;
  if (!recordSet?.zone || !recordSet.recordName || !dnsProvider) return [];
  const asked = namesOf({ ...recordSet, provider: dnsProvider }, types, "asks", zones);
  const ready = asked.map((name) => (takes.includes(name.type) ? { ...name, title: "takes" as const } : name));
  const desiredItems = ready.map((name) => holds.find((held) => isSameName(held, name)) ?? name);
  const former = holds.filter((held) => !desiredItems.includes(held));
  const left = former.map((name) => ({ ...name, ...leaving(recordSet, written) }));
  const strays = begun.flatMap((entry) =>
    namesOf(entry, entry.types, "leaves", zones).map((name) => ({ ...name, ...leaving(recordSet, entry) })),
  );
  const known = [...desiredItems, ...left];
  return [...known, ...strays.filter((name) => !known.some((other) => isSameName(other, name)))];
}

/** The spec names no record set any more: what was written under Delete is claimed until it is gone. */
function clearing(written: DnsStatus | undefined, zones: ZoneLookUp): readonly ClaimedName[] {
  if (written?.deletionPolicy !== "Delete") return [];
  return namesOf(written, written.types, "clears", zones).map((name) => ({ ...name, ...leaving(written, written) }));
}

function leaving(
  { deletionPolicy }: Pick<DnsRecordSet, "deletionPolicy">,
  written: DnsStatus | undefined,
): Pick<ClaimedName, "title" | "values"> {
  return { title: deletionPolicy === "Delete" ? "clears" : "leaves", values: written?.values ?? [] };
}

function namesOf(
  { provider, zone, recordName }: { readonly provider: string; readonly zone: string; readonly recordName: string },
  types: readonly RecordType[],
  title: Title,
  zones: ZoneLookUp,
): readonly ClaimedName[] {
  const name = normalName(provider, { zone, name: recordName }, zones);
  return types.map((type) => ({ provider, ...name, type, title }));
}

function isSameName(a: ClaimedName, b: ClaimedName): boolean {
  return a.provider === b.provider && a.zone === b.zone && a.fqdn === b.fqdn && a.type === b.type;
}
