import { RELEASE } from "./release";

/** A part of the operator that can be switched on. */
export type FeatureName = "pools" | "dns" | "routedip" | "jobs";

/** Features and what each is for. */
export const FEATURES: Readonly<Record<FeatureName, string>> = {
  pools: "FloatingIPPool: addresses that follow nodes",
  dns: "NodeDNSRecordSet: records that follow nodes",
  routedip: "RoutedIP, RoutedIPIssuer, ClusterRoutedIPClass: addresses that follow a Service",
  jobs: "Jobs of a ClusterRoutedIPClass: custom implementations",
};

/** What runs where nothing else is said. Jobs are left out: the right to start pods is given only where it is asked for. */
export const DEFAULT_FEATURES: readonly FeatureName[] = ["pools", "dns", "routedip"];

/** Ports of the operator's two listeners. */
export const PORTS = { metrics: 8080, health: 8081 } as const;

/** Where the operator lives unless told otherwise. */
export const DEFAULT_NAMESPACE = "flipop";
/** Where Jobs of classes run unless told otherwise. */
export const DEFAULT_JOB_NAMESPACE = "flipop-jobs";

/** The image that runs this release. */
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

/** The Secret with the operator's credentials, as the Go operator names it; each provider's token variable is an optional key. */
export const DEFAULT_SECRET = "flipop";

/** How a flag's text is read: `list` is comma-separated, `seconds` a number that may have a fraction. */
export type FlagType = "boolean" | "string" | "list" | "seconds";

/** A flag of `flipop run`; every flag can also be given by its environment variable, and the flag wins. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly env: string;
  readonly type: FlagType;
  /** As it would be written on the command line; empty: none. */
  readonly default: string;
  readonly description: string;
  /** Values that it takes, where they are few. */
  readonly choices?: readonly string[];
}

function flag(name: string, type: FlagType, defaultValue: string, description: string): Flag {
  return { name, env: `FLIPOP_${name.toUpperCase().replaceAll("-", "_")}`, type, default: defaultValue, description };
}

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
  flag("watch-namespaces", "list", "", "Namespaces whose resources are served; empty: all"),
  flag("pod-namespaces", "list", "", "Namespaces whose pods may be matched; empty: all"),
  flag("issuer-namespaces", "list", "", "Namespaces whose Secrets issuers may use; empty: the operator's"),
  flag("job-namespaces", "list", DEFAULT_JOB_NAMESPACE, "Namespaces in which Jobs of classes may run"),
  flag("dry-run", "boolean", "false", "Change nothing, in the cloud or the cluster; log what would change"),
  flag("resync", "seconds", "60", "Reconcile every resource at least this often"),
  flag("leader-elect", "boolean", "true", "Hold the Lease before acting; needed with more than one replica"),
  flag("leader-elect-lease-duration", "seconds", "15", "How long a silent leader keeps the Lease"),
  flag("leader-elect-renew-deadline", "seconds", "10", "How long the leader tries to renew before it stops"),
  flag("leader-elect-retry-period", "seconds", "2", "Time between tries to get or renew the Lease"),
  flag("shutdown-timeout", "seconds", "20", "How long runs under way may take after SIGTERM"),
  {
    ...flag("log-format", "string", "auto", "Form of log lines; auto: text on a terminal, JSON elsewhere"),
    choices: ["auto", "text", "json"],
  },
];
