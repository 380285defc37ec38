import { ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import type { FlipopOperatorProps } from "../../operator-props";
import { withBraces } from "../helm-braces";
import type { OperatorSettings } from "../props-with-defaults";
import { arrange } from "./dashboard-layout";
import { dashboardRows } from "./dashboard-panels";

/** Grafana's sidecar loads ConfigMaps with this label. */
const SIDECAR_LABEL = { grafana_dashboard: "1" };
/** Grafana's limit for ids of dashboards. */
const MAX_UID_LENGTH = 40;

/** A ConfigMap with the operator's dashboard. */
export function dashboard(
  scope: Construct,
  settings: OperatorSettings,
  { monitoringLabels }: FlipopOperatorProps,
): ApiObject {
  const { name, namespace, labels } = settings;
  return new ApiObject(scope, "dashboard", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `${name}-dashboard`,
      namespace,
      labels: { ...labels, ...SIDECAR_LABEL, ...monitoringLabels },
    },
    data: {
      "flipop.json": Lazy.any({
        produce: () => withBraces(`${JSON.stringify(dashboardModel(settings), undefined, 2)}\n`, scope),
      }) as string,
    },
  });
}

/** The dashboard in Grafana's JSON model. */
export function dashboardModel(settings: OperatorSettings): object {
  return {
    uid: settings.clusterName.slice(0, MAX_UID_LENGTH),
    title: `flipop: ${settings.namespace}/${settings.name}`,
    tags: ["flipop", "kubernetes"],
    editable: true,
    schemaVersion: 39,
    time: { from: "now-6h", to: "now" },
    refresh: "1m",
    templating: { list: [dataSource(), resourceNamespace()] },
    panels: arrange(dashboardRows(settings)),
  };
}

function dataSource(): object {
  return { name: "datasource", label: "Data source", type: "datasource", query: "prometheus", current: {} };
}

function resourceNamespace(): object {
  const query = "label_values(flipop_floatingippoolcontroller_ip_state, namespace)";
  return {
    name: "namespace",
    label: "Namespace of resources",
    type: "query",
    datasource: { type: "prometheus", uid: "$datasource" },
    query: { query, refId: "namespace" },
    definition: query,
    refresh: 2,
    multi: true,
    includeAll: true,
    allValue: ".*",
    current: { selected: true, text: ["All"], value: ["$__all"] },
  };
}
