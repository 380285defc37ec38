/** `flipop explain`: each check of each node for one resource, by the operator's own code. Of an issuer or a class: its use. */

import { ALL_KINDS, type AnyKind, type FloatingIPPoolStatus, KINDS } from "cdk8s-flipop/api";
import { MatchIndex } from "../../match/match-index.js";
import { labelOf, type NodeDirectory } from "../../match/node-directory.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { namespacesOf, ownersOn } from "../../match/node-workload.js";
import type { Tally } from "../../match/tally.js";
import { compareText, listed, omitUndefined } from "../../values.js";
import { askersBeside } from "../claim-checks.js";
import { withCluster } from "../cluster.js";
import { type CommandCall, CommandError, textOption, UsageError } from "../command.js";
import { type KindRead, type OwnObject, readKinds } from "../list-objects.js";
import { byResult, type Explanation, explanationText, nodeText } from "../render/explain.js";
import { problemsOf, rowOf, shortName } from "../render/status.js";
import { dataText } from "../render/table.js";
import { findResource, parseResourceName, type ResourceName } from "../resource-name.js";
import { clientNotes } from "./client-notes.js";
import { withGrace } from "./grace-notes.js";
import { explainUse, USED, usableText, useText } from "./issuer-and-class.js";
import { nearNotes } from "./near-pods.js";
import { explainNode, type NodeExplanation, type Question, unprobedText } from "./node-explanation.js";
import { missingNode, NEED_NODES, NODE_FORM, nodeIn, runForNode } from "./one-node.js";
import { lacksOnlyPod, podNotes } from "./pod-notes.js";
import { ask, holdsAddresses, readCluster, warnOfUnread } from "./read-cluster.js";
import type { Asked } from "./requirements.js";
import { disabledText, keptText, wantsNoNode, wellText } from "./status-notes.js";

const EXPLAINED = [...NEED_NODES, ...USED.map(({ kind }) => kind)];

export function run(call: CommandCall): Promise<number> {
  const node = nodeIn(call.args[0] ?? "");
  if (node !== undefined) return runForNode(call, node);
  const named = parseResourceName(call.args[0] ?? "", EXPLAINED, [NODE_FORM]);
  return NEED_NODES.includes(named.kind.kind) ? runForNodes(call, named) : runForUse(call, named);
}

function runForUse(call: CommandCall, named: ResourceName): Promise<number> {
  const { io, args } = call;
  if (args[1] !== undefined)
    throw new UsageError(`${shortName(named.kind.kind)}/${named.name} needs no nodes: omit ${args[1]}`);
  return withCluster(call, async ({ client, namespace }) => {
    const reads = await readKinds(client, io.stop, { kinds: [KINDS.FloatingIPPool, KINDS.RoutedIP, ...USED] });
    const use = explainUse(named.kind, findResource(readOf(reads, named.kind), named, namespace), reads);
    const unread = unreadIn(reads.filter(({ kind }) => kind !== KINDS.FloatingIPPool));
    if (unread.length > 0) io.err(`flipop: more may use it: ${unread.join(", ")} can't be read\n`);
    const format = textOption(call, "output");
    io.out(format === "json" || format === "yaml" ? dataText(use, format) : useText(use));
    return 0;
  });
}

function readOf(reads: readonly KindRead[], { kind, plural }: AnyKind): KindRead {
  const read = reads.find((one) => one.kind.kind === kind);
  if (read === undefined) throw new CommandError(`${plural} were not read`);
  return read;
}

function unreadIn(reads: readonly KindRead[]): readonly string[] {
  return reads.filter(({ problem }) => problem !== undefined).map(({ kind }) => kind.plural);
}

