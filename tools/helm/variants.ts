import { ApiObject, Chart, Testing } from "cdk8s";
import {
  AggregatedUserRoles,
  FlipopOperator,
  type FlipopOperatorProps,
  MetricsScrape,
  type OperatorFeature,
} from "cdk8s-flipop";
import { DEFAULT_FEATURES, DEFAULT_JOB_NAMESPACE } from "cdk8s-flipop/api";
import { type Deployment, withChartValues } from "./chart-only-parts.js";
import { ACCOUNT, BLOCK, FEATURES, SENTINELS } from "./sentinels.js";

/** Objects of an operator by their construct ids, without the names of namespaces. */
export type Documents = ReadonlyMap<string, unknown>;

/** A synthesis that omits one value of the main one. The parts that it lacks depend on that value. */
export interface Probe {
  readonly documents: Documents;
  /** The condition for the parts that this synthesis lacks, as a Go template expression. */
  readonly when?: string;
  /** The only feature of this synthesis; the parts that it lacks belong to other features. */
  readonly feature?: OperatorFeature;
}

/** A document of the chart: its complete form, and the syntheses that show the conditions of its parts. */
export interface Source {
  readonly id: string;
  readonly document: unknown;
  readonly probes: readonly Probe[];
}

const WIDE: FlipopOperatorProps = without(SENTINELS, "watchNamespaces", "podNamespaces");
const DEFAULT_FEATURE_LIST = DEFAULT_FEATURES.join(",");

/** Props that add parts, and the conditions of these parts. */
const SWITCHES: readonly (readonly [props: FlipopOperatorProps, when: string])[] = [
  [{ ...SENTINELS, createNamespaces: false }, "$.Values.createNamespaces"],
  [{ ...SENTINELS, admissionPolicy: false }, "$.Values.admissionPolicy"],
  [{ ...SENTINELS, aggregateUserRoles: AggregatedUserRoles.NONE }, `ne $.Values.aggregateUserRoles "None"`],
  [{ ...SENTINELS, aggregateUserRoles: AggregatedUserRoles.VIEW }, `eq $.Values.aggregateUserRoles "Edit"`],
  [without(SENTINELS, "networkPolicy"), "$.Values.networkPolicy"],
  [without(SENTINELS, "alertRules"), "$.Values.alertRules"],
  [without(SENTINELS, "dashboard"), "$.Values.dashboard"],
  [without(SENTINELS, "scrape"), `eq $.Values.scrape "${MetricsScrape.SERVICE_MONITOR}"`],
  [without(SENTINELS, "imagePullSecrets"), "$.Values.imagePullSecrets"],
  [without(SENTINELS, "tolerations"), "$.Values.tolerations"],
  [without(SENTINELS, "priorityClassName"), "$.Values.priorityClassName"],
  [without(SENTINELS, "podAnnotations"), "$.Values.podAnnotations"],
  [{ ...SENTINELS, affinity: {} }, "not $.Values.affinity"],
  [{ ...SENTINELS, tokenFiles: false }, "$.Values.tokenFiles"],
  [{ ...SENTINELS, tokenFiles: true }, "not $.Values.tokenFiles"],
  [without(SENTINELS, "debug"), "$.Values.debug"],
  [without(SENTINELS, "dryRun"), "$.Values.dryRun"],
  [without(SENTINELS, "resync"), "ne (float64 $.Values.resync) 60.0"],
  [{ ...SENTINELS, fastFailover: false }, "$.Values.fastFailover"],
  [without(SENTINELS, "shutdownTimeout"), "ne (int $.Values.shutdownTimeout) 20"],
];

/** The same for the Deployment only: elsewhere these lists become one document per entry. */
const DEPLOYMENT_SWITCHES: typeof SWITCHES = [
  [without(SENTINELS, "watchNamespaces"), "$.Values.watchNamespaces"],
  [without(SENTINELS, "podNamespaces"), "$.Values.podNamespaces"],
  [without(SENTINELS, "issuerNamespaces"), "$.Values.issuerNamespaces"],
  [without(SENTINELS, "tenantLimits"), "$.Values.tenantLimits"],
  [without(SENTINELS, "jobNamespaces"), `ne (join "," $.Values.jobNamespaces) "${DEFAULT_JOB_NAMESPACE}"`],
];

/** The objects for deleted namespaces exist only with watchNamespaces, and so does the limit of the policy for finalizers. */
const CLEANUP_SWITCHES: typeof SWITCHES = [[without(SENTINELS, "watchNamespaces"), "$.Values.watchNamespaces"]];

