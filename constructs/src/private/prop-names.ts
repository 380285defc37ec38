import type { AnyFacts } from "./props";

/** Fields that belong to a part of a prop. */
const PARTS: Readonly<Record<string, string>> = {
  "match.podNamespace": "pods.namespace",
  updateRoutedIP: "implementation.updateRoutedIP",
  updateFirewall: "implementation.updateFirewall",
};

/** The prop of a field, with the rest of the field's path; empty for the whole spec. */
export function propOf(facts: AnyFacts, path: string): string {
  for (const [prop, { fields }] of Object.entries(facts)) {
    for (const field of fields) {
      const rest = path.slice(`spec.${field}`.length);
      if (path.startsWith(`spec.${field}`) && /^($|[.[])/.test(rest)) return `${PARTS[field] ?? prop}${rest}`;
    }
  }
  return path.replace(/^spec\.?/, "");
}

/** Converts a message about fields to one about props, by replacing the fields' names. */
export function inProps(facts: AnyFacts, message: string): string {
  const props = Object.entries(facts);
  // Text in quotation marks is a value.
  return message.replaceAll(
    /"[^"]*"|\w+/g,
    (word) =>
      props.find(
        ([
          ,
          {
            fields: [field, ...more],
          },
        ]) => field === word && more.length === 0,
      )?.[0] ?? word,
  );
}
