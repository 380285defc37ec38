import { RELEASE } from "./release";

/** A part of the operator that can be enabled. */
export type FeatureName = "pools" | "dns" | "routedip" | "jobs" | "healthchecks" | "externaldns" | "publish";

/** Features and their purposes. */
export const FEATURES: Readonly<Record<FeatureName, string>> = {
  pools: "FloatingIPPool: addresses that follow nodes",
  dns: "NodeDNSRecordSet: records that follow nodes",
  routedip: "RoutedIP, RoutedIPIssuer, ClusterRoutedIPClass: addresses that follow a Service",
  jobs: "Jobs of a ClusterRoutedIPClass: custom implementations",
  healthchecks:
    "healthCheck of resources: probes of the nodes, whose failures a witness must confirm; no moves in a mass failure",
  externaldns: "provider external-dns: record sets as DNSEndpoint objects, which external-dns publishes",
  publish: "publishTo of resources: active addresses in the status of Services of type LoadBalancer and of Gateways",
};

/**
 * Features that are enabled by default. Jobs are not: the operator gets the permission to start pods only on request.
 * Neither are health checks, external-dns and publications: only a request gives the operator their permissions.
 */
export const DEFAULT_FEATURES: readonly FeatureName[] = ["pools", "dns", "routedip"];

/** Features that have no effect without one of these others. */
export const NEEDED_FEATURES: { readonly [K in FeatureName]?: readonly FeatureName[] } = {
  jobs: ["routedip"],
  healthchecks: ["pools", "dns", "routedip"],
  externaldns: ["pools", "dns", "routedip"],
  publish: ["pools", "routedip"],
};

/** Why enabled features have no effect, one text for each. */
export function idleFeatures(enabled: readonly string[]): readonly string[] {
  return Object.entries(NEEDED_FEATURES)
    .filter(([feature, needed]) => enabled.includes(feature) && !needed.some((other) => enabled.includes(other)))
    .map(
      ([feature, needed]) => `${feature} has no effect without ${needed.join(" or ")}: add it, or remove ${feature}`,
    );
}

/** Ports of the operator's listeners; only feature healthchecks opens the one on which a standby replica is a witness. */
export const PORTS = { metrics: 8080, health: 8081, witness: 8082 } as const;

/** The operator's default namespace. */
export const DEFAULT_NAMESPACE = "flipop";
/** The default namespace for Jobs of classes. */
export const DEFAULT_JOB_NAMESPACE = "flipop-jobs";

/** The image of this release. */
export const IMAGE = `ghcr.io/flipop/flipop:${RELEASE}`;

/** Names of the construct library in each language's registry. */
export const PACKAGES = {
  npm: "cdk8s-flipop",
  pypi: "cdk8s-flipop",
  python: "cdk8s_flipop",
  maven: "io.github.flipop:cdk8s-flipop",
  java: "io.github.flipop.cdk8s",
  go: "github.com/flipop/cdk8s-flipop-go/cdk8sflipop",
  version: RELEASE,
} as const;

/**
 * The Secret with the operator's credentials; the Go operator uses the same name. The name of each provider's token
 * variable is an optional key.
 */
export const DEFAULT_SECRET = "flipop";

/** Type of a flag's value: `list` is comma-separated, `seconds` is a number that may have a fraction, `count` is a whole number. */
export type FlagType = "boolean" | "string" | "list" | "seconds" | "count";

/** A flag of `flipop run`. Each flag has an environment variable too; if both are set, the flag wins. */
export interface Flag {
  /** Name without the dashes. */
  readonly name: string;
  readonly env: string;
  readonly type: FlagType;
  /** Default value as on the command line; empty: none. */
  readonly default: string;
  readonly description: string;
  /** Allowed values. Absent: any value of the type. */
  readonly choices?: readonly string[];
}

function flag(name: string, type: FlagType, defaultValue: string, description: string): Flag {
  return { name, env: `FLIPOP_${name.toUpperCase().replaceAll("-", "_")}`, type, default: defaultValue, description };
}

/** The fast profile of the operator's Lease: values of flags, in seconds. */
export const FAST_LEASE = {
  "leader-elect-lease-duration": "5",
  "leader-elect-renew-deadline": "3",
  "leader-elect-retry-period": "1",
} as const;

/** The shortest drift interval: each record set costs a call in every interval, and the account's limits are for all of them. */
export const LEAST_DRIFT_SECONDS = 30;

/** Every flag, in the order of `--help`. The first three are the Go operator's. */
export const FLAGS: readonly Flag[] = [
  flag("kubeconfig", "string", "", "Path of a kubeconfig; empty: KUBECONFIG, else the pod's ServiceAccount"),
  flag("metrics-bind-addr", "string", `:${PORTS.metrics}`, "Address of /metrics; empty: off"),
  flag("debug", "boolean", "false", "Log debug messages"),
  flag("health-bind-addr", "string", `:${PORTS.health}`, "Address of /healthz and /readyz; empty: off"),
  {
    ...flag("features", "list", DEFAULT_FEATURES.join(","), "Features to enable"),
    choices: Object.keys(FEATURES),
  },
  flag("namespace", "string", "", "The operator's namespace; empty: the pod's, else flipop"),
  flag("watch-namespaces", "list", "", "Namespaces whose resources the operator manages; empty: all"),
  flag("pod-namespaces", "list", "", "Namespaces whose pods a match may select; empty: all"),
  flag("issuer-namespaces", "list", "", "Namespaces whose Secrets issuers may use; empty: the operator's namespace"),
  flag("job-namespaces", "list", DEFAULT_JOB_NAMESPACE, "Namespaces in which Jobs of classes may run"),
  flag("tenant-limits", "string", "", "Limits of namespaces, as JSON or as the path of a file with JSON; empty: none"),
  flag(
    "dry-run",
    "boolean",
    "false",
    "Change nothing in the cloud, and nothing in the cluster except the Leases; log the changes instead",
  ),
  flag("resync", "seconds", "60", "Reconcile every resource about this often, up to 40 % later"),
  flag(
    "drift-interval",
    "seconds",
    "600",
    `Restore DNS records that others have edited within this time; at least ${LEAST_DRIFT_SECONDS}`,
  ),
  flag(
    "max-moves-per-minute",
    "count",
    "0",
    "Addresses of all resources that may leave a holder for another node, per minute; 0: no limit",
  ),
  flag("leader-elect", "boolean", "true", "Act only while holding the Lease; required with more than one replica"),
  flag("leader-elect-lease-duration", "seconds", "15", "How long a leader keeps the Lease without renewing it"),
  flag(
    "leader-elect-renew-deadline",
    "seconds",
    "10",
    "How long the leader tries to renew the Lease before it stops; one answer may take half of it",
  ),
  flag("leader-elect-retry-period", "seconds", "2", "Time between attempts to get or renew the Lease"),
  flag("node-name", "string", "", "Node that the operator runs on; empty: unknown, so a standby is no witness"),
  flag(
    "witness-bind-addr",
    "string",
    "",
    "Address at which other replicas ask this one about its probes, with the IP address of the pod; empty: off",
  ),
  flag("shutdown-timeout", "seconds", "20", "How long runs in progress may take after SIGTERM"),
  {
    ...flag("log-format", "string", "auto", "Format of log lines; auto: text on a terminal, JSON elsewhere"),
    choices: ["auto", "text", "json"],
  },
];
