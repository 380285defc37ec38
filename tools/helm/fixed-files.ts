import { allProviders, PACKAGES } from "cdk8s-flipop/api";
import {
  API_SERVER_PORT_VARIABLE,
  CLIENT_PORTS,
  DNS_PORTS,
  urlVariables,
} from "../../constructs/src/operator/network-policy.js";
import { quoted } from "./fill-in.js";

/** Chart.yaml. The name and the version are the same on every machine. */
export function chartYaml(): string {
  return `apiVersion: v2
name: flipop
description: Stable public addresses, DNS records and firewalls for Kubernetes nodes
type: application
version: ${PACKAGES.version}
appVersion: "${PACKAGES.version}"
kubeVersion: ">=1.31.0-0"
home: https://github.com/flipop/flipop
sources:
  - https://github.com/flipop/flipop
keywords:
${keywords()}
`;
}

/** Names for several templates: Helm's usual ones, and those of objects outside of a namespace by the rules of the construct. */
export const HELPERS = `{{- define "flipop.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{ default $both .Values.fullnameOverride | trunc 55 | trimSuffix "-" }}
{{- end -}}

{{- define "flipop.clusterName" -}}
{{- $name := include "flipop.fullname" . -}}
{{- if and (eq $name "flipop") (eq .Release.Namespace "flipop") -}}
{{ $name }}
{{- else -}}
{{ $name }}-{{ .Release.Namespace }}
{{- end -}}
{{- end -}}

{{- define "flipop.serviceAccountName" -}}
{{ default (include "flipop.fullname" .) .Values.serviceAccount.name }}
{{- end -}}

{{- define "flipop.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "flipop.dnsPorts" -}}
{{- $ports := list -}}
{{- range default (list ${DNS_PORTS.join(" ")}) .Values.networkPolicyDnsPorts -}}
{{- $ports = append $ports (int .) -}}
{{- end -}}
{{ uniq $ports | join "," }}
{{- end -}}

{{- define "flipop.tcpDnsPorts" -}}
{{ without (include "flipop.dnsPorts" . | splitList ",") ${quoted(CLIENT_PORTS)} | join "," }}
{{- end -}}

{{- define "flipop.policyPorts" -}}
{{- $dns := include "flipop.dnsPorts" . | splitList "," -}}
{{- $ports := list -}}
{{- range .Values.networkPolicyPorts -}}
{{- $ports = append $ports (int . | toString) -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- $url := default "" .value | trim -}}
{{- if eq .name "${API_SERVER_PORT_VARIABLE}" -}}
{{- $url = printf ":%s" $url -}}
{{- end -}}
{{- if and $url (has .name (list ${quoted([API_SERVER_PORT_VARIABLE, ...urlVariables()])})) -}}
{{- $authority := regexReplaceAll "^[A-Za-z]+://" $url "" | regexFind "^[^/?#]*" -}}
{{- $port := regexFind ":[0-9]{1,9}$" $authority | trimPrefix ":" -}}
{{- if and (not $port) (not (contains "$(" $url)) -}}
{{- $port = ternary "443" "80" (hasPrefix "https://" (lower $url)) -}}
{{- end -}}
{{- $port = atoi (default "0" $port) -}}
{{- if and (ge $port 1) (le $port 65535) -}}
{{- $ports = append $ports (toString $port) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $dns -}}
{{- $ports = without $ports . -}}
{{- end -}}
{{ without (uniq $ports) ${quoted(CLIENT_PORTS)} | join "," }}
{{- end -}}

{{- define "flipop.quotedJson" -}}
{{ toJson . | toJson | trimPrefix "\\"" | trimSuffix "\\"" }}
{{- end -}}

{{- define "flipop.tenantRules" -}}
{{- $rules := list -}}
{{- range (.Values.tenantLimits).namespaces -}}
{{- $rule := omit . "maxCreatedAddresses" -}}
{{- if hasKey . "maxCreatedAddresses" -}}
{{- $rule = set $rule "capped" (list (toString .maxCreatedAddresses)) -}}
{{- end -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{ include "flipop.quotedJson" $rules }}
{{- end -}}
`;

/** Helm prints this text after an installation. */
export function notes(): string {
  const width = Math.max(...allProviders().map(({ title }) => title.length));
  const lines = allProviders().map(({ title, prop }) => {
    const secret = `Secret {{ .Values.${prop}.secretName }}, key {{ .Values.${prop}.key }}`;
    return `  ${`${title}:`.padEnd(width + 1)} ${secret}`;
  });
  return `{{- include "flipop.refusals" . -}}\n${NOTES.replace("SECRETS", lines.join("\n"))}`;
}

function keywords(): string {
  const words = [...allProviders().flatMap((provider) => provider.keywords), "dns", "floating-ip"];
  return words.map((word) => `  - ${word}`).join("\n");
}

const NOTES = `flipop {{ .Chart.AppVersion }} runs as Deployment {{ include "flipop.fullname" . }} in namespace {{ .Release.Namespace }}.

It reads its API tokens from Secrets of that namespace:
SECRETS

If a Secret or key is missing, create it (pools need the token of DigitalOcean; a RoutedIP does if its issuer has no Secret), and restart the pods:
  kubectl -n {{ .Release.Namespace }} create secret generic {{ .Values.digitalOcean.secretName }} --from-literal={{ .Values.digitalOcean.key }}=...
  kubectl -n {{ .Release.Namespace }} rollout restart deployment {{ include "flipop.fullname" . }}

Then check the installation:
  helm test {{ .Release.Name }} -n {{ .Release.Namespace }} --logs
`;