/** The policy exists only if a namespace is limited. */
const TENANT_SWITCHES: typeof SWITCHES = [[without(SENTINELS, "tenantLimits"), "($.Values.tenantLimits).namespaces"]];

/** The condition of the flag with the features. No other synthesis has the same flag as the main one. */
export const FEATURES_FLAG_CONDITION = `ne (uniq $.Values.features | join ",") "${DEFAULT_FEATURE_LIST}"`;

/** Every document of the chart, in the order of the construct. Helm itself creates the operator's namespace. */
export function sources(): readonly Source[] {
  const switches = SWITCHES.map(([props, when]) => ({ documents: synth(props), when }));
  const forDeployment = DEPLOYMENT_SWITCHES.map(([props, when]) => ({ documents: synth(props), when }));
  const forCleanup = CLEANUP_SWITCHES.map(([props, when]) => ({ documents: synth(props), when }));
  const forTenants = TENANT_SWITCHES.map(([props, when]) => ({ documents: synth(props), when }));
  const features = featureProbes(SENTINELS);
  const ids = [...synth(SENTINELS)].filter(([id]) => id !== "namespace");
  return ids.map(([id, document]) => {
    if (id === "cluster-role") return wideClusterRole(id);
    const own: Readonly<Record<string, typeof forCleanup>> = {
      deployment: forDeployment,
      cleanup: forCleanup,
      finalizer: forCleanup,
      tenant: forTenants,
    };
    return { id, document, probes: [...switches, ...features, ...(own[id.split("-")[0] ?? ""] ?? [])] };
  });
}

/** Documents that replace others, and their conditions. */
export function alternatives(): readonly (Source & { readonly when: string })[] {
  const byPod = synth({ ...SENTINELS, scrape: MetricsScrape.POD_MONITOR });
  return [
    { ...serviceAccount(), when: "$.Values.serviceAccount.create" },
    { ...only(byPod, "pod-monitor"), when: `eq $.Values.scrape "${MetricsScrape.POD_MONITOR}"` },
  ];
}

/** The ServiceAccount has the name and the annotations of the value. */
function serviceAccount(): Source {
  const id = "service-account";
  const document = synth(without(SENTINELS, "serviceAccountName")).get(id) as { readonly metadata: object };
  const plain = { ...document, metadata: { ...document.metadata, name: ACCOUNT } };
  const metadata = { ...plain.metadata, annotations: { [BLOCK]: "serviceAccount.annotations" } };
  const probe = { documents: new Map([[id, plain]]), when: "$.Values.serviceAccount.annotations" };
  return { id, document: { ...document, metadata }, probes: [probe] };
}

/** The ClusterRole is complete if no namespaces are listed. */
function wideClusterRole(id: string): Source {
  const { watchNamespaces = [], podNamespaces = [] } = SENTINELS;
  const probes = [
    { documents: synth({ ...WIDE, watchNamespaces }), when: "not $.Values.watchNamespaces" },
    { documents: synth({ ...WIDE, podNamespaces }), when: "not $.Values.podNamespaces" },
    ...featureProbes(WIDE),
  ];
  return { id, document: synth(WIDE).get(id), probes };
}

function featureProbes(props: FlipopOperatorProps): readonly Probe[] {
  return FEATURES.map((feature) => ({ feature, documents: synth({ ...props, features: [feature] }) }));
}

function only(documents: Documents, id: string): Source {
  return { id, document: documents.get(id), probes: [] };
}

/** The objects of an operator. Its Deployment has the tokens in both forms, unless the props choose one. */
function synth(props: FlipopOperatorProps): Documents {
  const { tokenFiles = false } = props;
  const objects = render({ ...props, tokenFiles });
  const other = props.tokenFiles === undefined ? render({ ...props, tokenFiles: true }) : objects;
  const [one, two] = [objects, other].map((documents) => documents.get(DEPLOYMENT) as Deployment);
  return one && two ? new Map([...objects, [DEPLOYMENT, withChartValues(one, two)]]) : objects;
}

/** The construct id of the Deployment. */
export const DEPLOYMENT = "deployment";

/** Renders each object separately, because sentinels such as that of a CPU request fail the validation of an app. */
function render(props: FlipopOperatorProps): Documents {
  const chart = new Chart(Testing.app(), "flipop");
  new FlipopOperator(chart, "operator", props);
  const objects = chart.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
  return new Map(objects.map((object) => [object.node.id.replace(/-helm-[a-z]+$/, ""), object.toJson()]));
}

function without(props: FlipopOperatorProps, ...names: readonly (keyof FlipopOperatorProps)[]): FlipopOperatorProps {
  const left = Object.entries(props).filter(([name]) => !names.some((one) => one === name));
  return Object.fromEntries(left);
}
