/**
 * Which RoutedIP needs its taint on which nodes, which one removes taints that no RoutedIP needs, and the writes that the
 * node cache does not show yet.
 */

import type { Clock } from "../clock.js";
import type { SlimNode, Taint } from "../kube/cache/slim-objects.js";
import { jsonEqual } from "../kube/objects.js";
import { isElectionTaint } from "../match/node-facts.js";
import {
  claimsOn,
  type Installation,
  type NodeClaims,
  sortedIds,
  type TaintId,
  taintId,
} from "../match/taint-claims.js";
import { CACHE_LAG_MS } from "../timings.js";

/** A node that bears taints of ours. */
export interface TaintedNode {
  readonly name: string;
  /** Those under our prefix. */
  readonly taints: readonly Taint[];
  /** Of these and others: what other RoutedIPs need there, and what other installations have put there. */
  readonly needed: readonly Taint[];
}

/** What this installation has on record as its own: see `taint-claims.ts`. */
export interface TaintClaims {
  /** On a node. */
  on(node: string): readonly TaintId[];
  /** What is to be on record if this RoutedIP needs these taints on the node, beside what its other RoutedIPs need there. */
  with(node: string, taints: readonly Taint[]): readonly TaintId[];
}

export interface TaintView {
  /** The nodes that bear any and that this RoutedIP clears of what none needs. Each node has one such RoutedIP. */
  readonly nodes: readonly TaintedNode[];
  /** Of any node. */
  taintsOn(node: string): readonly Taint[];
  /** What other RoutedIPs need on a node, and what other installations have put there. */
  neededOn(node: string): readonly Taint[];
  /** @default nothing is on record */
  readonly claims?: TaintClaims;
}

/** What is ours on a node. */
export interface OwnTaints {
  readonly taints: readonly Taint[];
  /** The installation's own annotation. */
  readonly claim: readonly TaintId[];
}

interface Sent extends OwnTaints {
  readonly uid: string;
  readonly at: number;
}

