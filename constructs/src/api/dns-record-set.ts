import { MAX_IP_LENGTH } from "./ip-address";
import type { SchemaOf } from "./schema";

/** What happens to cloud state when its resource goes. */
export type DeletionPolicy = "Retain" | "Delete";

/** A DNS record set: the A or AAAA records of one name. */
export interface DnsRecordSet {
  /** The record's name: relative to the zone or fully qualified; `@` for the zone itself. */
  readonly recordName: string;
  /** The zone: a domain name, or Cloudflare's zone id. */
  readonly zone: string;
  /** Seconds that resolvers may cache the records; 0 or absent: 60, and for node records an existing TTL is left. */
  readonly ttl?: number;
  /** DNS provider; absent: the resource's own provider. */
  readonly provider?: string;
  /** What happens to the record set when the resource is deleted or renames it. */
  readonly deletionPolicy?: DeletionPolicy;
}

/** Types of the records that are ours to write. */
export type DnsRecordType = "A" | "AAAA";

/** The record set as we last wrote it. */
export interface DnsStatus {
  /** Provider that it was written to. */
  readonly provider: string;
  /** Zone that it was written to, as in the spec. */
  readonly zone: string;
  /** Record name, as in the spec. */
  readonly recordName: string;
  /** Record types written: A, AAAA. */
  readonly types: readonly DnsRecordType[];
  /** Addresses written, in order. */
  readonly values: readonly string[];
}

/** Longest DNS name. */
const MAX_DNS_NAME = 253;
/** Longest TTL of RFC 2181 section 8. */
const MAX_TTL_SECONDS = 2_147_483_647;

/** Schema of a provider's name. */
export function providerSchema(description: string): SchemaOf<string> {
  return { type: "string", description, example: "digitalocean", minLength: 1, maxLength: 63 };
}

/** Schema of {@link DnsRecordSet}. */
export const dnsRecordSetSchema: SchemaOf<DnsRecordSet> = {
  type: "object",
  description: "A DNS record set: the A or AAAA records of one name.",
  properties: {
    recordName: {
      type: "string",
      description: "The record's name: relative to the zone or fully qualified; `@` for the zone itself.",
      example: "hello.example.com",
      minLength: 1,
      maxLength: MAX_DNS_NAME,
    },
    zone: {
      type: "string",
      description: "The zone: a domain name, or Cloudflare's zone id.",
      example: "example.com",
      minLength: 1,
      maxLength: MAX_DNS_NAME,
    },
    ttl: {
      type: "integer",
      optional: true,
      description:
        "Seconds that resolvers may cache the records; 0 or absent: 60, and for node records an existing TTL is left.",
      example: 120,
      minimum: 0,
      maximum: MAX_TTL_SECONDS,
    },
    provider: {
      type: "string",
      optional: true,
      description: "DNS provider; absent: the resource's own provider.",
      example: "cloudflare",
      maxLength: 63,
    },
    deletionPolicy: {
      type: "string",
      optional: true,
      description: "What happens to the record set when the resource is deleted or renames it.",
      enum: { Retain: true, Delete: true },
      default: "Retain",
    },
  },
};

/** Schema of {@link DnsStatus}. */
export const dnsStatusSchema: SchemaOf<DnsStatus> = {
  type: "object",
  description: "The record set as we last wrote it.",
  properties: {
    provider: providerSchema("Provider that it was written to."),
    zone: { type: "string", description: "Zone that it was written to, as in the spec.", maxLength: MAX_DNS_NAME },
    recordName: { type: "string", description: "Record name, as in the spec.", maxLength: MAX_DNS_NAME },
    types: {
      type: "array",
      description: "Record types written: A, AAAA.",
      items: { type: "string", description: "A or AAAA.", enum: { A: true, AAAA: true } },
      listType: "set",
      maxItems: 2,
    },
    values: {
      type: "array",
      description: "Addresses written, in order.",
      items: { type: "string", description: "An address.", maxLength: MAX_IP_LENGTH },
      listType: "atomic",
      maxItems: 5000,
    },
  },
};
