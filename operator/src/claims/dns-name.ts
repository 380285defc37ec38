/** One form for the names of record sets, so that two resources can be seen to mean the same one. */

import type { RecordSetName } from "../providers/types.js";

/** A zone as it was found out from a provider: some name zones by an id. */
export interface KnownZone {
  /** The zone's domain name. */
  readonly domain: string;
}

/** What is known of a zone, without I/O. `undefined`: nothing (yet). */
export type ZoneLookUp = (provider: string, zone: string) => KnownZone | undefined;

/** @default nothing is known: zones are domain names */
export const noZones: ZoneLookUp = () => undefined;

/**
 * The zone and the full name, in lower case without the final dot. While the domain of a zone id is unknown, the id
 * stands for the zone and the name is taken to be full.
 */
export function normalName(
  provider: string,
  { zone, name }: Pick<RecordSetName, "zone" | "name">,
  zones: ZoneLookUp = noZones,
): { readonly zone: string; readonly fqdn: string } {
  const written = plain(zone);
  const domain = plain(zones(provider, zone)?.domain ?? zone);
  const label = plain(name);
  if (label === "@" || label === "" || label === domain) return { zone: domain, fqdn: domain };
  // A domain has a dot, an id has none.
  const full = label.endsWith(`.${domain}`) || (domain === written && !domain.includes("."));
  return { zone: domain, fqdn: full ? label : `${label}.${domain}` };
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
