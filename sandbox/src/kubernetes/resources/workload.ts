import { at, isObject, type JsonObject, objectOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import type { Column } from "../output/column.js";
import { builtin, column } from "./define-built-in.js";
import { podSpecWithDefaults } from "./pod.js";
import type { WriteContext } from "./resource-type.js";
import { pairsText, workloadColumns } from "./workload-columns.js";

const KEPT_REVISIONS = 10;
const QUARTER = { maxUnavailable: "25%", maxSurge: "25%" };
const ONE_AT_A_TIME = { maxUnavailable: 1, maxSurge: 0 };

/** What the API server fills in. */
const DEPLOYMENT: JsonObject = {
  replicas: 1,
  strategy: { type: "RollingUpdate", rollingUpdate: QUARTER },
  revisionHistoryLimit: KEPT_REVISIONS,
  progressDeadlineSeconds: 600,
};
const DAEMON_SET: JsonObject = {
  updateStrategy: { type: "RollingUpdate", rollingUpdate: ONE_AT_A_TIME },
  revisionHistoryLimit: KEPT_REVISIONS,
};

const workload = { group: "apps", subresources: ["status"], categories: ["all"], generation: true } as const;
const scaled = { ...workload, subresources: ["status", "scale"] } as const;

/** Nothing runs them here: a story has stand-ins for their controllers. */
export const workloads = [
  builtin({
    ...scaled,
    plural: "deployments",
    kind: "Deployment",
    shortNames: ["deploy"],
    behaviour: { prepare: withDefaults(DEPLOYMENT) },
    columns: [
      column("Ready", (object) => `${count(object, "readyReplicas")}/${String(at(object, "spec", "replicas") ?? 1)}`),
      countColumn("Up-to-date", "updatedReplicas"),
      countColumn("Available", "availableReplicas"),
      ...workloadColumns,
    ],
  }),
  builtin({
    ...workload,
    plural: "daemonsets",
    kind: "DaemonSet",
    shortNames: ["ds"],
    behaviour: { prepare: withDefaults(DAEMON_SET) },
    columns: [
      countColumn("Desired", "desiredNumberScheduled"),
      countColumn("Current", "currentNumberScheduled"),
      countColumn("Ready", "numberReady"),
      countColumn("Up-to-date", "updatedNumberScheduled"),
      countColumn("Available", "numberAvailable"),
      column("Node Selector", nodeSelectorCell),
      ...workloadColumns,
    ],
  }),
  builtin({ ...scaled, plural: "replicasets", kind: "ReplicaSet", shortNames: ["rs"] }),
  builtin({ ...scaled, plural: "statefulsets", kind: "StatefulSet", shortNames: ["sts"] }),
];

function withDefaults(defaults: JsonObject) {
  return (object: ApiObject, { old, subresource }: WriteContext): void => {
    if (old && subresource === "status") {
      object.spec = old.spec;
      return;
    }
    object.status = old?.status ?? {};
    const spec = objectOf(object.spec);
    object.spec = { ...defaults, ...spec, ...(isObject(spec.template) && { template: filled(spec.template) }) };
  };
}

function filled(template: JsonObject): JsonObject {
  return isObject(template.spec) ? { ...template, spec: podSpecWithDefaults(template.spec) } : template;
}

function nodeSelectorCell(object: ApiObject): string {
  return pairsText(objectOf(at(object, "spec", "template", "spec", "nodeSelector")));
}

/** A number of the status. */
function countColumn(name: string, field: string): Column {
  return { ...column(name, (object) => count(object, field)), type: "integer" };
}

function count(object: ApiObject, field: string): number {
  const value = at(object, "status", field);
  return typeof value === "number" ? value : 0;
}
