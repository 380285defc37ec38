/** Nodes that match, and what keeps an address from going to them: part of the messages about missing nodes. */

import { timeText } from "../../clock.js";
import type { ResourceRef } from "../../inventory/view.js";
import { compareText } from "../../values.js";
import { refText } from "../claims.js";
import { type Problem, partsOf } from "../message.js";

/** An address on a node. */
export interface HeldAddress {
  /** Absent: it is about to be created. */
  readonly ip?: string;
  /** Absent: no resource names it. */
  readonly owner?: Pick<ResourceRef, "kind" | "namespace" | "name">;
  /** Without an owner: who lists it, and may not use it. */
  readonly refusedTo?: Pick<ResourceRef, "kind" | "namespace" | "name">;
  /** It is of the resource itself, which no longer asks for it. */
  readonly unwanted?: true;
  /** A resource in a namespace that the operator does not watch may name it. */
  readonly unseen?: true;
}

/** A node that matches, and takes no address now. */
export interface BusyNode {
  readonly node: string;
  /** The addresses on it, as many as it may hold. */
  readonly held?: readonly HeldAddress[];
  /** How many addresses a node may hold. */
  readonly limit?: number;
  /** The operator moves or creates an address of this resource on it. */
  readonly target?: ResourceRef;
  /** It refused an address; ms since the epoch. */
  readonly retryAt?: number;
  /** How it refused it. */
  readonly cause?: Problem;
  /** This resource gets it first. */
  readonly first?: ResourceRef;
}

export interface BusyNodes {
  readonly shown: readonly BusyNode[];
  /** How many there are beyond these. */
  readonly more: number;
}

/** Who gets a node first. */
const ORDER = "existing addresses before new ones, then by age and name";

/** Nodes that one message names. */
const NODES_SHOWN = 3;

/** The first few of these nodes: those that a person can free at once, then by name. */
export function busyNodes(nodes: readonly BusyNode[]): BusyNodes {
  const rank = (node: BusyNode) => (idleOn(node).length > 0 ? 0 : 1);
  const sorted = [...nodes].sort((a, b) => rank(a) - rank(b) || compareText(a.node, b.node));
  return { shown: sorted.slice(0, NODES_SHOWN), more: Math.max(0, nodes.length - NODES_SHOWN) };
}

/** `node-2 already holds 198.51.100.7 of FloatingIPPool default/second; 4 more are occupied`. */
export function busyText({ shown, more }: BusyNodes): string {
  const rest = more === 0 ? [] : [`${more} more ${more === 1 ? "node is" : "nodes are"} occupied`];
  return [...shown.map(nodeText), ...rest].join(", ");
}

/** Addresses on the node that no resource asks for, so that a person can take them away. */
function idleOn({ held = [] }: BusyNode): readonly HeldAddress[] {
  return held.filter(({ ip, owner, unwanted, unseen }) => {
    return ip !== undefined && (unwanted || (owner === undefined && unseen !== true));
  });
}

function textOfIdle(addresses: readonly HeldAddress[], unwanted: boolean): readonly string[] {
  return addresses.flatMap((held) => (held.ip !== undefined && (held.unwanted ?? false) === unwanted ? [held.ip] : []));
}

/**
 * What lets nodes take an address: the fixes of what they failed at, and what frees them from addresses that no resource asks
 * for, as clauses of a remedy. @param use what the author can do with those that no resource names
 */
export function nodeRemedies({ shown }: BusyNodes, use: (ips: readonly string[]) => string): readonly string[] {
  const idle = shown.flatMap(idleOn);
  const [unnamed, unwanted] = [textOfIdle(idle, false), textOfIdle(idle, true)];
  const release = `flipop orphans --release ${unnamed.join(" ")} --unassign`;
  const failed = shown.flatMap(({ cause }) => (cause === undefined ? [] : partsOf(cause.message).slice(1)));
  return [
    ...new Set(failed),
    ...(unnamed.length === 0
      ? []
      : [
          `${use(unnamed)}, or have the owner of the account assign ${what(unnamed)} where it is needed, or release ${what(unnamed)} (${release})`,
        ]),
    ...(unwanted.length === 0 ? [] : [`have the owner of the account unassign ${unwanted.join(", ")} at the provider`]),
  ];
}

