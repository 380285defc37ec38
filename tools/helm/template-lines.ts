import type { Part, Tree } from "./compare-variants.js";
import { conditionOf } from "./condition.js";
import { fillIn, numberText } from "./fill-in.js";
import { BLOCK, DNS_PORT, POLICY_PORT, PULL_SECRET } from "./sentinels.js";

const STEP = "  ";

/** A map or list as lines of a Helm template. `loop`: the namespace sentinel of a repeated document. */
export function templateLines(tree: Tree, indent: string, loop: string | undefined): readonly string[] {
  switch (tree.type) {
    case "map":
      return tree.entries.flatMap(([key, part]) => guarded(part, indent, entryLines(key, part.tree, indent, loop)));
    case "list":
      return tree.items.flatMap((part) => guarded(part, indent, itemLines(part.tree, indent, loop)));
    default:
      return [`${indent}${scalar(tree.value, indent, loop)}`];
  }
}

/** Lines within their condition. */
export function conditional(
  condition: string | undefined,
  indent: string,
  lines: readonly string[],
): readonly string[] {
  if (condition === undefined) return lines;
  return [`${indent}{{- if ${condition} }}`, ...lines, `${indent}{{- end }}`];
}

function guarded({ lackedBy }: Part, indent: string, lines: readonly string[]): readonly string[] {
  return conditional(conditionOf(lackedBy), indent, lines);
}

function entryLines(key: string, tree: Tree, indent: string, loop: string | undefined): readonly string[] {
  if (key === BLOCK) return valueBlock(String(tree.type === "scalar" ? tree.value : ""), indent);
  const name = /^[A-Za-z][\w./-]*$/.test(key) ? key : JSON.stringify(key);
  if (tree.type === "scalar") return [`${indent}${name}: ${scalar(tree.value, indent, loop)}`];
  const empty = tree.type === "map" ? tree.entries.length === 0 : tree.items.length === 0;
  if (empty) return [`${indent}${name}: ${tree.type === "map" ? "{}" : "[]"}`];
  return [`${indent}${name}:`, ...templateLines(tree, indent + STEP, loop)];
}

function itemLines(tree: Tree, indent: string, loop: string | undefined): readonly string[] {
  const block = LIST_BLOCKS.get(JSON.stringify(tree.value));
  if (block) return block(indent);
  const [first = "", ...rest] = templateLines(tree, indent + STEP, loop);
  if (first.includes("{{-")) throw new Error(`an item of a list cannot begin with a condition: ${first.trim()}`);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function scalar(value: unknown, indent: string, loop: string | undefined): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "string") return String(value);
  if (value.includes("\n")) return literalBlock(value, indent + STEP, loop);
  const plain = /^[A-Za-z/][\w./ -]*$/.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(value);
  const filledIn = fillIn(plain ? value : JSON.stringify(value), loop);
  // A replaced value may look like a number, so it is always quoted.
  return plain && filledIn !== value ? `"${filledIn}"` : filledIn;
}

function literalBlock(value: string, indent: string, loop: string | undefined): string {
  const lines = fillIn(value, loop).trimEnd().split("\n");
  return ["|", ...lines.map((line) => indent + line)].join("\n");
}

/** The entries of a value, after the fixed ones of the same map or list. */
function valueBlock(value: string, indent: string): readonly string[] {
  const lines = [`${indent}{{- toYaml . | nindent ${indent.length} }}`, `${indent}{{- end }}`];
  return [`${indent}{{- with $.Values.${value} }}`, ...lines];
}

/** The ports of a helper's list. */
function portsOf(helper: string, protocol: string): (indent: string) => readonly string[] {
  return (indent) => [
    `${indent}{{- range include "${helper}" $ | splitList "," | compact }}`,
    `${indent}- port: {{ . }}`,
    `${indent}  protocol: ${protocol}`,
    `${indent}{{- end }}`,
  ];
}

/** Placeholder items for whole lists, by their JSON. */
const LIST_BLOCKS: ReadonlyMap<string, (indent: string) => readonly string[]> = new Map([
  [JSON.stringify(BLOCK), (indent) => valueBlock("extraArgs", indent)],
  [JSON.stringify({ name: PULL_SECRET }), (indent) => valueBlock("imagePullSecrets", indent)],
  [JSON.stringify({ port: DNS_PORT, protocol: "UDP" }), portsOf("flipop.dnsPorts", "UDP")],
  [JSON.stringify({ port: DNS_PORT, protocol: "TCP" }), portsOf("flipop.tcpDnsPorts", "TCP")],
  [JSON.stringify({ port: POLICY_PORT, protocol: "TCP" }), portsOf("flipop.policyPorts", "TCP")],
  [JSON.stringify({ name: BLOCK, value: "env" }), (indent) => valueBlock("extraEnv", indent)],
  [JSON.stringify({ key: BLOCK, operator: "Exists" }), (indent) => valueBlock("tolerations", indent)],
]);
