import { AggregatedUserRoles, type FlipopOperatorProps } from "cdk8s-flipop";
import {
  allProviders,
  type CredentialProp,
  DEFAULT_FEATURES,
  DEFAULT_JOB_NAMESPACE,
  DEFAULT_SECRET,
  FEATURES,
  IMAGE,
} from "cdk8s-flipop/api";
import { DNS_PORTS } from "../../constructs/src/operator/network-policy.js";
import {
  crdsSchema,
  extraEnvSchema,
  imageSchema,
  objectNameSchema,
  pullSecretsSchema,
  resourcesSchema,
  serviceAccountSchema,
} from "./chart-only-schemas.js";
import {
  affinitySchema,
  annotationsSchema,
  booleanSchema,
  credentialsSchema,
  type JsonSchema,
  labelsSchema,
  nameSchema,
  namespacesSchema,
  numberSchema,
  type SchemaJson,
  tenantLimitsSchema,
  tolerationsSchema,
} from "./value-schemas.js";

/** A value of the chart: its default, its schema, and a note in addition to the prop's docstring. */
export interface ValueFacts {
  readonly default: SchemaJson;
  readonly schema: JsonSchema;
  /** Of a value without a prop of the same name: the whole text. */
  readonly note?: string;
}

const IMAGE_REPOSITORY = IMAGE.slice(0, IMAGE.lastIndexOf(":"));
const ALL_IF_EMPTY = "Empty: all.";
const NONE_IF_EMPTY = "Empty: none.";
const LABELS = { default: {}, schema: labelsSchema() };

/** Props without a value of the same name, and what replaces each. `cluster` is about the other charts of an app. */
export const REPLACED_PROPS = {
  cluster: [],
  name: ["nameOverride", "fullnameOverride"],
  namespace: [],
  serviceAccountName: ["serviceAccount"],
  cpuRequest: ["resources"],
  cpuLimit: ["resources"],
  memoryRequest: ["resources"],
  memoryLimit: ["resources"],
  env: ["extraEnv"],
} as const satisfies Partial<Record<keyof FlipopOperatorProps, readonly (keyof typeof CHART_VALUES)[]>>;

type PropWithValue = Exclude<keyof FlipopOperatorProps, keyof typeof REPLACED_PROPS>;

/** Values whose names and forms are those of most charts; no prop has the same. */
export const CHART_VALUES = {
  nameOverride: {
    default: "",
    schema: objectNameSchema(),
    note: 'Replaces "flipop" in the name of the operator\'s objects, RELEASE-flipop. A release whose name contains "flipop" gives them its own name.',
  },
  fullnameOverride: { default: "", schema: objectNameSchema(), note: "The name of the operator's objects." },
  image: {
    default: { repository: IMAGE_REPOSITORY, tag: "", digest: "", pullPolicy: "IfNotPresent" },
    schema: imageSchema(),
    note: "Image of the operator. Without a tag: that of this release. A digest, such as sha256:..., replaces the tag.",
  },
  serviceAccount: {
    default: { create: true, name: "", annotations: {} },
    schema: serviceAccountSchema(),
    note: "The ServiceAccount of the operator, to which the chart gives its permissions. Without a name: that of the operator's objects. With create: false, give the name of an existing one.",
  },
  podLabels: { ...LABELS, note: "Labels of the pods, in addition to those of the chart." },
  resources: {
    default: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    schema: resourcesSchema(),
    note: "Requests and limits of each pod. Kubernetes kills a pod that needs more memory than its limit; a pod throttled by a CPU limit may lose the Lease.",
  },
  extraEnv: {
    default: [],
    schema: extraEnvSchema(),
    note: "Additional environment variables, such as HTTPS_PROXY, in the form of a container's env. Tokens are refused: put them into a Secret.",
  },
  crds: {
    default: { enabled: true, keep: true },
    schema: crdsSchema(),
    note: "Whether the chart contains the CustomResourceDefinitions, so that helm upgrade changes them too, and whether they stay when Helm removes them from the release: after helm uninstall, or with enabled: false. If Helm deleted them, Kubernetes would delete all resources of the five kinds. The chart refuses an upgrade with enabled: false in which Helm would delete them.",
  },
} as const satisfies Readonly<Record<string, ValueFacts>>;

