import { allProviders, type CredentialProp } from "../../api/providers";
import { isObject } from "../../api/schema/schema";
import { AggregatedUserRoles, MetricsScrape } from "../../operator-options";
import type { FlipopOperatorProps } from "../../operator-props";
import type { ShapeOf, Shapes } from "../../private/prop-shapes";
import { PART, type Part } from "../../private/prop-types";

/** No schema checks these props, so each single value needs a named type. */
type OperatorShapes = {
  readonly [Prop in keyof FlipopOperatorProps & string]-?: ShapeOf<FlipopOperatorProps[Prop]> &
    ({ readonly list: true } | { readonly part: Part } | { readonly struct: Shapes });
};

const SCRAPE: Part = {
  type: "MetricsScrape",
  fits: (value) => Object.values(MetricsScrape).some((scrape) => scrape === value),
  make: () => "MetricsScrape.SERVICE_MONITOR or MetricsScrape.POD_MONITOR",
};
const USER_ROLES: Part = {
  type: "AggregatedUserRoles",
  fits: (value) => Object.values(AggregatedUserRoles).some((roles) => roles === value),
  make: () => "AggregatedUserRoles.NONE, AggregatedUserRoles.VIEW or AggregatedUserRoles.EDIT",
};
const CPU = quantity("a Cpu", "amount", '"50m" or Cpu.millis(50)');
const MEMORY = quantity("a Size", "toKibibytes", '"128Mi" or Size.mebibytes(128)');

function quantity(other: string, member: string, make: string): Part {
  return {
    type: `string or ${other}`,
    fits: (value) => PART.text.fits(value) || (isObject(value) && Reflect.has(value, member)),
    make: (value) => (typeof value === "number" ? `"${value}"` : make),
  };
}

const LABELS = { map: true, part: PART.text } as const;

const SHAPES: OperatorShapes = {
  name: { part: PART.text },
  namespace: { part: PART.text },
  createNamespaces: { part: PART.boolean },
  features: { list: true },
  watchNamespaces: { list: true },
  podNamespaces: { list: true },
  issuerNamespaces: { list: true },
  jobNamespaces: { list: true },
  ...credentials(),
  tokenFiles: { part: PART.boolean },
  image: { part: PART.text },
  imagePullSecrets: { list: true },
  replicas: { part: PART.number },
  serviceAccountName: { part: PART.text },
  nodeSelector: LABELS,
  tolerations: { list: true, part: PART.toleration },
  priorityClassName: { part: PART.text },
  podAnnotations: { map: true, part: PART.lateText },
  affinity: { map: true, part: PART.map },
  cpuRequest: { part: CPU },
  cpuLimit: { part: CPU },
  memoryRequest: { part: MEMORY },
  memoryLimit: { part: MEMORY },
  env: { map: true, part: PART.lateText },
  extraArgs: { list: true },
  debug: { part: PART.boolean },
  dryRun: { part: PART.boolean },
  resync: { part: PART.duration },
  shutdownTimeout: { part: PART.duration },
  fastFailover: { part: PART.boolean },
  aggregateUserRoles: { part: USER_ROLES },
  tenantLimits: { struct: { maxCreatedAddresses: { part: PART.number }, namespaces: { list: true, part: PART.map } } },
  admissionPolicy: { part: PART.boolean },
  networkPolicy: { part: PART.boolean },
  networkPolicyPorts: { list: true, part: PART.number },
  networkPolicyDnsPorts: { list: true, part: PART.number },
  scrape: { part: SCRAPE },
  alertRules: { part: PART.boolean },
  dashboard: { part: PART.boolean },
  monitoringLabels: LABELS,
  cluster: { part: PART.text },
};

/** The shapes of the props of a FlipopOperator. It does not compile if one is missing. */
export const OPERATOR_SHAPES: Shapes = SHAPES;

function credentials(): Readonly<Record<CredentialProp, { readonly part: Part }>> {
  const shapes = allProviders().map(({ prop }) => [prop, { part: PART.credentials }]);
  return Object.fromEntries(shapes) as Record<CredentialProp, { readonly part: Part }>;
}
