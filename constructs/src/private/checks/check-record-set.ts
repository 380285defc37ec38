import { DNS_NAME, notADnsName, RECORD_NAME } from "../../api/kinds/dns-record-set";
import { providerNamed } from "../../api/providers";
import type { JsonObject } from "../../api/schema/schema";
import type { Site } from "../refusal-collector";

/** Refuses a record set that the API server accepts, but that no provider has. The schema's check reports the rest. */
export function checkRecordSet(recordSet: JsonObject, site: Site): void {
  const { provider, recordName, zone, ttl } = recordSet;
  if (provider === "")
    site.below(".provider").refuse("is empty: give the DNS provider, such as digitalocean or cloudflare");
  if (typeof ttl === "number") checkTtl(String(provider), ttl, site.below(".ttl"));
  if (typeof recordName !== "string" || typeof zone !== "string") return;
  checkName(recordName, { site: site.below(".recordName"), pattern: RECORD_NAME, example: "www.example.com" });
  checkName(zone, { site: site.below(".zone"), pattern: DNS_NAME, example: "example.com" });
  checkInZone({ recordName, zone }, site.below(".recordName"));
}

/** Refuses allowed zones that no provider has, because no record set could be in them. The schema's check reports patterns. */
export function checkZones({ allowedZones }: JsonObject, site: Site): void {
  for (const [index, zone] of (Array.isArray(allowedZones) ? allowedZones : []).entries()) {
    if (typeof zone !== "string" || zone.includes("*")) continue;
    checkName(zone, { site: site.below(`[${index}]`), pattern: DNS_NAME, example: "example.com" });
  }
}

/** A TTL below the minimum causes only a warning, because the operator uses the nearest one. */
function checkTtl(provider: string, ttl: number, site: Site): void {
  const { title, ttl: allowed } = providerNamed(provider) ?? {};
  const { automatic, least, most = Number.POSITIVE_INFINITY } = allowed ?? {};
  if (ttl <= most) return;
  const choice = automatic === undefined ? "" : `${automatic} (automatic) or `;
  site.refuse(`${ttl} seconds is not a TTL of ${title}: give ${choice}${least} to ${most} seconds`);
}

interface NameCheck {
  readonly site: Site;
  /** A regular expression. */
  readonly pattern: string;
  readonly example: string;
}

/** Ignores the empty name: the schema's check reports it. */
function checkName(name: string, { site, pattern, example }: NameCheck): void {
  if (name !== "" && !new RegExp(pattern).test(name)) site.refuse(notADnsName(name, example));
}

/**
 * A name with a final dot is fully qualified. Without the dot, a name that does not end with the zone is relative to
 * the zone.
 */
function checkInZone({ recordName, zone }: { recordName: string; zone: string }, site: Site): void {
  if (!/[^.]\.$/.test(recordName) || !/[^.]\.[^.]/.test(zone)) return;
  const [name, domain] = [recordName, zone].map((text) => `.${text.toLowerCase().replace(/\.$/, "")}`);
  if (name?.endsWith(domain ?? "")) return;
  site.refuse(
    `"${recordName}" ends with a dot but is not in zone "${zone}": give a name of that zone, or another zone`,
  );
}
