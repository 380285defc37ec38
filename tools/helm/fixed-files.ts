import { allProviders, PACKAGES } from "cdk8s-flipop/api";

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

/** Names for several templates, by the rules of the construct. */
export const HELPERS = `{{- define "flipop.clusterName" -}}
{{- if and (eq .Values.name "flipop") (eq .Values.namespace "flipop") -}}
{{ .Values.name }}
{{- else -}}
{{ .Values.name }}-{{ .Values.namespace }}
{{- end -}}
{{- end -}}

{{- define "flipop.serviceAccountName" -}}
{{ default .Values.name .Values.serviceAccountName }}
{{- end -}}
`;

/** Helm prints this text after an installation. */
export function notes(): string {
  const width = Math.max(...allProviders().map(({ title }) => title.length));
  const lines = allProviders().map(({ title, prop }) => {
    const secret = `Secret {{ .Values.${prop}.secretName }}, key {{ .Values.${prop}.key }}`;
    return `  ${`${title}:`.padEnd(width + 1)} ${secret}`;
  });
  return NOTES.replace("SECRETS", lines.join("\n"));
}

function keywords(): string {
  const words = [...allProviders().flatMap((provider) => provider.keywords), "dns", "floating-ip"];
  return words.map((word) => `  - ${word}`).join("\n");
}

const NOTES = `flipop {{ .Chart.AppVersion }} runs as Deployment {{ .Values.name }} in namespace {{ .Values.namespace }}.

It reads its API tokens from Secrets of that namespace:
SECRETS

Make them (one is enough) and restart the pods:
  kubectl -n {{ .Values.namespace }} create secret generic {{ .Values.digitalOcean.secretName }} --from-literal={{ .Values.digitalOcean.key }}=...
  kubectl -n {{ .Values.namespace }} rollout restart deployment {{ .Values.name }}
`;
