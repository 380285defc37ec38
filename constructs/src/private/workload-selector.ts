import type { IConstruct } from "constructs";
import { isObject, type JsonObject } from "../api/schema/schema";
import { LabelQuery } from "../match/label-query";
import { type Manifest, objectAt, readManifest } from "./manifest";
import type { Site } from "./refusal-collector";
import { labelQueries } from "./selector";

/** The pods of a workload. */
export interface WorkloadPods {
  readonly queries: readonly LabelQuery[];
  readonly namespace?: string;
}

const WORKLOADS = [
  "Pod",
  "Service",
  "Deployment",
  "DaemonSet",
  "StatefulSet",
  "ReplicaSet",
  "ReplicationController",
  "Job",
  "CronJob",
];
const INSTEAD = "give a workload such as a Deployment, its ApiObject, or use PodMatch.labels";

/** Reads the pod selector of a workload from any library. */
export function readWorkloadPods(workload: IConstruct, site: Site): WorkloadPods {
  const manifest = readManifest(workload, site, INSTEAD);
  if (!manifest) return { queries: [] };
  const queries = podQueries(manifest, site);
  if (queries.length === 0) site.refuse(`${manifest.title} ${withoutLabels(manifest)}`);
  return { queries, ...(manifest.namespace === undefined ? {} : { namespace: manifest.namespace }) };
}

/** An object with neither a selector nor a template has no pods. */
function withoutLabels({ kind, json }: Manifest): string {
  const spec = objectAt(json, "spec");
  const hasPods = WORKLOADS.includes(kind) || "selector" in spec || "template" in spec;
  return hasPods ? "has no pod labels: label its pods, or use PodMatch.labels" : `is not a workload: ${INSTEAD}`;
}

/**
 * The selector, if there is one, because pod labels such as a version may change in a rollout while the selector stays.
 * Otherwise the labels of the pod template (Job, CronJob) or of the pod itself.
 */
function podQueries({ kind, json }: Manifest, site: Site): readonly LabelQuery[] {
  if (kind === "Pod") return labelQueries(strings(objectAt(json, "metadata", "labels")));
  const selector = objectAt(json, "spec", "selector");
  if ("matchLabels" in selector || "matchExpressions" in selector) return selectorQueries(selector, site);
  if (Object.keys(selector).length > 0) return labelQueries(strings(selector));
  const template = kind === "CronJob" ? objectAt(json, "spec", "jobTemplate", "spec") : objectAt(json, "spec");
  return labelQueries(strings(objectAt(template, "template", "metadata", "labels")));
}

function selectorQueries({ matchLabels, matchExpressions }: JsonObject, site: Site): readonly LabelQuery[] {
  const expressions = Array.isArray(matchExpressions) ? matchExpressions : [];
  return [
    ...labelQueries(strings(objectAt(matchLabels))),
    ...expressions.filter(isObject).flatMap((expression) => expressionQuery(expression, site)),
  ];
}

function expressionQuery({ key, operator, values }: JsonObject, site: Site): readonly LabelQuery[] {
  const label = String(key ?? "");
  const list = Array.isArray(values) ? values.map(String) : [];
  switch (operator) {
    case "In":
      return [LabelQuery.in(label, list)];
    case "NotIn":
      return [LabelQuery.notIn(label, list)];
    case "Exists":
      return [LabelQuery.exists(label)];
    case "DoesNotExist":
      return [LabelQuery.doesNotExist(label)];
    default:
      site.refuse(`the workload's selector has operator "${String(operator)}": use In, NotIn, Exists or DoesNotExist`);
      return [];
  }
}

function strings(labels: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}
