/**
 * Which nodes match one resource: an event of a node or pod costs the work of one node. Only nodes in sight are stored,
 * because a thousand resources over five thousand nodes would need five million verdicts.
 */

import { selectorMatches } from "cdk8s-flipop/api";
import { jsonEqual } from "../kube/objects.js";
import type { ProviderId } from "../providers/types.js";
import { omitUndefined } from "../values.js";
import {
  type CheckInput,
  isOnlyCordoned,
  isOnlyProbed,
  type ProbeFailures,
  refusal,
  refusalsOf,
  type Verdict,
} from "./checks.js";
import type { CompiledMatch } from "./compile-match.js";
import type { NodeChange, NodeDirectory } from "./node-directory.js";
import type { NodeFacts } from "./node-facts.js";
import { namespacesOf, ownersOn, type WorkloadSource } from "./node-workload.js";
import { leftOutText, type Tally, tallyOf, UNMEANT } from "./tally.js";
import { crowdedOf, lackingOf } from "./unmet-requirements.js";

/** A node came into sight (no `before`), went out of it (no `after`), or changed. */
export interface VerdictChange {
  readonly name: string;
  /** `verdict`: whether or why it matches. `facts`: it is as good as before, but an address, label, ... is not the same. */
  readonly what: "verdict" | "facts";
  readonly before: Verdict | undefined;
  readonly after: Verdict | undefined;
}

/** What is matched; replaced as a whole by `rematch`. */
export interface Wanted {
  readonly match: CompiledMatch;
  /** Absent: the workload plays no part. */
  readonly workload?: WorkloadSource;
}

export class MatchIndex {
  /** As last counted: a node that has the labels lacks only a pod, so messages name one that waits for a node. */
  namesWaiting = false;
  private readonly verdicts = new Map<string, Verdict>();
  private holders: ReadonlySet<ProviderId> = new Set();
  /** Uids of nodes that an edit of the match refused. They stay here until they match again. */
  private readonly editedOut = new Set<string>();
  private matching: readonly NodeFacts[] | undefined;
  private tallied: Tally | undefined;
  private namespaces: readonly string[] | undefined;
  private owners: readonly string[] | undefined;
  private readonly unlisten: () => void;

  /** @param onChange called after the index has changed; not for the initial state. */
  constructor(
    private readonly nodes: NodeDirectory,
    private wanted: Wanted,
    private readonly onChange: (change: VerdictChange) => void,
    private readonly probes?: ProbeFailures,
  ) {
    this.unlisten = nodes.listen((change) => this.nodeChanged(change));
    for (const name of this.namesInSight()) this.refresh(name);
  }

  /** Nodes that match, in no order: see node-preference.ts. The same list until one of them changes. */
  candidates(): readonly NodeFacts[] {
    const isMatch = ({ refusals }: Verdict) => refusals.length === 0;
    this.matching ??= [...this.verdicts.values()].filter(isMatch).map(({ node }) => node);
    return this.matching;
  }

  /** Nodes that would match if they were not cordoned, in no order. */
  cordoned(): readonly NodeFacts[] {
    return [...this.verdicts.values()].filter(isOnlyCordoned).map(({ node }) => node);
  }

  /** @returns `undefined` where there is no such node. */
  verdict(name: string): Verdict | undefined {
    const node = this.nodes.get(name);
    return this.verdicts.get(name) ?? (node && this.judge(this.input(node)));
  }

  /** Of the node that stands for a machine; `undefined`: no node of this cluster does. */
  verdictOfMachine(machine: ProviderId): Verdict | undefined {
    const node = this.nodes.ofMachine(machine);
    return node && this.verdict(node.name);
  }

  /** How many nodes there are, and why how many are refused. */
  tally(): Tally {
    if (this.tallied !== undefined) return this.tallied;
    const podless = this.podless();
    this.namesWaiting = podless.some(({ refusals: [first] }) => first?.reason === "NoPod");
    const crowded = this.namesWaiting ? crowdedOf(this.candidates(), this.wanted.workload) : undefined;
    const lacking = lackingOf(this.nodes, this.wanted, this);
    const all = { nodes: this.nodes.size, lacking, ...omitUndefined({ crowded }) };
    const tally = tallyOf(all, [...this.verdicts.values(), ...podless]);
    // Without one of the pods on any node, each change of a pod may change the text.
    if (tally.lacking.presence === undefined || this.namesWaiting) this.tallied = tally;
    return tally;
  }

