import { Duration } from "cdk8s";
import { Credentials, type FlipopOperatorProps, MetricsScrape, OperatorFeature, Toleration } from "cdk8s-flipop";
import { allProviders } from "cdk8s-flipop/api";

/** All features, in the order of the docs. */
export const FEATURES = [OperatorFeature.POOLS, OperatorFeature.DNS, OperatorFeature.ROUTED_IP, OperatorFeature.JOBS];

/** Placeholder for a whole block of a value: as a key in a map, or as an item in a list. */
export const BLOCK = "helm-block";
/** Lists of namespaces: the sentinel of an entry, and the value of the list. */
export const NAMESPACE_LISTS = {
  "helm-watch": "$.Values.watchNamespaces",
  "helm-pods": "$.Values.podNamespaces",
  "helm-issuers": "$.Values.issuerNamespaces",
  "helm-jobs": "$.Values.jobNamespaces",
} as const;
/** The item of `imagePullSecrets`. */
export const PULL_SECRET = "helm-pull";

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
  serviceAccountName: "helm-account",
  nodeSelector: { [BLOCK]: "nodeSelector" },
  tolerations: [Toleration.key(BLOCK)],
  priorityClassName: "helm-priority",
  cpuRequest: "helm-cpu-request",
  cpuLimit: "helm-cpu-limit",
  memoryRequest: "helm-memory-request",
  memoryLimit: "helm-memory-limit",
  env: { [BLOCK]: "env" },
  extraArgs: [BLOCK],
  debug: true,
  dryRun: true,
  resync: Duration.seconds(RESYNC),
  shutdownTimeout: Duration.seconds(SHUTDOWN),
  networkPolicy: true,
  scrape: MetricsScrape.SERVICE_MONITOR,
  alertRules: true,
  dashboard: true,
  monitoringLabels: { [BLOCK]: "monitoringLabels" },
};

/** The expressions that replace sentinel texts. Longer texts come first, because some contain others. */
export const EXPRESSIONS: readonly (readonly [text: string, expression: string])[] = [
  ['"uid": "helm-name-helm-namespace"', '"uid": "{{ include "flipop.clusterName" $ | trunc 40 }}"'],
  ["helm-name-helm-namespace", '{{ include "flipop.clusterName" $ }}'],
  ...allProviders().flatMap(({ name, prop }) => [
    [`helm-${name}-secret`, `{{ $.Values.${prop}.secretName }}`] as const,
    [`helm-${name}-key`, `{{ $.Values.${prop}.key }}`] as const,
  ]),
  ["helm-namespace", "{{ $.Values.namespace }}"],
  ["helm-account", '{{ include "flipop.serviceAccountName" $ }}'],
  ["helm-image", "{{ $.Values.image }}"],
  ["helm-priority", "{{ $.Values.priorityClassName }}"],
  ["helm-cpu-request", "{{ $.Values.cpuRequest }}"],
  ["helm-cpu-limit", "{{ $.Values.cpuLimit }}"],
  ["helm-memory-request", "{{ $.Values.memoryRequest }}"],
  ["helm-memory-limit", "{{ $.Values.memoryLimit }}"],
  [`--resync=${RESYNC}`, "--resync={{ $.Values.resync }}"],
  [`--shutdown-timeout=${SHUTDOWN}`, "--shutdown-timeout={{ int $.Values.shutdownTimeout }}"],
  [`--features=${FEATURES.join(",")}`, '--features={{ join "," $.Values.features }}'],
  // These appear in the expressions of a policy.
  ["'helm-issuers'.split", `'{{ join "," (default (list $.Values.namespace) $.Values.issuerNamespaces) }}'.split`],
  ["helm-name", "{{ $.Values.name }}"],
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
