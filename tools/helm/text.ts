import { EXPRESSIONS, NAMESPACE_LISTS, NUMBERS } from "./sentinels.js";

/**
 * Puts expressions in the place of sentinels. Braces that are not Helm's (those of Prometheus and Grafana) are escaped
 * first. `loop`: the namespace sentinel that the document is repeated for; others stand for their whole list.
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

/** A number, or the expression that it stands for. */
export function numberText(value: number): string {
  return NUMBERS.get(value) ?? String(value);
}
