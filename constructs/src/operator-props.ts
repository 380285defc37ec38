import type { Duration } from "cdk8s";
import type { Credentials } from "./credentials";
import type { MetricsScrape, OperatorFeature } from "./operator-options";
import type { Toleration } from "./toleration";

/** Props of a FlipopOperator. All are optional: the defaults are ready for production. */
export interface FlipopOperatorProps {
  /**
   * Name of the operator's objects and of its instance label: a DNS label of at most 55 characters that begins with a
   * letter. A second operator in a cluster needs another name or another namespace.
   * @default "flipop"
   */
  readonly name?: string;
  /**
   * Namespace of the operator.
   * @default - the chart's namespace, else "flipop"
   */
  readonly namespace?: string;
  /**
   * Whether to make the Namespaces of the operator and of Jobs too, labelled for Pod Security "restricted". Set it to
   * false where something else makes them.
   * @default true
   */
  readonly createNamespaces?: boolean;
  /**
   * Features to enable, at least one. The operator gets the permissions of these and no others.
   * @default - pools, dns and routedip, not jobs
   */
  readonly features?: OperatorFeature[];
  /**
   * Namespaces whose FloatingIPPools, NodeDNSRecordSets, RoutedIPs, issuers and Services are served; an empty list is
   * refused. If given, the operator gets a Role in each in place of rights in the whole cluster, so each must exist when
   * the manifest is applied.
   * @default - all
   */
  readonly watchNamespaces?: string[];
  /**
   * Namespaces whose pods may be matched; an empty list is refused. If given, the operator gets a Role in each in place
   * of rights in the whole cluster, so each must exist when the manifest is applied.
   * @default - all
   */
  readonly podNamespaces?: string[];
  /**
   * Namespaces whose Secrets the operator may read, all of them, for the tokens of RoutedIPIssuers. Only with feature
   * routedip; each must be in `watchNamespaces` where that is given, and exist when the manifest is applied.
   * @default - the operator's own
   */
  readonly issuerNamespaces?: string[];
  /**
   * Namespaces that Jobs of classes may run in. The operator's own is refused: its token is there. Only with feature
   * jobs.
   * @default ["flipop-jobs"]
   */
  readonly jobNamespaces?: string[];
  /**
   * Where the token for DigitalOcean is, in a Secret of the operator's namespace. The pods start without the Secret,
   * too; restart them once it exists.
   * @default - key DIGITALOCEAN_ACCESS_TOKEN of Secret "flipop" in the operator's namespace
   */
  readonly digitalOcean?: Credentials;
  /**
   * Where the token for Cloudflare is, in a Secret of the operator's namespace.
   * @default - key CLOUDFLARE_TOKEN of Secret "flipop" in the operator's namespace
   */
  readonly cloudflare?: Credentials;
  /**
   * Image of the operator, as registry/name:tag.
   * @default - the image of this release
   */
  readonly image?: string;
  /**
   * Names of Secrets to pull the image with, in the operator's namespace.
   * @default - none
   */
  readonly imagePullSecrets?: string[];
  /**
   * Number of pods, 0 or more. One of them, the leader, acts; the others wait to take over.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * Name of an existing ServiceAccount of the operator's namespace to run as. It gets the operator's permissions.
   * @default - one is made
   */
  readonly serviceAccountName?: string;
  /**
   * Labels that a node needs to run the operator, beside `kubernetes.io/os: linux`.
   * @default - any Linux node
   */
  readonly nodeSelector?: { readonly [key: string]: string };
  /**
   * Taints that the operator's pods tolerate.
   * @default - none
   */
  readonly tolerations?: Toleration[];
  /**
   * Name of the PriorityClass of the operator's pods.
   * @default - the cluster's default
   */
  readonly priorityClassName?: string;
  /**
   * CPU request of each pod, as a Kubernetes quantity.
   * @default "50m"
   */
  readonly cpuRequest?: string;
  /**
   * CPU limit of each pod, as a Kubernetes quantity. A pod that is throttled may lose the Lease.
   * @default - no limit
   */
  readonly cpuLimit?: string;
  /**
   * Memory request of each pod, as a Kubernetes quantity.
   * @default "128Mi"
   */
  readonly memoryRequest?: string;
  /**
   * Memory limit of each pod, as a Kubernetes quantity. A pod that needs more is killed.
   * @default "512Mi"
   */
  readonly memoryLimit?: string;
  /**
   * Further environment variables, such as HTTPS_PROXY. Tokens are refused: they belong in a Secret.
   * @default - none
   */
  readonly env?: { readonly [name: string]: string };
  /**
   * Further flags of `flipop run`, each as "--flag=value". Those that have a prop are refused.
   * @default - none
   */
  readonly extraArgs?: string[];
  /**
   * Whether to log debug messages.
   * @default false
   */
  readonly debug?: boolean;
  /**
   * Whether to change nothing, in the cloud or the cluster, and only log what would change.
   * @default false
   */
  readonly dryRun?: boolean;
  /**
   * Longest time between two runs of a resource; more than 0. A resource that changes is run at once.
   * @default Duration.seconds(60)
   */
  readonly resync?: Duration;
  /**
   * How long runs under way may take when a pod is told to stop, in whole seconds. The pod's termination grace period
   * is 10 seconds longer.
   * @default Duration.seconds(20)
   */
  readonly shutdownTimeout?: Duration;
  /**
   * Whether the API server confines what the operator writes: on nodes to flipop's annotations and taints and, if
   * `watchNamespaces` is given, to resources of these namespaces. The operator may then clean up in a watched namespace
   * whose deletion has removed its Role. Needs Kubernetes 1.30 or newer.
   * @default true
   */
  readonly admissionPolicy?: boolean;
  /**
   * Whether to make a NetworkPolicy that lets only metrics and probes in, and only DNS and TCP 443 and 6443 (providers,
   * API server) out. An API server or proxy at another port is then out of reach.
   * @default false
   */
  readonly networkPolicy?: boolean;
  /**
   * Kind of object that has the Prometheus operator scrape the metrics. That operator's CustomResourceDefinitions must
   * be installed.
   * @default - no scrape object is made
   */
  readonly scrape?: MetricsScrape;
  /**
   * Whether to make a PrometheusRule with alerts. The CustomResourceDefinitions of the Prometheus operator must be
   * installed.
   * @default false
   */
  readonly alertRules?: boolean;
  /**
   * Whether to make a ConfigMap with a Grafana dashboard, labelled for Grafana's sidecar.
   * @default false
   */
  readonly dashboard?: boolean;
  /**
   * Labels to add to the scrape object, the PrometheusRule and the dashboard, for a Prometheus or Grafana that selects
   * by label. Refused where none of the three is made.
   * @default - none
   */
  readonly monitoringLabels?: { readonly [key: string]: string };
}
