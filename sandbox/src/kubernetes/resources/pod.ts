import { type FieldError, forbiddenField, requiredValue } from "../field-error.js";
import { at, equal, isObject, type JsonObject, listOf, objectOf, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { builtin, column, textColumn, wide } from "./define-built-in.js";
import type { WriteContext } from "./resource-type.js";

const DEFAULT_GRACE_SECONDS = 30;
const CONTAINER_LISTS = ["containers", "initContainers"];

/** Pods. Nothing runs them: tests and scenarios write their status. */
export const pods = builtin({
  plural: "pods",
  kind: "Pod",
  shortNames: ["po"],
  categories: ["all"],
  subresources: ["status", "binding", "eviction"],
  generation: true,
  deleteAnswersObject: true,
  fields: {
    "spec.nodeName": (pod) => textOf(at(pod, "spec", "nodeName")),
    "spec.restartPolicy": (pod) => textOf(at(pod, "spec", "restartPolicy")),
    "spec.schedulerName": (pod) => textOf(at(pod, "spec", "schedulerName")),
    "spec.serviceAccountName": (pod) => textOf(at(pod, "spec", "serviceAccountName")),
    "spec.hostNetwork": (pod) => String(at(pod, "spec", "hostNetwork") === true),
    "status.phase": (pod) => textOf(at(pod, "status", "phase")),
    "status.podIP": (pod) => textOf(at(pod, "status", "podIP")),
    "status.nominatedNodeName": (pod) => textOf(at(pod, "status", "nominatedNodeName")),
  },
  behaviour: { prepare, validate: (pod, context) => ({ errors: errors(pod, context), warnings: [] }), gracePeriod },
  columns: [
    column("Ready", readyCell),
    column("Status", statusCell),
    column("Restarts", restartsCell),
    wide(textColumn("IP", ["status", "podIP"], "<none>")),
    wide(textColumn("Node", ["spec", "nodeName"], "<none>")),
    wide(textColumn("Nominated Node", ["status", "nominatedNodeName"], "<none>")),
    wide(column("Readiness Gates", () => "<none>")),
  ],
});

function prepare(pod: ApiObject, { old, subresource }: WriteContext): void {
  if (old && subresource === "status") pod.spec = old.spec;
  else if (old) pod.status = old.status;
  else pod.status = { phase: "Pending", qosClass: "BestEffort" };
  pod.spec = podSpecWithDefaults(objectOf(pod.spec));
}

/** A pod's spec with the defaults that readers of pods rely on. */
export function podSpecWithDefaults(spec: JsonObject): JsonObject {
  const lists = CONTAINER_LISTS.filter((name) => Array.isArray(spec[name]));
  const containers = lists.map((name): [string, unknown] => [name, listOf(spec[name]).map(containerWithDefaults)]);
  return {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: DEFAULT_GRACE_SECONDS,
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    securityContext: {},
    ...spec,
    ...Object.fromEntries<unknown>(containers),
  };
}

function containerWithDefaults(container: unknown): unknown {
  if (!isObject(container) || !Array.isArray(container.ports)) return container;
  const ports = container.ports.map((port: unknown) => ({ protocol: "TCP", ...objectOf(port) }));
  return { ...container, ports };
}

function errors(pod: ApiObject, { old, subresource }: WriteContext): FieldError[] {
  if (listOf(at(pod, "spec", "containers")).length === 0) return [requiredValue("spec.containers")];
  if (!old || subresource || equal(fixed(pod), fixed(old))) return [];
  const mutable = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`";
  const why = `pod updates may not change fields other than ${mutable},\`spec.tolerations\` (only additions to existing tolerations),\`spec.terminationGracePeriodSeconds\` (allow it to be set to 1 if it was previously negative)`;
  return [forbiddenField("spec", why)];
}

/** What may not change once the pod is there. */
function fixed(pod: ApiObject): JsonObject {
  const { tolerations: _t, activeDeadlineSeconds: _a, ...spec } = objectOf(pod.spec);
  const images = CONTAINER_LISTS.filter((name) => name in spec).map((name): [string, unknown] => [
    name,
    listOf(spec[name]).map((container) => ({ ...objectOf(container), image: "" })),
  ]);
  return { ...spec, ...Object.fromEntries<unknown>(images) };
}

function gracePeriod(pod: ApiObject, requested: number | undefined): number {
  const phase = at(pod, "status", "phase");
  const idle = textOf(at(pod, "spec", "nodeName")) === "" || phase === "Succeeded" || phase === "Failed";
  if (idle) return 0;
  const own = at(pod, "spec", "terminationGracePeriodSeconds");
  return requested ?? (typeof own === "number" ? own : DEFAULT_GRACE_SECONDS);
}

function readyCell(pod: ApiObject): string {
  const ready = listOf(at(pod, "status", "containerStatuses")).filter((one) => at(one, "ready") === true);
  return `${ready.length}/${listOf(at(pod, "spec", "containers")).length}`;
}

function statusCell(pod: ApiObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return "Terminating";
  return textOf(at(pod, "status", "reason")) || textOf(at(pod, "status", "phase"));
}

function restartsCell(pod: ApiObject): string {
  const counts = listOf(at(pod, "status", "containerStatuses")).map((one) => Number(at(one, "restartCount") ?? 0));
  return String(counts.reduce((sum, count) => sum + count, 0));
}
