import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { OperatorSettings } from "./props-with-defaults";

/** The identity of the operator. Only the operator's pods mount its token, because their template enables it. */
export function serviceAccount(scope: Construct, settings: OperatorSettings): ApiObject {
  return new ApiObject(scope, "service-account", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: settings.serviceAccountName, namespace: settings.namespace, labels: settings.labels },
    automountServiceAccountToken: false,
  });
}
