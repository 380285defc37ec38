import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { byTheOperator, type PolicyNames, policy, policyBinding } from "./admission-objects";
import { NODE_RULES, NODE_VARIABLES } from "./admission-rules";
import type { OperatorSettings } from "./settings";

/**
 * Refuses every change to a node by the operator's identity but our annotations and our taints. RBAC can't say that:
 * the right to patch a node is the right to patch all of it. Needs Kubernetes 1.30.
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
      message: `flipop may change only its own annotations and taints of a node: ${allowed}`,
      reason: "Forbidden",
    })),
  });
}

/** Puts the policy into force. */
export function admissionPolicyBinding(scope: Construct, settings: OperatorSettings): ApiObject {
  return policyBinding(scope, names(settings), settings);
}

function names({ clusterName }: OperatorSettings): PolicyNames {
  return { id: "admission-policy", name: clusterName };
}