const NO_CLAIMS: NodeClaims = { own: [], others: new Set() };
/** One that sees all RoutedIPs, and has never had an annotation. */
const ALONE: Installation = { annotation: "", isLimited: false };

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
  private readonly claims = new Map<string, NodeClaims>();
  private readonly sent = new Map<string, Sent>();
  /** Nodes that statuses named at the start: a taint there that no installation claims is of an earlier release, and ours. */
  private readonly adopted = new Set<string>();

  constructor(
    private readonly clock: Clock,
    readonly installation: Installation = ALONE,
  ) {}

  /** A node came, changed, or went. */
  indexResource(node: SlimNode, gone: boolean): void {
    const taints = gone ? [] : (node.taints ?? []).filter(isElectionTaint);
    if (taints.length === 0) this.bearers.delete(node.name);
    else this.bearers.set(node.name, taints);
    const claims = gone ? NO_CLAIMS : claimsOn(node.annotations, this.installation);
    if (claims.own.length + claims.others.size === 0) this.claims.delete(node.name);
    else this.claims.set(node.name, claims);
    const sent = this.sent.get(node.name);
    if (gone || (sent !== undefined && isShown(sent, node.uid, { taints, claim: claims.own })))
      this.sent.delete(node.name);
    if (!gone) return;
    this.lastNeeded.delete(node.name);
    this.adopted.delete(node.name);
  }

  /** There is such a RoutedIP. Until it says what it needs, it keeps what is on the node of its status. */
  expect(uid: string, assignedNode: string | undefined): void {
    if (this.known.has(uid)) return;
    this.known.add(uid);
    if (assignedNode === undefined) return;
    this.undecided.set(uid, assignedNode);
    this.adopted.add(assignedNode);
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
  wrote(node: SlimNode, { taints, claim }: OwnTaints): void {
    const before = (node.taints ?? []).filter(isElectionTaint);
    const seen = { taints: this.bearers.get(node.name) ?? [], claim: this.claimsOn(node.name).own };
    const isLater = !isAlike(before, seen.taints) || isSame({ taints, claim }, seen);
    if (isLater) this.sent.delete(node.name);
    else this.sent.set(node.name, { uid: node.uid, taints, claim, at: this.clock.monotonic() });
  }

  /**
   * As one RoutedIP sees it.
   * @param isDeleting whether it is being deleted: it leaves no taint to one that would not remove it
   */
  view(uid: string, isDeleting = false): TaintView {
    const neededOn = (node: string) => this.neededOn(uid, node, isDeleting);
    const claims: TaintClaims = {
      on: (node) => this.ownOn(node).claim,
      with: (node, taints) => this.claimWith([...this.ownNeededOn(uid, node, isDeleting), ...taints]),
    };
    const names = [...new Set([...this.bearers.keys(), ...this.claims.keys(), ...this.sent.keys()])];
    const nodes = names
      .filter((name) => this.ownerOf(name) === uid)
      .map((name): TaintedNode => ({ name, taints: this.taintsOn(name), needed: neededOn(name) }))
      .filter(({ name, taints }) => taints.length + claims.on(name).length > 0);
    return { nodes, neededOn, taintsOn: (node) => this.taintsOn(node), claims };
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
    const needed = new Map(this.ownNeededOn(uid, node, isDeleting).map((taint) => [taintId(taint), taint]));
    for (const taint of this.foreignOn(node)) needed.set(taintId(taint), taint);
    return [...needed.values()];
  }

  /** What other RoutedIPs of this installation need. */
  private ownNeededOn(uid: string, node: string, isDeleting: boolean): readonly Taint[] {
    const needed = new Map<TaintId, Taint>();
    for (const [other, taint] of this.neededBy.get(node) ?? []) {
      const counts = other !== uid && !(isDeleting && this.unarmed.has(other));
      if (counts) needed.set(taintId(taint), taint);
    }
    for (const taint of this.undecidedOn(uid, node)) needed.set(taintId(taint), taint);
    return [...needed.values()];
  }

  /** What is on a node that another RoutedIP has by its status, as long as that one has not said what it needs. */
  private undecidedOn(uid: string, node: string): readonly Taint[] {
    for (const [other, assigned] of this.undecided) {
      if (other !== uid && assigned === node) return this.taintsOn(node).filter((taint) => this.isOurs(node, taint));
    }
    return [];
  }

  /** What this installation must not remove. */
  foreignOn(node: string): readonly Taint[] {
    const { others } = this.claimsOn(node);
    return this.taintsOn(node).filter((taint) => others.has(taintId(taint)) || !this.isOurs(node, taint));
  }

  /** Perhaps not ours alone. */
  private isOurs(node: string, taint: Taint): boolean {
    const id = taintId(taint);
    if (!this.installation.isLimited || this.ownOn(node).claim.includes(id)) return true;
    return this.adopted.has(node) && !this.claimsOn(node).others.has(id);
  }

  private claimWith(taints: readonly Taint[]): readonly TaintId[] {
    return this.installation.isLimited ? sortedIds(taints.map(taintId)) : [];
  }

  claimsOn(node: string): NodeClaims {
    // An installation that sees all RoutedIPs has no others.
    const { own, others } = this.claims.get(node) ?? NO_CLAIMS;
    return { own, others: this.installation.isLimited ? others : NO_CLAIMS.others };
  }

  private taintsOn(name: string): readonly Taint[] {
    return this.ownOn(name).taints;
  }

  private ownOn(name: string): OwnTaints {
    const sent = this.sent.get(name);
    if (sent !== undefined && this.clock.monotonic() - sent.at < CACHE_LAG_MS) return sent;
    this.sent.delete(name);
    return { taints: this.bearers.get(name) ?? [], claim: this.claimsOn(name).own };
  }
}

function isShown(sent: Sent, uid: string, seen: OwnTaints): boolean {
  return sent.uid !== uid || isSame(sent, seen);
}

function isSame(one: OwnTaints, other: OwnTaints): boolean {
  return isAlike(one.taints, other.taints) && jsonEqual(one.claim, other.claim);
}

function isAlike(a: readonly Taint[], b: readonly Taint[]): boolean {
  return jsonEqual(a.map(plain), b.map(plain));
}

function plain({ key, value = "", effect }: Taint): readonly string[] {
  return [key, value, effect];
}
