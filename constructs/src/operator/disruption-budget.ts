import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { OperatorSettings } from "./settings";

/** Lets a node drain take one pod at a time. With one replica it still lets the drain go on. */
export function disruptionBudget(scope: Construct, { name, namespace, labels, selector }: OperatorSettings): ApiObject {
  return new ApiObject(scope, "disruption-budget", {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace, labels },
    spec: {
      maxUnavailable: 1,
      // A pod that does not get ready must not hold up a drain.
      unhealthyPodEvictionPolicy: "AlwaysAllow",
      selector: { matchLabels: selector },
    },
  });
}
