/** Problems of values that the construct refuses too, and that a schema cannot say, or not in words. */

import {
  allProviders,
  customResourceDefinitions,
  DEFAULT_JOB_NAMESPACE,
  idleFeatures,
  NEEDED_FEATURES,
} from "cdk8s-flipop/api";
import { LABEL_KEY_PATTERN } from "../../../constructs/src/api/labels/label-syntax.js";
import { DNS_PORTS } from "../../../constructs/src/operator/network-policy.js";
import { quoted, refusal } from "../fill-in.js";
import { VARIABLE_PROBLEMS } from "./extra-env-and-args.js";
import { LIMITS } from "./tenant-limits.js";

/** templates/_refusals.tpl. Its one template fails with every problem of the values, a line for each that shows no token. */
export function refusals(): string {
  const values = [...idleValues(), ...NAMESPACES, ...LIMITS, NAME, KEYS, RESOURCES, VARIABLE_PROBLEMS];
  const parts = [...values, CRDS_NOT_KEPT, tokenProblems()];
  return `${AMOUNT}
${hasToken()}
{{- define "flipop.problems" -}}
${parts.join("\n")}
{{- end -}}

{{- define "flipop.refusals" -}}
{{- with include "flipop.problems" . | splitList "\\n" | compact -}}
{{- $shown := list -}}
{{- range . }}{{ if not (include "flipop.hasToken" .) }}{{ $shown = append $shown . }}{{ end }}{{ end -}}
{{- fail (join "\\n" $shown | default "a value contains what looks like an API token (not shown here): remove it") -}}
{{- end -}}
{{- end -}}
`;
}

function lacks(feature: string): string {
  return `(not (has ${quoted([feature])} .Values.features))`;
}

/** Values without effect. */
function idleValues(): readonly string[] {
  const features = Object.entries(NEEDED_FEATURES).map(([feature, needed]) =>
    refusal(
      `and (has "${feature}" .Values.features) ${needed.map(lacks).join(" ")}`,
      `features: ${idleFeatures([feature])[0]}`,
    ),
  );
  const lists = [
    { value: "issuerNamespaces", feature: "routedip", given: ".Values.issuerNamespaces" },
    {
      value: "jobNamespaces",
      feature: "jobs",
      given: `(ne (join "," .Values.jobNamespaces) "${DEFAULT_JOB_NAMESPACE}")`,
    },
  ].map(({ value, feature, given }) =>
    refusal(
      `and ${given} ${lacks(feature)}`,
      `${value}: has no effect without feature ${feature}: add it to features, or remove the value`,
    ),
  );
  const ports = [
    ["networkPolicyPorts", ".Values.networkPolicyPorts"],
    ["networkPolicyDnsPorts", `(ne (join "," .Values.networkPolicyDnsPorts) "${DNS_PORTS.join(",")}")`],
  ].map(([value, given]) =>
    refusal(
      `and ${given} (not .Values.networkPolicy)`,
      `${value}: has no effect without networkPolicy: set networkPolicy to true, or remove the value`,
    ),
  );
  return [...features, ...lists, ...ports, IDLE_LABELS];
}

/**
 * Before Helm deletes an object that the chart no longer contains, it looks at the annotation of the object in the cluster,
 * whatever the values say. A release without the CRDs deletes none.
 */
const CRDS_NOT_KEPT = `{{- $release := . }}
{{- if and .Release.IsUpgrade (not .Values.crds.enabled) }}
{{- range $name := list ${quoted(customResourceDefinitions().map(({ metadata }) => metadata.name))} }}
{{- with (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name).metadata }}
{{- $annotations := default dict .annotations }}
{{- $owner := list (get $annotations "meta.helm.sh/release-namespace") (get $annotations "meta.helm.sh/release-name") }}
{{- if and (deepEqual $owner (list $release.Release.Namespace $release.Release.Name)) (ne (get $annotations "helm.sh/resource-policy") "keep") }}
crds.enabled: Helm would delete {{ $name }} with all its resources, because its annotation does not keep it: upgrade with crds.enabled=true and crds.keep=true first, then again with crds.enabled=false
{{- end }}
{{- end }}
{{- end }}
{{- end }}`;

const IDLE_LABELS = refusal(
  "and .Values.monitoringLabels (not (or .Values.scrape .Values.alertRules .Values.dashboard))",
  "monitoringLabels: has no effect without scrape, alertRules or dashboard: add one of them, or remove the value",
);

const NAMESPACES = [
  refusal(
    'and (has "jobs" .Values.features) (has .Release.Namespace .Values.jobNamespaces)',
    'jobNamespaces: "{{ .Release.Namespace }}" is the operator\'s own namespace, which contains its credentials: run Jobs in another one',
  ),
  `{{- range $index, $namespace := .Values.jobNamespaces }}
{{- if and $.Values.createNamespaces (regexMatch "^(default|kube-.*)$" $namespace) }}
jobNamespaces[{{ $index }}]: "{{ $namespace }}" belongs to Kubernetes, and this chart would create it with Pod Security labels, which stop other pods there: use another namespace, or set createNamespaces to false
{{- end }}
{{- end }}`,
];

