import { EXPRESSIONS, NAMESPACE_LISTS, NUMBERS } from "./sentinels.js";

/**
 * Replaces sentinels by expressions, after escaping braces that are not Helm's (those of Prometheus and Grafana).
 * `loop`: the namespace sentinel of a repeated document; other sentinels mean their whole list.
 */
export function fillIn(text: string, loop: string | undefined): string {
  const escaped = text.replaceAll("{{", '{{ "{{" }}');
  const scalars = EXPRESSIONS.reduce(
    (filled, [sentinel, expression]) => filled.replaceAll(sentinel, expression),
    escaped,
  );
  return Object.entries(NAMESPACE_LISTS).reduce(
    (filled, [sentinel, list]) =>
      filled.replaceAll(sentinel, sentinel === loop ? "{{ $namespace }}" : `{{ join "," ${list} }}`),
    scalars,
  );
}

/** A number, or the expression that replaces it. */
export function numberText(value: number): string {
  return NUMBERS.get(value) ?? String(value);
}

/** Texts as arguments of a template's function. */
export function quoted(values: readonly (string | number)[]): string {
  return values.map((value) => JSON.stringify(String(value))).join(" ");
}

/** A line of the problems. The text may have expressions. */
export function refusal(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}\n{{- end }}`;
}
