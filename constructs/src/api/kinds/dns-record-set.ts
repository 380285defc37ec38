import { MAX_IP_LENGTH } from "../ip-address";
import type { Rule, SchemaOf } from "../schema/schema";
import { normalRecordName } from "./record-name";

/** What happens at the provider when the resource is deleted. */
export type DeletionPolicy = "Retain" | "Delete";

/** A DNS record set: the A or AAAA records of one name. */
export interface DnsRecordSet {
  readonly recordName: string;
  readonly zone: string;
  readonly ttl?: number;
  readonly provider?: string;
  readonly deletionPolicy?: DeletionPolicy;
}

/** Types of the records that the operator writes. */
export type DnsRecordType = "A" | "AAAA";

/** The record set that the operator wrote last. */
export interface DnsStatus {
  readonly provider: string;
  readonly zone: string;
  readonly recordName: string;
  readonly types: readonly DnsRecordType[];
  readonly values: readonly string[];
  readonly deletionPolicy?: DeletionPolicy;
}

/** Maximum number of entries of `status.begunRecords`. */
export const MOST_BEGUN_RECORDS = 8;

/** Maximum length of a DNS name. */
const MAX_DNS_NAME = 253;
/** Maximum TTL of RFC 2181 section 8. */
const MAX_TTL_SECONDS = 2_147_483_647;

/** Schema of a provider's name. */
export function providerSchema(description: string): SchemaOf<string> {
  return { type: "string", description, example: "digitalocean", minLength: 1, maxLength: 63 };
}

/** One label of a DNS name, of which some begin with an underscore. */
const LABEL = "[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?";
/** A DNS name, with or without its final dot. */
export const DNS_NAME = `^${LABEL}(\\.${LABEL})*\\.?$`;
/** The same, relative or with a wildcard; or the zone itself. */
export const RECORD_NAME = `^(@|\\*|(\\*\\.)?${LABEL}(\\.${LABEL})*\\.?)$`;
const NOT_A_NAME = "is not a DNS name: give one such as";
const ASCII = 'with other alphabets in their "xn--" form';
const NAME_EXAMPLE = "www.example.com";

/** Refusal of text that is not a DNS name. */
export function notADnsName(name: string, example: string): string {
  return `"${name}" ${NOT_A_NAME} ${example}, ${ASCII}`;
}

/** No provider has a record set of another name. */
const recordNameRule: Rule<string> = {
  cel: `self.matches('${RECORD_NAME.replaceAll("\\", "\\\\")}')`,
  message: `recordName ${NOT_A_NAME} ${NAME_EXAMPLE}, ${ASCII}`,
  messageCel: `'"' + self + '" ${NOT_A_NAME} ${NAME_EXAMPLE}, ${ASCII}'`,
  check: (self) => (new RegExp(RECORD_NAME).test(self) ? undefined : notADnsName(self, NAME_EXAMPLE)),
};

const TOO_LONG = `characters together: a DNS name has at most ${MAX_DNS_NAME}: shorten recordName`;

/** The zone completes the name: it is a domain, no id, and does not end the name. A final dot does not count. */
const CEL_RELATIVE =
  "self.recordName != '@' && self.zone.contains('.') && !('.' + self.recordName + (self.recordName.endsWith('.') ? '' : '.')).lowerAscii().endsWith('.' + self.zone.lowerAscii() + (self.zone.endsWith('.') ? '' : '.'))";
const CEL_LENGTH =
  "(size(self.recordName) + size(self.zone) + 1 - (self.recordName.endsWith('.') ? 1 : 0) - (self.zone.endsWith('.') ? 1 : 0))";

/** Each part fits, and the whole may not. */
const lengthRule: Rule<DnsRecordSet> = {
  // The Go operator stored record sets without these: they must stay writable.
  cel: `!has(self.recordName) || !has(self.zone) || !(${CEL_RELATIVE}) || ${CEL_LENGTH} <= ${MAX_DNS_NAME}`,
  // With the number of characters, the server's estimate of the cost exceeds its limit.
  message: `recordName and zone have too many ${TOO_LONG}`,
  check: ({ recordName, zone }) => {
    const { length } = normalRecordName({ recordName, zone }).fqdn;
    return length > MAX_DNS_NAME ? `recordName and zone have ${length} ${TOO_LONG}` : undefined;
  },
  at: () => ".recordName",
};

