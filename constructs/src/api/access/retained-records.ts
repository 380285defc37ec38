import { type DnsStatus, dnsStatusSchema } from "../kinds/dns-record-set";
import type { ArraySchema } from "../schema/schema";
import { MOST_RETAINED } from "./retained-address";

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
