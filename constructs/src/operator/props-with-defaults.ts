import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import type { TenantLimits } from "../api/access/tenant-limits";
import { DEFAULT_FEATURES, DEFAULT_JOB_NAMESPACE, DEFAULT_NAMESPACE, FEATURES, type FeatureName } from "../api/config";
import { RELEASE } from "../api/release";
import { AggregatedUserRoles } from "../operator-options";
import type { FlipopOperatorProps } from "../operator-props";

/** The operator's default name. */
export const DEFAULT_NAME = "flipop";

/** The props with their defaults, for all parts of an operator. Method `serve` adds to the lists. */
export interface OperatorSettings {
  readonly name: string;
  readonly namespace: string;
  /** Name of objects outside of the operator's namespace: `name` for the default install, else `name-namespace`. */
  readonly clusterName: string;
  readonly serviceAccountName: string;
  readonly createNamespaces: boolean;
  /** In the order of the docs, each once. */
  readonly features: FeatureName[];
  /** Empty: all. */
  readonly watchNamespaces: string[];
  /** Empty: all. */
  readonly podNamespaces: string[];
  /** Empty without feature routedip. */
  readonly issuerNamespaces: string[];
  /** Empty without feature jobs. */
  readonly jobNamespaces: string[];
  readonly aggregateUserRoles: AggregatedUserRoles;
  /** Empty: none. */
  readonly tenantLimits: TenantLimits;
  /** Labels that select the operator's pods. They never change with a release. */
  readonly selector: Readonly<Record<string, string>>;
  /** Labels of every object. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Fills in the defaults. It does not throw for wrong props: `operatorProblems` reports them. */
export function operatorSettings(scope: Construct, props: FlipopOperatorProps): OperatorSettings {
  const name = props.name ?? DEFAULT_NAME;
  const namespace = props.namespace ?? Chart.of(scope).namespace ?? DEFAULT_NAMESPACE;
  const features = enabledFeatures(props);
  const selector = { "app.kubernetes.io/name": DEFAULT_NAME, "app.kubernetes.io/instance": name };
  return {
    name,
    namespace,
    clusterName: clusterName(name, namespace),
    serviceAccountName: props.serviceAccountName ?? name,
    createNamespaces: props.createNamespaces ?? true,
    features,
    watchNamespaces: [...(props.watchNamespaces ?? [])],
    podNamespaces: [...(props.podNamespaces ?? [])],
    ...featureNamespaces(props, features, namespace),
    aggregateUserRoles: props.aggregateUserRoles ?? AggregatedUserRoles.VIEW,
    tenantLimits: props.tenantLimits ?? {},
    selector,
    labels: {
      ...selector,
      "app.kubernetes.io/component": "operator",
      "app.kubernetes.io/part-of": DEFAULT_NAME,
      "app.kubernetes.io/version": RELEASE,
    },
  };
}

/** Name of all objects for the cleanup in deleted namespaces. */
export function cleanupName({ clusterName: name }: OperatorSettings): string {
  return `${name}-cleanup`;
}

/** The namespaces of the features; none for a feature that is off. */
export function featureNamespaces(
  props: FlipopOperatorProps,
  features: readonly FeatureName[],
  own: string,
): Pick<OperatorSettings, "issuerNamespaces" | "jobNamespaces"> {
  return {
    issuerNamespaces: features.includes("routedip") ? [...(props.issuerNamespaces ?? [own])] : [],
    jobNamespaces: features.includes("jobs") ? [...(props.jobNamespaces ?? [DEFAULT_JOB_NAMESPACE])] : [],
  };
}

function clusterName(name: string, namespace: string): string {
  return name === DEFAULT_NAME && namespace === DEFAULT_NAMESPACE ? name : `${name}-${namespace}`;
}

function enabledFeatures({ features }: FlipopOperatorProps): FeatureName[] {
  const wanted: readonly string[] = features ?? DEFAULT_FEATURES;
  return featureNames().filter((feature) => wanted.includes(feature));
}

/** The features in the order of the docs. */
export function featureNames(): readonly FeatureName[] {
  return Object.keys(FEATURES) as FeatureName[];
}
