/** The parts of a record set's name, as in a spec. */
export interface RecordPlace {
  readonly zone: string;
  readonly recordName: string;
  /** The zone's domain name, where `zone` is a provider's id. @default zone */
  readonly domain?: string | undefined;
}

/**
 * The zone and the full name, in lower case without the final dot, so that two resources can be seen to mean the same
 * record set. While the domain of a zone id is unknown, the id stands for the zone and the name is taken to be full.
 */
export function normalRecordName({ zone, recordName, domain }: RecordPlace): {
  readonly zone: string;
  readonly fqdn: string;
} {
  const written = plain(zone);
  const known = plain(domain ?? zone);
  const label = plain(recordName);
  if (label === "@" || label === "" || label === known) return { zone: known, fqdn: known };
  // A domain has a dot, an id has none.
  const full = label.endsWith(`.${known}`) || (known === written && !known.includes("."));
  return { zone: known, fqdn: full ? label : `${label}.${known}` };
}

/**
 * Whether a name that the zone completes was probably meant as complete: it has a final dot, or the form of a domain name of
 * another zone, or it ends with the text of the zone, without a dot before that. The full name in `recordName` leaves no doubt.
 */
export function looksComplete(recordName: string, fqdn: string): boolean {
  const name = plain(recordName);
  if (name === fqdn || !fqdn.startsWith(`${name}.`)) return false;
  const labels = name.split(".");
  const last = labels.at(-1) ?? "";
  const isDomain = labels.length > 2 && (WIDESPREAD_DOMAINS.includes(last) || fqdn.endsWith(`.${last}`));
  const zone = fqdn.slice(name.length + 1);
  return isDomain || (zone.includes(".") && name.endsWith(zone)) || /[^.]\.$/.test(recordName.trim());
}

/** Top-level domains by which few relative names end. */
const WIDESPREAD_DOMAINS: readonly string[] = ["com", "net", "org"];

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
