/** Remedies for labels that nodes lack, or have and must not have. A part of the messages about missing nodes. */

import type { SelectorRequirement } from "cdk8s-flipop/api";
import { type ForbiddenLabel, type Lacking, requirementsOf, valuesText } from "../../match/tally.js";

export const HAVE_ADMINISTRATOR = "have the cluster's administrator";
/** Where the region of a node is from, for messages. */
export const REGION_LABEL_TEXT = "label topology.kubernetes.io/region";
const CORRECT = "or correct spec.match.nodeLabel";

/** @param lacking with the label that `match.nodeLabel` asks for, as written */
export function labelRemedy({
  label = "",
  relabel,
  forbidden,
}: Pick<Lacking, "label" | "relabel" | "forbidden">): string {
  if (forbidden !== undefined) return forbiddenRemedy(forbidden);
  if (label === "") return `${HAVE_ADMINISTRATOR} label a node, ${CORRECT}`;
  const [asked, ...more] = requirementsOf(label);
  const command = more.length === 0 && asked !== undefined ? commandFor(asked, relabel) : undefined;
  return command === undefined
    ? `${HAVE_ADMINISTRATOR} change the labels of a node as spec.match.nodeLabel asks, or correct that (flipop explain shows what each node fails)`
    : `${HAVE_ADMINISTRATOR} label a node (kubectl label ${command}), ${CORRECT}`;
}

/** Without the flag, kubectl refuses to change a value. `undefined`: no single command does it. */
function commandFor({ key, operator, values }: SelectorRequirement, relabel: Lacking["relabel"]): string | undefined {
  if (operator === "Exists") return `node NODE ${key}=`;
  if (operator !== "In") return undefined;
  if (values.length > 1) return `--overwrite node NODE ${key}=${values[0]}, or another of the values`;
  const flags = {
    all: " --overwrite",
    some: `, with --overwrite if label ${key} of the node has another value`,
    none: "",
  };
  return `node NODE ${key}=${values[0]}${flags[relabel ?? "none"]}`;
}

/** Values by which people say that a node is not what its label names. */
const NEGATIVE: ReadonlySet<string> = new Set(["", "0", "disabled", "false", "no", "none", "off"]);

/** People write `!key`, which asks for the absence of the label, where they mean `key!=true`. */
function forbiddenRemedy({ key, excluded, values }: ForbiddenLabel): string {
  const remove = `${HAVE_ADMINISTRATOR} remove the label from a node (kubectl label node NODE ${key}-)`;
  if (excluded.length > 0) return `${remove} or give it another value, ${CORRECT}`;
  const meant = values.filter((value) => NEGATIVE.has(value.toLowerCase()));
  if (meant.length === 0) return `${remove}, ${CORRECT}`;
  const others = values.filter((value) => !meant.includes(value));
  const selector = others.length > 1 ? `${key} notin (${others.join(",")})` : `${key}!=${others[0] ?? "true"}`;
  return `if nodes that have label ${key} with ${valuesText(meant)} are meant, use ${selector} in spec.match.nodeLabel; otherwise ${remove}`;
}

export function contradictionIn(selector: string): string | undefined {
  if (!selector.includes(",")) return undefined;
  return contradictionOf(requirementsOf(selector));
}

/** What to do about labels that no node can have: a comma means "and", and a label has one value. */
export function contradictionOf(requirements: readonly SelectorRequirement[]): string | undefined {
  const asked = requirements.filter(({ operator }) => operator === "In");
  for (const { key, values } of asked) {
    const others = asked.filter((other) => other.key === key && !other.values.some((value) => values.includes(value)));
    if (others.length === 0) continue;
    const all = [...new Set([...values, ...others.flatMap((other) => other.values)])];
    return `correct spec.match.nodeLabel, which no node can have: it asks for ${all.join(" and ")} of label ${key} at once; ${key} in (${all.join(",")}) asks for one of them`;
  }
  return undefined;
}
