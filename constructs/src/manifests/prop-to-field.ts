import { isObject, type JsonObject } from "../api/schema/schema";
import type { AnyFacts } from "../private/prop-shapes";

/** Parts of props that have a field of their own. */
const PARTS: readonly (readonly [part: string, field: string])[] = [
  ["pods.namespace", "match.podNamespace"],
  ["implementation.updateRoutedIP", "updateRoutedIP"],
  ["implementation.updateFirewall", "updateFirewall"],
];

/**
 * The field of a manifest that a prop writes, with the rest of the prop's path.
 * @param spec the spec, in which one of several possible fields is present
 */
export function fieldOf(facts: AnyFacts, prop: string, spec: JsonObject): string {
  for (const [part, field] of PARTS) if (isBelow(prop, part)) return `spec.${field}${prop.slice(part.length)}`;
  const [name = ""] = prop.split(/[.[]/, 1);
  const { fields = [] } = (Object.hasOwn(facts, name) ? facts[name] : undefined) ?? {};
  const field = fields.find((path) => isPresent(spec, path)) ?? fields[0];
  return field === undefined ? prop : `spec.${field}${prop.slice(name.length)}`;
}

/** A message about props as one about fields. Only words such as `desiredIps` are surely props. */
export function inFields(facts: AnyFacts, message: string): string {
  return message.replaceAll(/"[^"]*"|\w+/g, (word) => {
    const { fields = [] } = (/^[a-z]+[A-Z]/.test(word) && Object.hasOwn(facts, word) ? facts[word] : undefined) ?? {};
    const [field] = fields;
    return field !== undefined && fields.length === 1 ? field : word;
  });
}

function isBelow(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}[`);
}

function isPresent(spec: JsonObject, path: string): boolean {
  return path.split(".").reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), spec) !== undefined;
}
