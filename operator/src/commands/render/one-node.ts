/** Pure: the text of `flipop explain node/NAME`. */

import { countOf } from "../../values.js";
import type { NodeExplanation } from "../explain/node-explanation.js";
import { heldText, remediesText, whyText } from "./explain.js";
import { shortName } from "./status.js";
import { tableText } from "./table.js";

/** What a node is for one resource. */
export interface NodeUse extends NodeExplanation {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Why no node can serve the resource. */
  readonly problems: readonly string[];
}

export interface UseOfNode {
  readonly node: string;
  /** `undefined`: the resources are those of all namespaces. */
  readonly namespace: string | undefined;
  /** The best first. */
  readonly resources: readonly NodeUse[];
}

/** Of resources that ask for other nodes, without `--all`, if there are no others. */
const MOST_UNMEANT = 10;

export function oneNodeText({ node, namespace, resources }: UseOfNode, all: boolean): string {
  if (resources.length === 0) {
    const place = namespace === undefined ? "" : ` in namespace ${namespace}`;
    return `Node ${node}: there is no resource that needs nodes${place}\n`;
  }
  const meant = resources.filter((use) => use.meant || use.result !== "no");
  const shown = all ? resources : meant.length > 0 ? meant : resources.slice(0, MOST_UNMEANT);
  const rows = shown.map((use) => [
    ...[use.namespace, `${shortName(use.kind)}/${use.name}`, use.result, heldText(use), reasonText(use)],
  ]);
  const table = tableText([["NAMESPACE", "RESOURCE", "RESULT", "HOLDS", "WHY NOT (NOTE)"], ...rows]);
  return `${headText(node, resources)}\n\n${table}${restText(resources.length - shown.length)}${remediesText(shown)}`;
}

function headText(node: string, resources: readonly NodeUse[]): string {
  const served = resources.filter(({ result }) => result === "holds" || result === "published").length;
  const candidate = resources.filter(({ result }) => result === "candidate").length;
  const all = countOf(resources.length, "resource");
  return `Node ${node}: it serves ${served} of ${all}, and is a candidate for ${candidate} more`;
}

function restText(hidden: number): string {
  if (hidden === 0) return "";
  const [ask, them] = hidden === 1 ? ["asks", "it"] : ["ask", "them"];
  return `${countOf(hidden, "more resource")} ${ask} for other nodes: --all shows ${them}\n`;
}

function reasonText(use: NodeUse): string {
  return [...use.problems.map((text) => `no node can serve it: ${text}`), whyText(use)].filter(Boolean).join("; ");
}