function runForNodes(call: CommandCall, named: ResourceName): Promise<number> {
  return withCluster(call, async ({ client, namespace }) => {
    const cluster = await readCluster(call, client, kindsFor(named.kind));
    const { reads } = cluster.reader;
    const object = findResource(readOf(reads, named.kind), named, namespace);
    const { asked, question, retained } = await ask(cluster, named.kind, object);
    const askers = askersBeside(reads.filter(holdsAddresses), object.metadata.uid);
    const ips = new Set(cluster.account.map(({ ip }) => ip));
    const usable = isRouted(named.kind) ? usableText(object, { reads, retained }, ips) : [];
    const explanation = explain({ kind: named.kind, object, asked, askers, usable }, cluster.nodes, question);
    const reached = await clientNotes(cluster.reader, { kind: named.kind, object, asked, nodes: explanation.nodes });
    warnOfUnread(call, reads);
    print(call, { ...explanation, pods: [...explanation.pods, ...reached] });
    return 0;
  });
}

/** All that may hold an address; for a RoutedIP also what it refers to. */
function kindsFor(kind: AnyKind): readonly AnyKind[] {
  const needed = new Set(["FloatingIPPool", "RoutedIP", kind.kind]);
  return ALL_KINDS.filter((one) => isRouted(kind) || needed.has(one.kind));
}

function isRouted({ kind }: AnyKind): boolean {
  return kind === KINDS.RoutedIP.kind;
}

interface Subject {
  readonly kind: AnyKind;
  readonly object: OwnObject;
  readonly asked: Asked;
  /** By canonical address: the other resources that ask for it. */
  readonly askers: ReadonlyMap<string, readonly string[]>;
  /** That it could have another address of its namespace. */
  readonly usable: readonly string[];
}

function explain(
  { kind, object, asked, askers, usable }: Subject,
  nodes: NodeDirectory,
  question: Question,
): Explanation {
  const marks = marksOf(object, [...nodes.list()]);
  // A node that waits for an address is meant, though the taint may keep the pod away that it lacks.
  const waits = new Set(marks.untilAssignedTaint?.nodes);
  const all = [...nodes.list()].map((node) => explainNode(node, question));
  const near = nearNotesOf(all, asked);
  const explained = (near.length === 0 ? all : all.map(withoutPodRemedy))
    .map((one) => (waits.has(one.node) ? { ...one, meant: true } : one))
    .sort((a, b) => byResult(a, b) || compareText(a.node, b.node));
  return {
    resource: rowOf(kind, object),
    conditions: problemsOf(kind, object),
    asks: `${asked.text}${originsText(all, question)}`,
    well: wellText(kind.kind, object),
    // Of a resource that goes, the conditions say what its deletion waits for.
    problems: object.metadata.deletionTimestamp === undefined ? asked.problems : [],
    tally: tallyFor(nodes, question, all),
    pods: [...podNotes(all, question, nodes), ...near, ...excludedNotes(kind, all, nodes)],
    ...withGrace(explained, { kind: kind.kind, object, asking: question, factsOf: (node) => nodes.get(node) }),
    disabled: disabledText(object, askers),
    kept: keptText(object),
    ...(wantsNoNode(object) && { wantsNoNode: true as const }),
    usable,
    unprobed: explained
      .filter(({ node, meant }) => meant && isUnprobed(nodes.get(node), question))
      .map(({ node }) => node),
    ...marks,
  };
}

/** A standard label of Kubernetes for load balancers: whoever sets it may expect that it counts here. */
const EXCLUDE_LABEL = "node.kubernetes.io/exclude-from-external-load-balancers";

function excludedNotes(kind: AnyKind, all: readonly NodeExplanation[], nodes: NodeDirectory): readonly string[] {
  const has = (node: string) => labelOf(nodes.get(node)?.labels, EXCLUDE_LABEL) !== undefined;
  const matching = all.filter(({ node, result }) => result !== "no" && has(node)).map(({ node }) => node);
  if (matching.length === 0 || isRouted(kind)) return [];
  const verbs = matching.length === 1 ? "matches and has" : "match and have";
  return [
    `${listed(matching)} ${verbs} label ${EXCLUDE_LABEL}, which the operator does not read: to exclude such nodes, add !${EXCLUDE_LABEL} to spec.match.nodeLabel`,
  ];
}

