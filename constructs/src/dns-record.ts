import type { Duration } from "cdk8s";
import type { DnsRecordSet } from "./api/kinds/dns-record-set";
import { EXTERNAL_DNS } from "./api/providers";
import { checkArguments } from "./private/arguments";
import { textOf, wholeSeconds, written } from "./private/field-values";
import type { Shapes } from "./private/prop-shapes";
import { PART } from "./private/prop-types";
import type { Site } from "./private/refusal-collector";
import type { ReclaimPolicy } from "./reclaim-policy";

/** Options of a DNS record set. */
export interface DnsRecordOptions {
  /**
   * TTL: how long resolvers may cache the records, in whole seconds. Cloudflare supports 1 second (automatic), and 60
   * seconds to a day; DigitalOcean 30 seconds or more. Below that, synthesis warns, and the operator uses the minimum.
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
   * A record set that external-dns publishes, at any of its DNS providers. The operator writes a DNSEndpoint object to its
   * own namespace. Needs feature `OperatorFeature.EXTERNAL_DNS` of the operator.
   *
   * @param recordName DNS name, relative to the zone or fully qualified; `@` is the zone itself
   * @param zone the zone's domain name, such as `example.com`
   * @param options TTL and deletion policy
   */
  public static externalDns(recordName: string, zone: string, options: DnsRecordOptions = {}): DnsRecord {
    return new DnsRecord(EXTERNAL_DNS, { recordName, zone }, options);
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
    const place = checkArguments(site, { provider: this.provider, ...this.place }, PLACE_SHAPES);
    const { ttl, deletionPolicy } = checkArguments(site, this.options, OPTION_SHAPES);
    return written({
      provider: place.provider,
      recordName: place.recordName,
      zone: place.zone,
      ttl: wholeSeconds(ttl, site.below(".ttl")),
      deletionPolicy: textOf(deletionPolicy),
    });
  }
}

const PLACE_SHAPES: Shapes = {
  provider: { part: PART.text, required: true },
  recordName: { part: PART.text, required: true },
  zone: { part: PART.text, required: true },
};
const OPTION_SHAPES: Shapes = { ttl: { part: PART.duration }, deletionPolicy: { part: PART.text } };