/** Schema of {@link DnsRecordSet}. */
export const dnsRecordSetSchema: SchemaOf<DnsRecordSet> = {
  type: "object",
  description: "A DNS record set: the A or AAAA records of one name.",
  rules: [lengthRule],
  properties: {
    recordName: {
      type: "string",
      description: "DNS name of the record set, relative to the zone or fully qualified; `@` is the zone itself.",
      example: "hello.example.com",
      minLength: 1,
      maxLength: MAX_DNS_NAME,
      rules: [recordNameRule],
    },
    zone: {
      type: "string",
      description: "Zone of the record set: the domain name, or Cloudflare's id of the zone (32 hexadecimal digits).",
      example: "example.com",
      minLength: 1,
      maxLength: MAX_DNS_NAME,
    },
    ttl: {
      type: "integer",
      optional: true,
      description:
        "TTL in seconds: how long resolvers may cache the records. 0 or absent: 60; a NodeDNSRecordSet then keeps the TTL of existing records. Cloudflare supports 1 (automatic) and 60 to 86400; the operator uses the nearest supported value.",
      example: 120,
      minimum: 0,
      maximum: MAX_TTL_SECONDS,
      unit: "seconds",
    },
    provider: {
      type: "string",
      optional: true,
      description:
        "DNS provider, such as cloudflare. Absent: the resource's provider; for a RoutedIP, the provider of its issuer. Required for a RoutedIP whose class uses Jobs.",
      example: "cloudflare",
      maxLength: 63,
    },
    deletionPolicy: {
      type: "string",
      optional: true,
      description:
        "What happens to the record set when the resource is deleted or names another record set. Retain: the records stay. Delete: the operator deletes those with addresses that it wrote for the resource, and leaves others. The same happens if you remove dnsRecordSet from the spec; set Retain first to keep the records. An Event names records that stay.",
      enum: { Retain: true, Delete: true },
      default: "Retain",
    },
  },
};

/** Schema of {@link DnsStatus}. */
export const dnsStatusSchema: SchemaOf<DnsStatus> = {
  type: "object",
  description: "The record set that the operator wrote last.",
  properties: {
    provider: providerSchema("Provider of the record set."),
    zone: { type: "string", description: "Zone of the record set, as in the spec.", maxLength: MAX_DNS_NAME },
    recordName: { type: "string", description: "Record name, as in the spec.", maxLength: MAX_DNS_NAME },
    types: {
      type: "array",
      description: "Types of the records: A, AAAA.",
      items: { type: "string", description: "A or AAAA.", enum: { A: true, AAAA: true } },
      listType: "set",
      maxItems: 2,
    },
    values: {
      type: "array",
      description: "Addresses in the records, in order.",
      items: { type: "string", description: "An address.", maxLength: MAX_IP_LENGTH },
      listType: "atomic",
      maxItems: 5000,
    },
    deletionPolicy: {
      type: "string",
      optional: true,
      description:
        "Policy of the record set when it was written, for when the spec no longer names one. Absent: Retain.",
      enum: { Retain: true, Delete: true },
    },
  },
};

/** Schema of `status.recordsCachedUntil`. */
export const recordsCachedUntilSchema: SchemaOf<string> & { readonly optional: true } = {
  type: "string",
  format: "date-time",
  optional: true,
  description:
    "Until when resolvers may still have records that the operator has deleted, or has given a shorter TTL. A resource that created such an address releases it after that. A time in the past means nothing any more.",
};

/** Schema of `status.begunRecords`. */
export const begunRecordsSchema: SchemaOf<readonly DnsStatus[]> & { readonly optional: true } = {
  type: "array",
  optional: true,
  description:
    "Record sets that `dns` does not name: those that the operator has begun to write, for example because the name changed again meanwhile, and former ones that it could not delete yet. The operator records each set before it writes it. Under `deletionPolicy: Delete`, it removes these addresses from the sets that the spec does not name.",
  items: {
    ...dnsStatusSchema,
    description: "A record set that the operator has begun to write, or could not delete yet.",
  },
  listType: "atomic",
  maxItems: MOST_BEGUN_RECORDS,
};
