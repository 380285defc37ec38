import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { PORTS } from "../../api/config";
import { PORT_NAMES } from "../pod-template";
import type { OperatorSettings } from "../props-with-defaults";

/** The Service of the metrics. It is headless, because each pod has its own metrics and must be scraped separately. */
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
