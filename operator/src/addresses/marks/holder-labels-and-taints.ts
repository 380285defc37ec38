/**
 * Which nodes have the mark of which resource: the label on its holders, and the taint on nodes that wait for its address.
 * `mark-plan.ts` decides, and `mark-calls.ts` writes.
 */

import { createHash } from "node:crypto";
import {
  HOLDER_LABEL_PREFIX,
  type HolderKind,
  holderLabelKey,
  type Match,
  parseLabelSelector,
  UNTIL_ASSIGNED_PREFIX,
  untilAssignedTaintKey,
} from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import { jsonEqual, type KubeObject, type ObjectMeta } from "../../kube/objects.js";
import type { Refusal } from "../../match/checks.js";
import type { MatchIndex } from "../../match/match-index.js";
import type { NodeChange, NodeDirectory } from "../../match/node-directory.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { CACHE_LAG_MS } from "../../timings.js";
import { compareText, omitUndefined } from "../../values.js";

/** What a decision reads of one mark of a resource. */
export interface MarkFacts {
  readonly key: string;
  /** The spec asks for it. */
  readonly asked: boolean;
  /** Names of the nodes that have it, sorted. */
  readonly bearers: readonly string[];
  /** Those of them that the match does not mean. */
  readonly unmatched?: readonly string[];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Whether a node has a mark. */
export interface NodeMark {
  readonly key: string;
  readonly name: string;
  readonly present: boolean;
}

interface Sent {
  readonly present: boolean;
  /** Monotonic ms. */
  readonly at: number;
}

/** Which nodes have which marks of one sort: as the node cache shows it, and what this process has written since. */
class MarkedNodes {
  private readonly bearers = new Map<string, Set<string>>();
  /** By key, then by node: writes that the node cache may not show yet. */
  private readonly sent = new Map<string, Map<string, Sent>>();
  private changes = 0;
  /** By node: the number of the last change of its marks in the node cache. */
  private readonly changedIn = new Map<string, number>();

  constructor(
    nodes: NodeDirectory,
    private readonly clock: Clock,
    /** The marks of a node. */
    private readonly keysOn: (node: NodeFacts) => readonly string[],
  ) {
    for (const node of nodes.list()) this.changed({ name: node.name, before: undefined, after: node });
    nodes.listen((change) => this.changed(change));
  }

  /** Sorted. */
  bearersOf(key: string): readonly string[] {
    const names = new Set(this.bearers.get(key));
    for (const [name, { present, at }] of this.sent.get(key) ?? []) {
      if (this.clock.monotonic() - at >= CACHE_LAG_MS) this.forget(key, name);
      else if (present) names.add(name);
      else names.delete(name);
    }
    return [...names].sort(compareText);
  }

  keys(): Iterable<string> {
    return this.bearers.keys();
  }

  /** How many changes the node cache has shown: a call takes it before its request. */
  get moment(): number {
    return this.changes;
  }

  /**
   * A record outweighs the cache, so there is none where the cache shows the same, or has changed since the request began: such
   * a change may be a later one, such as a removal by a person, and no event would end the record.
   */
  wrote({ key, name, present }: NodeMark, since: number): void {
    const isShown = this.bearers.get(key)?.has(name) === true;
    if (isShown === present || (this.changedIn.get(name) ?? 0) > since) {
      this.forget(key, name);
      return;
    }
    const known = this.sent.get(key) ?? new Map<string, Sent>();
    this.sent.set(key, known.set(name, { present, at: this.clock.monotonic() }));
  }

  private changed({ name, before, after }: NodeChange): void {
    const [old, now] = [this.marksOn(before), this.marksOn(after)];
    for (const key of old) if (!now.has(key)) this.remove(key, name);
    for (const key of now) this.bearers.set(key, (this.bearers.get(key) ?? new Set()).add(name));
    if (after === undefined) this.changedIn.delete(name);
    else if (!jsonEqual([...old], [...now])) this.changedIn.set(name, ++this.changes);
    this.confirm(name, now, before?.uid !== after?.uid);
  }

  private marksOn(node: NodeFacts | undefined): ReadonlySet<string> {
    return new Set(node && this.keysOn(node));
  }

  /** Forgets the writes that the cache shows now, and those to a node that another one has replaced. */
  private confirm(name: string, now: ReadonlySet<string>, isOther: boolean): void {
    for (const [key, known] of this.sent) {
      if (isOther || known.get(name)?.present === now.has(key)) this.forget(key, name);
    }
  }

  private remove(key: string, name: string): void {
    const names = this.bearers.get(key);
    names?.delete(name);
    if (names?.size === 0) this.bearers.delete(key);
  }

