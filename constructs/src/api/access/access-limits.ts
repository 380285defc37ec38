import { MAX_ROUTED_PORTS } from "../kinds/firewall-rule";
import type { Rule, SchemaOf } from "../schema/schema";
import { allowedAddressSchema } from "./address-range";
import { namePatternSchema } from "./name-pattern";
import { DEFAULT_MAX_PORTS, PROTECTED_PORTS_TEXT, portRuleRule } from "./port-rule";

/** What RoutedIPs may do under a class or an issuer. If both have limits, both hold. */
export interface AccessLimits {
  readonly allowedPorts?: readonly string[];
  readonly maxPorts?: number;
  readonly allowedAddresses?: readonly string[];
  readonly allowedZones?: readonly string[];
  readonly allowedNames?: readonly string[];
  readonly adoptRecords?: boolean;
}

/** Limits of DNS names. */
export interface NameLimits extends Pick<AccessLimits, "allowedZones" | "allowedNames"> {}

const PATTERN =
  "is a pattern: give the name of each zone, such as example.com, and patterns in allowedNames; a name must pass both lists";

/** A zone is one zone of the account: patterns of names are for `allowedNames`. */
const noPatternRule: Rule<string> = {
  cel: "!self.contains('*')",
  message: `the value ${PATTERN}`,
  messageCel: `'"' + self + '" ${PATTERN}'`,
  check: (self) => (self.includes("*") ? `"${self}" ${PATTERN}` : undefined),
};

/** Properties of {@link AccessLimits}, for the schemas of a class and an issuer. */
export const accessLimitsProperties: SchemaOf<AccessLimits>["properties"] = {
  allowedPorts: {
    type: "array",
    optional: true,
    description: `Ports that RoutedIPs may open in the firewall: a port or a range, with \`/TCP\` or \`/UDP\` if only one protocol is allowed. Absent from class and issuer: 80, 443, and all above 1024 except those of the nodes' own services. An entry opens a port of these (${PROTECTED_PORTS_TEXT}) only if it names no other port. Ports in \`nodePortRange\` need no rule, so this field does not limit them.`,
    example: ["80", "443", "7000-7999/UDP"],
    items: {
      type: "string",
      description: "A port or a range of ports, such as 443 or 7000-7999/UDP.",
      maxLength: 15,
      rules: [portRuleRule],
    },
    listType: "set",
    maxItems: 64,
  },
  maxPorts: {
    type: "integer",
    optional: true,
    description: `Maximum number of ports that one RoutedIP may open in the firewall. Absent from class and issuer: ${DEFAULT_MAX_PORTS}.`,
    example: 8,
    minimum: 0,
    maximum: MAX_ROUTED_PORTS,
  },
  allowedAddresses: {
    type: "array",
    optional: true,
    description:
      "Existing addresses that RoutedIPs may name in `routedIP`: address ranges in CIDR notation, and `Created` for those that the operator created for the RoutedIP's namespace. Absent from a class: only `Created`. Absent from an issuer: all addresses of the account.",
    example: ["Created", "203.0.113.0/28"],
    items: allowedAddressSchema,
    listType: "set",
    maxItems: 64,
  },
  allowedZones: {
    type: "array",
    optional: true,
    description:
      "Zones in which RoutedIPs may have a record set: domain names, or ids of zones. Absent: every zone, if `allowedNames` is set; else see `allowedNames`.",
    example: ["example.com"],
    items: {
      type: "string",
      description: "A zone: its domain name, or its id.",
      minLength: 1,
      maxLength: 253,
      rules: [noPatternRule],
    },
    listType: "set",
    maxItems: 64,
  },
  allowedNames: {
    type: "array",
    optional: true,
    description:
      "Full DNS names that RoutedIPs may have a record set for. `*` stands for any text without a dot, `{namespace}` for the RoutedIP's namespace. If class and issuer set neither this nor `allowedZones`, a RoutedIP may have a name only where the token for DNS is a Secret of its own namespace, or the RoutedIP is in the operator's namespace. An issuer allows names only for tokens of its own namespace: for the operator's token, set this field in a class.",
    example: ["*.{namespace}.example.com"],
    items: namePatternSchema,
    listType: "set",
    maxItems: 64,
  },
  adoptRecords: {
    type: "boolean",
    optional: true,
    description:
      "Whether a RoutedIP may replace records that the operator did not write for it. Without it, the RoutedIP waits until someone deletes them. An issuer decides this only for tokens of its own namespace.",
    example: true,
  },
};
