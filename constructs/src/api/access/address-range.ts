import { canonicalIp, familyOf, isIp } from "../ip-address";
import type { Rule, SchemaOf } from "../schema/schema";

/** An entry of `allowedAddresses`: addresses that the operator created for the namespace. */
export const CREATED_ADDRESSES = "Created";

/** A range of addresses, by its first address and its prefix length. */
export interface AddressRange {
  /** Canonical. */
  readonly ip: string;
  readonly bits: number;
}

/** Parses an address range in CIDR notation, as the API server's CEL function `isCIDR` does. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, ip = "", length = ""] = /^([^/]*)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  if (!isIp(ip)) return undefined;
  const bits = Number(length);
  return bits <= (familyOf(ip) === "IPv4" ? 32 : 128) ? { ip: canonicalIp(ip), bits } : undefined;
}

export const ADDRESS_RANGE_PROBLEM = `is neither ${CREATED_ADDRESSES} nor an address range: give a range in CIDR notation such as 203.0.113.0/24, or 203.0.113.7/32 for one address`;

const allowedAddressRule: Rule<string> = {
  cel: `self == '${CREATED_ADDRESSES}' || isCIDR(self)`,
  message: `the value ${ADDRESS_RANGE_PROBLEM}`,
  messageCel: `'"' + self + '" ${ADDRESS_RANGE_PROBLEM}'`,
  check: (self) =>
    self === CREATED_ADDRESSES || parseAddressRange(self) !== undefined
      ? undefined
      : `"${self}" ${ADDRESS_RANGE_PROBLEM}`,
};

/** Schema of an entry of `allowedAddresses`. */
export const allowedAddressSchema: SchemaOf<string> = {
  type: "string",
  description: "`Created`, or an address range in CIDR notation.",
  maxLength: 49,
  rules: [allowedAddressRule],
};
