import { FEATURES, type FeatureName } from "./config";
import { API_GROUP, LEASE_NAME, STANDBY_LEASE_NAME } from "./names";

/** A verb of the Kubernetes API. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/**
 * Where the operator needs a permission: in the whole cluster; in the namespaces of `--watch-namespaces` or
 * `--pod-namespaces` (if empty, in the whole cluster); in the operator's own namespace; in the namespaces of
 * `--issuer-namespaces` or `--job-namespaces`; in the namespace of the kubelets' Leases. `goingNamespaces`: in namespaces of `--watch-namespaces` that are being
 * deleted and may have lost their Roles; this permission is for the whole cluster, and exists only with an admission
 * policy that confines it.
 */
export type PermissionScope =
  | "cluster"
  | "watchNamespaces"
  | "podNamespaces"
  | "operatorNamespace"
  | "issuerNamespaces"
  | "jobNamespaces"
  | "nodeLeaseNamespace"
  | "goingNamespaces";

/** A permission of the operator, and the reason for it. */
export interface Permission {
  /** Features that need it. */
  readonly features: readonly FeatureName[];
  readonly scope: PermissionScope;
  /** Empty: the core group. */
  readonly apiGroup: string;
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
  /** Limits the permission to objects with these names. */
  readonly resourceNames?: readonly string[];
  readonly why: string;
}

const ALL = Object.keys(FEATURES) as readonly FeatureName[];
const WATCH: readonly Verb[] = ["list", "watch"];

/**
 * Permissions to read one of the five kinds, and to patch its metadata (finalizers, annotations), spec.ips and status.
 */
function ownKind(features: readonly FeatureName[], scope: PermissionScope, resources: readonly string[]): Permission[] {
  return [
    {
      features,
      scope,
      apiGroup: API_GROUP,
      resources,
      verbs: ["get", ...WATCH, "patch"],
      why: "watch the resources, and read one again after a conflict; patch finalizers, annotations and created addresses",
    },
    {
      features,
      scope,
      apiGroup: API_GROUP,
      resources: resources.map((resource) => `${resource}/status`),
      verbs: ["patch"],
      why: "write the observed state and conditions",
    },
  ];
}

/** Permissions to finish the deletion of a resource whose namespace has already lost its Roles. */
function cleanup(features: readonly FeatureName[], resources: readonly string[]): Permission {
  return {
    features,
    scope: "goingNamespaces",
    apiGroup: API_GROUP,
    resources: [...resources, ...resources.map((resource) => `${resource}/status`)],
    verbs: ["patch"],
    why: "finish the cleanup in a namespace that is being deleted and has already lost its Roles",
  };
}

