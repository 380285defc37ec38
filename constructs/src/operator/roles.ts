import { ApiObject, type ApiObjectMetadata, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { NODE_LEASE_NAMESPACE } from "../api/names";
import { type Permission, type PermissionScope, permissionsFor } from "../api/permissions";
import { clusterObject } from "./cluster-object";
import { cleanupName, type OperatorSettings } from "./props-with-defaults";

const RBAC = "rbac.authorization.k8s.io";
const RBAC_V1 = `${RBAC}/v1`;

/** A role of the operator, and its binding to the operator's identity. */
export interface BoundRole {
  readonly role: ApiObject;
  readonly binding: ApiObject;
}

/** The permissions of the enabled features in the whole cluster. */
export function clusterRole(scope: Construct, settings: OperatorSettings): BoundRole {
  const scopes: readonly PermissionScope[] = [
    "cluster",
    ...(settings.watchNamespaces.length === 0 ? (["watchNamespaces"] as const) : []),
    ...(settings.podNamespaces.length === 0 ? (["podNamespaces"] as const) : []),
  ];
  return boundClusterRole(scope, settings, { id: "cluster-role", name: settings.clusterName, scopes });
}

/**
 * The operator's permissions in a watched namespace that has lost its Roles. Use this role only with the policy of
 * watched-namespaces-policy.ts, without which it grants them in every namespace.
 */
export function cleanupClusterRole(scope: Construct, settings: OperatorSettings): BoundRole {
  const name = cleanupName(settings);
  return boundClusterRole(scope, settings, { id: "cleanup-cluster-role", name, scopes: ["goingNamespaces"] });
}

/**
 * A Role for each purpose in each of its namespaces, except those that already exist. The names contain purpose and namespace: in an output type with a
 * file for each object, a second Role of the same name would overwrite the first.
 */
export function namespacedRoles(scope: Construct, settings: OperatorSettings): BoundRole[] {
  const { namespace, watchNamespaces, podNamespaces, issuerNamespaces, jobNamespaces } = settings;
  return [
    ...rolesFor(scope, settings, { purpose: "lease", scope: "operatorNamespace", namespaces: [namespace] }),
    ...rolesFor(scope, settings, {
      purpose: "node-leases",
      scope: "nodeLeaseNamespace",
      namespaces: [NODE_LEASE_NAMESPACE],
    }),
    ...rolesFor(scope, settings, { purpose: "watch", scope: "watchNamespaces", namespaces: watchNamespaces }),
    ...rolesFor(scope, settings, { purpose: "pods", scope: "podNamespaces", namespaces: podNamespaces }),
    ...rolesFor(scope, settings, { purpose: "issuers", scope: "issuerNamespaces", namespaces: issuerNamespaces }),
    ...rolesFor(scope, settings, { purpose: "jobs", scope: "jobNamespaces", namespaces: jobNamespaces }),
  ];
}

interface WantedClusterRole {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly PermissionScope[];
}

function boundClusterRole(
  scope: Construct,
  settings: OperatorSettings,
  { id, name, scopes }: WantedClusterRole,
): BoundRole {
  const metadata = { name, labels: settings.labels };
  return {
    role: clusterObject(scope, id, {
      apiVersion: RBAC_V1,
      kind: "ClusterRole",
      metadata,
      rules: Lazy.any({ produce: () => rules(settings, scopes) }),
    }),
    binding: clusterObject(scope, `${id}-binding`, {
      apiVersion: RBAC_V1,
      kind: "ClusterRoleBinding",
      metadata,
      ...grant("ClusterRole", name, settings),
    }),
  };
}

interface RolePurpose {
  readonly purpose: string;
  readonly scope: PermissionScope;
  readonly namespaces: readonly string[];
}

function rolesFor(scope: Construct, settings: OperatorSettings, { purpose, ...where }: RolePurpose): BoundRole[] {
  const wanted = (): object[] => rules(settings, [where.scope]);
  if (wanted().length === 0) return [];
  const missing = [...new Set(where.namespaces)].filter((namespace) => !has(scope, `role-${purpose}-${namespace}`));
  return missing.map((namespace) => {
    const id = `${purpose}-${namespace}`;
    const name = `${settings.clusterName}-${id}`;
    const metadata: ApiObjectMetadata = { name, namespace, labels: settings.labels };
    return {
      role: new ApiObject(scope, `role-${id}`, {
        apiVersion: RBAC_V1,
        kind: "Role",
        metadata,
        rules: Lazy.any({ produce: wanted }),
      }),
      binding: new ApiObject(scope, `role-binding-${id}`, {
        apiVersion: RBAC_V1,
        kind: "RoleBinding",
        metadata,
        ...grant("Role", name, settings),
      }),
    };
  });
}

function has(scope: Construct, id: string): boolean {
  return scope.node.tryFindChild(id) !== undefined;
}

function rules(settings: OperatorSettings, scopes: readonly PermissionScope[]): object[] {
  return permissionsFor(settings.features)
    .filter((permission) => scopes.includes(permission.scope))
    .map(rule);
}

/** The server drops an empty `resourceNames`, so that `kubectl apply` would never print "unchanged". */
function rule({ apiGroup, resources, resourceNames, verbs }: Permission): object {
  return { apiGroups: [apiGroup], resources, ...(resourceNames ? { resourceNames } : {}), verbs };
}

function grant(kind: "Role" | "ClusterRole", name: string, settings: OperatorSettings): object {
  return {
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [{ kind: "ServiceAccount", name: settings.serviceAccountName, namespace: settings.namespace }],
  };
}
