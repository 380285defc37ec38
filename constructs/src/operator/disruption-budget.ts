import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { OperatorSettings } from "./props-with-defaults";

/** Allows a node drain to evict one pod at a time. With one replica, the drain can still continue. */
export function disruptionBudget(scope: Construct, { name, namespace, labels, selector }: OperatorSettings): ApiObject {
  return new ApiObject(scope, "disruption-budget", {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace, labels },
    spec: {
      maxUnavailable: 1,
      // A pod that does not become ready must not block a drain.
      unhealthyPodEvictionPolicy: "AlwaysAllow",
      selector: { matchLabels: selector },
    },
  });
}
