/** The addresses of a resource: where they are, and why they are not where they should be. */

import type { Reason } from "cdk8s-flipop/api";
import { secondsText, timeText } from "../clock.js";
import type { LimitWait } from "../providers/layers/limiter.js";
import { listed, listedClauses } from "../values.js";
import { refText, STOP_WRITER } from "./claims.js";
import { note, type Problem, problem, topic } from "./message.js";
import { limitText } from "./nodes/candidates.js";
import { ADD_MATCHING, EXAMPLE_NOT_READY, type RefusedNodes } from "./nodes/refused-nodes.js";

interface Ips {
  readonly ips: readonly string[];
}

/** As the status of the address has it. */
export interface LastFailure {
  readonly ip: string;
  readonly reason: Reason;
  readonly error?: string | undefined;
}

interface OnNode {
  readonly ip: string;
  readonly node: string;
}

interface Served extends OnNode {
  /** The EndpointSlice, as `namespace/name`, by which the node counts. Absent: pods serve there. */
  readonly slice?: string;
}

type Podless = Required<Served>;

/** @param slice `namespace/name` */
export function podlessText(slice: string): string {
  return `an endpoint without a pod (EndpointSlice ${slice})`;
}

interface InGrace extends OnNode {
  /** Names of other nodes that could take the address now. */
  readonly free: readonly string[];
  /** What lets the holder match again. */
  readonly repair: string;
  readonly gracePeriodSeconds: number;
}

interface OnHolder {
  readonly ip: string;
  readonly holder: string;
  readonly refusals: RefusedNodes;
}

type Ref = Parameters<typeof refText>[0];

interface Ip {
  readonly ip: string;
}

function freeText(nodes: readonly string[]): string {
  if (nodes.length === 0) return "no other node could take it now";
  return `${listed(nodes)} could take it now`;
}

interface NodesOwn extends OnNode {
  /** Of the address of the Node: `ExternalIP`. */
  readonly type: string;
}

const notInAccount = ({ ips }: Ips) => `the account does not have ${listed(ips)}`;

const QUOTED_CHARACTERS = 60;
const END_PAUSE = "set spec.paused to false";

function quoted(text: string): string {
  return text.length > QUOTED_CHARACTERS ? `"${text.slice(0, QUOTED_CHARACTERS)}…"` : `"${text}"`;
}

interface Locked {
  readonly ip: string;
  /** ms since the epoch. */
  readonly since: number;
  /** Of the operator's action on it that did not end in time. */
  readonly id?: string;
}