function what(ips: readonly string[]): string {
  return ips.length === 1 ? "it" : "them";
}

/** Clause for a pool or a RoutedIP. */
export function giveToResource(ips: readonly string[]): string {
  return `give ${ips.join(", ")} to a resource (ips, or routedIP)`;
}

interface Replaceable {
  /** An address that has no node. */
  readonly idle: string;
  readonly desired: number;
}

/** Clause for a pool whose addresses all exist: one more would need one more node. */
export function putInPlaceOf({ idle, desired }: Replaceable): (ips: readonly string[]) => string {
  return (ips) =>
    `put ${ips[0]} into ips in place of ${idle}, which has no node, or append ${ips.join(", ")} to ips and set desiredIPs to ${desired}, so that the operator takes ${what(ips)} off the node`;
}

/** Clause for a RoutedIP. */
export function setRoutedIp(ips: readonly string[]): string {
  return `set routedIP to ${ips.join(" or ")}`;
}

/** Whether addresses of other resources are on some of the nodes, or come first. */
export function isShared({ shown }: BusyNodes): boolean {
  const isOthers = (node: BusyNode) => node.held === undefined || node.held.length > idleOn(node).length;
  return shown.some((node) => node.retryAt === undefined && isOthers(node));
}

function nodeText({ node, held = [], limit = 1, target, retryAt, cause, first }: BusyNode): string {
  // Also true once the address has come there: a change of text alone reaches the status late.
  if (target !== undefined) return `${node} was chosen for an address of ${refText(target)}`;
  if (retryAt !== undefined) {
    const why = cause === undefined ? "" : ` (${partsOf(cause.message)[0]})`;
    return `${node} could not take an address${why}, and the operator tries it again at ${timeText(retryAt)}`;
  }
  if (first !== undefined) return `the operator keeps ${node} for ${refText(first)}, which comes first (${ORDER})`;
  return `${node} already holds ${held.map(addressText).join(" and ")}${limit > 1 ? ` (the limit is ${limit})` : ""}`;
}

const KEPT = /the operator keeps (\S+) for (\S+ \S+), which comes first/g;

/** Which nodes a text names as kept for another resource, and for which one: nothing but the conditions of a resource shows it. */
export function keptIn(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(KEPT)].map(([, node = "", first = ""]) => [node, first]));
}

function addressText({ ip = "an address", owner, refusedTo, unwanted, unseen }: HeldAddress): string {
  if (unwanted) return `${ip}, which this resource no longer asks for`;
  if (refusedTo !== undefined) return `${ip}, which ${refText(refusedTo)} lists, but may not use`;
  if (unseen) return `${ip}, which no resource that this operator watches names`;
  return owner === undefined ? `${ip}, which no resource names` : `${ip} of ${refText(owner)}`;
}

/** An address of the resource that gives its node to another one. */
export interface MakingRoom {
  readonly ip: string;
  readonly node: string;
  readonly displaced: string;
  /** See `Displacement.leaves`. */
  readonly leaves: "now" | "due" | number | "published" | "later";
}

export function makingRoomText({ ip, node, displaced, leaves }: MakingRoom): string {
  return `no node that matches is free, so ${node} gets ${ip} in the place of ${displaced}, which this resource no longer asks for: ${leavesText(leaves)}`;
}

function leavesText(leaves: MakingRoom["leaves"]): string {
  if (leaves === "now" || leaves === "due") return "the operator takes that off the node now";
  if (leaves === "later") return "that serves until its turn comes";
  const end = leaves === "published" ? "one TTL after it has left DNS" : `at ${timeText(leaves)}`;
  return `clients may know that from DNS, so the operator takes it off the node ${end}`;
}

/** Examples. */
export const NONE_BUSY: BusyNodes = { shown: [], more: 0 };
export const BUSY: BusyNodes = {
  shown: [
    {
      node: "node-2",
      held: [{ ip: "198.51.100.7", owner: { kind: "FloatingIPPool", namespace: "default", name: "second" } }],
    },
  ],
  more: 0,
};
