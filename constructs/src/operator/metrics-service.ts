import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { PORTS } from "../api/config";
import { PORT_NAMES } from "./pod-template";
import type { OperatorSettings } from "./settings";

/** Where the metrics are. Headless: each pod has metrics of its own, so nothing may balance between them. */
export function metricsService(scope: Construct, { name, namespace, labels, selector }: OperatorSettings): ApiObject {
  return new ApiObject(scope, "metrics-service", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${name}-metrics`, namespace, labels },
    spec: {
      clusterIP: "None",
      selector,
      ports: [{ name: PORT_NAMES.metrics, port: PORTS.metrics, targetPort: PORT_NAMES.metrics, protocol: "TCP" }],
    },
  });
}
