/** What deleted RoutedIPs left: the status of their class or issuer lists it. */

import { MAX_IP_LENGTH } from "../ip-address";
import { type DnsStatus, dnsStatusSchema } from "../kinds/dns-record-set";
import type { ArraySchema } from "../schema/schema";

/** An address that the operator created for a namespace, and that the account keeps. */
export interface RetainedAddress {
  readonly ip: string;
  readonly namespace: string;
}

/** Maximum number of retained addresses, and of record sets, that a status holds. Of the namespace with most of them, the oldest is dropped. */
export const MOST_RETAINED = 500;

/** Schema of `status.retainedAddresses` of a class and an issuer. */
export const retainedAddressesSchema: ArraySchema<RetainedAddress> & { readonly optional: true } = {
  type: "array",
  optional: true,
  description:
    "Addresses that the operator created for RoutedIPs that no longer exist or no longer use them, and that the account keeps. RoutedIPs of the same namespace may use them again.",
  items: {
    type: "object",
    description: "An address that the operator created for a namespace.",
    properties: {
      ip: { type: "string", description: "The address.", maxLength: MAX_IP_LENGTH },
      namespace: { type: "string", description: "Namespace of the RoutedIP that it was created for.", maxLength: 63 },
    },
  },
  listType: "atomic",
  maxItems: MOST_RETAINED,
};

/** A record set that a deleted RoutedIP left under `deletionPolicy: Retain`. */
export interface RetainedRecords extends DnsStatus {
  readonly namespace: string;
}

/** Schema of `status.retainedRecords` of a class and an issuer. */
export const retainedRecordsSchema: ArraySchema<RetainedRecords> & { readonly optional: true } = {
  type: "array",
  optional: true,
  description:
    "Record sets that deleted RoutedIPs left under `deletionPolicy: Retain`. RoutedIPs of the same namespace may take them over while they hold these addresses.",
  items: {
    type: "object",
    description: "A record set that a deleted RoutedIP left.",
    properties: {
      namespace: { type: "string", description: "Namespace of the RoutedIP that left it.", maxLength: 63 },
      ...dnsStatusSchema.properties,
    },
  },
  listType: "atomic",
  maxItems: MOST_RETAINED,
};
