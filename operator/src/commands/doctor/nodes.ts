/** Pure: nodes that no provider can serve. */

import type { NodeFacts } from "../../match/node-facts.js";
import { isForeignMachine, isInvalidMachine } from "../../match/provider-id-checks.js";
import type { MachineIds } from "../../providers/types.js";
import { type Finding, ok, warning } from "./finding.js";

const SHOWN = 3;
/** DOKS sets this label on its workers. */
const DOKS_LABEL = "doks.digitalocean.com/node-pool";
const PAGE = "docs/how-to/will-it-work.md";

interface Unserved {
  readonly of: (node: NodeFacts, machines: readonly MachineIds[]) => boolean;
  readonly seen: string;
  readonly remedy: string;
}

const UNSERVED: readonly Unserved[] = [
  {
    of: ({ machine }) => machine === undefined,
    seen: "have no spec.providerID",
    remedy: "start the cloud controller manager, which sets it",
  },
  {
    of: ({ machine }, machines) => machine !== undefined && machines.every((ids) => isForeignMachine(machine, ids)),
    seen: "are machines of another cloud",
    remedy: "they get no address: exclude them with match.nodeLabel",
  },
  {
    of: ({ machine }, machines) => machine !== undefined && machines.some((ids) => isInvalidMachine(machine, ids)),
    seen: "have a spec.providerID that names no machine",
    remedy: "they get no address: correct what sets it, and delete these Nodes, so that their kubelets register again",
  },
  {
    of: ({ standIn }) => standIn !== undefined,
    seen: "have the spec.providerID of another node",
    remedy:
      "they get no address: delete the Nodes whose kubelet is gone; of nodes that both run, correct what sets it, then delete these Nodes",
  },
];

/** @param machines that a provider of this release can serve */
export function nodeFindings(nodes: readonly NodeFacts[], machines: readonly MachineIds[]): readonly Finding[] {
  const check = "nodes";
  if (nodes.length === 0) return [warning(check, "the cluster has no nodes", "add nodes")];
  const findings = UNSERVED.flatMap(({ of, seen, remedy }) => {
    const found = nodes.filter((node) => of(node, machines));
    if (found.length === 0) return [];
    return [warning(check, `${found.length} of ${nodes.length} nodes ${seen}: ${namesOf(found)}`, remedy)];
  });
  const schemes = machines.map(({ providerIdScheme }) => providerIdScheme).join(" or ");
  const all = [ok(check, `all ${nodes.length} nodes are machines of ${schemes}`)];
  return [...(findings.length > 0 ? findings : all), ...doksFindings(nodes)];
}

function doksFindings(nodes: readonly NodeFacts[]): readonly Finding[] {
  const workers = nodes.filter(({ labels }) => labels[DOKS_LABEL] !== undefined);
  if (workers.length === 0) return [];
  const fact =
    "According to its documentation, DigitalOcean does not support reserved IPs there: they work, but support may refuse help";
  return [warning("DOKS", `${workers.length} of ${nodes.length} nodes are workers of DOKS. ${fact}`, `read ${PAGE}`)];
}

function namesOf(nodes: readonly NodeFacts[]): string {
  const shown = nodes.slice(0, SHOWN).map(({ name, machine, standIn }) => {
    const same = standIn === undefined ? "" : `, as ${standIn}`;
    return machine === undefined ? name : `${name} (${machine}${same})`;
  });
  return `${shown.join(", ")}${nodes.length > SHOWN ? `, and ${nodes.length - SHOWN} more` : ""}`;
}
