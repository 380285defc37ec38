import type { Duration } from "cdk8s";
import type { Credentials } from "./credentials";
import type { MetricsScrape, OperatorFeature } from "./operator-options";
import type { Toleration } from "./toleration";

/** Settings of a FlipopOperator. All are optional: without any it is ready for production. */
export interface FlipopOperatorProps {
  /**
   * Name of the operator's objects and of its instance label. A second operator in a cluster needs another name or
   * another namespace.
   * @default "flipop"
   */
  readonly name?: string;
  /**
   * Namespace of the operator.
   * @default - the chart's namespace, else "flipop"
   */
  readonly namespace?: string;
  /**
   * Whether the Namespaces of the operator and of Jobs are made with it, labelled for Pod Security "restricted". Switch
   * it off where somebody else makes them.
   * @default true
   */
  readonly createNamespaces?: boolean;
  /**
   * What the operator does. It gets the permissions of these features and no others.
   * @default - pools, dns and routedip; jobs only where asked for
   */
  readonly features?: OperatorFeature[];
  /**
   * Namespaces whose FloatingIPPools, NodeDNSRecordSets, RoutedIPs, issuers and Services are served. Given, the operator
   * gets a Role in each instead of rights in the whole cluster.
   * @default - all
   */
  readonly watchNamespaces?: string[];
  /**
   * Namespaces whose pods may be matched. Given, the operator gets a Role in each instead of rights in the whole cluster.
   * @default - all
   */
  readonly podNamespaces?: string[];
  /**
   * Namespaces in which the tokens of RoutedIPIssuers may be read: all Secrets of these namespaces. Only with
   * feature routedip.
   * @default - the operator's own
   */
  readonly issuerNamespaces?: string[];
  /**
   * Namespaces in which Jobs of classes run; never the operator's own. Only with feature jobs.
   * @default ["flipop-jobs"]
   */
  readonly jobNamespaces?: string[];
  /**
   * Where the DigitalOcean API token is. The operator starts without the Secret, and works once it is there and the pod
   * is restarted.
   * @default - key DIGITALOCEAN_ACCESS_TOKEN of Secret "flipop" in the operator's namespace
   */
  readonly digitalOcean?: Credentials;
  /**
   * Where the Cloudflare API token is.
   * @default - key CLOUDFLARE_TOKEN of Secret "flipop" in the operator's namespace
   */
  readonly cloudflare?: Credentials;
  /**
   * Image of the operator.
   * @default - the image of this release
   */
  readonly image?: string;
  /**
   * Names of Secrets to pull the image with.
   * @default - none
   */
  readonly imagePullSecrets?: string[];
  /**
   * Number of pods. One of them acts, the others wait to take over.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * Name of an existing ServiceAccount to use.
   * @default - one is made
   */
  readonly serviceAccountName?: string;
  /**
   * Labels of nodes that may run the operator, beside kubernetes.io/os: linux.
   * @default - any Linux node
   */
  readonly nodeSelector?: { readonly [key: string]: string };
  /**
   * Taints that the operator's pods tolerate.
   * @default - none
   */
  readonly tolerations?: Toleration[];
  /**
   * PriorityClass of the operator's pods.
   * @default - the cluster's default
   */
  readonly priorityClassName?: string;
  /**
   * CPU that is reserved for each pod.
   * @default "50m"
   */
  readonly cpuRequest?: string;
  /**
   * Most CPU that a pod may use.
   * @default - no limit: throttling would endanger leader election
   */
  readonly cpuLimit?: string;
  /**
   * Memory that is reserved for each pod.
   * @default "128Mi"
   */
  readonly memoryRequest?: string;
  /**
   * Most memory that a pod may use.
   * @default "512Mi"
   */
  readonly memoryLimit?: string;
  /**
   * More environment variables, such as HTTPS_PROXY. Tokens are refused: they belong into a Secret.
   * @default - none
   */
  readonly env?: { readonly [name: string]: string };
  /**
   * More flags of `flipop run`, each as "--flag=value". Those that have a prop are refused here.
   * @default - none
   */
  readonly extraArgs?: string[];
  /**
   * Log debug messages.
   * @default false
   */
  readonly debug?: boolean;
  /**
   * Change nothing, in the cloud or the cluster; log what would change.
   * @default false
   */
  readonly dryRun?: boolean;
  /**
   * Reconcile every resource at least this often.
   * @default Duration.seconds(60)
   */
  readonly resync?: Duration;
  /**
   * How long runs under way may take when a pod is to stop. The pod's grace period is 10 seconds longer.
   * @default Duration.seconds(20)
   */
  readonly shutdownTimeout?: Duration;
  /**
   * Let the API server refuse every change to a node by the operator but our annotations and our taints; and, given
   * `watchNamespaces`, every change to our kinds in another namespace, so that the operator can be allowed to clean up in
   * a namespace that goes and has lost its Roles. Needs Kubernetes 1.30 or newer.
   * @default true
   */
  readonly admissionPolicy?: boolean;
  /**
   * Allow the pods only what they need: metrics and probes in; DNS, and TCP 443 and 6443 (clouds, API server) out.
   * @default false
   */
  readonly networkPolicy?: boolean;
  /**
   * Have metrics scraped by a Prometheus operator. Its CustomResourceDefinitions must be installed.
   * @default - no scrape object is made
   */
  readonly scrape?: MetricsScrape;
  /**
   * Make a PrometheusRule with alerts. Needs the CustomResourceDefinitions of the Prometheus operator.
   * @default false
   */
  readonly alertRules?: boolean;
  /**
   * Make a ConfigMap with a dashboard, labelled for Grafana's sidecar.
   * @default false
   */
  readonly dashboard?: boolean;
  /**
   * Labels of the scrape object, the PrometheusRule and the dashboard, for those that select by label.
   * @default - none
   */
  readonly monitoringLabels?: { readonly [key: string]: string };
}
