/** What clients of a name notice, whatever a resource writes: that it is proxied, and addresses that no resource manages. */

import type { RecordFacts, RecordType } from "../providers/types.js";
import type { RecordSet, Sighting } from "./cached-record-set.js";
import type { Delegation } from "./delegations.js";

export interface NameRemarks {
  /** It resolves to addresses of the provider. */
  readonly proxied: boolean;
  /** Its addresses of a type that no resource manages; sorted. */
  readonly others: readonly string[];
  /** The longest of the records that the resource has, in seconds. Absent: none was seen, or the provider chooses it. */
  readonly ttl?: number;
  /** The zone leaves the name to another zone. */
  readonly delegation?: Delegation;
}

/** Whose types are which. */
export interface NameTypes {
  /** Of the resource. */
  readonly own: readonly RecordType[];
  /** Of any resource. */
  readonly isManaged: (type: RecordType) => boolean;
}

const TYPES = ["A", "AAAA"] as const;
/** A name may have a set for each. */
export const TYPES_OF_SETS: readonly (readonly RecordType[])[] = [...TYPES.map((type) => [type]), TYPES];

/**
 * As last seen, so that the remarks last while the set is read again.
 * @param sets all of the name
 */
export function remarksOn(sets: readonly RecordSet[], { own, isManaged }: NameTypes): NameRemarks {
  const others = TYPES.filter((type) => !isManaged(type)).flatMap((type) => lastSeen(sets, type));
  // Cloudflare treats a name as proxied when one record is.
  const proxied = TYPES.flatMap((type) => lastSeen(sets, type)).some((record) => record.proxied === true);
  const ttls = proxied ? [] : own.flatMap((type) => lastSeen(sets, type)).map(({ ttl }) => ttl);
  return {
    proxied,
    others: others.map(({ value }) => value).sort(),
    ...(ttls.length === 0 ? {} : { ttl: Math.max(...ttls) }),
  };
}

/** Another set of the name may have read, or deleted, them since. */
function lastSeen(sets: readonly RecordSet[], type: RecordType): readonly RecordFacts[] {
  const sightings = sets.flatMap((set) => set.lastOf(type) ?? []);
  const later = (one: Sighting, other: Sighting) => (one.at >= other.at ? one : other);
  return sightings.length === 0 ? [] : sightings.reduce(later).records;
}
