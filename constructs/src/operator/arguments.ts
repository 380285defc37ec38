import type { Duration } from "cdk8s";
import { FAST_LEASE, FLAGS, type Flag } from "../api/config";
import type { FlipopOperatorProps } from "../operator-props";
import { limitsDocument } from "./admission/tenant-limits-text";
import type { OperatorSettings } from "./props-with-defaults";

/** Flags that this library sets, and the alternative to each. */
export const MANAGED_FLAGS: Readonly<Record<string, string>> = {
  features: "prop features",
  namespace: "prop namespace",
  "watch-namespaces": "prop watchNamespaces",
  "pod-namespaces": "prop podNamespaces",
  "issuer-namespaces": "prop issuerNamespaces",
  "job-namespaces": "prop jobNamespaces",
  "tenant-limits": "prop tenantLimits",
  debug: "prop debug",
  "dry-run": "prop dryRun",
  resync: "prop resync",
  "shutdown-timeout": "prop shutdownTimeout",
  "metrics-bind-addr": "the default: the metrics Service points at it",
  "health-bind-addr": "the default: the probes point at it",
  "node-name": "the default: the name of the pod's node",
  "witness-bind-addr": "the default: other replicas ask there",
};

/** The command line of the operator: `run`, the flags that differ from their defaults, and the user's flags. */
export function operatorArguments(props: FlipopOperatorProps, settings: OperatorSettings): string[] {
  const { features, watchNamespaces, podNamespaces, jobNamespaces } = settings;
  const values: Readonly<Record<string, string>> = {
    features: features.join(","),
    "watch-namespaces": watchNamespaces.join(","),
    "pod-namespaces": podNamespaces.join(","),
    "issuer-namespaces": ownNamespaceIsDefault(settings).join(","),
    "job-namespaces": jobNamespaces.join(","),
    "tenant-limits": limitsDocument(props.tenantLimits),
    debug: String(props.debug ?? false),
    "dry-run": String(props.dryRun ?? false),
    resync: seconds(props.resync),
    "shutdown-timeout": seconds(props.shutdownTimeout),
    ...(props.fastFailover === true ? FAST_LEASE : {}),
  };
  const flags = FLAGS.flatMap((flag) => argument(flag, values[flag.name]));
  return ["run", ...flags, ...(props.extraArgs ?? [])];
}

/** How many seconds runs in progress may take after SIGTERM. */
export function shutdownSeconds({ shutdownTimeout }: FlipopOperatorProps): number {
  return Number(seconds(shutdownTimeout) || FLAGS.find(({ name }) => name === "shutdown-timeout")?.default);
}

function argument(flag: Flag, value: string | undefined): string[] {
  return value === undefined || value === "" || value === flag.default ? [] : [`--${flag.name}=${value}`];
}

function ownNamespaceIsDefault({ issuerNamespaces, namespace }: OperatorSettings): readonly string[] {
  return issuerNamespaces.every((one) => one === namespace) ? [] : issuerNamespaces;
}

function seconds(duration: Duration | undefined): string {
  return duration === undefined ? "" : String(duration.toSeconds({ integral: false }));
}
