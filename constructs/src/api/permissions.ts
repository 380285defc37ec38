import type { FeatureName } from "./config";
import { API_GROUP, LEASE_NAME } from "./names";

/** A verb of the Kubernetes API. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/**
 * Where a permission is needed: in the whole cluster; in the namespaces of `--watch-namespaces` or
 * `--pod-namespaces` (none given: the whole cluster); in the operator's own namespace; in those of
 * `--issuer-namespaces` or `--job-namespaces`. `goingNamespaces`: in those of `--watch-namespaces` that are being
 * deleted, and may have lost their Roles; given in the whole cluster, and only where an admission policy confines it.
 */
export type PermissionScope =
  | "cluster"
  | "watchNamespaces"
  | "podNamespaces"
  | "operatorNamespace"
  | "issuerNamespaces"
  | "jobNamespaces"
  | "goingNamespaces";

/** Something that the operator may do, and why it must. */
export interface Permission {
  /** Features that need it. */
  readonly features: readonly FeatureName[];
  readonly scope: PermissionScope;
  /** Empty: the core group. */
  readonly apiGroup: string;
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
  /** Only objects of these names. */
  readonly resourceNames?: readonly string[];
  readonly why: string;
}

const ALL: readonly FeatureName[] = ["pools", "dns", "routedip", "jobs"];
const READ: readonly Verb[] = ["get", "list", "watch"];

/** Read a kind of ours, and write its metadata (finalizers, annotations), spec.ips and status by patches. */
function ownKind(features: readonly FeatureName[], scope: PermissionScope, resources: readonly string[]): Permission[] {
  return [
    {
      features,
      scope,
      apiGroup: API_GROUP,
      resources,
      verbs: [...READ, "patch"],
      why: "watch the resources; patch finalizers, annotations and created addresses",
    },
    {
      features,
      scope,
      apiGroup: API_GROUP,
      resources: resources.map((resource) => `${resource}/status`),
      verbs: ["patch"],
      why: "say what was observed and done",
    },
  ];
}

/** What the end of a resource takes, once its namespace has no Role any more. */
function cleanup(features: readonly FeatureName[], resources: readonly string[]): Permission {
  return {
    features,
    scope: "goingNamespaces",
    apiGroup: API_GROUP,
    resources: [...resources, ...resources.map((resource) => `${resource}/status`)],
    verbs: ["patch"],
    why: "finish the clean-up in a namespace that goes and has lost its Roles already",
  };
}

/** Everything that the operator may do. The construct library makes roles of it, the tests try each call. */
export const PERMISSIONS: readonly Permission[] = [
  {
    features: ALL,
    scope: "operatorNamespace",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["create"],
    why: "leader election: make the Lease (a create can't be limited to a name)",
  },
  {
    features: ALL,
    scope: "operatorNamespace",
    apiGroup: "coordination.k8s.io",
    resources: ["leases"],
    resourceNames: [LEASE_NAME],
    verbs: ["get", "update"],
    why: "leader election: hold the Lease",
  },
  {
    features: ALL,
    scope: "cluster",
    apiGroup: "events.k8s.io",
    resources: ["events"],
    verbs: ["create", "patch"],
    why: "tell what happened, on the resource, or in namespace default; by a dry run, learn that a namespace is gone",
  },
  {
    features: ALL,
    scope: "cluster",
    apiGroup: "",
    resources: ["nodes"],
    verbs: READ,
    why: "find candidates",
  },
  {
    features: ["pools", "routedip", "jobs"],
    scope: "cluster",
    apiGroup: "",
    resources: ["nodes"],
    verbs: ["patch"],
    why: "write the address annotation and the taint of an elected node; the admission policy refuses all else",
  },
  {
    features: ALL,
    scope: "podNamespaces",
    apiGroup: "",
    resources: ["pods"],
    verbs: ["list", "watch"],
    why: "find nodes by their pods, and the hostPorts of a Service's pods",
  },
  ...ownKind(["pools"], "watchNamespaces", ["floatingippools"]),
  ...ownKind(["dns"], "watchNamespaces", ["nodednsrecordsets"]),
  ...ownKind(["routedip", "jobs"], "watchNamespaces", ["routedips", "routedipissuers"]),
  ...ownKind(["routedip", "jobs"], "cluster", ["clusterroutedipclasses"]),
  {
    features: ["routedip", "jobs"],
    scope: "watchNamespaces",
    apiGroup: "",
    resources: ["services"],
    verbs: READ,
    why: "find the ports of a RoutedIP's Service",
  },
  {
    features: ["routedip", "jobs"],
    scope: "watchNamespaces",
    apiGroup: "discovery.k8s.io",
    resources: ["endpointslices"],
    verbs: ["list", "watch"],
    why: "find the nodes that serve a RoutedIP's Service",
  },
  // A class may name an issuer outside of the namespaces whose RoutedIPs are served.
  ...ownKind(["routedip", "jobs"], "issuerNamespaces", ["routedipissuers"]),
  {
    features: ["routedip"],
    scope: "issuerNamespaces",
    apiGroup: "",
    resources: ["secrets"],
    verbs: READ,
    why: "read the credentials of issuers, and notice their rotation",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "batch",
    resources: ["jobs"],
    verbs: [...READ, "create", "delete"],
    why: "run the Jobs of classes; a dry-run create checks their specs",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "",
    resources: ["pods"],
    verbs: ["list", "watch"],
    why: "read the termination message of a Job's pod",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "events.k8s.io",
    resources: ["events"],
    verbs: ["list"],
    why: "say why a Job's pod does not start",
  },
  {
    features: ["jobs"],
    scope: "jobNamespaces",
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["get"],
    why: "run Jobs only as ServiceAccounts that are labelled for it",
  },
  cleanup(["pools"], ["floatingippools"]),
  cleanup(["dns"], ["nodednsrecordsets"]),
  cleanup(["routedip", "jobs"], ["routedips", "routedipissuers"]),
];

/** The permissions that an operator with these features needs. */
export function permissionsFor(features: readonly FeatureName[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => permission.features.some((feature) => features.includes(feature)));
}