export const addressMessages = topic("addresses", {
  notObserved: note({ reason: "NotObserved", text: () => "not observed yet" }),
  stopped: problem({
    reason: "Stopped",
    by: "administrator",
    text: ({ reason }: { readonly reason: string }) =>
      `the operator is stopped${reason === "" ? "" : ` (${reason})`}: it changes no cloud and no DNS`,
    remedy:
      "have the cluster's administrator run flipop resume, which removes annotation flipop.digitalocean.com/stop (any value stops the operator) from the Lease",
    example: { reason: "the account moves, until 14:00" },
  }),
  paused: problem({
    reason: "Paused",
    by: "author",
    text: () => "spec.paused is true, so the operator changes no cloud and no DNS for the resource",
    remedy: END_PAUSE,
  }),
  pausedOn: problem({
    reason: "Paused",
    by: "author",
    text: ({ ip, holder }: { readonly ip: string; readonly holder: string | undefined }) =>
      `${ip} ${holder === undefined ? "is on no node" : `stays on ${holder}, which does not match`}, because spec.paused is true`,
    remedy: END_PAUSE,
    example: { ip: "203.0.113.7", holder: "node-3 (NodeNotReady)" },
  }),
  locked: problem({
    reason: "AddressLocked",
    by: "account",
    text: ({ ip, since, id }: Locked) =>
      `the provider has kept ${ip} locked since ${timeText(since)}${id === undefined ? "" : ` (action ${id} of the operator has not ended)`}, so nothing can move it`,
    remedy: "have the owner of the account ask the provider's support to end the action",
    example: { ip: "203.0.113.7", since: Date.parse("2026-01-01T10:02:11Z"), id: "900001126" },
  }),
  beingDeleted: note({
    reason: "UnderWay",
    text: () => "the resource is being deleted, so the operator assigns and creates no address for it",
  }),
  inOrder: note({
    reason: "Observed",
    text: ({ kind }: { readonly kind: "FloatingIPPool" | "RoutedIP" }) =>
      kind === "RoutedIP"
        ? "the spec is valid, and no failure of the provider is known; condition Assigned shows the address"
        : "the spec is valid, and no failure of the provider is known; condition Fulfilled shows the addresses",
    example: { kind: "FloatingIPPool" },
  }),
  partlyServed: problem({
    reason: "Invalid",
    by: "author",
    text: ({ ignored }: { readonly ignored: readonly string[] }) =>
      `the operator serves the resource, except for a part of its spec: ${listedClauses(ignored)}`,
    remedy: "correct or remove this part",
    example: { ignored: ['spec.match.tolerations[0]: operator is "Sometimes", not Exists or Equal'] },
  }),
  listedTwice: problem({
    reason: "DuplicateAddress",
    by: "author",
    text: ({ ips }: Ips) => `ips lists ${listed(ips)} twice; each counts once`,
    remedy: "remove the duplicate",
    example: { ips: ["203.0.113.7"] },
  }),
  notOfFamily: problem({
    reason: "Invalid",
    by: "author",
    text: ({ texts, family }: { readonly texts: readonly string[]; readonly family: string }) =>
      `ips holds ${listed(texts.map(quoted))}, not ${family}; the others are served`,
    remedy: "correct or remove what is wrong",
    example: { texts: ["203.0.113"], family: "IPv4" },
  }),
  ownershipInferred: problem({
    reason: "OwnershipInferred",
    by: "account",
    text: ({ ips }: Ips) =>
      `the resource is served and no longer needs ${listed(ips)}; the operator does not release it, because no answer of the provider shows that this resource created it`,
    remedy: "have the owner of the account release it, unless something else uses it",
    example: { ips: ["203.0.113.7"] },
  }),
  releasedAfterReading: problem({
    reason: "UnderWay",
    by: "administrator",
    text: ({ ips }: Ips) =>
      `the operator releases ${listed(ips)} after it has read all pools, RoutedIPs and NodeDNSRecordSets since its start, and the accounts of those that list the address, because one of them may use or publish it`,
    remedy:
      "if this takes longer than a minute, have the cluster's administrator read what /readyz of the operator says, and correct the issuers of other RoutedIPs that list the address",
    example: { ips: ["203.0.113.7"] },
  }),
  lastActionFailed: problem({
    reason: ({ reason }: LastFailure) => reason,
    by: "cause",
    text: ({ ip, error = "its last action failed" }: LastFailure) => `${ip}: ${error}`,
    example: {
      ip: "203.0.113.7",
      reason: "ProviderUnavailable",
      error: "the provider's action failed: no reason given",
    },
  }),
  notInAccount: problem({
    reason: "AddressNotFound",
    by: "author",
    text: notInAccount,
    remedy: ({ ips }) =>
      ips.length > 1
        ? "if somebody released them at the provider, put others in their place; else correct the spec, or use the token of the account that owns them"
        : "if somebody released it at the provider, put another address in its place; else correct the spec, or use the token of the account that owns it",
    example: { ips: ["203.0.113.7"] },
  }),
  nodesOwn: problem({
    reason: "AddressNotFound",
    by: "author",
    text: ({ ip, node, type }: NodesOwn) =>
      `${notInAccount({ ips: [ip] })} as a reserved one: it is the ${type} of ${node}, and stays with that machine`,
    remedy:
      "take it out of the spec; for an address that can move, let the operator create one (without routedIP, or with desiredIPs above the number of ips), or name a reserved one of the account",
    example: { ip: "203.0.113.7", node: "node-3", type: "ExternalIP" },
  }),
  createdGone: problem({
    reason: "AddressNotFound",
    by: "author",
    text: ({ ip }: Ip) => `${notInAccount({ ips: [ip] })}, which the operator created for this RoutedIP`,
    remedy:
      "use the token of the account that owns it; or, if it was released, set routedIP to another address, or delete the RoutedIP and create it again",
    example: { ip: "203.0.113.7" },
  }),
  holderRefused: problem({
    reason: "NoCandidate",
    by: "administrator",
    text: ({ ip, holder, refusals }: OnHolder) =>
      `${ip} stays on ${holder}, which does not match, because no other node can take it; ${refusals.text}`,
    remedy: ({ refusals }) => refusals.repair ?? ADD_MATCHING,
    example: {
      ip: "203.0.113.7",
      holder: "node-3 (NodeNotReady for 12 s, grace 10 s over)",
      refusals: EXAMPLE_NOT_READY,
    },
  }),
  takenAway: problem({
    reason: "ForeignWriter",
    by: "administrator",
    text: ({ ip, resource }: { readonly ip: string; readonly resource: Ref }) =>
      `something outside of this operator takes ${ip} away again and again, so the operator tries only every 10 min to bring it back to ${refText(resource)}`,
    remedy: STOP_WRITER,
    example: { ip: "203.0.113.7", resource: { kind: "FloatingIPPool", namespace: "ingress", name: "web" } },
  }),
  onNode: note({
    reason: "Observed",
    text: ({ ip, node, slice }: Served) =>
      `${ip} is on ${node}${slice === undefined ? "" : `, which counts only for ${podlessText(slice)}`}`,
    example: { ip: "203.0.113.7", node: "node-3" },
  }),
  onPodless: problem({
    reason: "EndpointWithoutPod",
    by: "author",
    text: ({ ip, node, slice }: Podless) =>
      `${ip} is on ${node}, which counts only for ${podlessText(slice)}, while pods serve elsewhere`,
    remedy: ({ slice }) => {
      const [namespace, name] = slice.split("/");
      return `if no program outside of Kubernetes answers there, delete the slice (kubectl -n ${namespace} delete endpointslice ${name})`;
    },
    example: { ip: "203.0.113.7", node: "node-3", slice: "web/old" },
  }),
  aboutToMove: note({
    reason: "Observed",
    text: ({ ip, node }: OnNode) => `${ip} is on ${node} and is about to move`,
    example: { ip: "203.0.113.7", node: "node-3" },
  }),
  beingCreated: note({ reason: "UnderWay", text: () => "the operator is creating an address" }),
  onItsWay: note({
    reason: "UnderWay",
    text: ({ ip, node }: { readonly ip: string; readonly node: string | undefined }) =>
      `${ip} is on its way${node === undefined ? "" : ` to ${node}`}`,
    example: { ip: "203.0.113.7", node: "node-9" },
  }),
  waitsForLimit: note({
    reason: "RateLimited",
    text: ({ ip, ...wait }: LimitWait & { readonly ip: string }) => `${ip} has not moved yet: ${limitText(wait)}`,
    example: { ip: "203.0.113.7", calls: 12, until: Date.parse("2026-01-01T10:02:11Z") },
  }),
  staysInGrace: problem({
    reason: "InGrace",
    by: "operator",
    text: ({ ip, node, free, gracePeriodSeconds }: InGrace) =>
      `${ip} stays on ${node}, which may recover; the operator moves it after gracePeriodSeconds (${secondsText(gracePeriodSeconds)}); ${freeText(free)}`,
    remedy: ({ repair, free }) => [
      ...(free.length === 0 ? [] : ["to let it move sooner, lower gracePeriodSeconds"]),
      `to keep it there, ${repair}`,
    ],
    example: {
      ip: "203.0.113.7",
      node: "node-3 (NodeNotReady, grace until 2026-01-01T10:02:11Z)",
      free: ["node-4", "node-9"],
      repair: EXAMPLE_NOT_READY.repair ?? "",
      gracePeriodSeconds: 60,
    },
  }),
  heldElsewhere: problem({
    reason: "HeldElsewhere",
    by: "account",
    text: ({ ip, machine }: { readonly ip: string; readonly machine: string }) =>
      `${ip} is on ${machine}, which is not a node of this cluster`,
    remedy: "have the owner of the account unassign it there, or use another address",
    example: { ip: "203.0.113.7", machine: "digitalocean://12" },
  }),
  cannotMove: problem({
    reason: ({ cause }: { readonly cause: Problem }) => cause.reason,
    by: "cause",
    text: ({ ip, node, cause, failure }: OnNode & { readonly cause: Problem; readonly failure?: string }) =>
      `${ip} is on ${node} and cannot move: ${failure ?? cause.message}`,
    example: {
      ip: "203.0.113.7",
      node: "node-3",
      cause: { reason: "NoCandidate", message: "no node is a candidate: 0 of 9 nodes match" },
    },
  }),
});
