import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { clusterObject } from "./cluster-object";
import type { OperatorSettings } from "./settings";

const ADMISSION_V1 = "admissionregistration.k8s.io/v1";

/** How an admission policy is called, as a construct and in the cluster. */
export interface PolicyNames {
  readonly id: string;
  readonly name: string;
}

/** A ValidatingAdmissionPolicy; where it can't be evaluated, it refuses. */
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

/** Puts a policy into force. */
export function policyBinding(scope: Construct, { id, name }: PolicyNames, { labels }: OperatorSettings): ApiObject {
  return clusterObject(scope, `${id}-binding`, {
    apiVersion: ADMISSION_V1,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name, labels },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
}

/** Condition of a policy that is about the operator's requests alone. */
export function byTheOperator({ namespace, serviceAccountName }: OperatorSettings): object {
  const user = `system:serviceaccount:${namespace}:${serviceAccountName}`;
  return { name: "by-the-operator", expression: `request.userInfo.username == '${user}'` };
}
