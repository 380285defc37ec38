import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { FlipopOperatorProps } from "../../operator-props";
import { PORT_NAMES } from "../pod-template";
import type { OperatorSettings } from "../props-with-defaults";

/**
 * The metrics have their own labels "namespace" and "name", which Prometheus would otherwise rename to
 * "exported_namespace".
 */
const ENDPOINT = { port: PORT_NAMES.metrics, honorLabels: true };

/** A ServiceMonitor: Prometheus finds the pods through the metrics Service. */
export function serviceMonitor(scope: Construct, settings: OperatorSettings, props: FlipopOperatorProps): ApiObject {
  return scrapeObject(scope, settings, props, { kind: "ServiceMonitor", endpoints: { endpoints: [ENDPOINT] } });
}

/** A PodMonitor: Prometheus finds the pods by their labels. */
export function podMonitor(scope: Construct, settings: OperatorSettings, props: FlipopOperatorProps): ApiObject {
  return scrapeObject(scope, settings, props, { kind: "PodMonitor", endpoints: { podMetricsEndpoints: [ENDPOINT] } });
}

interface ScrapeKind {
  readonly kind: "ServiceMonitor" | "PodMonitor";
  readonly endpoints: object;
}

function scrapeObject(
  scope: Construct,
  { name, namespace, labels, selector }: OperatorSettings,
  { monitoringLabels }: FlipopOperatorProps,
  { kind, endpoints }: ScrapeKind,
): ApiObject {
  return new ApiObject(scope, kind === "ServiceMonitor" ? "service-monitor" : "pod-monitor", {
    apiVersion: "monitoring.coreos.com/v1",
    kind,
    metadata: { name, namespace, labels: { ...labels, ...monitoringLabels } },
    spec: { selector: { matchLabels: selector }, ...endpoints },
  });
}
