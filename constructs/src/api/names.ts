/** The API group, its version, and every name that the operator writes to objects in a cluster. */

export const API_GROUP = "flipop.digitalocean.com";
export const API_VERSION = "v1alpha1";
/** `apiVersion` of the five kinds. */
export const GROUP_VERSION = `${API_GROUP}/${API_VERSION}`;

/**
 * Annotations. The first two are on nodes and contain the address; a `…-owner` annotation names the resource that wrote
 * it.
 */
export const Annotation = {
  /** On the node that holds the address: an IPv4 address. */
  reservedIpv4: `${API_GROUP}/ipv4-reserved-ip`,
  /** On the node that holds the address: an IPv6 address. */
  reservedIpv6: `${API_GROUP}/ipv6-reserved-ip`,
  /** Beside `reservedIpv4`: `<namespace>/<name>/<uid>` of the resource that wrote it. */
  reservedIpv4Owner: `${API_GROUP}/ipv4-reserved-ip-owner`,
  /** Beside `reservedIpv6`: `<namespace>/<name>/<uid>` of the resource that wrote it. */
  reservedIpv6Owner: `${API_GROUP}/ipv6-reserved-ip-owner`,
  /** On an elected node, with `--watch-namespaces`, and ending with the operator's namespace: the taints that it needs there. */
  taints: `${API_GROUP}/taints`,
  /** On a pool or RoutedIP: a copy of the created addresses (comma-separated), in case the status is lost. */
  createdIps: `${API_GROUP}/created-ips`,
  /** On a pool or RoutedIP: a copy of the pending creation (JSON), in case the status is lost. */
  pendingCreation: `${API_GROUP}/pending-creation`,
  /** Set by a person on a pool or RoutedIP: forget a pending creation whose response was lost. */
  forgetCreation: `${API_GROUP}/forget-creation`,
  /** Set by a person on the operator's Lease, with the reason as its value: the operator changes no cloud and no DNS. */
  stop: `${API_GROUP}/stop`,
  /** On the Leases of the operator: at which address its holder answers other replicas, and with which key (JSON). */
  replica: `${API_GROUP}/replica`,
  /** Set by a person on a resource, to "true": its addresses leave failed nodes although many holders fail at once. */
  ignoreMassFailure: `${API_GROUP}/ignore-mass-failure`,
  /** Set by a person on a Service: namespaces whose RoutedIPs may use it (comma-separated). */
  allowRoutedIpFrom: `${API_GROUP}/allow-routed-ip-from`,
  /** Set by a person on a Gateway, to "true": resources of its namespace may show their addresses in its status. */
  publishAddresses: `${API_GROUP}/publish-addresses`,
} as const;

/** Labels. */
export const Label = {
  /** On a ServiceAccount: Jobs of a ClusterRoutedIPClass may run as it. */
  job: `${API_GROUP}/job`,
} as const;

/** Finalizers. */
export const Finalizer = {
  /** Present while the cleanup must still undo cloud state. */
  cleanup: `${API_GROUP}/cleanup`,
  /** On an issuer or a class while a RoutedIP uses it. With `--watch-namespaces`, it ends with the operator's namespace. */
  inUse: `${API_GROUP}/in-use`,
} as const;

/** Of an installation that watches some namespaces only: others may use the same issuer or class. The server allows 63 characters. */
export function inUseFinalizerOf(operatorNamespace: string): string {
  return `${Finalizer.inUse}.${endOfKey(operatorNamespace)}`;
}

/** The annotation of an installation that watches some namespaces only: others may need the same taint of a node. */
export function taintsAnnotationOf(operatorNamespace: string): string {
  return `${Annotation.taints}.${endOfKey(operatorNamespace)}`;
}

function endOfKey(operatorNamespace: string): string {
  return operatorNamespace.slice(0, 56).replace(/-+$/, "");
}

/** Whether an installation of the operator keeps an issuer or a class with this finalizer, for RoutedIPs that use it. */
export function isInUseFinalizer(finalizer: string): boolean {
  return finalizer === Finalizer.inUse || finalizer.startsWith(`${Finalizer.inUse}.`);
}

/** Whether the operator adds and removes this finalizer; any other is of another program. */
export function isOwnFinalizer(finalizer: string): boolean {
  return finalizer === Finalizer.cleanup || isInUseFinalizer(finalizer);
}

/** `loadBalancerClass` of the Services whose status shows addresses of `publishTo`: the operator alone writes it. */
export const LOAD_BALANCER_CLASS = `${API_GROUP}/reserved-ip`;

/** The default taint of an elected node; a class may name another. Matching ignores taints under flipop's prefix. */
export const ELECTED_NODE_TAINT = { key: `${API_GROUP}/routed-ip`, value: "", effect: "PreferNoSchedule" } as const;

/**
 * The Lease of leader election, in the operator's namespace. The Go operator uses the same name, so that only one of
 * the two acts during a migration.
 */
export const LEASE_NAME = "floating-ip-pool-controller-leader-election";
/** The Lease of the standby replica that the leader asks about its probes, in the operator's namespace. */
export const STANDBY_LEASE_NAME = "flipop-standby";
/** Namespace in which each kubelet renews a Lease with the name of its node. */
export const NODE_LEASE_NAMESPACE = "kube-node-lease";

/** `reportingController` of Events, and the field manager of the operator's writes. */
export const CONTROLLER_NAME = `${API_GROUP}/flipop`;

/** Category of the five kinds: `kubectl get flipop`. */
export const CATEGORY = "flipop";
