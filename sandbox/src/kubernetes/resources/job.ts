import { type FieldError, invalidValue, requiredValue } from "../field-error.js";
import { at, isObject, type JsonObject, listOf, objectOf, textOf } from "../json.js";
import type { ApiObject, Metadata } from "../objects.js";
import { humanDuration } from "../output/age.js";
import { builtin, column } from "./define-built-in.js";
import { podSpecWithDefaults } from "./pod.js";
import type { WriteContext } from "./resource-type.js";
import { workloadColumns } from "./workload-columns.js";

/** Jobs. Nothing runs them: tests and scenarios write their status. */
export const jobs = builtin({
  group: "batch",
  plural: "jobs",
  kind: "Job",
  categories: ["all"],
  subresources: ["status"],
  generation: true,
  orphansByDefault: true,
  fields: { "status.successful": (job) => String(at(job, "status", "succeeded") ?? 0) },
  behaviour: { prepare, validate: (job, context) => ({ errors: errors(job, context), warnings: [] }) },
  columns: [
    column("Status", statusCell),
    column(
      "Completions",
      (job) => `${String(at(job, "status", "succeeded") ?? 0)}/${String(at(job, "spec", "completions") ?? 1)}`,
    ),
    column("Duration", durationCell),
    ...workloadColumns,
  ],
});

function prepare(job: ApiObject, { old, subresource }: WriteContext): void {
  if (old && subresource === "status") {
    job.spec = old.spec;
    return;
  }
  job.status = old?.status ?? {};
  const spec = objectOf(job.spec);
  job.spec = { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false, ...spec };
  if (!old) addSelector(job, objectOf(job.spec));
}

/** Labels that lead from a Job's pods to the Job. */
function addSelector(job: ApiObject, spec: JsonObject): void {
  const { uid, name } = job.metadata;
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const template = objectOf(spec.template);
  const metadata = objectOf(template.metadata) as Partial<Metadata>;
  job.metadata.labels = { ...metadata.labels, ...job.metadata.labels, ...labels };
  spec.selector = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  spec.template = {
    ...template,
    metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
    spec: isObject(template.spec)
      ? { ...podSpecWithDefaults(template.spec), restartPolicy: template.spec.restartPolicy }
      : {},
  };
}

function errors(job: ApiObject, { subresource }: WriteContext): FieldError[] {
  return subresource === "status" ? statusErrors(job) : templateErrors(job);
}

function templateErrors(job: ApiObject): FieldError[] {
  const pod = at(job, "spec", "template", "spec");
  const found: FieldError[] = [];
  if (listOf(at(pod, "containers")).length === 0) found.push(requiredValue("spec.template.spec.containers"));
  if (!["OnFailure", "Never"].includes(textOf(at(pod, "restartPolicy")))) {
    found.push(requiredValue("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'));
  }
  return found;
}

function statusErrors(job: ApiObject): FieldError[] {
  if (!hasCondition(job, "Complete")) return [];
  const found: FieldError[] = [];
  if (at(job, "status", "completionTime") === undefined) {
    found.push(requiredValue("status.completionTime", "completionTime is required for Complete jobs"));
  }
  if (!hasCondition(job, "SuccessCriteriaMet")) {
    const why = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
    found.push(invalidValue("status.conditions", [], why));
  }
  const active = at(job, "status", "active") ?? 0;
  if (active !== 0) found.push(invalidValue("status.active", active, "active>0 is invalid for finished job"));
  return found;
}

function hasCondition(job: ApiObject, type: string): boolean {
  const conditions = listOf(at(job, "status", "conditions"));
  return conditions.some((condition) => at(condition, "type") === type && at(condition, "status") === "True");
}

function statusCell(job: ApiObject): string {
  if (hasCondition(job, "Complete")) return "Complete";
  if (hasCondition(job, "Failed")) return "Failed";
  return job.metadata.deletionTimestamp === undefined ? "Running" : "Terminating";
}

function durationCell(job: ApiObject, now: number): string {
  const start = Date.parse(textOf(at(job, "status", "startTime")));
  if (Number.isNaN(start)) return "";
  const end = Date.parse(textOf(at(job, "status", "completionTime")));
  return humanDuration(((Number.isNaN(end) ? now : end) - start) / 1000);
}
