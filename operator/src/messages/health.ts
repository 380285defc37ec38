/** Health checks of nodes, and what protects from moves without need: why addresses stay where they are. */

import { Annotation, type ProbedAddress } from "cdk8s-flipop/api";
import { timeText } from "../clock.js";
import type { MassFailure } from "../health/mass-failure.js";
import { note, problem, topic } from "./message.js";

/** A part of a spec that the operator ignores. */
export const PROBES_OFF =
  "spec.healthCheck: the operator probes no node, because it runs without feature healthchecks, which the cluster's administrator can enable";

interface Doubted {
  /** Nodes whose probes fail, with the last error. */
  readonly nodes: readonly { readonly node: string; readonly detail: string }[];
}

/** Nodes that a message names. */
const NODES_SHOWN = 5;

function nodesText({ nodes }: Doubted): string {
  const shown = nodes.slice(0, NODES_SHOWN).map(({ node, detail }) => `${node} (${detail})`);
  const others = nodes.length - shown.length;
  return `${shown.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}

/** What a node lacks, so that it cannot be probed. */
export function missingAddress(type: ProbedAddress): string {
  return type === "PodIP" ? "no pod with an IP" : `no ${type}`;
}

/** The sentence of a condition. @param why what contradicts the probes */
function doubtText(why: string): (doubted: Doubted) => string {
  return (doubted) => `probes fail, but ${why}: ${nodesText(doubted)}; the operator moves no address for these probes`;
}

const EXAMPLE = { nodes: [{ node: "node-3", detail: "TCP 10.0.0.3:80: no answer within 1 s" }] };

export const healthMessages = topic("health", {
  reliable: note({ reason: "Observed", text: () => "no witness contradicts the probes" }),
  notAsked: note({ reason: "Observed", text: () => "the operator probes no node for this resource" }),
  leaseRenewed: problem({
    reason: "LeaseRenewed",
    by: "administrator",
    text: doubtText("the kubelet renews its Lease"),
    remedy:
      "have the cluster's administrator check the port of healthCheck, the service on the node, and the network between the operator and the node",
    example: EXAMPLE,
  }),
  standbyReached: problem({
    reason: "StandbyReached",
    by: "administrator",
    text: doubtText("the standby replica of the operator reaches the nodes, and no kubelet is silent"),
    remedy: "have the cluster's administrator check the network of the node on which the leading replica runs",
    example: EXAMPLE,
  }),
  noWitness: problem({
    reason: "NoWitness",
    by: "administrator",
    text: doubtText("the operator cannot read the Lease of the kubelet, and no standby replica confirms the failure"),
    remedy: "have the cluster's administrator give the operator the right to list and watch leases in kube-node-lease",
    example: EXAMPLE,
  }),
  noNodePasses: problem({
    reason: "NoNodePasses",
    by: "author",
    text: doubtText("no candidate and no other holder passes its probes either"),
    remedy: "check the type, port and path of healthCheck, and the service on the nodes",
    example: EXAMPLE,
  }),
  controlFailed: problem({
    reason: "ControlProbeFailed",
    by: "administrator",
    text: doubtText("the API server, or the operator's own node, does not answer the operator either"),
    remedy: "have the cluster's administrator check the network of the operator's node",
    example: EXAMPLE,
  }),
  notProbed: problem({
    reason: "NotProbed",
    by: "author",
    text: (unprobed: Doubted) =>
      `the operator cannot probe these nodes: ${nodesText(unprobed)}; it notices their failure only when Kubernetes marks them NotReady, which takes 40 to 50 s`,
    remedy:
      "set healthCheck.address to a type of address that they have, or have the cluster's administrator give them one of this type",
    example: { nodes: [{ node: "node-3", detail: "no ExternalIP" }] },
  }),
  noMassFailure: note({ reason: "Observed", text: () => "no mass failure of holders stops a move of this resource" }),
  massFailure: problem({
    reason: "MassFailure",
    by: "administrator",
    text: ({ withNames, former, zone, lost, holders, until }: MassFailure) => {
      if (former === true) {
        return `a former leader of the operator reported that most nodes which hold addresses had failed, and nothing confirms some of these failures: no address leaves a failed node until ${timeText(until)}`;
      }
      const what = withNames === true ? "hold addresses or are in DNS names" : "hold addresses";
      const where = zone === undefined ? "of the cluster" : `of zone ${zone}`;
      return `${lost} nodes that ${what} failed within 5 min; ${holders} nodes ${where} ${what} now: nothing confirms some of these failures, which the control plane may cause, so no address leaves a failed node until ${timeText(until)}`;
    },
    remedy: `have the cluster's administrator check the API server and its network to the nodes; if the nodes are down, set annotation ${Annotation.ignoreMassFailure} to "true" on the resource, and remove it afterwards`,
    example: { lost: 4, holders: 6, until: Date.parse("2026-01-01T10:02:11Z") },
  }),
  moveLimit: problem({
    reason: "MoveLimit",
    by: "operator",
    text: ({ until }: { readonly until: number }) =>
      `the limit of moves per minute is used up: the operator moves the next address at ${timeText(until)}`,
    example: { until: Date.parse("2026-01-01T10:02:11Z") },
  }),
});
