/**
 * Which RoutedIP needs its taint on which nodes, which one removes taints that no RoutedIP needs, and the writes that the
 * node cache does not show yet.
 */

import type { Clock } from "../clock.js";
import type { SlimNode, Taint } from "../kube/cache/slim-objects.js";
import { jsonEqual } from "../kube/objects.js";
import { isElectionTaint } from "../match/node-facts.js";
import { CACHE_LAG_MS } from "../timings.js";

/** A node that bears taints of ours. */
export interface TaintedNode {
  readonly name: string;
  /** Those under our prefix. */
  readonly taints: readonly Taint[];
  /** Of these and others: what other RoutedIPs need there. */
  readonly needed: readonly Taint[];
}

export interface TaintView {
  /** The nodes that bear any and that this RoutedIP clears of what none needs. Each node has one such RoutedIP. */
  readonly nodes: readonly TaintedNode[];
  /** Of any node. */
  taintsOn(node: string): readonly Taint[];
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
  /** Uids of those that have no finalizer: if one is deleted now, it removes no taint. */
  private readonly unarmed = new Set<string>();
  /** Uids, first known first. */
  private readonly known = new Set<string>();
  /** By uid: the node of a status whose RoutedIP has not said yet what it needs. */
  private readonly undecided = new Map<string, string>();
  /** By node: who needed it last. */
  private readonly lastNeeded = new Map<string, string>();
  private readonly bearers = new Map<string, readonly Taint[]>();
  private readonly sent = new Map<string, Sent>();

  constructor(private readonly clock: Clock) {}

  /** A node came, changed, or went. */
  indexResource(node: SlimNode, gone: boolean): void {
    const taints = gone ? [] : (node.taints ?? []).filter(isElectionTaint);
    if (taints.length === 0) this.bearers.delete(node.name);
    else this.bearers.set(node.name, taints);
    const sent = this.sent.get(node.name);
    if (gone || (sent !== undefined && isShown(sent, node.uid, taints))) this.sent.delete(node.name);
    if (gone) this.lastNeeded.delete(node.name);
  }

  /** There is such a RoutedIP. Until it says what it needs, it keeps what is on the node of its status. */
  expect(uid: string, assignedNode: string | undefined): void {
    if (this.known.has(uid)) return;
    this.known.add(uid);
    if (assignedNode !== undefined) this.undecided.set(uid, assignedNode);
  }

  /**
   * Replaces what the RoutedIP needed before.
   * @param isArmed whether it has its finalizer
   */
  need(uid: string, taint: Taint, nodes: readonly string[], isArmed = true): void {
    this.withdraw(uid);
    if (!isArmed) this.unarmed.add(uid);
    this.known.add(uid);
    this.undecided.delete(uid);
    if (nodes.length === 0) return;
    this.needs.set(uid, { taint, nodes });
    for (const node of nodes) {
      const needing = this.neededBy.get(node) ?? new Map<string, Taint>();
      this.neededBy.set(node, needing.set(uid, taint));
      if (isArmed) this.lastNeeded.set(node, uid);
    }
  }

  /** The RoutedIP is gone. */
  drop(uid: string): void {
    this.withdraw(uid);
    this.known.delete(uid);
    this.undecided.delete(uid);
    for (const [node, last] of this.lastNeeded) if (last === uid) this.lastNeeded.delete(node);
  }

  /** Whether the RoutedIP needs the taints of the node, or is the one that clears it. */
  concerns(uid: string, node: string): boolean {
    return this.neededBy.get(node)?.has(uid) === true || this.ownerOf(node) === uid;
  }

  /** @param node as it was before the write. A cache that has changed since shows the write already, or a later change. */
  wrote(node: SlimNode, taints: readonly Taint[]): void {
    const before = (node.taints ?? []).filter(isElectionTaint);
    if (!isAlike(before, this.bearers.get(node.name) ?? [])) this.sent.delete(node.name);
    else this.sent.set(node.name, { uid: node.uid, taints, at: this.clock.monotonic() });
  }

  /**
   * As one RoutedIP sees it.
   * @param isDeleting whether it is being deleted: it leaves no taint to one that would not remove it
   */
  view(uid: string, isDeleting = false): TaintView {
    const neededOn = (node: string) => this.neededOn(uid, node, isDeleting);
    const names = [...new Set([...this.bearers.keys(), ...this.sent.keys()])];
    const nodes = names
      .filter((name) => this.ownerOf(name) === uid)
      .map((name): TaintedNode => ({ name, taints: this.taintsOn(name), needed: neededOn(name) }))
      .filter(({ taints }) => taints.length > 0);
    return { nodes, neededOn, taintsOn: (node) => this.taintsOn(node) };
  }

  /** Who needed the node last, else whose status names it, else the first of all. */
  private ownerOf(node: string): string | undefined {
    const last = this.lastNeeded.get(node);
    if (last !== undefined) return last;
    for (const [uid, assigned] of this.undecided) if (assigned === node) return uid;
    const [first] = this.known;
    return first;
  }

  private withdraw(uid: string): void {
    for (const node of this.needs.get(uid)?.nodes ?? []) {
      const needing = this.neededBy.get(node);
      needing?.delete(uid);
      if (needing?.size === 0) this.neededBy.delete(node);
    }
    this.needs.delete(uid);
    this.unarmed.delete(uid);
  }

  private neededOn(uid: string, node: string, isDeleting: boolean): readonly Taint[] {
    const needed = new Map<string, Taint>();
    for (const [other, taint] of this.neededBy.get(node) ?? []) {
      const counts = other !== uid && !(isDeleting && this.unarmed.has(other));
      if (counts) needed.set(`${taint.key} ${taint.effect}`, taint);
    }
    for (const taint of this.undecidedOn(uid, node)) needed.set(`${taint.key} ${taint.effect}`, taint);
    return [...needed.values()];
  }

  /** What is on a node that another RoutedIP has by its status, as long as that one has not said what it needs. */
  private undecidedOn(uid: string, node: string): readonly Taint[] {
    for (const [other, assigned] of this.undecided) if (other !== uid && assigned === node) return this.taintsOn(node);
    return [];
  }

  private taintsOn(name: string): readonly Taint[] {
    const sent = this.sent.get(name);
    if (sent !== undefined && this.clock.monotonic() - sent.at < CACHE_LAG_MS) return sent.taints;
    this.sent.delete(name);
    return this.bearers.get(name) ?? [];
  }
}

function isShown(sent: Sent, uid: string, taints: readonly Taint[]): boolean {
  return sent.uid !== uid || isAlike(sent.taints, taints);
}

function isAlike(a: readonly Taint[], b: readonly Taint[]): boolean {
  return jsonEqual(a.map(plain), b.map(plain));
}

function plain({ key, value = "", effect }: Taint): readonly string[] {
  return [key, value, effect];
}
