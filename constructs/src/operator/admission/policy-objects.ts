import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { API_GROUP } from "../../api/names";
import { clusterObject } from "../cluster-object";
import type { OperatorSettings } from "../props-with-defaults";

const ADMISSION_V1 = "admissionregistration.k8s.io/v1";

/** Names of an admission policy: its construct id, and its name in the cluster. */
export interface PolicyNames {
  readonly id: string;
  readonly name: string;
}

/** A ValidatingAdmissionPolicy. The API server rejects a request if it cannot evaluate the policy. */
export function policy(
  scope: Construct,
  { id, name }: PolicyNames,
  { labels }: OperatorSettings,
  spec: object,
): ApiObject {
  return clusterObject(scope, id, {
    apiVersion: ADMISSION_V1,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name, labels },
    spec: { failurePolicy: "Fail", ...spec },
  });
}

/** The binding that enforces a policy. */
export function policyBinding(scope: Construct, { id, name }: PolicyNames, { labels }: OperatorSettings): ApiObject {
  return clusterObject(scope, `${id}-binding`, {
    apiVersion: ADMISSION_V1,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name, labels },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
}

/** What a policy looks at: requests about resources of our group. */
export function requestsFor(resources: readonly string[], operations: readonly string[]): object {
  const scope = "Namespaced";
  return {
    matchPolicy: "Equivalent",
    resourceRules: [{ apiGroups: [API_GROUP], apiVersions: ["*"], resources, operations, scope }],
  };
}

/** Match condition that limits a policy to the operator's requests. */
export function byTheOperator(settings: OperatorSettings): object {
  return { name: "by-the-operator", expression: `request.userInfo.username == '${userName(settings)}'` };
}

/** Match condition that limits a policy to the requests of all others. */
export function notByTheOperator(settings: OperatorSettings): object {
  return { name: "not-by-the-operator", expression: `request.userInfo.username != '${userName(settings)}'` };
}

/** One text with all namespaces, which the Helm chart can replace. */
export function inOneOf(namespaces: readonly string[]): string {
  return `request.namespace in '${namespaces.join(",")}'.split(',')`;
}

function userName({ namespace, serviceAccountName }: OperatorSettings): string {
  return `system:serviceaccount:${namespace}:${serviceAccountName}`;
}
