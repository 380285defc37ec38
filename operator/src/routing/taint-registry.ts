/** Which RoutedIP needs its taint on which nodes, and the writes that the node cache does not show yet. */

import { CACHE_LAG_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { jsonEqual } from "../kube/cache/equal.js";
import type { SlimNode, Taint } from "../kube/cache/slim.js";
import { isOwnTaint } from "../match/taints.js";

/** A node that bears taints of ours. */
export interface TaintedNode {
  readonly name: string;
  /** Those under our prefix. */
  readonly taints: readonly Taint[];
  /** Of these and others: what other RoutedIPs need there. */
  readonly needed: readonly Taint[];
}

export interface TaintView {
  /** All nodes that bear any, those that other RoutedIPs hold included. */
  readonly nodes: readonly TaintedNode[];
  /** What other RoutedIPs need on a node. */
  neededOn(node: string): readonly Taint[];
}

interface Sent {
  readonly uid: string;
  readonly taints: readonly Taint[];
  readonly at: number;
}

export class TaintRegistry {
  /** By uid. */
  private readonly needs = new Map<string, { readonly taint: Taint; readonly nodes: readonly string[] }>();
  /** The same by node and uid: it is asked for every node in every look. */
  private readonly neededBy = new Map<string, Map<string, Taint>>();
  private readonly bearers = new Map<string, readonly Taint[]>();
  private readonly sent = new Map<string, Sent>();

  constructor(private readonly clock: Clock) {}

  /** A node came, changed, or went. */
  indexResource(node: SlimNode, gone: boolean): void {
    const taints = gone ? [] : (node.taints ?? []).filter(isOwnTaint);
    if (taints.length === 0) this.bearers.delete(node.name);
    else this.bearers.set(node.name, taints);
    const sent = this.sent.get(node.name);
    if (gone || (sent !== undefined && isShown(sent, node.uid, taints))) this.sent.delete(node.name);
  }

  /** Replaces what the RoutedIP needed before. */
  need(uid: string, taint: Taint, nodes: readonly string[]): void {
    this.drop(uid);
    if (nodes.length === 0) return;
    this.needs.set(uid, { taint, nodes });
    for (const node of nodes) {
      const needing = this.neededBy.get(node) ?? new Map<string, Taint>();
      this.neededBy.set(node, needing.set(uid, taint));
    }
  }

  drop(uid: string): void {
    for (const node of this.needs.get(uid)?.nodes ?? []) {
      const needing = this.neededBy.get(node);
      needing?.delete(uid);
      if (needing?.size === 0) this.neededBy.delete(node);
    }
    this.needs.delete(uid);
  }

  wrote(node: SlimNode, taints: readonly Taint[]): void {
    this.sent.set(node.name, { uid: node.uid, taints, at: this.clock.monotonic() });
  }

  /** As one RoutedIP sees it. */
  view(uid: string): TaintView {
    const neededOn = (node: string) => this.neededOn(uid, node);
    const names = new Set([...this.bearers.keys(), ...this.sent.keys()]);
    const nodes = [...names].flatMap((name): readonly TaintedNode[] => {
      const taints = this.taintsOn(name);
      return taints.length === 0 ? [] : [{ name, taints, needed: neededOn(name) }];
    });
    return { nodes, neededOn };
  }

  private neededOn(uid: string, node: string): readonly Taint[] {
    const needed = new Map<string, Taint>();
    for (const [other, taint] of this.neededBy.get(node) ?? []) {
      if (other !== uid) needed.set(`${taint.key} ${taint.effect}`, taint);
    }
    return [...needed.values()];
  }

  private taintsOn(name: string): readonly Taint[] {
    const sent = this.sent.get(name);
    if (sent !== undefined && this.clock.monotonic() - sent.at < CACHE_LAG_MS) return sent.taints;
    this.sent.delete(name);
    return this.bearers.get(name) ?? [];
  }
}

function isShown(sent: Sent, uid: string, taints: readonly Taint[]): boolean {
  return sent.uid !== uid || jsonEqual(sent.taints.map(plain), taints.map(plain));
}

function plain({ key, value = "", effect }: Taint): readonly string[] {
  return [key, value, effect];
}
