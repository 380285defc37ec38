import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { ALL_KINDS } from "../api/kinds/kinds";
import { API_GROUP, LEASE_NAME } from "../api/names";
import { AggregatedUserRoles } from "../operator-options";
import { clusterObject } from "./cluster-object";
import type { OperatorSettings } from "./props-with-defaults";

const RBAC_V1 = "rbac.authorization.k8s.io/v1";

/** What the commands of `flipop` read beside the five kinds. A RoleBinding grants none of the cluster-scoped ones. */
const COMMANDS_READ = [
  { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: [LEASE_NAME], verbs: ["get", "list"] },
];

/** The roles that an administrator binds to people. */
export function userRoles(scope: Construct, settings: OperatorSettings) {
  return {
    view: viewClusterRole(scope, settings),
    edit: editClusterRole(scope, settings),
    onCall: onCallRole(scope, settings),
  };
}

/** To read the five kinds, and to run the commands that only read. */
function viewClusterRole(scope: Construct, settings: OperatorSettings): ApiObject {
  return userRole(scope, settings, {
    suffix: "view",
    aggregateTo: settings.aggregateUserRoles === AggregatedUserRoles.NONE ? [] : ["view", "edit", "admin"],
    verbs: ["get", "list", "watch"],
    others: COMMANDS_READ,
  });
}

/** To read and write the five kinds, except their status. */
function editClusterRole(scope: Construct, settings: OperatorSettings): ApiObject {
  return userRole(scope, settings, {
    suffix: "edit",
    aggregateTo: settings.aggregateUserRoles === AggregatedUserRoles.EDIT ? ["edit", "admin"] : [],
    verbs: ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"],
    others: [],
  });
}

/** To stop and resume the operator. A Role, because the right is for one Lease in one namespace; no other role includes it. */
function onCallRole(scope: Construct, { clusterName, namespace, labels }: OperatorSettings): ApiObject {
  return new ApiObject(scope, "on-call-role", {
    apiVersion: RBAC_V1,
    kind: "Role",
    metadata: { name: `${clusterName}-on-call`, namespace, labels },
    rules: [
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: [LEASE_NAME],
        verbs: ["get", "patch"],
      },
    ],
  });
}

interface UserRole {
  readonly suffix: string;
  readonly aggregateTo: readonly string[];
  readonly verbs: readonly string[];
  /** Rules for other kinds. */
  readonly others: readonly object[];
}

function userRole(
  scope: Construct,
  settings: OperatorSettings,
  { suffix, aggregateTo, verbs, others }: UserRole,
): ApiObject {
  const aggregation = aggregateTo.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"]);
  return clusterObject(scope, `${suffix}-cluster-role`, {
    apiVersion: RBAC_V1,
    kind: "ClusterRole",
    metadata: {
      name: `${settings.clusterName}-${suffix}`,
      labels: { ...settings.labels, ...Object.fromEntries(aggregation) },
    },
    rules: [{ apiGroups: [API_GROUP], resources: ALL_KINDS.map(({ plural }) => plural), verbs }, ...others],
  });
}
