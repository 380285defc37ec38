import { nearest } from "../../api/schema/nearest";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { shown } from "../prop-types";
import type { Site } from "../refusal-collector";
import { type Fields, POD } from "./pod-fields";

const JOB: Fields = {
  names:
    "activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy podReplacementPolicy selector successPolicy suspend template ttlSecondsAfterFinished",
  inside: { template: { names: "metadata spec", inside: { spec: POD } } },
};

/**
 * Refuses misspelt fields of an object, by default of a Job's spec: the API server would drop them. A newer Kubernetes
 * may have more fields, so a field that resembles no other is accepted.
 */
export function checkFields(spec: JsonObject, site: Site, { names, inside = {} }: Fields = JOB): void {
  const known = names.split(" ");
  for (const [name, value] of Object.entries(spec)) {
    const at = site.below(`.${name}`);
    if (value === null) at.refuse("is null: remove it, or give a value");
    const meant = known.includes(name) ? undefined : nearest(name, known);
    if (meant !== undefined) at.refuse(`${shown(value)} is given, but there is no such field: use ${meant}`);
    const below = Object.hasOwn(inside, name) ? inside[name] : undefined;
    if (below) checkInside(value, at, below);
  }
}

function checkInside(value: unknown, site: Site, fields: Fields): void {
  if (isObject(value)) checkFields(value, site, fields);
  const items = Array.isArray(value) ? [...value.entries()] : [];
  for (const [index, item] of items) if (isObject(item)) checkFields(item, site.below(`[${index}]`), fields);
}
