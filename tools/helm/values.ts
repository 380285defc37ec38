import type { FlipopOperatorProps } from "cdk8s-flipop";
import {
  allProviders,
  type CredentialProp,
  DEFAULT_FEATURES,
  DEFAULT_JOB_NAMESPACE,
  DEFAULT_NAMESPACE,
  DEFAULT_SECRET,
  IMAGE,
} from "cdk8s-flipop/api";
import {
  booleanSchema,
  credentialsSchema,
  envSchema,
  extraArgsSchema,
  type JsonSchema,
  labelsSchema,
  nameSchema,
  namespaceSchema,
  namespacesSchema,
  numberSchema,
  quantitySchema,
  type SchemaJson,
  textSchema,
} from "./value-schemas.js";

/** A value of the chart: its default, its schema, and a note in addition to the prop's docstring. */
export interface ValueFacts {
  readonly default: SchemaJson;
  readonly schema: JsonSchema;
  readonly note?: string;
}

const ALL_IF_EMPTY = "Empty: all.";
const NONE_IF_EMPTY = "Empty: none.";
const LABELS = { default: {}, schema: labelsSchema() };

/** A value for each prop of the operator, with the same name. */
export const VALUES: Readonly<Record<Exclude<keyof FlipopOperatorProps, "cluster">, ValueFacts>> = {
  name: { default: "flipop", schema: { ...textSchema("^[a-z]([-a-z0-9]*[a-z0-9])?$"), maxLength: 55 } },
  namespace: {
    default: DEFAULT_NAMESPACE,
    schema: namespaceSchema(),
    note: "Helm's own --namespace only selects the namespace of Helm's records.",
  },
  createNamespaces: {
    default: true,
    schema: booleanSchema(),
    note: "Set this to false if you use --create-namespace for the same namespace.",
  },
  features: {
    default: [...DEFAULT_FEATURES],
    schema: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { enum: ["pools", "dns", "routedip", "jobs"] },
    },
  },
  watchNamespaces: { default: [], schema: namespacesSchema(), note: ALL_IF_EMPTY },
  podNamespaces: { default: [], schema: namespacesSchema(), note: ALL_IF_EMPTY },
  issuerNamespaces: { default: [], schema: namespacesSchema(), note: "Empty: the operator's own namespace." },
  jobNamespaces: { default: [DEFAULT_JOB_NAMESPACE], schema: namespacesSchema({ minItems: 1 }) },
  ...credentialValues(),
  image: { default: IMAGE, schema: textSchema('^[^\\s"\\\\]+$') },
  imagePullSecrets: { default: [], schema: { type: "array", items: nameSchema() }, note: NONE_IF_EMPTY },
  replicas: { default: 2, schema: numberSchema("integer", { minimum: 0 }) },
  serviceAccountName: { default: "", schema: nameSchema({ orEmpty: true }), note: "Empty: a new ServiceAccount." },
  nodeSelector: { ...LABELS, note: "The chart always adds Linux." },
  tolerations: {
    default: [],
    schema: { type: "array", items: { type: "object" } },
    note: "In the form of a pod's spec.tolerations.",
  },
  priorityClassName: { default: "", schema: nameSchema({ orEmpty: true }), note: "Empty: the cluster's default." },
  cpuRequest: { default: "50m", schema: quantitySchema() },
  cpuLimit: { default: "", schema: quantitySchema({ orEmpty: true }), note: "Empty: no limit." },
  memoryRequest: { default: "128Mi", schema: quantitySchema() },
  memoryLimit: { default: "512Mi", schema: quantitySchema() },
  env: { default: {}, schema: envSchema() },
  extraArgs: { default: [], schema: extraArgsSchema() },
  debug: { default: false, schema: booleanSchema() },
  dryRun: { default: false, schema: booleanSchema() },
  resync: { default: 60, schema: numberSchema("number", { exclusiveMinimum: 0, maximum: 86_400 }), note: "Seconds." },
  shutdownTimeout: { default: 20, schema: numberSchema("integer", { minimum: 0, maximum: 3600 }), note: "Seconds." },
  admissionPolicy: { default: true, schema: booleanSchema() },
  networkPolicy: { default: false, schema: booleanSchema() },
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
