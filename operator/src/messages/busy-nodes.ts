/** Nodes that match, and what keeps an address from going to them: part of the messages about missing nodes. */

import { timeText } from "../clock.js";
import type { ResourceRef } from "../inventory/view.js";
import { compareText } from "../values.js";
import { refText } from "./claims.js";

/** An address on a node. */
export interface HeldAddress {
  /** Absent: it is about to be created. */
  readonly ip?: string;
  /** Absent: no resource names it. */
  readonly owner?: Pick<ResourceRef, "kind" | "namespace" | "name">;
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
  /** This older resource gets it first. */
  readonly older?: ResourceRef;
}

export interface BusyNodes {
  readonly shown: readonly BusyNode[];
  /** How many there are beyond these. */
  readonly more: number;
}

/** Nodes that one message names. */
const NODES_SHOWN = 3;

/** The first few of these nodes by name. */
export function busyNodes(nodes: readonly BusyNode[]): BusyNodes {
  const sorted = [...nodes].sort((a, b) => compareText(a.node, b.node));
  return { shown: sorted.slice(0, NODES_SHOWN), more: Math.max(0, nodes.length - NODES_SHOWN) };
}

/** `node-2 already holds 198.51.100.7 of FloatingIPPool default/second; 4 more are occupied`. */
export function busyText({ shown, more }: BusyNodes): string {
  const rest = more === 0 ? [] : [`${more} more ${more === 1 ? "node is" : "nodes are"} occupied`];
  return [...shown.map(nodeText), ...rest].join(", ");
}

function nodeText({ node, held = [], limit = 1, target, retryAt, older }: BusyNode): string {
  if (target !== undefined) return `${node} is about to get an address of ${refText(target)}`;
  if (retryAt !== undefined)
    return `${node} refused an address, and the operator tries it again at ${timeText(retryAt)}`;
  if (older !== undefined) return `the operator keeps ${node} for ${refText(older)}, which is older`;
  return `${node} already holds ${held.map(addressText).join(" and ")}${limit > 1 ? ` (the limit is ${limit})` : ""}`;
}

function addressText({ ip = "an address", owner }: HeldAddress): string {
  return owner === undefined ? `${ip}, which no resource names` : `${ip} of ${refText(owner)}`;
}
