import { type ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { KINDS } from "../../api/kinds/kinds";
import { API_GROUP, Finalizer } from "../../api/names";
import type { OperatorSettings } from "../props-with-defaults";
import { inOneOf, notByTheOperator, type PolicyNames, policy, policyBinding, requestsFor } from "./policy-objects";

/** Operators of all installations may write the status, and cluster-admins. Whoever may, can hide a created address anyway. */
const MAY_WRITE_STATUS = `authorizer.group('${API_GROUP}').resource(request.resource.resource).subresource('status').namespace(request.namespace).name(request.name).check('patch').allowed()`;

const HAS = `.?metadata.?finalizers.orValue([]).exists(finalizer, finalizer == '${Finalizer.cleanup}')`;

/** Without deletion and created address, `kubectl replace` may drop the finalizer: the operator adds it again. */
const MATTERS = [
  "has(oldObject.metadata.deletionTimestamp)",
  "variables.status.?createdIPs.orValue([]).size() > 0",
  "variables.status.?created.orValue(false)",
  "variables.status.?pendingCreation.hasValue()",
].join(" || ");

/**
 * Refuses to let anybody but the operator remove its finalizer from a resource that is being deleted or has a created
 * address: such an address would stay in the account and count for no limit. Requires Kubernetes 1.30.
 */
export function finalizerPolicy(scope: Construct, settings: OperatorSettings): ApiObject {
  const { FloatingIPPool, NodeDNSRecordSet, RoutedIP } = KINDS;
  return policy(scope, names(settings), settings, {
    matchConstraints: requestsFor(
      [FloatingIPPool, NodeDNSRecordSet, RoutedIP].map(({ plural }) => plural),
      ["UPDATE"],
    ),
    matchConditions: Lazy.any({
      produce: () => [
        notByTheOperator(settings),
        { name: "removes-the-finalizer", expression: `oldObject${HAS} && !object${HAS}` },
        ...watched(settings),
      ],
    }),
    variables: [{ name: "status", expression: "dyn(oldObject).?status.orValue({})" }],
    validations: [
      {
        expression: `!(${MATTERS}) || ${MAY_WRITE_STATUS}`,
        message: `flipop removes finalizer ${Finalizer.cleanup} after it has cleaned up at the provider; condition Ready of the resource says what it waits for. Keep the finalizer. If flipop no longer runs, have a cluster-admin remove it`,
        reason: "Forbidden",
      },
    ],
  });
}

/** The binding that enforces the policy. */
export function finalizerPolicyBinding(scope: Construct, settings: OperatorSettings): ApiObject {
  return policyBinding(scope, names(settings), settings);
}

/** Other installations serve the other namespaces, with a ServiceAccount of their own. */
function watched({ watchNamespaces }: OperatorSettings): readonly object[] {
  return watchNamespaces.length === 0 ? [] : [{ name: "watched", expression: inOneOf(watchNamespaces) }];
}

function names({ clusterName }: OperatorSettings): PolicyNames {
  return { id: "finalizer-policy", name: `${clusterName}-finalizers` };
}
