import type { Rule, SchemaOf } from "../schema/schema";
import { type Problem, validateValue } from "../schema/validate";
import { accessLimitsProperties } from "./access-limits";
import { allowedAddressSchema } from "./address-range";
import { matchesStars, namePatternSchema } from "./name-pattern";

/**
 * Limits of the operator's configuration, by namespace. The first entry of `namespaces` that names a namespace applies to
 * it. A namespace without an entry has no limits but the total.
 */
export interface TenantLimits {
  readonly maxCreatedAddresses?: number;
  readonly namespaces?: readonly NamespaceLimits[];
}

/** Limits of pools and record sets in some namespaces, and the maximum of addresses that the operator creates for each. */
export interface NamespaceLimits {
  readonly names: readonly string[];
  readonly allowedAddresses?: readonly string[];
  readonly allowedZones?: readonly string[];
  readonly allowedNames?: readonly string[];
  readonly maxCreatedAddresses?: number;
}

/** Maximum of `maxCreatedAddresses`. */
const MOST_ADDRESSES = 10_000;

/** How long the limits may be as JSON, and who says so. */
interface LimitsSize {
  readonly who: string;
  readonly most: number;
}

/** The policy of tenants has the limits in one expression. */
export const POLICY_LIMITS_SIZE: LimitsSize = { who: "the API server accepts", most: 100_000 };
/** Linux accepts 131071 bytes: the flag and its name. */
export const FLAG_LIMITS_SIZE: LimitsSize = { who: "Linux accepts for a flag", most: 131_055 };

const someNames: Rule<readonly string[]> = {
  cel: "self.size() > 0",
  message: "names no namespace: give one or more names or patterns, such as team-*",
  check: (self) =>
    self.length > 0 ? undefined : "names no namespace: give one or more names or patterns, such as team-*",
};

const namespaceLimitsSchema: SchemaOf<NamespaceLimits> = {
  type: "object",
  description: "Limits of some namespaces.",
  properties: {
    names: {
      type: "array",
      description: "The namespaces: names, or patterns in which `*` stands for any text.",
      items: {
        type: "string",
        description: "A namespace or a pattern.",
        pattern: "^[-a-z0-9*]+$",
        words: {
          is: "a namespace or a pattern of namespaces",
          use: "use lower-case letters, digits and -, and * for any text",
        },
        example: "team-*",
        maxLength: 63,
      },
      rules: [someNames],
      listType: "set",
      maxItems: 256,
    },
    allowedAddresses: {
      type: "array",
      optional: true,
      description:
        "Existing addresses that pools may list: ranges in CIDR notation, and `Created` for those that the operator created for the namespace. Absent: all addresses of the account; an empty list: none.",
      example: ["Created", "203.0.113.0/28"],
      items: allowedAddressSchema,
      listType: "set",
      maxItems: 64,
    },
    allowedZones: {
      ...accessLimitsProperties.allowedZones,
      description:
        "DNS zones in which pools and NodeDNSRecordSets may have a record set: domain names, or ids of zones. Absent: every zone; an empty list: none.",
    },
    allowedNames: {
      type: "array",
      optional: true,
      description:
        "Full DNS names that pools and NodeDNSRecordSets may have a record set for. `*` stands for any text without a dot, and `{namespace}` for the resource's namespace. Absent: every name; an empty list: none.",
      example: ["*.{namespace}.example.com"],
      items: namePatternSchema,
      listType: "set",
      maxItems: 64,
    },
    maxCreatedAddresses: {
      type: "integer",
      optional: true,
      description:
        "Maximum number of addresses that the operator creates for each of these namespaces, also for RoutedIPs. Resources there create addresses only with reclaim policy Delete. Absent: no maximum.",
      example: 3,
      minimum: 0,
      maximum: MOST_ADDRESSES,
    },
  },
};

/** For the check of the flag, and for its reference page. */
export const tenantLimitsSchema: SchemaOf<TenantLimits> = {
  type: "object",
  description: "Limits by namespace.",
  properties: {
    maxCreatedAddresses: {
      type: "integer",
      optional: true,
      description:
        "Maximum number of addresses that the operator creates in all namespaces, for pools and RoutedIPs. Absent: no maximum.",
      example: 50,
      minimum: 0,
      maximum: MOST_ADDRESSES,
    },
    namespaces: {
      type: "array",
      optional: true,
      description:
        "Limits of namespaces. The first entry that names a namespace applies to it, so the operator refuses a name or pattern that an earlier entry covers, such as `team-a` after `*`; a namespace without an entry has no limits but the total. All limits together have at most 131055 bytes as JSON, and at most 100000 with the admission policy.",
      items: namespaceLimitsSchema,
      listType: "atomic",
      maxItems: 256,
    },
  },
};

/** Every problem of the limits, with its path below `path`. Empty: they are valid. */
export function tenantLimitsProblems(limits: unknown, path: string, size = FLAG_LIMITS_SIZE): readonly Problem[] {
  const problems = validateValue(tenantLimitsSchema, limits, path);
  if (problems.length > 0) return problems;
  return [...orderProblems(limits as TenantLimits, path), ...sizeProblems(limits, path, size)];
}

/** A name that an earlier entry covers never applies, and the limits of its entry would be lifted silently. */
function orderProblems({ namespaces = [] }: TenantLimits, path: string): readonly Problem[] {
  return namespaces.flatMap(({ names }, index) =>
    names.flatMap((name, position): readonly Problem[] => {
      const first = namespaces
        .slice(0, index)
        .findIndex((one) => one.names.some((each) => matchesStars(name, each, 0)));
      if (first < 0) return [];
      return [{ path: `${path}.namespaces[${index}].names[${position}]`, message: lateNameProblem(name, first) }];
    }),
  );
}

/** Also for the chart, with expressions for both. @param first the entry that covers the name */
export function lateNameProblem(name: string, first: number | string): string {
  return `"${name}" never applies: namespaces[${first}] names it, too, and the first entry counts: move this entry before that one, or remove the name`;
}

function sizeProblems(limits: unknown, path: string, { who, most }: LimitsSize): readonly Problem[] {
  const bytes = new TextEncoder().encode(JSON.stringify(limits)).length;
  if (bytes <= most) return [];
  const fix = "give namespaces with the same limits one entry, and use patterns such as team-*";
  return [{ path, message: `has ${bytes} bytes as JSON: ${who} at most ${most}: ${fix}` }];
}

/** The limits of a namespace, and the position of their entry. */
export function limitsOfNamespace(
  { namespaces = [] }: TenantLimits,
  namespace: string,
): { readonly limits: NamespaceLimits; readonly index: number } | undefined {
  const index = namespaces.findIndex(({ names }) => names.some((name) => matchesStars(namespace, name, 0)));
  const limits = namespaces[index];
  return limits && { limits, index };
}

/** The limits in JSON, or the problems of the text. */
export type ParsedTenantLimits =
  | { readonly limits: TenantLimits }
  | { readonly limits?: undefined; readonly problems: readonly string[] };

const FORM = `give JSON such as {"namespaces":[{"names":["team-*"],"allowedNames":["*.{namespace}.example.com"]}]}`;

/** Parses the value of the flag; an empty text has no limits. */
export function parseTenantLimits(text: string): ParsedTenantLimits {
  if (text.trim() === "") return { limits: {} };
  const limits = parseJson(text);
  if (limits === undefined) return { problems: [`is not JSON: ${FORM}`] };
  const problems = tenantLimitsProblems(limits, "");
  if (problems.length > 0)
    return { problems: problems.map(({ path, message }) => `${path.slice(1)} ${message}`.trim()) };
  return { limits: limits as TenantLimits };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
