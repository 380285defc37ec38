import { FEATURES } from "./sentinels.js";
import { FEATURES_FLAG_CONDITION, type Probe } from "./variants.js";

/** The Go template condition for a part that these syntheses lack; undefined if the part is always present. */
export function conditionOf(lackedBy: readonly Probe[]): string | undefined {
  const switches = lackedBy.flatMap(({ when }) => when ?? []);
  const terms = [...new Set([...switches, ...featureTerm(lackedBy)])];
  if (terms.length <= 1) return terms[0];
  return `and ${terms.map(bracketed).join(" ")}`;
}

/**
 * A part that some single-feature syntheses lack belongs to the other features. Only the flag with the features is
 * missing in all of them.
 */
function featureTerm(lackedBy: readonly Probe[]): readonly string[] {
  const lacking = lackedBy.flatMap(({ feature }) => feature ?? []);
  if (lacking.length === 0) return [];
  const needing = FEATURES.filter((feature) => !lacking.includes(feature));
  if (needing.length === 0) return [FEATURES_FLAG_CONDITION];
  const terms = needing.map((feature) => `has "${feature}" $.Values.features`);
  return terms.length === 1 ? terms : [`or ${terms.map(bracketed).join(" ")}`];
}

function bracketed(term: string): string {
  return term.includes(" ") ? `(${term})` : term;
}
