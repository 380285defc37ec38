/** Problems of `extraEnv` and `extraArgs` that the construct refuses too. */

import {
  allProviders,
  FAST_LEASE,
  FLAGS,
  LEAST_DRIFT_SECONDS,
  PROXY_VARIABLES,
  providerVariables,
} from "cdk8s-flipop/api";
import { parseFlag } from "../../../constructs/src/api/parse-flag.js";
import { MANAGED_FLAGS } from "../../../constructs/src/operator/arguments.js";
import { quoted } from "../fill-in.js";
import { flagPattern } from "../value-schemas.js";

const FREE = FLAGS.filter(({ name }) => !(name in MANAGED_FLAGS));
type Texts = readonly (readonly [key: string, text: string])[];
/** Flags whose values depend on others. */
const RELATED = FREE.filter(({ name }) => name === "drift-interval" || name.startsWith("leader-elect"));

const PATTERNS: Texts = FREE.map((flag) => [flag.name, `^(${flagPattern(flag)})$`]);
/** What to do about a value that a flag does not take. A flag that takes every text has none. */
const FIXES: Texts = FREE.map((flag) => {
  const parsed = parseFlag(flag, "");
  return [flag.name, parsed.ok ? "" : parsed.problem.replace(/^""/, "")];
});
const INSTEAD: Texts = Object.entries(MANAGED_FLAGS).map(([name, text]) => [name, text.replace(/^prop /, "value ")]);
const BOOLEANS = FREE.filter(({ type }) => type === "boolean").map(({ name }) => name);

/** Variables that the chart sets itself, each with what to do instead. */
const REFUSED_NAMES = dict([
  ...providerVariables()
    .filter(({ secret }) => secret)
    .map(
      ({ env, prop }) => [env, `the values must not contain a token: put it into the Secret of value ${prop}`] as const,
    ),
  ...FLAGS.flatMap(({ name, env }) => {
    const instead = new Map(INSTEAD).get(name);
    return instead === undefined ? [] : [[env, `the chart sets this variable: use ${instead}`] as const];
  }),
]);

const NAMES = `{{- $patterns := ${dict(PATTERNS)} }}
{{- $fixes := ${dict(FIXES)} }}
{{- range $index, $variable := .Values.extraEnv }}
{{- $name := $variable.name }}
{{- $value := default "" $variable.value | trim }}
{{- $flag := get (${dict(FREE.map(({ name, env }) => [env, name]))}) $name }}
{{- $problem := get (${REFUSED_NAMES}) $name }}
{{- if $problem }}
extraEnv[{{ $index }}]: {{ $name }}: {{ $problem }}
{{- else if and (hasPrefix "FLIPOP_" $name) (not $flag) }}
extraEnv[{{ $index }}]: {{ $name }} is not a variable of the operator: correct its name, or remove it
{{- else if and $flag (hasKey $variable "value") (not (regexMatch (get $patterns $flag) $variable.value)) }}
extraEnv[{{ $index }}]: {{ $name }}: "{{ $variable.value }}"{{ get $fixes $flag }}
{{- end }}
{{- $isProxy := has $name (list ${quoted(PROXY_VARIABLES)}) }}
{{- if and $isProxy $value (not (contains "://" $value)) }}{{ $value = printf "http://%s" $value }}{{ end }}
{{- if and $value (or $isProxy (has $name (list ${quoted(allProviders().map(({ urlVariable }) => urlVariable))}))) }}
{{- if not (regexMatch "^[hH][tT][tT][pP][sS]?://[^/?#\\\\s]+[^\\\\s]*$" $value) }}
extraEnv[{{ $index }}]: the value of {{ $name }} is not an http or https URL: correct it, as in https://example.com, or remove it
{{- end }}
{{- end }}
{{- end }}`;

/** The effective settings: a flag takes precedence over its variable. */
const SETTINGS = `{{- $settings := ${dict(RELATED.map((flag) => [flag.name, flag.default]))} }}
{{- range .Values.extraEnv }}
{{- $name := get (${dict(RELATED.map((flag) => [flag.env, flag.name]))}) .name }}
{{- if and $name .value }}{{ $_ := set $settings $name .value }}{{ end }}
{{- end }}
{{- if .Values.fastFailover }}{{ $settings = merge (${dict(Object.entries(FAST_LEASE))}) $settings }}{{ end }}
{{- $seen := list }}
{{- range $index, $argument := .Values.extraArgs }}
{{- $parts := regexSplit "=" $argument 2 }}
{{- $flag := first $parts }}
{{- $name := trimPrefix "--" $flag }}
{{- $value := index (append $parts "true") 1 }}
{{- $instead := get (${dict(INSTEAD)}) $name }}
{{- if not (regexMatch "^--[a-z][a-z-]*$" $flag) }}
extraArgs[{{ $index }}]: "{{ $argument }}" is not a flag: write each as "--flag=value"
{{- else if $instead }}
extraArgs[{{ $index }}]: "{{ $flag }}" is set by the chart: use {{ $instead }}
{{- else if not (hasKey $patterns $name) }}
extraArgs[{{ $index }}]: "{{ $flag }}" is not a flag of the operator: the flags without a value of their own are ${FREE.map(({ name }) => `--${name}`).join(", ")}
{{- else if and (eq (len $parts) 1) (not (has $name (list ${quoted(BOOLEANS)}))) }}
extraArgs[{{ $index }}]: "{{ $flag }}" has no value: write it as {{ $flag }}=value
{{- else if not (regexMatch (get $patterns $name) $value) }}
extraArgs[{{ $index }}]: "{{ $value }}"{{ get $fixes $name }}
{{- else }}
{{- $_ := set $settings $name $value }}
{{- end }}
{{- if has $flag $seen }}
extraArgs[{{ $index }}]: {{ $flag }} is listed twice: remove one
{{- end }}
{{- $seen = append $seen $flag }}
{{- end }}`;

const [LEASE, RENEW, RETRY] = ["lease-duration", "renew-deadline", "retry-period"].map(
  (name) => `leader-elect-${name}`,
);

const RELATIONS = `{{- if and (gt (int .Values.replicas) 1) (not .Values.dryRun) (has (get $settings "leader-elect" | lower) (list "false" "f" "0")) }}
replicas: {{ int .Values.replicas }} pods would all act at once without leader election: remove --leader-elect or FLIPOP_LEADER_ELECT, or set replicas to 1
{{- end }}
{{- $lease := get $settings "${LEASE}" }}
{{- $renew := get $settings "${RENEW}" }}
{{- $retry := get $settings "${RETRY}" }}
{{- $seconds := dict }}
{{- range $name, $text := $settings }}{{ $_ := set $seconds $name (trimSuffix "s" $text | float64) }}{{ end }}
{{- if not (and (gt (get $seconds "${LEASE}") (get $seconds "${RENEW}")) (gt (get $seconds "${RENEW}") (get $seconds "${RETRY}"))) }}
extraArgs: --${LEASE} {{ $lease }}, --${RENEW} {{ $renew }} and --${RETRY} {{ $retry }}: each must be greater than the next
{{- end }}
{{- if lt (get $seconds "drift-interval") ${LEAST_DRIFT_SECONDS}.0 }}
extraArgs: --drift-interval {{ get $settings "drift-interval" }}: each record set is read that often, which the provider's limits do not allow: use at least ${LEAST_DRIFT_SECONDS}
{{- end }}`;

/** What the operator would refuse at its start. */
export const VARIABLE_PROBLEMS = [NAMES, SETTINGS, RELATIONS].join("\n");

function dict(entries: Texts): string {
  return `dict ${quoted(entries.flat())}`;
}