  /** The same for the nodes that are meant, and only for those that fit. Holders are in sight also if they are not meant. */
  tallyOfMeant(fits: (node: NodeFacts) => boolean): Tally {
    return this.tallyOf([...this.meant(), ...this.podless()], fits);
  }

  /** The nodes that are meant and refused, beside these: for a sentence. Mostly there are none, and the tally knows. */
  leftOut(beside: ReadonlySet<string>): string {
    if (leftOutText(this.tally()) === "") return "";
    return leftOutText(this.tallyOf(this.meant(), ({ name }) => !beside.has(name)));
  }

  private tallyOf(all: readonly Verdict[], fits: (node: NodeFacts) => boolean): Tally {
    const verdicts = all.filter(({ node }) => fits(node));
    return tallyOf({ nodes: verdicts.length, lacking: {} }, verdicts);
  }

  /** Of the nodes in sight that are meant, whether they match or not. */
  meant(): readonly Verdict[] {
    return [...this.verdicts.values()].filter(({ refusals: [first] }) => !first || !UNMEANT.has(first.reason));
  }

  /** Nodes that have the labels asked for, and not the workload: out of sight, so that each look costs a verdict. */
  private podless(): readonly Verdict[] {
    const { match, workload } = this.wanted;
    if (workload === undefined || match.nodeLabels.length === 0) return [];
    const labelled = [...this.nodes.withLabels(match.nodeLabels)];
    return labelled.filter(({ name }) => !this.verdicts.has(name)).map((node) => this.judge(this.input(node)));
  }

  /** No node has both the labels and the workload, and no holder that is watched has the workload. */
  get lacksWorkload(): boolean {
    for (const { refusals } of this.verdicts.values()) {
      if (!refusals.some(({ reason }) => reason === "NoPod")) return false;
    }
    return true;
  }

  /** Whether any node has the labels that are asked for, well or not. */
  anyNodeHasLabels(): boolean {
    return this.nodes.withLabels(this.wanted.match.nodeLabels).next().done !== true;
  }

  /** Watches these machines, also after they stop matching, and reports their changes. Replaces the previous set. */
  watchHolders(machines: Iterable<ProviderId>): void {
    const previous = this.holders;
    this.holders = new Set(machines);
    for (const machine of previous) if (!this.holders.has(machine)) this.refreshMachine(machine);
    for (const machine of this.holders) if (!previous.has(machine)) this.refreshMachine(machine);
  }

  /** Nodes that would match if their probes did not fail. */
  refusedByProbes(): readonly NodeFacts[] {
    return [...this.verdicts.values()].filter(isOnlyProbed).map(({ node }) => node);
  }

  /** `undefined`: it plays no part. */
  get workload(): WorkloadSource | undefined {
    return this.wanted.workload;
  }

  /** Of the pods that make nodes match, sorted. Empty if `match` names a namespace, or no pods: no pod is looked at then. */
  podNamespaces(): readonly string[] {
    const { match, workload } = this.wanted;
    if (match.pods === undefined || match.pods.namespace !== undefined) return [];
    this.namespaces ??= namespacesOf(this.candidates().flatMap(({ name }) => workload?.servingOn?.(name) ?? []));
    return this.namespaces;
  }

  /** The workloads whose pods make nodes match, as far as they are known, sorted. Empty if `match` names no pods. */
  podOwners(): readonly string[] {
    this.owners ??= ownersOn(this.candidates(), this.wanted.workload);
    return this.owners;
  }

  /** A pod that has no node, or had none: it does not reach `refresh`. */
  waitingChanged(): void {
    this.tallied = undefined;
  }

  /** The workload on a node may have changed. */
  workloadChanged(name: string): void {
    this.touch(name);
  }

  /** What the probes of a node say may have changed. */
  nodeChecked(name: string): void {
    this.touch(name);
  }

