import { FORCED_JOB_FIELDS, FORCED_POD_FIELDS, MAX_JOB_SECONDS } from "../../api/kinds/job-contract";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";
import type { Site } from "../refusal-collector";
import { checkFields } from "./check-job-fields";

/** Refuses a Job spec that cannot run, or that contains fields which the operator overwrites. */
export function checkJobSpec(spec: JsonObject, site: Site): void {
  checkFields(spec, site);
  for (const [field, forced] of Object.entries(FORCED_JOB_FIELDS)) {
    const given = spec[field];
    if (given === undefined || given === null || given === forced) continue;
    site.below(`.${field}`).refuse(`${shown(given)} has no effect, because the operator sets ${forced}: remove it`);
  }
  checkDeadline(spec.activeDeadlineSeconds, site.below(".activeDeadlineSeconds"));
  checkPod(objectAt(spec, "template", "spec"), site.below(".template.spec"));
}

function checkDeadline(given: unknown, site: Site): void {
  if (given === undefined || given === null) return;
  if (typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= MAX_JOB_SECONDS) return;
  site.refuse(`${shown(given)} is not a valid duration of a Job: give 1 to ${MAX_JOB_SECONDS} seconds`);
}

function checkPod({ containers, restartPolicy }: JsonObject, site: Site): void {
  const forced = FORCED_POD_FIELDS.restartPolicy;
  if ((restartPolicy ?? forced) !== forced) {
    const problem = `${shown(restartPolicy)} has no effect, because the operator sets ${forced}: remove it`;
    site.below(".restartPolicy").refuse(problem);
  }
  const list = Array.isArray(containers) ? containers : [];
  if (list.length === 0) site.below(".containers").refuse("is empty: give at least one container");
  for (const [index, container] of list.entries()) {
    checkContainer(isObject(container) ? container : {}, site.below(`.containers[${index}]`));
  }
}

function checkContainer({ name, image }: JsonObject, site: Site): void {
  if (typeof name !== "string" || name === "") site.below(".name").refuse('is missing: give one such as "update"');
  if (typeof image !== "string" || image === "") {
    site.below(".image").refuse("is missing: give one such as registry.example/update-ip:1.4");
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
