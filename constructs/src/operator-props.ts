import type { Duration, Size } from "cdk8s";
import type { Credentials } from "./credentials";
import type { Toleration } from "./match/toleration";
import type { AggregatedUserRoles, MetricsScrape, OperatorFeature } from "./operator-options";
import type { TenantLimits } from "./tenant-limits";

/** An amount of CPU, such as a `Cpu` of cdk8s-plus. */
export interface ICpu {
  /** The amount as a Kubernetes quantity, such as "50m". */
  readonly amount: string;
}

/** Props of a FlipopOperator. All are optional: the defaults are ready for production. */
export interface FlipopOperatorProps {
  /**
   * Name of the operator's objects and of its instance label: a DNS label of at most 55 characters that begins with a
   * letter. A second operator in a cluster needs another namespace, because all operators of a namespace share one
   * Lease; another name alone is refused. Give each operator its own `watchNamespaces` too: two that watch a namespace
   * both act on its resources, and synthesis warns about them.
   * @default "flipop"
   */
  readonly name?: string;
  /**
   * Namespace of the operator.
   * @default - the chart's namespace, else "flipop"
   */
  readonly namespace?: string;
  /**
   * Whether to also create the Namespaces of the operator and of Jobs, labelled for Pod Security "restricted". Set it
   * to false if something else creates them: the operator then only refers to them by name, and synthesis warns about
   * those that the app does not define. `default` and `kube-*` are refused unless this is false.
   * @default true
   */
  readonly createNamespaces?: boolean;
  /**
   * Features to enable, at least one. The operator gets only the permissions for these features.
   * @default - pools, dns and routedip, but not jobs
   */
  readonly features?: OperatorFeature[];
  /**
   * Namespaces whose FloatingIPPools, NodeDNSRecordSets, RoutedIPs, issuers and Services the operator manages; an empty
   * list is refused. If set, the operator gets a Role in each namespace instead of permissions in the whole cluster, so
   * each namespace must exist when you apply the manifest.
   * @default - all
   */
  readonly watchNamespaces?: string[];
  /**
   * Namespaces whose pods a match may select; an empty list is refused. If set, the operator gets a Role in each
   * namespace instead of permissions in the whole cluster, so each namespace must exist when you apply the manifest.
   * @default - all
   */
  readonly podNamespaces?: string[];
  /**
   * Namespaces in which the operator may read all Secrets, for the tokens of RoutedIPIssuers. Allowed only with feature
   * routedip. The operator also serves the issuers there, whether or not `watchNamespaces` lists the namespace. Each namespace
   * must exist when you apply the manifest.
   * @default - the operator's own namespace
   */
  readonly issuerNamespaces?: string[];
  /**
   * Namespaces in which Jobs of classes may run. The operator's own namespace is refused, because it contains the
   * operator's token. Allowed only with feature jobs.
   * @default ["flipop-jobs"]
   */
  readonly jobNamespaces?: string[];
  /**
   * The token for DigitalOcean, in a Secret of the operator's namespace. The pods also start without the Secret;
   * restart them after you create it.
   * @default - key DIGITALOCEAN_ACCESS_TOKEN of Secret "flipop" in the operator's namespace
   */
  readonly digitalOcean?: Credentials;
  /**
   * The token for Cloudflare, in a Secret of the operator's namespace.
   * @default - key CLOUDFLARE_TOKEN of Secret "flipop" in the operator's namespace
   */
  readonly cloudflare?: Credentials;
  /**
   * Whether the pods read the tokens from mounted files instead of variables. The operator reads the files every 10
   * seconds, so that a changed Secret needs no restart.
   * @default false
   */
  readonly tokenFiles?: boolean;
  /**
   * Image of the operator, as registry/name:tag.
   * @default - the variable FLIPOP_IMAGE of the app's environment, else the image of this release
   */
  readonly image?: string;
  /**
   * Names of the image pull Secrets, in the operator's namespace.
   * @default - none
   */
  readonly imagePullSecrets?: string[];
  /**
   * Number of pods, 0 or more. Only one of them, the leader, acts; the others are ready to take over.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * Name of an existing ServiceAccount in the operator's namespace. The pods run as it, and it gets the operator's
   * permissions.
   * @default - a new ServiceAccount
   */
  readonly serviceAccountName?: string;
  /**
   * Labels of the nodes on which the operator may run, in addition to `kubernetes.io/os: linux`.
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
   * Annotations of the pods, such as those that an injector of secrets or a service mesh reads.
   * @default - none
   */
  readonly podAnnotations?: { readonly [key: string]: string };
  /**
   * Affinity of the pods, with the fields of a pod's `affinity`. It replaces the default.
   * @default - the pods prefer different nodes, and nodes without the holder label of a resource of the app
   */
  readonly affinity?: { readonly [field: string]: unknown };
  /**
   * CPU request of each pod, as a Kubernetes quantity such as "50m", or as `Cpu` of cdk8s-plus.
   * @default "50m"
   */
  readonly cpuRequest?: string | ICpu;
  /**
   * CPU limit of each pod, as a Kubernetes quantity or as `Cpu` of cdk8s-plus. A throttled pod may lose the Lease.
   * @default - no limit
   */
  readonly cpuLimit?: string | ICpu;
  /**
   * Memory request of each pod, as a Kubernetes quantity such as "128Mi", or as a Size.
   * @default "128Mi"
   */
  readonly memoryRequest?: string | Size;
  /**
   * Memory limit of each pod, as a Kubernetes quantity or as a Size. Kubernetes kills a pod that needs more.
   * @default "512Mi"
   */
  readonly memoryLimit?: string | Size;
  /**
   * Additional environment variables, such as HTTPS_PROXY. Tokens are refused: put them into a Secret.
   * @default - none
   */
  readonly env?: { readonly [name: string]: string };
  /**
   * Additional flags of `flipop run`, each as "--flag=value". Flags that have a prop are refused.
   * @default - none
   */
  readonly extraArgs?: string[];
  /**
   * Whether to log debug messages.
   * @default false
   */
  readonly debug?: boolean;
  /**
   * Whether to change nothing in the cloud, and nothing in the cluster except the operator's Leases, and to log the
   * changes instead.
   * @default false
   */
  readonly dryRun?: boolean;
  /**
   * About how often the operator runs each resource even if nothing changes: the time between two such runs is up to 40 %
   * longer. It must be more than 0. After a change, the operator runs the resource immediately.
   * @default Duration.seconds(60)
   */
  readonly resync?: Duration;
  /**
   * How long runs in progress may take after a pod receives SIGTERM, in whole seconds. The pod's termination grace
   * period is 10 seconds longer.
   * @default Duration.seconds(20)
   */
  readonly shutdownTimeout?: Duration;
  /**
   * Whether another pod takes over soon after the leading one has died: within about 5 seconds instead of 15. The fast
   * profile of the Lease (5, 3 and 1 second) writes the Lease every second, and the leading pod restarts when it does
   * not reach the API server for 3 seconds. Flags in `extraArgs` take precedence.
   * @default - true if a resource of the app has a health check
   */
  readonly fastFailover?: boolean;
  /**
   * The permissions that users get through Kubernetes' built-in roles. If they include those to edit, everybody who may edit a
   * namespace may also create pools, record sets, RoutedIPs and issuers there, with the operator's token, within the limits
   * of `tenantLimits`, classes and issuers.
   * @default AggregatedUserRoles.VIEW
   */
  readonly aggregateUserRoles?: AggregatedUserRoles;
  /**
   * Limits of pools and record sets by namespace, and of the number of addresses that the operator creates. The operator
   * enforces them, and so does the API server, where it can, unless `admissionPolicy` is false. They have at most
   * 100000 bytes as JSON, or 131055 if it is false.
   * @default - none
   */
  readonly tenantLimits?: TenantLimits;
  /**
   * Whether the API server limits the operator's writes: on nodes to flipop's annotations, labels and taints and, if
   * `watchNamespaces` is set, to resources of these namespaces. With these limits, the operator may clean up in a
   * watched namespace whose deletion has removed its Role.
   * @default true
   */
  readonly admissionPolicy?: boolean;
  /**
   * Whether to create a NetworkPolicy that allows only metrics and probes as incoming traffic, and as outgoing traffic
   * only DNS, TCP 443 and 6443 (providers, API server), and the ports in the variables of the providers' APIs, of proxies,
   * such as HTTPS_PROXY, and in KUBERNETES_SERVICE_PORT, as far as you set these variables yourself. With feature
   * `healthchecks`, it also allows every outgoing TCP port, and lets the operator's pods reach each other. For other ports, see `networkPolicyPorts` and `networkPolicyDnsPorts`.
   * @default false
   */
  readonly networkPolicy?: boolean;
  /**
   * Further TCP ports that the NetworkPolicy allows for outgoing traffic, such as 8443 for an API server at this port. A
   * NetworkPolicy applies to the port of the API server itself: the port in the EndpointSlice `kubernetes` of namespace
   * `default`, not 443 of the Service.
   * @default - none
   */
  readonly networkPolicyPorts?: number[];
  /**
   * The ports for DNS that the NetworkPolicy allows for outgoing traffic, by UDP and TCP. A NetworkPolicy applies to the
   * port of the DNS pods themselves, not to that of their Service: on OpenShift, they listen at 5353.
   * @default [53]
   */
  readonly networkPolicyDnsPorts?: number[];
  /**
   * Kind of the object with which the Prometheus operator scrapes the metrics. The CustomResourceDefinitions of the
   * Prometheus operator must be installed.
   * @default - no scrape object
   */
  readonly scrape?: MetricsScrape;
  /**
   * Whether to create a PrometheusRule with alerts. The CustomResourceDefinitions of the Prometheus operator must be
   * installed.
   * @default false
   */
  readonly alertRules?: boolean;
  /**
   * Whether to create a ConfigMap with a Grafana dashboard, labelled for Grafana's sidecar.
   * @default false
   */
  readonly dashboard?: boolean;
  /**
   * Additional labels of the scrape object, the PrometheusRule and the dashboard, for a Prometheus or Grafana that
   * selects by label. Refused if none of the three is created.
   * @default - none
   */
  readonly monitoringLabels?: { readonly [key: string]: string };
  /**
   * Name of the chart's cluster, such as `prod`, for an app with charts for several clusters. In one cluster, synthesis
   * refuses two operators in one namespace, and two objects with the same kind, namespace and name.
   * @default - all charts are for the same cluster
   */
  readonly cluster?: string;
}
