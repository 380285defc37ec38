import { Duration } from "cdk8s";
import {
  AggregatedUserRoles,
  Credentials,
  type FlipopOperatorProps,
  MetricsScrape,
  OperatorFeature,
  Toleration,
} from "cdk8s-flipop";
import { allProviders } from "cdk8s-flipop/api";

/** All features, in the order of the docs. */
export const FEATURES: OperatorFeature[] = Object.values(OperatorFeature);

/** Placeholder for a whole block of a value: as a key in a map, or as an item in a list. */
export const BLOCK = "helm-block";
/** Lists of namespaces: the sentinel of an entry, and the value of the list. */
export const NAMESPACE_LISTS = {
  "helm-watch": "$.Values.watchNamespaces",
  "helm-pods": "$.Values.podNamespaces",
  "helm-issuers": "$.Values.issuerNamespaces",
  "helm-jobs": "$.Values.jobNamespaces",
} as const;
/** The item of `networkPolicyPorts`. */
export const POLICY_PORT = 654_321;
/** The item of `networkPolicyDnsPorts`. */
export const DNS_PORT = 543_210;
/** The item of `imagePullSecrets`. */
export const PULL_SECRET = "helm-pull";
/** These belong to values that no prop has. */
export const PULL_POLICY = "helm-policy";
export const ACCOUNT = "helm-account";

const REPLICAS = 987_654;
const RESYNC = 876_543;
const SHUTDOWN = 765_432;
const GRACE_MARGIN = 10;

/** Props with unique values in the output: the chart's value replaces each of them. */
export const SENTINELS: FlipopOperatorProps = {
  name: "helm-name",
  namespace: "helm-namespace",
  features: FEATURES,
  watchNamespaces: ["helm-watch"],
  podNamespaces: ["helm-pods"],
  issuerNamespaces: ["helm-issuers"],
  jobNamespaces: ["helm-jobs"],
  ...credentialSentinels(),
  image: "helm-image",
  imagePullSecrets: [PULL_SECRET],
  replicas: REPLICAS,
  serviceAccountName: ACCOUNT,
  nodeSelector: { [BLOCK]: "nodeSelector" },
  tolerations: [Toleration.key(BLOCK)],
  priorityClassName: "helm-priority",
  podAnnotations: { [BLOCK]: "podAnnotations" },
  env: { [BLOCK]: "env" },
  extraArgs: [BLOCK],
  debug: true,
  dryRun: true,
  resync: Duration.seconds(RESYNC),
  shutdownTimeout: Duration.seconds(SHUTDOWN),
  fastFailover: true,
  aggregateUserRoles: AggregatedUserRoles.EDIT,
  tenantLimits: { namespaces: [{ names: ["helm-tenants"] }] },
  networkPolicy: true,
  networkPolicyPorts: [POLICY_PORT],
  networkPolicyDnsPorts: [DNS_PORT],
  scrape: MetricsScrape.SERVICE_MONITOR,
  alertRules: true,
  dashboard: true,
  monitoringLabels: { [BLOCK]: "monitoringLabels" },
};

const TENANTS = String.raw`[{\"names\":[\"helm-tenants\"]}]`;

/** The expressions that replace sentinel texts. Longer texts come first, because some contain others. */
export const EXPRESSIONS: readonly (readonly [text: string, expression: string])[] = [
  ['"uid": "helm-name-helm-namespace"', '"uid": "{{ include "flipop.clusterName" $ | trunc 40 }}"'],
  ["helm-name-helm-namespace", '{{ include "flipop.clusterName" $ }}'],
  ...allProviders().flatMap(({ name, prop }) => [
    [`helm-${name}-secret`, `{{ $.Values.${prop}.secretName }}`] as const,
    [`helm-${name}-key`, `{{ $.Values.${prop}.key }}`] as const,
  ]),
  ["helm-namespace", "{{ $.Release.Namespace }}"],
  [ACCOUNT, '{{ include "flipop.serviceAccountName" $ }}'],
  ["helm-image", '{{ include "flipop.image" $ }}'],
  [PULL_POLICY, "{{ $.Values.image.pullPolicy }}"],
  ["helm-priority", "{{ $.Values.priorityClassName }}"],
  [`--resync=${RESYNC}`, "--resync={{ toJson $.Values.resync }}"],
  [`--shutdown-timeout=${SHUTDOWN}`, "--shutdown-timeout={{ int $.Values.shutdownTimeout }}"],
  [`--features=${FEATURES.join(",")}`, '--features={{ uniq $.Values.features | join "," }}'],
  // JSON within a quoted text.
  [String.raw`{\"namespaces\":${TENANTS}}`, '{{ include "flipop.quotedJson" $.Values.tenantLimits }}'],
  [TENANTS, '{{ include "flipop.tenantRules" $ }}'],
  // These appear in the expressions of a policy.
  ["'helm-issuers'.split", `'{{ join "," (default (list $.Release.Namespace) $.Values.issuerNamespaces) }}'.split`],
  ["helm-name", '{{ include "flipop.fullname" $ }}'],
];

/** The expressions that replace sentinel numbers. */
export const NUMBERS: ReadonlyMap<number, string> = new Map([
  [REPLICAS, "{{ int $.Values.replicas }}"],
  [SHUTDOWN + GRACE_MARGIN, `{{ add (int $.Values.shutdownTimeout) ${GRACE_MARGIN} }}`],
]);

function credentialSentinels(): FlipopOperatorProps {
  return Object.fromEntries(
    allProviders().map(({ name, prop }) => [
      prop,
      Credentials.fromSecretName(`helm-${name}-secret`, `helm-${name}-key`),
    ]),
  );
}
