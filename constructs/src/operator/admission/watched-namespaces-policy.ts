import { type ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { KINDS } from "../../api/kinds/kinds";
import { cleanupName, type OperatorSettings } from "../props-with-defaults";
import { byTheOperator, inOneOf, type PolicyNames, policy, policyBinding, requestsFor } from "./policy-objects";

/**
 * Rejects every change of a flipop resource outside of the watched namespaces by the operator's identity. RBAC cannot
 * express that without a Role in each namespace, and the deletion of a namespace deletes its Roles. Requires Kubernetes
 * 1.30.
 */
export function cleanupPolicy(scope: Construct, settings: OperatorSettings): ApiObject {
  return policy(scope, names(settings), settings, {
    matchConstraints: requestsFor(["*/*"], ["*"]),
    matchConditions: Lazy.any({ produce: () => [byTheOperator(settings), ...noServedIssuer(settings)] }),
    validations: [
      {
        expression: Lazy.any({ produce: () => inOneOf(settings.watchNamespaces) }),
        message: "flipop may change resources only in the namespaces of --watch-namespaces",
        reason: "Forbidden",
      },
    ],
  });
}

/** The binding that enforces the policy. */
export function cleanupPolicyBinding(scope: Construct, settings: OperatorSettings): ApiObject {
  return policyBinding(scope, names(settings), settings);
}

/**
 * Issuers may be outside of the watched namespaces, such as in the operator's namespace: separate Roles limit access to
 * them.
 */
function noServedIssuer({ issuerNamespaces }: OperatorSettings): readonly object[] {
  if (issuerNamespaces.length === 0) return [];
  const isIssuer = `request.resource.resource == '${KINDS.RoutedIPIssuer.plural}'`;
  return [{ name: "no-served-issuer", expression: `!(${isIssuer} && ${inOneOf(issuerNamespaces)})` }];
}

function names(settings: OperatorSettings): PolicyNames {
  return { id: "cleanup-policy", name: cleanupName(settings) };
}
