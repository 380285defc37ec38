import type { Duration } from "cdk8s";
import type { DnsRecordSet } from "./api/dns-record-set";
import { providerNamed } from "./api/providers";
import { checkArguments } from "./private/arguments";
import type { Site } from "./private/draft";
import { PART } from "./private/part";
import type { Shapes } from "./private/props";
import { textOf, wholeSeconds, written } from "./private/written";
import type { ReclaimPolicy } from "./reclaim-policy";

/** Options of a DNS record set. */
export interface DnsRecordOptions {
  /**
   * TTL: how long resolvers may cache the records, in whole seconds. Cloudflare supports 1 second (automatic), and 60
   * seconds to a day.
   *
   * @default - 60 seconds; a NodeDNSRecordSet then keeps the TTL of existing records
   */
  readonly ttl?: Duration;

  /**
   * What happens to the record set when the resource is deleted or names another record set.
   *
   * @default ReclaimPolicy.RETAIN
   */
  readonly deletionPolicy?: ReclaimPolicy;
}

/**
 * A DNS record set: the A or AAAA records of one name.
 *
 * @example
 * import { App, Chart, Duration } from "cdk8s";
 * import { DnsRecord, NodeDNSRecordSet, ReclaimPolicy } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "dns", { namespace: "dns" });
 * new NodeDNSRecordSet(chart, "nodes", {
 *   dnsRecord: DnsRecord.cloudflare("nodes.example.com", "023e105f4ecef8ad9ca31a8372d0c353", {
 *     ttl: Duration.minutes(2),
 *     deletionPolicy: ReclaimPolicy.DELETE,
 *   }),
 * });
 */
export class DnsRecord {
  /**
   * A record set in a domain of DigitalOcean DNS.
   *
   * @param recordName DNS name, relative to the zone or fully qualified; `@` is the zone itself. In zone `example.com`,
   * `www` and `www.example.com` are the same, and `www.example.net` is `www.example.net.example.com`
   * @param zone the zone's domain name, such as `example.com`
   * @param options TTL and deletion policy
   */
  public static digitalOcean(recordName: string, zone: string, options: DnsRecordOptions = {}): DnsRecord {
    return new DnsRecord("digitalocean", { recordName, zone }, options);
  }

  /**
   * A record set in a zone of Cloudflare DNS.
   *
   * @param recordName DNS name, relative to the zone or fully qualified; `@` is the zone itself. In zone `example.com`,
   * `www` and `www.example.com` are the same, and `www.example.net` is `www.example.net.example.com`
   * @param zone the zone's id (32 hexadecimal digits) or its domain name
   * @param options TTL and deletion policy
   */
  public static cloudflare(recordName: string, zone: string, options: DnsRecordOptions = {}): DnsRecord {
    return new DnsRecord("cloudflare", { recordName, zone }, options);
  }

  /**
   * A record set at a DNS provider, by the provider's name in the operator.
   *
   * @param provider the provider's name, such as `digitalocean`
   * @param recordName DNS name, relative to the zone or fully qualified; `@` is the zone itself
   * @param zone the zone's domain name, or the provider's id of the zone
   * @param options TTL and deletion policy
   */
  public static of(provider: string, recordName: string, zone: string, options: DnsRecordOptions = {}): DnsRecord {
    return new DnsRecord(provider, { recordName, zone }, options);
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "DnsRecord";

  private constructor(
    private readonly provider: string,
    private readonly place: { readonly recordName: string; readonly zone: string },
    private readonly options: DnsRecordOptions,
  ) {}

  /**
   * The record set for a spec.
   *
   * @internal
   */
  public _write(site: Site): DnsRecordSet {
    checkArguments(site, { provider: this.provider, ...this.place }, PLACE_SHAPES);
    checkArguments(site, this.options, OPTION_SHAPES);
    const { recordName, zone } = this.place;
    checkProvider(this.provider, site.below(".provider"));
    checkName(recordName, { site: site.below(".recordName"), pattern: RECORD_NAME, example: "www.example.com" });
    checkName(zone, { site: site.below(".zone"), pattern: DNS_NAME, example: "example.com" });
    checkInZone(this.place, site.below(".recordName"));
    return written({
      provider: this.provider,
      recordName,
      zone,
      ttl: this.ttl(site.below(".ttl")),
      deletionPolicy: textOf(this.options.deletionPolicy),
    });
  }

  private ttl(site: Site): number | undefined {
    const ttl = wholeSeconds(this.options.ttl, site);
    if (ttl === undefined || !Number.isInteger(ttl)) return ttl;
    const { title, ttl: allowed } = providerNamed(this.provider) ?? {};
    if (allowed && ttl > allowed.automatic && (ttl < allowed.least || ttl > allowed.most)) {
      const { automatic, least, most } = allowed;
      site.refuse(
        `${ttl} seconds is not a TTL of ${title}: give ${automatic} (automatic) or ${least} to ${most} seconds`,
      );
    }
    return ttl;
  }
}

const PLACE_SHAPES: Shapes = {
  provider: { part: PART.text, required: true },
  recordName: { part: PART.text, required: true },
  zone: { part: PART.text, required: true },
};
const OPTION_SHAPES: Shapes = { ttl: { part: PART.duration }, deletionPolicy: { part: PART.text } };

const LABEL = "[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?";
const DNS_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*\\.?$`);
const RECORD_NAME = new RegExp(`^(@|\\*|(\\*\\.)?${LABEL}(\\.${LABEL})*\\.?)$`);

interface NameCheck {
  readonly site: Site;
  readonly pattern: RegExp;
  readonly example: string;
}

/** Ignores the empty name: the schema's check reports it. */
function checkName(name: string, { site, pattern, example }: NameCheck): void {
  if (name === "" || pattern.test(name)) return;
  site.refuse(`"${name}" is not a DNS name: give one such as ${example}, with other alphabets in their "xn--" form`);
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

/** Stricter than the schema, in which an empty provider means the resource's provider. */
function checkProvider(provider: string, site: Site): void {
  if (provider === "") site.refuse("is empty: give the DNS provider, such as digitalocean or cloudflare");
}
