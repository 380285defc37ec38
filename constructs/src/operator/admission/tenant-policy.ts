import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { KINDS } from "../../api/kinds/kinds";
import type { OperatorSettings } from "../props-with-defaults";
import { notByTheOperator, type PolicyNames, policy, policyBinding, requestsFor } from "./policy-objects";
import { limitsRules } from "./tenant-limits-text";
import { TENANT_RULES, tenantVariables } from "./tenant-rules";

/**
 * Rejects pools and record sets that ask for an address, a zone or a name that the limits of their namespace do not
 * allow. The operator enforces the same limits; the API server names the mistake at once.
 */
export function tenantPolicy(scope: Construct, settings: OperatorSettings): ApiObject {
  return policy(scope, names(settings), settings, {
    matchConstraints: requestsFor([KINDS.FloatingIPPool.plural, KINDS.NodeDNSRecordSet.plural], ["CREATE", "UPDATE"]),
    // The operator adds the addresses that it creates to a pool.
    matchConditions: [notByTheOperator(settings)],
    variables: tenantVariables(limitsRules(settings.tenantLimits)),
    validations: TENANT_RULES.map(({ expression, messageExpression }) => ({
      expression,
      messageExpression,
      reason: "Forbidden",
    })),
  });
}

/** The binding that enforces the policy. */
export function tenantPolicyBinding(scope: Construct, settings: OperatorSettings): ApiObject {
  return policyBinding(scope, names(settings), settings);
}

function names({ clusterName }: OperatorSettings): PolicyNames {
  return { id: "tenant-policy", name: `${clusterName}-tenants` };
}