function nearNotesOf(all: readonly NodeExplanation[], { near }: Asked): readonly string[] {
  if (near === undefined) return [];
  return nearNotes(near, new Set(all.filter(lacksOnlyPod).map(({ node }) => node)));
}

/** The notes on near pods have a better one. */
function withoutPodRemedy({ obstacles, ...node }: NodeExplanation): NodeExplanation {
  const others = obstacles.map(({ remedy, ...check }) =>
    check.reason === "NoPod" ? check : { ...check, ...omitUndefined({ remedy }) },
  );
  return { ...node, obstacles: others };
}

/** Where the pods that count are, if `match` counts those of any namespace, and what they belong to, if to several workloads. */
function originsText(nodes: readonly NodeExplanation[], { workload }: Question): string {
  const pods = nodes.flatMap(({ node }) => workload?.servingOn?.(node) ?? []);
  const matching = nodes.filter(({ result }) => result !== "no").map(({ node: name }) => ({ name }));
  const [namespaces, owners] = [namespacesOf(pods), ownersOn(matching, workload)];
  const text = (origins: string, field: string) =>
    `; pods of ${origins} count: ${field} of spec.match limits that to one`;
  if (namespaces.length > 1) return text(`namespaces ${listed(namespaces)}`, "podNamespace");
  return owners.length > 1 ? text(listed(owners), "podLabel") : "";
}

function isUnprobed(node: NodeFacts | undefined, question: Question): boolean {
  return node !== undefined && unprobedText(node, question) !== undefined;
}

/** Where the label and the taint are now that the resource asks for. */
function marksOf(
  { status }: OwnObject,
  nodes: readonly NodeFacts[],
): Pick<Explanation, "holderLabel" | "untilAssignedTaint"> {
  const { holderLabel: label, untilAssignedTaint: taint } = (status ?? {}) as FloatingIPPoolStatus;
  const where = (key: string | undefined, has: (node: NodeFacts, key: string) => boolean) => {
    if (key === undefined) return undefined;
    const names = nodes.filter((node) => has(node, key)).map(({ name }) => name);
    return { key, nodes: names.sort(compareText) };
  };
  return omitUndefined({
    holderLabel: where(label, ({ labels }, key) => labels[key] !== undefined),
    untilAssignedTaint: where(taint, ({ ownTaints = [] }, key) => ownTaints.some((taint) => taint.key === key)),
  });
}

/** As the operator counts, for its conditions: it watches nodes with an address also if they are not meant. */
function tallyFor(
  nodes: NodeDirectory,
  { match, workload, failedProbes = new Map() }: Question,
  explained: readonly Pick<NodeExplanation, "node" | "result">[],
): Tally {
  const holders = explained.filter(({ result }) => result === "holds" || result === "published");
  const wanted = { match, ...omitUndefined({ workload }) };
  const probes = { failureOf: ({ name }: NodeFacts) => failedProbes.get(name) };
  const index = new MatchIndex(nodes, wanted, () => undefined, probes);
  index.watchHolders(holders.flatMap(({ node }) => nodes.get(node)?.machine ?? []));
  const tally = index.tally();
  index.close();
  return tally;
}

function print({ io, args: [, name], ...call }: CommandCall, explanation: Explanation): void {
  const format = textOption(call, "output");
  const one = name === undefined ? undefined : nodeNamed(explanation, name);
  if (format === "json" || format === "yaml") {
    io.out(dataText(one === undefined ? explanation : { ...explanation, nodes: [one] }, format));
  } else if (one !== undefined) io.out(nodeText(explanation, one));
  else io.out(explanationText(explanation, { wide: format === "wide", all: call.options["all"] === true }));
}

function nodeNamed({ nodes }: Explanation, name: string): NodeExplanation {
  return nodes.find(({ node }) => node === name) ?? missingNode(name, nodes);
}
