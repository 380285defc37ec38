import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { ALL_KINDS } from "../api/kinds";
import { API_GROUP } from "../api/names";
import { clusterObject } from "./cluster-object";
import type { OperatorSettings } from "./settings";

/** Allows users with the built-in role "view" (or edit, or admin) to read the five kinds. */
export function viewClusterRole(scope: Construct, settings: OperatorSettings): ApiObject {
  return userRole(scope, settings, {
    suffix: "view",
    aggregateTo: ["view", "edit", "admin"],
    verbs: ["get", "list", "watch"],
  });
}

/** Allows users with the built-in role "edit" (or admin) to write the five kinds, except their status. */
export function editClusterRole(scope: Construct, settings: OperatorSettings): ApiObject {
  return userRole(scope, settings, {
    suffix: "edit",
    aggregateTo: ["edit", "admin"],
    verbs: ["create", "update", "patch", "delete", "deletecollection"],
  });
}

interface UserRole {
  readonly suffix: string;
  readonly aggregateTo: readonly string[];
  readonly verbs: readonly string[];
}

function userRole(scope: Construct, settings: OperatorSettings, { suffix, aggregateTo, verbs }: UserRole): ApiObject {
  const aggregation = aggregateTo.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"]);
  return clusterObject(scope, `${suffix}-cluster-role`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: {
      name: `${settings.clusterName}-${suffix}`,
      labels: { ...settings.labels, ...Object.fromEntries(aggregation) },
    },
    rules: [{ apiGroups: [API_GROUP], resources: ALL_KINDS.map(({ plural }) => plural), verbs }],
  });
}
