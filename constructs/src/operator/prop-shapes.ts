import type { FlipopOperatorProps } from "../operator-props";
import { PART } from "../private/part";
import type { Shape, ShapeOf } from "../private/prop-shapes";

type Shapes = { readonly [Prop in keyof FlipopOperatorProps & string]-?: ShapeOf<FlipopOperatorProps[Prop]> };

const SHAPES: Shapes = {
  name: {},
  namespace: {},
  createNamespaces: {},
  features: { list: true },
  watchNamespaces: { list: true },
  podNamespaces: { list: true },
  issuerNamespaces: { list: true },
  jobNamespaces: { list: true },
  digitalOcean: { part: PART.credentials },
  cloudflare: { part: PART.credentials },
  image: {},
  imagePullSecrets: { list: true },
  replicas: {},
  serviceAccountName: {},
  nodeSelector: { part: PART.map },
  tolerations: { list: true, part: PART.toleration },
  priorityClassName: {},
  cpuRequest: {},
  cpuLimit: {},
  memoryRequest: {},
  memoryLimit: {},
  env: { part: PART.map },
  extraArgs: { list: true },
  debug: {},
  dryRun: {},
  resync: { part: PART.duration },
  shutdownTimeout: { part: PART.duration },
  admissionPolicy: {},
  networkPolicy: {},
  scrape: {},
  alertRules: {},
  dashboard: {},
  monitoringLabels: { part: PART.map },
};

/** What the props of a FlipopOperator take. It does not compile while one is missing. */
export const OPERATOR_SHAPES: Readonly<Record<string, Shape>> = SHAPES;
