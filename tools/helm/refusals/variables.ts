/** Problems of `extraEnv` and `extraArgs` that the construct refuses too. */

import {
  allProviders,
  FAST_LEASE,
  FLAGS,
  LEAST_DRIFT_SECONDS,
  PROXY_VARIABLES,
  providerVariables,
} from "cdk8s-flipop/api";
import { MANAGED_FLAGS } from "../../../constructs/src/operator/arguments.js";
import { quoted } from "../text.js";
import { flagPattern } from "../value-schemas.js";

const FREE = FLAGS.filter(({ name }) => !(name in MANAGED_FLAGS));
/** Flags whose values depend on others. */
const RELATED = FREE.filter(({ name }) => name === "drift-interval" || name.startsWith("leader-elect"));

/** Variables that the chart sets itself, each with what to do instead. */
const REFUSED_NAMES = dict([
  ...providerVariables()
    .filter(({ secret }) => secret)
    .map(
      ({ env, prop }) => [env, `the values must not contain a token: put it into the Secret of value ${prop}`] as const,
    ),
  ...FLAGS.flatMap(({ name, env }) => {
    const instead = MANAGED_FLAGS[name]?.replace(/^prop /, "value ");
    return instead === undefined ? [] : [[env, `the chart sets this variable: use ${instead}`] as const];
  }),
]);

const NAMES = `{{- range $index, $variable := .Values.extraEnv }}
{{- $name := $variable.name }}
{{- $value := default "" $variable.value | trim }}
{{- $pattern := get (${dict(FREE.map((flag) => [flag.env, `^(${flagPattern(flag)})$`]))}) $name }}
{{- $problem := get (${REFUSED_NAMES}) $name }}
{{- if $problem }}
extraEnv[{{ $index }}]: {{ $name }}: {{ $problem }}
{{- else if and (hasPrefix "FLIPOP_" $name) (not $pattern) }}
extraEnv[{{ $index }}]: {{ $name }} is not a variable of the operator: correct its name, or remove it
{{- else if and $pattern (hasKey $variable "value") (not (regexMatch $pattern $variable.value)) }}
extraEnv[{{ $index }}]: {{ $name }} has a value that the operator refuses: give one that matches {{ $pattern }}
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
{{- if has $flag $seen }}
extraArgs[{{ $index }}]: {{ $flag }} is listed twice: remove one
{{- end }}
{{- $seen = append $seen $flag }}
{{- $_ := set $settings (trimPrefix "--" $flag) (index (append $parts "true") 1) }}
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

function dict(entries: readonly (readonly [key: string, text: string])[]): string {
  return `dict ${quoted(entries.flat())}`;
}
