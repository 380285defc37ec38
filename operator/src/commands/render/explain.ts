/** Pure: the text of `flipop explain`. */

import { type Tally, tallyText } from "../../match/tally.js";
import { partsOf } from "../../messages/message.js";
import { SEE_NODES } from "../../messages/nodes/refused-nodes.js";
import type { NodeExplanation, ShownCheck } from "../explain/node-explanation.js";
import { problemText, type StatusProblem, type StatusRow } from "./status.js";
import { onRow, tableText } from "./table.js";

interface MarkedNodes {
  readonly key: string;
  readonly nodes: readonly string[];
}

export interface Explanation {
  readonly resource: StatusRow;
  /** Conditions that are not as they should be, the most important first. */
  readonly conditions: readonly StatusProblem[];
  /** What the resource asks of nodes. */
  readonly asks: string;
  /** The content of its DNS name and whose name servers it needs, and what its firewall lets through. If either is not as it should be, a condition says so. */
  readonly well: readonly string[];
  /** Why no node can serve it. */
  readonly problems: readonly string[];
  readonly tally: Tally;
  /** Where its pods run instead, if nodes lack only a pod, which wait for a node, and what keeps clients from pods or nodes. */
  readonly pods: readonly string[];
  /** Addresses of a pool that it does not serve on purpose, each with the reason. */
  readonly disabled: readonly string[];
  /** Addresses of a pool that it serves although `ips` does not list them, with the reason. */
  readonly kept: readonly string[];
  /** That a RoutedIP without `routedIP` could have another address of its namespace. */
  readonly usable: readonly string[];
  /** Nodes without the address that the health check probes: for them, only what Kubernetes reports counts. */
  readonly unprobed: readonly string[];
  /** What `gracePeriodSeconds` means for its nodes. Absent: nothing. */
  readonly grace?: string;
  /** Absent: the resource asks for no label on the nodes of its addresses. */
  readonly holderLabel?: MarkedNodes;
  /** Absent: the resource asks for no taint on nodes that wait for its addresses. */
  readonly untilAssignedTaint?: MarkedNodes;
  /** Another node would change nothing. Absent: it may help. */
  readonly wantsNoNode?: true;
  /** The best first. */
  readonly nodes: readonly NodeExplanation[];
}

const ORDER: readonly NodeExplanation["result"][] = ["holds", "published", "candidate", "occupied", "no"];

/** The best first, then those that are meant, and those with the fewest obstacles. */
export function byResult(a: NodeExplanation, b: NodeExplanation): number {
  const difference = ORDER.indexOf(a.result) - ORDER.indexOf(b.result);
  return difference || Number(b.meant) - Number(a.meant) || a.obstacles.length - b.obstacles.length;
}

/** Of nodes without the labels or the workload asked for, without `--all`. */
const MOST_UNMEANT = 10;

export function explanationText(explanation: Explanation, { wide, all }: { wide: boolean; all: boolean }): string {
  const { nodes } = explanation;
  const meant = nodes.filter((node) => node.meant || node.result !== "no");
  const shown = all ? nodes : meant.length > 0 ? meant : nodes.slice(0, MOST_UNMEANT);
  const hidden = nodes.length - shown.length;
  const rest =
    hidden === 0
      ? ""
      : `${hidden} more ${hidden === 1 ? "node does" : "nodes do"} not match: --all shows ${hidden === 1 ? "it" : "them"}\n`;
  const table = shown.length === 0 ? "" : `\n${wide ? wideTable(shown) : narrowTable(shown)}`;
  return `${headText(explanation)}${table}${rest}${explanation.wantsNoNode ? "" : remediesText(shown)}`;
}

function headText(explanation: Explanation): string {
  const { resource, conditions, well, asks, tally, pods, disabled, kept, usable, unprobed, grace } = explanation;
  const { kind, namespace, name, serves } = resource;
  const lines = [
    `${kind} ${namespace}/${name}${serves === "" ? "" : `: ${serves}`}`,
    ...problemLines(explanation),
    ...conditions.flatMap((problem) => inLines(`  ${problemText(problem)}`)),
    ...disabled.map((text) => `  disabled ${text}`),
    ...kept.map((text) => `  ${text}`),
    ...usable.map((text) => `  ${text}`),
    ...unprobedText(unprobed),
    ...marksText(explanation).map((text) => `  ${text}`),
    ...well.flatMap((text) => inLines(`  ${text}`)),
    `  asks for ${asks}`,
    `  ${tallyText(tally)}`,
    ...(grace === undefined ? [] : [`  ${grace}`]),
    ...pods.flatMap((text) => inLines(`  ${text}`)),
  ];
  return lines.map((line) => `${onRow(line)}\n`).join("");
}

function problemLines({ problems }: Explanation): readonly string[] {
  return problems.flatMap((text) => inLines(`  no node can serve it: ${text}`));
}

