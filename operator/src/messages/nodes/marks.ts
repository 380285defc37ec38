/** Labels and taints that a spec asks for. */

import { listed } from "../../values.js";
import { type Problem, problem, topic } from "../message.js";

const NODES_SHOWN = 3;

interface RefusedMark {
  readonly what: "label" | "taint";
  readonly key: string;
  /** Nodes that should get the mark, or lose it. None: no node should have it. */
  readonly nodes: readonly string[];
  /** One for each refusal; the message shows the first. */
  readonly causes: readonly [Problem, ...Problem[]];
}

export const markMessages = topic("marks", {
  refused: problem({
    reason: ({ causes: [cause] }: RefusedMark) => cause.reason,
    by: "cause",
    text: ({ what, key, nodes, causes: [cause] }: RefusedMark) =>
      `the operator cannot ${changeText(nodes)} ${what} ${key}${nodesText(nodes)}: ${cause.message}`,
    example: {
      what: "taint",
      key: "flipop.digitalocean.com/until-assigned-fip.ingress.web",
      nodes: ["node-2", "node-3"],
      causes: [
        {
          reason: "APIServerRefused",
          message:
            'nodes "node-2" is forbidden; fix: have the cluster\'s administrator give the operator the right, or correct what the API server refuses',
        },
      ],
    },
  }),
});

function changeText(nodes: readonly string[]): string {
  return nodes.length === 0 ? "remove" : "change";
}

function nodesText(nodes: readonly string[]): string {
  if (nodes.length === 0) return "";
  const more = nodes.length - NODES_SHOWN;
  return ` on ${listed(more > 0 ? [...nodes.slice(0, NODES_SHOWN), `${more} more`] : nodes)}`;
}
