/** Problems of `tenantLimits` that the operator refuses at its start. */

import { ADDRESS_RANGE_PROBLEM, CREATED_ADDRESSES } from "../../../constructs/src/api/access/address-range.js";
import { NAME_PATTERN, NAME_PATTERN_PROBLEM } from "../../../constructs/src/api/access/name-pattern.js";
import {
  FLAG_LIMITS_SIZE,
  lateNameProblem,
  POLICY_LIMITS_SIZE,
} from "../../../constructs/src/api/access/tenant-limits.js";
import { quoted, refusal } from "../fill-in.js";

const BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = `${BYTE}(\\.${BYTE}){3}`;
const GROUP = "[0-9a-fA-F]{1,4}";

/** What `parseAddressRange` takes, and ranges of IPv4-mapped addresses: `isIp` has no regular expression. */
export const ADDRESS_RANGE = `^(${IPV4}/(3[0-2]|[12]?[0-9])|(${ipv6()})/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$`;
export const MAPPED_RANGE = `^(0{0,4}:){1,5}[fF]{4}:(${GROUP}:${GROUP}|${IPV4})/`;

/** Eight groups, or fewer around `::`; an IPv4 address may stand for the last two. */
function ipv6(): string {
  const forms = [0, 1, 2, 3, 4, 5, 6, 7].map((before) => {
    const head = before === 0 ? "" : `${GROUP}(:${GROUP}){${before - 1}}`;
    const tails = [tail(7 - before, GROUP), tail(6 - before, IPV4)].filter((text) => text !== "");
    return `${head}::${tails.length === 0 ? "" : `(${tails.join("|")})?`}`;
  });
  return [`(${GROUP}:){7}${GROUP}`, `(${GROUP}:){6}${IPV4}`, ...forms].join("|");
}

/** At most so many parts, of which the last has this form. */
function tail(most: number, last: string): string {
  return most < 1 ? "" : `(${GROUP}:){0,${most - 1}}${last}`;
}

const SIZES = [
  ["and .Values.admissionPolicy", POLICY_LIMITS_SIZE] as const,
  ["and (not .Values.admissionPolicy)", FLAG_LIMITS_SIZE] as const,
].map(([condition, { who, most }]) =>
  refusal(
    `${condition} (gt (len (toJson .Values.tenantLimits)) ${most})`,
    `tenantLimits: has {{ len (toJson .Values.tenantLimits) }} bytes as JSON, but ${who} at most ${most}: give namespaces with the same limits one entry, and use patterns such as team-*`,
  ),
);

const ENTRIES = `{{- range $index, $limits := (.Values.tenantLimits).namespaces }}
{{- range $entry, $range := $limits.allowedAddresses }}
{{- if and (ne $range "${CREATED_ADDRESSES}") (or (not (regexMatch ${quoted([ADDRESS_RANGE])} $range)) (regexMatch ${quoted([MAPPED_RANGE])} $range)) }}
tenantLimits.namespaces[{{ $index }}].allowedAddresses[{{ $entry }}]: "{{ $range }}" ${ADDRESS_RANGE_PROBLEM}
{{- end }}
{{- end }}
{{- range $entry, $name := $limits.allowedNames }}
{{- if not (regexMatch ${quoted([NAME_PATTERN])} $name) }}
tenantLimits.namespaces[{{ $index }}].allowedNames[{{ $entry }}]: "{{ $name }}" ${NAME_PATTERN_PROBLEM}
{{- end }}
{{- end }}
{{- end }}`;

/** Names that an earlier entry covers: `*` stands for any text, and no other character of a pattern has a meaning. */
const ORDER = `{{- range $index, $limits := (.Values.tenantLimits).namespaces }}
{{- range $entry, $name := $limits.names }}
{{- $covered := false }}
{{- range $first := until $index }}
{{- range $pattern := (index $.Values.tenantLimits.namespaces $first).names }}
{{- if and (not $covered) (regexMatch (printf "^%s$" (replace "*" ".*" $pattern)) $name) }}
{{- $covered = true }}
tenantLimits.namespaces[{{ $index }}].names[{{ $entry }}]: ${lateNameProblem("{{ $name }}", "{{ $first }}")}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}`;

export const LIMITS = [...SIZES, ENTRIES, ORDER];
