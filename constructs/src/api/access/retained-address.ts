import { MAX_IP_LENGTH } from "../ip-address";
import type { ArraySchema } from "../schema/schema";

/** An address that the operator created for a namespace, and that the account keeps. */
export interface RetainedAddress {
  readonly ip: string;
  readonly namespace: string;
}

/** Maximum number of retained addresses that a status holds. The oldest are dropped. */
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