/** All permissions of the operator. The construct library generates the roles from them, and tests try each call. */
export const PERMISSIONS: readonly Permission[] = [
  {
    features: ALL,
    scope: "operatorNamespace",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["create"],
    why: "leader election: create the Lease (RBAC cannot limit create to a name)",
  },
  {
    features: ALL,
    scope: "operatorNamespace",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    resourceNames: [LEASE_NAME],
    verbs: ["get", "update"],
    why: "leader election: read and renew the Lease",
  },
  {
    features: ALL,
    scope: "operatorNamespace",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    resourceNames: [LEASE_NAME],
    verbs: WATCH,
    why: "notice flipop stop at once; without this right, at the next renewal of the Lease",
  },
  {
    features: ALL,
    scope: "cluster",
    apiGroup: "events.k8s.io",
    resources: ["events"],
    verbs: ["create", "patch"],
    why: "emit Events for a resource, or in namespace default; check with a dry run whether a namespace is gone",
  },
  {
    features: ALL,
    scope: "cluster",
    apiGroup: "",
    resources: ["nodes"],
    verbs: WATCH,
    why: "find candidates",
  },
  {
    features: ["pools", "routedip", "jobs"],
    scope: "cluster",
    apiGroup: "",
    resources: ["nodes"],
    verbs: ["patch"],
    why: "write the address annotation, the holder label, and the taints of elected and of waiting nodes; the admission policy rejects other changes",
  },
  {
    features: ALL,
    scope: "podNamespaces",
    apiGroup: "",
    resources: ["pods"],
    verbs: WATCH,
    why: "find nodes by their pods, and the hostPorts of a Service's pods",
  },
  ...ownKind(["pools"], "watchNamespaces", ["floatingippools"]),
  ...ownKind(["dns"], "watchNamespaces", ["nodednsrecordsets"]),
  ...ownKind(["routedip", "jobs"], "watchNamespaces", ["routedips", "routedipissuers"]),
  ...ownKind(["routedip", "jobs"], "cluster", ["clusterroutedipclasses"]),
  {
    features: ["routedip", "jobs", "publish"],
    scope: "watchNamespaces",
    apiGroup: "",
    resources: ["services"],
    verbs: WATCH,
    why: "find the ports of a RoutedIP's Service, and the Services that show addresses",
  },
  {
    features: ["publish"],
    scope: "watchNamespaces",
    apiGroup: "",
    resources: ["services/status"],
    verbs: ["patch"],
    why: "show active addresses in the status of Services of the operator's loadBalancerClass; the admission policy rejects other changes",
  },
  {
    features: ["publish"],
    scope: "watchNamespaces",
    apiGroup: "gateway.networking.k8s.io",
    resources: ["gateways"],
    verbs: WATCH,
    why: "find the Gateways that show addresses",
  },
  {
    features: ["publish"],
    scope: "watchNamespaces",
    apiGroup: "gateway.networking.k8s.io",
    resources: ["gateways/status"],
    verbs: ["patch"],
    why: "show active addresses in the status of Gateways that allow it; the admission policy rejects other changes",
  },
  {
    features: ["routedip", "jobs"],
    scope: "watchNamespaces",
    apiGroup: "discovery.k8s.io",
    resources: ["endpointslices"],
    verbs: WATCH,
    why: "find the nodes that serve a RoutedIP's Service",
  },
  // A class may name an issuer outside of the watched namespaces.
  ...ownKind(["routedip", "jobs"], "issuerNamespaces", ["routedipissuers"]),
  {
    features: ["routedip"],
    scope: "issuerNamespaces",
    apiGroup: "",
    resources: ["secrets"],
    verbs: WATCH,
    why: "read the credentials of issuers, and notice their rotation",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "batch",
    resources: ["jobs"],
    verbs: [...WATCH, "create", "delete"],
    why: "run the Jobs of classes, and check their specs with a dry-run create",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "",
    resources: ["pods"],
    verbs: ["list", "watch", "create"],
    why: "read the termination message of a Job's pod, and check the pods of Jobs against Pod Security with a dry-run create",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "events.k8s.io",
    resources: ["events"],
    verbs: ["list"],
    why: "report why a Job's pod does not start",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["get"],
    why: "check that the ServiceAccount of a Job has the required label",
  },
  {
    features: ["healthchecks"],
    scope: "nodeLeaseNamespace",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    verbs: WATCH,
    why: "watch the Leases of holders: a kubelet that no longer renews its Lease confirms failed probes",
  },
  {
    features: ["healthchecks"],
    scope: "operatorNamespace",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    resourceNames: [STANDBY_LEASE_NAME],
    verbs: ["get", "update"],
    why: "let the leader find the standby replica, which confirms or contradicts its failed probes",
  },
  {
    features: ["externaldns"],
    scope: "operatorNamespace",
    apiGroup: "externaldns.k8s.io",
    resources: ["dnsendpoints"],
    verbs: ["get", "create", "patch", "delete"],
    why: "write record sets of provider external-dns, in the operator's own namespace",
  },
  cleanup(["pools"], ["floatingippools"]),
  cleanup(["dns"], ["nodednsrecordsets"]),
  cleanup(["routedip", "jobs"], ["routedips", "routedipissuers"]),
];

/** The permissions that an operator with these features needs. */
export function permissionsFor(features: readonly FeatureName[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => permission.features.some((feature) => features.includes(feature)));
}
