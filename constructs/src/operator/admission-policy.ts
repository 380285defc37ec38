import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { NODE_RULES, NODE_VARIABLES } from "./admission-rules";
import { clusterObject } from "./cluster-object";
import type { OperatorSettings } from "./settings";

const ADMISSION_V1 = "admissionregistration.k8s.io/v1";

/**
 * Refuses every change to a node by the operator's identity but our annotations and our taints. RBAC can't say that:
 * the right to patch a node is the right to patch all of it. Needs Kubernetes 1.30.
 */
export function admissionPolicy(scope: Construct, settings: OperatorSettings): ApiObject {
  return clusterObject(scope, "admission-policy", {
    apiVersion: ADMISSION_V1,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: settings.clusterName, labels: settings.labels },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        matchPolicy: "Equivalent",
        resourceRules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["nodes", "nodes/*"],
            operations: ["*"],
            scope: "Cluster",
          },
        ],
      },
      matchConditions: [{ name: "by-the-operator", expression: byTheOperator(settings) }],
      variables: NODE_VARIABLES,
      validations: NODE_RULES.map(({ expression, allowed }) => ({
        expression,
        message: `flipop may change only its own annotations and taints of a node: ${allowed}`,
        reason: "Forbidden",
      })),
    },
  });
}

/** Puts the policy into force. */
export function admissionPolicyBinding(scope: Construct, settings: OperatorSettings): ApiObject {
  return clusterObject(scope, "admission-policy-binding", {
    apiVersion: ADMISSION_V1,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: settings.clusterName, labels: settings.labels },
    spec: { policyName: settings.clusterName, validationActions: ["Deny"] },
  });
}

function byTheOperator({ namespace, serviceAccountName }: OperatorSettings): string {
  return `request.userInfo.username == 'system:serviceaccount:${namespace}:${serviceAccountName}'`;
}