/** What was seen, and each remedy below it. */
export function inLines(message: string): readonly string[] {
  return partsOf(message.replaceAll(`; ${SEE_NODES}`, "")).map((part, index) =>
    index === 0 ? part : `    fix: ${part}`,
  );
}

function unprobedText(nodes: readonly string[]): readonly string[] {
  if (nodes.length === 0) return [];
  return [`  healthCheck does not probe ${nodes.join(", ")}, without such an address: correct healthCheck.address`];
}

function marksText({ holderLabel, untilAssignedTaint }: Explanation): readonly string[] {
  const text = (what: string, { key, nodes }: MarkedNodes) =>
    nodes.length === 0 ? `no node has ${what} ${key}` : `${what} ${key} is on ${nodes.join(", ")}`;
  return [
    ...(holderLabel === undefined ? [] : [text("label", holderLabel)]),
    ...(untilAssignedTaint === undefined ? [] : [text("taint", untilAssignedTaint)]),
  ];
}

function narrowTable(nodes: readonly NodeExplanation[]): string {
  const rows = nodes.map((node) => [node.node, node.result, heldText(node), whyText(node)]);
  return tableText([["NODE", "RESULT", "HOLDS", "WHY NOT (NOTE)"], ...rows]);
}

/** One column for each check; what all nodes have in common is a line below. */
function wideTable(nodes: readonly NodeExplanation[]): string {
  const names = nodes[0]?.checks.map(({ check }) => check) ?? [];
  const cells = nodes.map(({ checks }) => checks.map(checkCell));
  const isCommon = (column: number) => nodes.length > 1 && cells.every((row) => row[column] === cells[0]?.[column]);
  const [common, own] = [names.map((_, column) => isCommon(column)), names.map((_, column) => !isCommon(column))];
  const rows = nodes.map((node, index) => [
    ...[node.node, node.result, heldText(node)],
    ...(cells[index] ?? []).filter((_, column) => own[column]),
  ]);
  const heads = names.filter((_, column) => own[column]).map((name) => name.toUpperCase());
  const shared = names.flatMap((name, column) => (common[column] ? `${name}: ${cells[0]?.[column]}` : []));
  const line = shared.length === 0 ? "" : `all ${nodes.length}: ${shared.join("; ")}\n`;
  return `${tableText([["NODE", "RESULT", "HOLDS", ...heads], ...rows])}${line}`;
}

function checkCell({ passed, seen }: ShownCheck): string {
  return `${passed ? "" : "NO: "}${seen}`;
}

export function heldText({ holds, result, checks }: NodeExplanation): string {
  const published = result === "published" ? checks.find(({ check }) => check === "address")?.seen : undefined;
  return published ?? (holds.map(heldIp).join(",") || "-");
}

/** With its state, unless it is active. */
function heldIp({ ip, state = "active" }: NodeExplanation["holds"][number]): string {
  return state === "active" ? ip : `${ip} (${state})`;
}

export function whyText({ obstacles, checks }: NodeExplanation): string {
  if (obstacles.length > 0) return obstacles.map(({ reason, seen }) => `${reason}: ${seen}`).join("; ");
  const noted = checks.filter(({ special }) => special === "noted");
  return noted.map(({ seen }) => `(${seen})`).join(" ");
}

/** Each remedy of a reason once, in the order of the table. */
export function remediesText(nodes: readonly Pick<NodeExplanation, "obstacles">[]): string {
  const rows = new Map<string, readonly [reason: string, remedy: string]>();
  for (const { reason = "", remedy } of nodes.flatMap(({ obstacles }) => obstacles)) {
    if (remedy !== undefined) rows.set(`${reason} ${remedy}`, [`  ${reason}`, remedy]);
  }
  return rows.size === 0 ? "" : `\nWhat to do:\n${tableText([...rows.values()])}`;
}

/** Every check of one node. */
export function nodeText(explanation: Explanation, node: NodeExplanation): string {
  const { kind, namespace, name } = explanation.resource;
  const rows = node.checks.map(({ check, passed, seen, special }) => {
    const verdict = passed ? "ok" : "NO";
    return [`  ${check}`, special === "skipped" ? "" : verdict, seen];
  });
  const problems = problemLines(explanation)
    .map((line) => `${onRow(line)}\n`)
    .join("");
  const grace = node.grace === undefined ? "" : `${onRow(`  ${node.grace}`)}\n`;
  return `${kind} ${namespace}/${name}, node ${node.node}: ${RESULTS[node.result]}\n${problems}${tableText(rows)}${grace}${remediesText([node])}`;
}

const RESULTS: Readonly<Record<NodeExplanation["result"], string>> = {
  holds: "it holds an address of the resource",
  published: "its address is published",
  candidate: "it is a candidate",
  occupied: "it would be a candidate, but another address is, or will be, on it",
  no: "it is no candidate",
};
