import { parseLabelSelector, selectorMatches } from "cdk8s-flipop/api";
import { badRequest } from "../api-status.js";
import type { ApiObject } from "../objects.js";
import type { ResourceType } from "../resources/resource-type.js";

/** Whether a stored object is asked for. */
export type Selector = (object: ApiObject) => boolean;

/** The selector of a list or watch, and whether it selects at all. */
export interface ReadSelector {
  readonly selects: Selector;
  /** Nothing is left out. */
  readonly everything: boolean;
}

/** Reads `labelSelector` and `fieldSelector`; throws 400. */
export function readSelector(type: ResourceType, query: URLSearchParams, namespace: string | undefined): ReadSelector {
  const labels = query.get("labelSelector") ?? "";
  const fields = query.get("fieldSelector") ?? "";
  const parts = [
    ...(namespace === undefined ? [] : [inNamespace(namespace)]),
    ...(labels === "" ? [] : [byLabels(labels)]),
    ...(fields === "" ? [] : [byFields(type, fields)]),
  ];
  return { selects: (object) => parts.every((part) => part(object)), everything: labels === "" && fields === "" };
}

function inNamespace(namespace: string): Selector {
  return ({ metadata }) => metadata.namespace === namespace;
}

function byLabels(text: string): Selector {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw badRequest(`unable to parse requirement: ${parsed.error.message}`);
  return ({ metadata }) => selectorMatches(parsed.requirements, metadata.labels ?? {});
}

function byFields(type: ResourceType, text: string): Selector {
  const terms = text
    .split(",")
    .filter((term) => term !== "")
    .map((term) => byField(type, term));
  return (object) => terms.every((term) => term(object));
}

function byField(type: ResourceType, term: string): Selector {
  const match = /^(.*?)(!=|==|=)(.*)$/.exec(term);
  if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = "", operator, value] = match;
  const read = fieldReader(type, field);
  return (object) => (read(object) === value) !== (operator === "!=");
}

function fieldReader(type: ResourceType, field: string): (object: ApiObject) => string {
  if (field === "metadata.name") return ({ metadata }) => metadata.name;
  if (field === "metadata.namespace" && type.namespaced) return ({ metadata }) => metadata.namespace ?? "";
  const own = Object.hasOwn(type.fields, field) ? type.fields[field] : undefined;
  if (own) return own;
  throw badRequest(`field label not supported: ${field}`);
}