/** A value for each other prop of the operator, with the same name, and those without a prop. */
export const VALUES: Readonly<
  Record<Exclude<PropWithValue, keyof typeof CHART_VALUES> | keyof typeof CHART_VALUES, ValueFacts>
> = {
  ...CHART_VALUES,
  createNamespaces: {
    default: true,
    schema: booleanSchema(),
    note: "The chart creates only those of Jobs; helm install --create-namespace creates that of the operator.",
  },
  features: {
    default: [...DEFAULT_FEATURES],
    schema: {
      type: "array",
      minItems: 1,
      items: { enum: Object.keys(FEATURES) },
    },
  },
  watchNamespaces: { default: [], schema: namespacesSchema(), note: ALL_IF_EMPTY },
  podNamespaces: { default: [], schema: namespacesSchema(), note: ALL_IF_EMPTY },
  issuerNamespaces: { default: [], schema: namespacesSchema(), note: "Empty: the operator's own namespace." },
  jobNamespaces: { default: [DEFAULT_JOB_NAMESPACE], schema: namespacesSchema({ minItems: 1 }) },
  ...credentialValues(),
  tokenFiles: { default: false, schema: booleanSchema() },
  imagePullSecrets: {
    default: [],
    schema: pullSecretsSchema(),
    note: "In the form of a pod's spec.imagePullSecrets: a list of objects with a name.",
  },
  replicas: { default: 2, schema: numberSchema("integer", { minimum: 0 }) },
  nodeSelector: { ...LABELS, note: "The chart always adds Linux." },
  tolerations: {
    default: [],
    schema: tolerationsSchema(),
    note: "In the form of a pod's spec.tolerations.",
  },
  priorityClassName: { default: "", schema: nameSchema({ orEmpty: true }), note: "Empty: the cluster's default." },
  podAnnotations: { default: {}, schema: annotationsSchema(), note: NONE_IF_EMPTY },
  affinity: { default: {}, schema: affinitySchema(), note: "Empty: the default." },
  extraArgs: { default: [], schema: { type: "array", items: { type: "string" } } },
  debug: { default: false, schema: booleanSchema() },
  dryRun: { default: false, schema: booleanSchema() },
  resync: { default: 60, schema: numberSchema("number", { exclusiveMinimum: 0 }), note: "Seconds." },
  shutdownTimeout: { default: 20, schema: numberSchema("integer", { minimum: 0 }), note: "Seconds." },
  fastFailover: {
    default: false,
    schema: booleanSchema(),
    note: "Set it to true if a resource has a healthCheck: the chart does not know the resources.",
  },
  aggregateUserRoles: {
    default: AggregatedUserRoles.VIEW,
    schema: { enum: Object.values(AggregatedUserRoles) },
    note: '"None", "View" or "Edit".',
  },
  tenantLimits: { default: {}, schema: tenantLimitsSchema(), note: NONE_IF_EMPTY },
  admissionPolicy: { default: true, schema: booleanSchema() },
  networkPolicy: { default: false, schema: booleanSchema() },
  networkPolicyPorts: {
    default: [],
    schema: { type: "array", items: numberSchema("integer", { minimum: 1, maximum: 65_535 }) },
    note: NONE_IF_EMPTY,
  },
  networkPolicyDnsPorts: {
    default: [...DNS_PORTS],
    schema: { type: "array", minItems: 1, items: numberSchema("integer", { minimum: 1, maximum: 65_535 }) },
  },
  scrape: {
    default: "",
    schema: { enum: ["", "ServiceMonitor", "PodMonitor"] },
    note: '"ServiceMonitor" or "PodMonitor". Empty: no scrape object.',
  },
  alertRules: { default: false, schema: booleanSchema() },
  dashboard: { default: false, schema: booleanSchema() },
  monitoringLabels: LABELS,
};

function credentialValues(): Readonly<Record<CredentialProp, ValueFacts>> {
  const values = allProviders().map(({ prop, tokenVariable: key }) => [
    prop,
    { default: { secretName: DEFAULT_SECRET, key }, schema: credentialsSchema() },
  ]);
  return Object.fromEntries(values) as Record<CredentialProp, ValueFacts>;
}
