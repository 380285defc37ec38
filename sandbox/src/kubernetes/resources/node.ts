import { duplicateValue, type FieldError, forbiddenField, notSupported } from "../field-error.js";
import { at, isObject, type JsonObject, listOf, objectOf, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { ageColumn, builtin, column, nameColumn, textColumn, wide } from "./define-built-in.js";
import type { WriteContext } from "./resource-type.js";

const NOT_READY_TAINT = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Nodes. A new one has the not-ready taint, as admission adds it. */
export const nodes = builtin({
  plural: "nodes",
  kind: "Node",
  namespaced: false,
  shortNames: ["no"],
  subresources: ["status"],
  fields: { "spec.unschedulable": (node) => String(at(node, "spec", "unschedulable") === true) },
  behaviour: {
    prepare,
    validate: (node, { old }) => ({ errors: [...taintErrors(node), ...providerErrors(node, old)], warnings: [] }),
  },
  allColumns: [
    nameColumn,
    column("Status", statusCell),
    column("Roles", rolesCell),
    ageColumn,
    textColumn("Version", ["status", "nodeInfo", "kubeletVersion"]),
    wide(column("Internal-IP", (node) => address(node, "InternalIP"))),
    wide(column("External-IP", (node) => address(node, "ExternalIP"))),
    wide(textColumn("OS-Image", ["status", "nodeInfo", "osImage"], "<unknown>")),
    wide(textColumn("Kernel-Version", ["status", "nodeInfo", "kernelVersion"], "<unknown>")),
    wide(textColumn("Container-Runtime", ["status", "nodeInfo", "containerRuntimeVersion"], "<unknown>")),
  ],
});

function prepare(node: ApiObject, { old, subresource }: WriteContext): void {
  if (old && subresource === "status") node.spec = old.spec;
  else if (old) node.status = old.status;
  const spec = { ...objectOf(node.spec) };
  if (!old && !listOf(spec.taints).some((taint) => at(taint, "key") === NOT_READY_TAINT.key)) {
    spec.taints = [...listOf(spec.taints), NOT_READY_TAINT];
  }
  // `false` is left out, as in Go's encoding.
  if (spec.unschedulable === false) delete spec.unschedulable;
  node.spec = spec;
  node.status = statusWithEmptyFields(objectOf(node.status));
}

const NODE_INFO = [
  ...["machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion"],
  ...["kubeProxyVersion", "operatingSystem", "architecture"],
];

/** As Go's encoding has a node's status: texts and times that are not set are there, too. */
function statusWithEmptyFields(status: JsonObject): JsonObject {
  const empty = Object.fromEntries(NODE_INFO.map((name) => [name, ""]));
  const times = { lastHeartbeatTime: null, lastTransitionTime: null };
  const { conditions } = status;
  return {
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    ...status,
    ...(Array.isArray(conditions) && { conditions: conditions.map((one) => ({ ...times, ...objectOf(one) })) }),
    nodeInfo: { ...empty, ...objectOf(status.nodeInfo) },
  };
}

// The server says `metadata` where it means `spec`.
function taintErrors(node: ApiObject): FieldError[] {
  const seen = new Set<string>();
  return listOf(at(node, "spec", "taints")).flatMap((taint, index) => {
    const [key, effect] = [textOf(at(taint, "key")), textOf(at(taint, "effect"))];
    const path = `metadata.taints[${index}]`;
    if (!EFFECTS.includes(effect)) return [notSupported(`${path}.effect`, effect, EFFECTS)];
    if (seen.has(`${key}:${effect}`)) return [duplicateValue(path, taint)];
    seen.add(`${key}:${effect}`);
    return [];
  });
}

function providerErrors(node: ApiObject, old: ApiObject | undefined): FieldError[] {
  const before = textOf(at(old, "spec", "providerID"));
  if (before === "" || before === textOf(at(node, "spec", "providerID"))) return [];
  return [forbiddenField("spec.providerID", 'node updates may not change providerID except from "" to valid')];
}

function statusCell(node: ApiObject): string {
  const ready = listOf(at(node, "status", "conditions")).find((condition) => at(condition, "type") === "Ready");
  const cordoned = at(node, "spec", "unschedulable") === true ? ",SchedulingDisabled" : "";
  if (!ready) return `Unknown${cordoned}`;
  return `${at(ready, "status") === "True" ? "Ready" : "NotReady"}${cordoned}`;
}

const ROLE_LABEL = "node-role.kubernetes.io/";

function rolesCell({ metadata }: ApiObject): string {
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(ROLE_LABEL));
  return (
    roles
      .map((label) => label.slice(ROLE_LABEL.length))
      .sort()
      .join(",") || "<none>"
  );
}

function address(node: ApiObject, type: string): string {
  const all = listOf(at(node, "status", "addresses")).filter(isObject);
  return textOf(all.find((one) => one.type === type)?.address) || "<none>";
}