/** Helm allows names of releases that are no names of Services; the operator's objects would get them. */
const NAME = `{{- $name := include "flipop.fullname" . }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) }}
fullnameOverride: without it, the operator's objects would be named "{{ $name }}", but the name of a Service begins with a letter and has only lower-case letters, digits and "-": give such a name
{{- end }}
${refusal(
  "not (or .Values.serviceAccount.create .Values.serviceAccount.name)",
  'serviceAccount.name: is empty, so that "default" would get the permissions: name an existing ServiceAccount, or set serviceAccount.create to true',
)}`;

/** Keys of labels and annotations. A schema's message would name another value. */
const KEYS = `{{- $maps := dict "nodeSelector" .Values.nodeSelector "podLabels" .Values.podLabels "monitoringLabels" .Values.monitoringLabels }}
{{- $maps = merge $maps (dict "podAnnotations" .Values.podAnnotations "serviceAccount.annotations" .Values.serviceAccount.annotations) }}
{{- range $value, $map := $maps }}
{{- range $key, $_ := $map }}
{{- if not (regexMatch "^${LABEL_KEY_PATTERN.replaceAll("\\", "\\\\")}$" $key) }}
{{ $value }}: {{ toJson $key }} is not {{ ternary "an annotation key" "a label key" (contains "nnotations" $value) }}: write [prefix/]name, with a name of at most 63 letters, digits, "-", "_" and "."
{{- end }}
{{- if and (hasPrefix "app.kubernetes.io/" $key) (has $value (list "podLabels" "monitoringLabels")) }}
{{ $value }}: only the chart sets labels of app.kubernetes.io: remove "{{ $key }}"
{{- end }}
{{- end }}
{{- end }}
{{- if hasKey (default dict .Values.nodeSelector) "kubernetes.io/os" }}
nodeSelector: the chart always adds "kubernetes.io/os: linux", because the image is for Linux: remove "kubernetes.io/os: {{ get .Values.nodeSelector "kubernetes.io/os" }}"
{{- end }}`;

/** The number of a quantity. */
const AMOUNT = `{{- define "flipop.amount" -}}
{{- $factors := dict "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 -}}
{{- $factors = merge $factors (dict "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0) -}}
{{- $factors = merge $factors (dict "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0) -}}
{{- $unit := regexFind "[A-Za-z]+$" (toString .) -}}
{{ mulf (trimSuffix $unit (toString .) | float64) (get $factors $unit | default 1.0) }}
{{- end -}}
`;

const RESOURCES = `{{- $limits := default dict .Values.resources.limits }}
{{- range $resource, $request := .Values.resources.requests }}
{{- if hasKey $limits $resource }}
{{- $limit := get $limits $resource }}
{{- if gt (include "flipop.amount" $request | float64) (include "flipop.amount" $limit | float64) }}
resources.requests.{{ $resource }}: "{{ $request }}" exceeds the limit "{{ $limit }}": lower it, or raise resources.limits.{{ $resource }}
{{- end }}
{{- end }}
{{- end }}`;

/** The values that contain an API token, by the rules of the construct. They are not shown, because logs may contain the error. */
function tokenProblems(): string {
  return `{{- range $value, $content := omit .Values "global" }}
{{- if include "flipop.hasToken" (toJson $content) }}
{{ $value }}: contains what looks like an API token (not shown here): put it into a Secret, and name that in ${secretValues()}
{{- end }}
{{- end }}`;
}

/** Defines the template that is empty unless a text contains a token. */
function hasToken(): string {
  return `{{- define "flipop.hasToken" -}}
{{- $text := . -}}
{{- if regexMatch ${quoted([texts().join("|")])} $text -}}token{{- end -}}
{{- range regexFindAll "[-_A-Za-z0-9]+" $text -1 -}}
{{- if and (has (len .) (list ${lengths().join(" ")})) (regexMatch "[a-z]" .) (regexMatch "[A-Z]" .) (regexMatch "[0-9]" .) -}}token{{- end -}}
{{- end -}}
{{- end -}}
`;
}

function forms(): readonly (string | number)[] {
  return allProviders().flatMap(({ tokenForms }) => tokenForms);
}

function texts(): readonly string[] {
  return forms().filter((form) => typeof form === "string");
}

function lengths(): readonly number[] {
  return forms().filter((form) => typeof form === "number");
}

function secretValues(): string {
  return allProviders()
    .map(({ prop }) => prop)
    .join(" or ");
}