  /** Swaps the match in one step, and reports every difference. */
  rematch(wanted: Wanted): void {
    const before = new Map(this.verdicts);
    this.wanted = wanted;
    this.forgetSummaries();
    for (const name of new Set([...this.namesInSight(), ...before.keys()])) this.refresh(name);
    this.markEdited(before);
    for (const name of new Set([...before.keys(), ...this.verdicts.keys()])) this.emit(name, before.get(name));
  }

  /** Ends: it receives and reports nothing more. */
  close(): void {
    this.unlisten();
  }

  private nodeChanged({ name, before, after }: NodeChange): void {
    if (before !== undefined && before.uid !== after?.uid) this.editedOut.delete(before.uid);
    this.touch(name);
  }

  private touch(name: string): void {
    const before = this.verdicts.get(name);
    this.refresh(name);
    this.emit(name, before);
  }

  private refreshMachine(machine: ProviderId): void {
    const node = this.nodes.ofMachine(machine);
    if (node !== undefined) this.refresh(node.name);
  }

  private refresh(name: string): void {
    const node = this.nodes.get(name);
    const known = this.verdicts.get(name);
    const verdict = node && this.verdictInSight(node);
    this.forgetSummaries();
    if (known !== undefined && verdict !== undefined && isSame(known, verdict)) return;
    if (known?.refusals.length === 0 || verdict?.refusals.length === 0) this.matching = undefined;
    if (verdict === undefined) this.verdicts.delete(name);
    else this.verdicts.set(name, verdict);
  }

  private forgetSummaries(): void {
    this.tallied = undefined;
    this.namespaces = undefined;
    this.owners = undefined;
  }

  private verdictInSight(node: NodeFacts): Verdict | undefined {
    const held = node.machine !== undefined && this.holders.has(node.machine);
    // Most of a thousand resources are done with an event of somebody else's node here.
    if (!held && !selectorMatches(this.wanted.match.nodeLabels, node.labels)) return undefined;
    const input = this.input(node);
    if (!held && input.workload?.state === "absent") return undefined;
    const verdict = this.judge(input);
    if (verdict.refusals.length === 0) this.editedOut.delete(node.uid);
    return verdict;
  }

  private emit(name: string, before: Verdict | undefined): void {
    const after = this.verdicts.get(name);
    if (before === after) return;
    if (!jsonEqual(before?.refusals, after?.refusals)) this.onChange({ name, what: "verdict", before, after });
    else this.onChange({ name, what: "facts", before, after });
  }

  private judge(input: CheckInput): Verdict {
    const { node } = input;
    const refusals = refusalsOf(input);
    if (refusals.length === 0 || !this.editedOut.has(node.uid)) return { node, refusals };
    return { node, refusals: [...refusals, refusal("MatchEdited", "it matched until spec.match was edited")] };
  }

  private input(node: NodeFacts): CheckInput {
    const { match, workload } = this.wanted;
    const input = workload === undefined ? { node, match } : { node, match, workload: workload.on(node.name) };
    const probeFailure = this.probes?.failureOf(node);
    if (probeFailure === undefined) return input;
    const is = (what: "isContested" | "isByProbesAlone" | "isDamped") => this.probes?.[what]?.(node) === true;
    const flags = { isByProbesAlone: is("isByProbesAlone"), isDamped: is("isDamped") };
    return { ...input, probeFailure, isContested: is("isContested"), ...flags };
  }

  /** An edit that adds a reason to refuse ends the grace of a holder, even where the reason is one of those with grace. */
  private markEdited(before: ReadonlyMap<string, Verdict>): void {
    for (const [name, { node, refusals }] of before) {
      const known = new Set(refusals.map(({ reason }) => reason));
      const now = this.verdict(name)?.refusals ?? [];
      if (now.every(({ reason }) => known.has(reason))) continue;
      this.editedOut.add(node.uid);
      this.refresh(name);
    }
  }

  private *namesInSight(): Iterable<string> {
    if (this.wanted.workload !== undefined) yield* this.wanted.workload.nodes();
    else for (const { name } of this.nodes.withLabels(this.wanted.match.nodeLabels)) yield name;
    for (const machine of this.holders) {
      const node = this.nodes.ofMachine(machine);
      if (node !== undefined) yield node.name;
    }
  }
}

function isSame(a: Verdict, b: Verdict): boolean {
  return a.node === b.node && jsonEqual(a.refusals, b.refusals);
}
