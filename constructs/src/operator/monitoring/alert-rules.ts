import { ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import type { FlipopOperatorProps } from "../../operator-props";
import { withBraces } from "../helm-braces";
import type { OperatorSettings } from "../props-with-defaults";
import { type Alert, ruleOf } from "./alert";
import { operatorAlerts } from "./operator-alerts";
import { addressAlerts, problemAlerts } from "./resource-alerts";

/** The alerts. Each names the resource, and its runbook. */
export function alertRules(
  scope: Construct,
  settings: OperatorSettings,
  { monitoringLabels }: FlipopOperatorProps,
): ApiObject {
  const { name, namespace, labels } = settings;
  const rule = (alert: Alert): object => ruleOf(alert, (text) => withBraces(text, scope));
  return new ApiObject(scope, "prometheus-rule", {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name, namespace, labels: { ...labels, ...monitoringLabels } },
    // The output folder of the app decides about the braces.
    spec: Lazy.any({
      produce: () => ({
        groups: [
          { name: "flipop.addresses", rules: addressAlerts().map(rule) },
          { name: "flipop.resources", rules: problemAlerts().map(rule) },
          { name: "flipop.operator", rules: operatorAlerts(settings).map(rule) },
        ],
      }),
    }),
  });
}