  private forget(key: string, name: string): void {
    const known = this.sent.get(key);
    known?.delete(name);
    if (known?.size === 0) this.sent.delete(key);
  }
}

/** Whether a resource of this kind has the key. */
export function isKeyOf(key: string, kind: HolderKind, { metadata: { namespace = "", name } }: KubeObject): boolean {
  const resource = { kind, namespace, name };
  return key === holderLabelKey(resource, sha256) || key === untilAssignedTaintKey(resource, sha256);
}

/** The resources of a kind that this process serves. */
interface MarkedResources {
  /** All of them have been read. */
  readonly complete: boolean;
  list(): Iterable<KubeObject>;
}

/** The marks of all resources. */
export class NodeMarks {
  readonly labels: MarkedNodes;
  readonly taints: MarkedNodes;
  private readonly served = new Map<HolderKind, MarkedResources>();

  constructor(nodes: NodeDirectory, clock: Clock) {
    const isLabel = (key: string) => key.startsWith(HOLDER_LABEL_PREFIX);
    this.labels = new MarkedNodes(nodes, clock, ({ labels }) => Object.keys(labels).filter(isLabel));
    const isTaint = (key: string) => key.startsWith(UNTIL_ASSIGNED_PREFIX);
    this.taints = new MarkedNodes(nodes, clock, ({ ownTaints = [] }) =>
      ownTaints.map(({ key }) => key).filter(isTaint),
    );
  }

  /** Of a kind whose marks this process sets. */
  serve(kind: HolderKind, resources: MarkedResources): void {
    this.served.set(kind, resources);
  }

  resourcesOf(kind: HolderKind): MarkedResources | undefined {
    return this.served.get(kind);
  }
}

/** The marks of one resource. */
export interface ResourceMarks {
  /** Absent: the spec asks for no label on the nodes of its addresses, and no node has one. */
  readonly holderLabel?: MarkFacts;
  /** Absent: the spec asks for no taint on nodes that wait for an address, and no node has one. */
  readonly untilTaint?: MarkFacts;
}

interface Marked {
  readonly metadata: Pick<ObjectMeta, "namespace" | "name">;
  readonly spec: { readonly holderLabel?: boolean; readonly untilAssigned?: boolean; readonly match?: Match };
}

/** @param index of the match. @default not known yet: the match may mean each node */
export function marksOf(
  { labels, taints }: NodeMarks,
  kind: HolderKind,
  { metadata: { namespace = "", name }, spec }: Marked,
  index?: Pick<MatchIndex, "verdict">,
): ResourceMarks {
  const resource = { kind, namespace, name };
  const label = factsOf(labels, holderLabelKey(resource, sha256), spec.holderLabel);
  const taint = factsOf(taints, untilAssignedTaintKey(resource, sha256), spec.untilAssigned);
  const isOther = (node: string) => index?.verdict(node)?.refusals.some(isOfMatch(spec)) === true;
  const untilTaint = taint && { ...taint, unmatched: taint.bearers.filter(isOther) };
  return omitUndefined({ holderLabel: label, untilTaint });
}

/** The key of the resource's own label on holders, if it has one and chooses nodes by it. */
export function ownLabelAskedFor(kind: HolderKind, { metadata: { namespace = "", name }, spec }: Marked) {
  const { holderLabel = false, match: { nodeLabel = "" } = {} } = spec;
  if (!holderLabel || !nodeLabel.includes(HOLDER_LABEL_PREFIX)) return undefined;
  const key = holderLabelKey({ kind, namespace, name }, sha256);
  const parsed = parseLabelSelector(nodeLabel);
  return parsed.ok && parsed.requirements.some((requirement) => requirement.key === key) ? key : undefined;
}

/** Without labels, the pods alone say which nodes are meant. */
function isOfMatch({ match }: Marked["spec"]): (refusal: Refusal) => boolean {
  const byPods = (match?.nodeLabel ?? "") === "";
  return ({ reason }) => reason === "LabelsDiffer" || (byPods && reason === "NoPod");
}

function factsOf(marked: MarkedNodes, key: string, asked = false): MarkFacts | undefined {
  const bearers = marked.bearersOf(key);
  return asked || bearers.length > 0 ? { key, asked, bearers } : undefined;
}

/** What the status shows: the key of each mark that the spec asks for. */
export function shownMarks({ holderLabel, untilTaint }: ResourceMarks) {
  return { holderLabel: shownKey(holderLabel), untilAssignedTaint: shownKey(untilTaint) };
}

function shownKey(facts: MarkFacts | undefined): string | undefined {
  return facts?.asked === true ? facts.key : undefined;
}

/** Whether a cleanup has to remove marks, or may have to one day. */
export function hasMarks({ holderLabel, untilTaint }: ResourceMarks): boolean {
  return holderLabel !== undefined || untilTaint !== undefined;
}
