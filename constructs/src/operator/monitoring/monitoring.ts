import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { MetricsScrape } from "../../operator-options";
import type { FlipopOperatorProps } from "../../operator-props";
import type { OperatorSettings } from "../props-with-defaults";
import { alertRules } from "./alert-rules";
import { dashboard } from "./dashboard";
import { podMonitor, serviceMonitor } from "./scrape";

/** The monitoring objects; the props enable each one. */
export interface Monitoring {
  readonly serviceMonitor?: ApiObject;
  readonly podMonitor?: ApiObject;
  readonly prometheusRule?: ApiObject;
  readonly dashboard?: ApiObject;
}

/** Creates the monitoring objects that the props enable. */
export function monitoring(scope: Construct, settings: OperatorSettings, props: FlipopOperatorProps): Monitoring {
  const { scrape } = props;
  return {
    ...(scrape === MetricsScrape.SERVICE_MONITOR ? { serviceMonitor: serviceMonitor(scope, settings, props) } : {}),
    ...(scrape === MetricsScrape.POD_MONITOR ? { podMonitor: podMonitor(scope, settings, props) } : {}),
    ...(props.alertRules ? { prometheusRule: alertRules(scope, settings, props) } : {}),
    ...(props.dashboard ? { dashboard: dashboard(scope, settings, props) } : {}),
  };
}
