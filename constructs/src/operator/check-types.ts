import { allProviders, type CredentialProp } from "../api/providers";
import { MetricsScrape } from "../operator-options";
import type { FlipopOperatorProps } from "../operator-props";
import { PART, type Part } from "../private/part";
import type { ShapeOf, Shapes } from "../private/props";

/** No schema checks these props, so each single value needs a named type. */
type OperatorShapes = {
  readonly [Prop in keyof FlipopOperatorProps & string]-?: ShapeOf<FlipopOperatorProps[Prop]> &
    ({ readonly list: true } | { readonly part: Part });
};

const SCRAPE: Part = {
  type: "MetricsScrape",
  fits: (value) => Object.values(MetricsScrape).some((scrape) => scrape === value),
  make: () => "MetricsScrape.SERVICE_MONITOR or MetricsScrape.POD_MONITOR",
};
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
  image: { part: PART.text },
  imagePullSecrets: { list: true },
  replicas: { part: PART.number },
  serviceAccountName: { part: PART.text },
  nodeSelector: LABELS,
  tolerations: { list: true, part: PART.toleration },
  priorityClassName: { part: PART.text },
  cpuRequest: { part: PART.text },
  cpuLimit: { part: PART.text },
  memoryRequest: { part: PART.text },
  memoryLimit: { part: PART.text },
  env: { map: true, part: PART.lateText },
  extraArgs: { list: true },
  debug: { part: PART.boolean },
  dryRun: { part: PART.boolean },
  resync: { part: PART.duration },
  shutdownTimeout: { part: PART.duration },
  admissionPolicy: { part: PART.boolean },
  networkPolicy: { part: PART.boolean },
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
