import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { OperatorSettings } from "../props-with-defaults";
import { byTheOperator, type PolicyNames, policy, policyBinding } from "./policy-objects";
import { PUBLICATION_RULES, PUBLICATION_VARIABLES } from "./publication-rules";

/**
 * Rejects every change of a Service or a Gateway by the operator's identity, except to the addresses in the status of those
 * that ask for it. RBAC cannot express that: it knows neither classes nor annotations, nor single fields of a status. Requires
 * Kubernetes 1.30.
 */
export function publicationPolicy(scope: Construct, settings: OperatorSettings): ApiObject {
  return policy(scope, names(settings), settings, {
    matchConstraints: {
      matchPolicy: "Equivalent",
      resourceRules: [
        resourceRule("", ["v1"], ["services", "services/*"]),
        resourceRule("gateway.networking.k8s.io", ["*"], ["gateways", "gateways/*"]),
      ],
    },
    matchConditions: [byTheOperator(settings)],
    variables: PUBLICATION_VARIABLES,
    validations: PUBLICATION_RULES.map(({ expression, allowed }) => ({
      expression,
      message: `flipop may change only addresses in the status of Services of its class and of Gateways that allow it: ${allowed}`,
      reason: "Forbidden",
    })),
  });
}

/** The binding that enforces the policy. */
export function publicationPolicyBinding(scope: Construct, settings: OperatorSettings): ApiObject {
  return policyBinding(scope, names(settings), settings);
}

function resourceRule(apiGroup: string, apiVersions: readonly string[], resources: readonly string[]): object {
  return { apiGroups: [apiGroup], apiVersions, resources, operations: ["*"], scope: "Namespaced" };
}

function names({ clusterName }: OperatorSettings): PolicyNames {
  return { id: "publication-policy", name: `${clusterName}-publications` };
}
