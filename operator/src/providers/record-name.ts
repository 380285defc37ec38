/** Names of records as people write them, in one form. */

/**
 * The full name in lower case without the final dot. Both forms are taken: relative to the zone (`@` or nothing: the
 * zone itself), or full. A relative name that repeats the zone has to be written in full.
 * @param zone name of the zone.
 */
export function fullRecordName(zone: string, name: string): string {
  const apex = trimmed(zone);
  const wanted = trimmed(name);
  if (wanted === "@" || wanted === "" || wanted === apex) return apex;
  return wanted.endsWith(`.${apex}`) ? wanted : `${wanted}.${apex}`;
}

/** As the zone's own API wants it: `@`, or what comes before the zone. */
export function relativeRecordName(zone: string, fqdn: string): string {
  const apex = trimmed(zone);
  return fqdn === apex ? "@" : fqdn.slice(0, -apex.length - 1);
}

function trimmed(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
