import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { OperatorSettings } from "../props-with-defaults";
import { NODE_RULES, NODE_VARIABLES } from "./node-rules";
import { byTheOperator, type PolicyNames, policy, policyBinding } from "./policy-objects";

/**
 * Rejects every change of a node by the operator's identity, except to flipop's annotations, taints and holder labels. RBAC cannot
 * express that: the permission to patch a node includes all its fields. Requires Kubernetes 1.30.
 */
export function admissionPolicy(scope: Construct, settings: OperatorSettings): ApiObject {
  return policy(scope, names(settings), settings, {
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
    matchConditions: [byTheOperator(settings)],
    variables: NODE_VARIABLES,
    validations: NODE_RULES.map(({ expression, allowed }) => ({
      expression,
      message: `flipop may change only its own annotations, taints and holder labels on a node: ${allowed}`,
      reason: "Forbidden",
    })),
  });
}

/** The binding that enforces the policy. */
export function admissionPolicyBinding(scope: Construct, settings: OperatorSettings): ApiObject {
  return policyBinding(scope, names(settings), settings);
}

function names({ clusterName }: OperatorSettings): PolicyNames {
  return { id: "admission-policy", name: clusterName };
}
