/** `flipop explain node/NAME`: for each resource that needs nodes, whether this one is a candidate, and why not. */

import { ALL_KINDS, type AnyKind, nearest } from "cdk8s-flipop/api";
import { NO_NODE, POD_INDEXES, type PodIndex } from "../../kube/cache/pods.js";
import { Store } from "../../kube/cache/store.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { compareText } from "../../values.js";
import { withCluster } from "../cluster.js";
import { type CommandCall, CommandError, textOption, UsageError } from "../command.js";
import type { OwnObject } from "../list-objects.js";
import { byResult } from "../render/explain.js";
import { type NodeUse, oneNodeText, type UseOfNode } from "../render/one-node.js";
import { dataText } from "../render/table.js";
import { explainNode } from "./node-explanation.js";
import { type PodFacts, type PodReader, readPodsAt } from "./pods.js";
import { ask, type ClusterRead, readCluster, warnOfUnread } from "./read-cluster.js";
import { QUESTIONS } from "./requirements.js";

/** Kinds whose resources need nodes. */
export const NEED_NODES = Object.keys(QUESTIONS);

export const NODE_FORM = "node/NAME";

/** As kubectl names them. */
const NODE = /^(?:node|nodes|no)\/([^/]+)$/i;

/** The node that a person asks about; `undefined`: it is something else. */
export function nodeIn(text: string): string | undefined {
  return NODE.exec(text)?.[1];
}

/** @throws CommandError */
export function missingNode(name: string, nodes: readonly { readonly node: string }[]): never {
  const meant = nearest(
    name,
    nodes.map(({ node }) => node),
  );
  throw new CommandError(
    `there is no node "${name}"${meant === undefined ? ": kubectl get nodes lists all" : `: did you mean ${meant}?`}`,
  );
}

export function runForNode(call: CommandCall, name: string): Promise<number> {
  const { io, args, options } = call;
  if (args[1] !== undefined) throw new UsageError(`node/${name} is a node already: omit ${args[1]}`);
  return withCluster(call, async ({ client }) => {
    const cluster = await readCluster(call, client, ALL_KINDS);
    const { reader, nodes } = cluster;
    const node =
      nodes.get(name) ??
      missingNode(
        name,
        [...nodes.list()].map((one) => ({ node: one.name })),
      );
    const near = { ...cluster, reader: { ...reader, matchedPods: await readNear(reader, name) } };
    const namespace = textOption(call, "namespace");
    const use: UseOfNode = { node: name, namespace, resources: await usesOf(near, node, namespace) };
    warnOfUnread(call, reader.reads);
    const format = textOption(call, "output");
    const isData = format === "json" || format === "yaml";
    io.out(isData ? dataText(use, format) : oneNodeText(use, options["all"] === true));
    return 0;
  });
}

/** The pods on the node, and those that have none: no others say anything of it. */
async function readNear(reader: PodReader, node: string): Promise<Store<PodFacts, PodIndex>> {
  const store = new Store<PodFacts, PodIndex>({ indexes: POD_INDEXES });
  const read = [node, NO_NODE].map((name) => readPodsAt(reader, name));
  await store.replace((await Promise.all(read)).flat());
  return store;
}

async function usesOf(
  cluster: ClusterRead,
  node: NodeFacts,
  namespace: string | undefined,
): Promise<readonly NodeUse[]> {
  const uses: NodeUse[] = [];
  for (const { kind, objects } of cluster.reader.reads.filter((read) => NEED_NODES.includes(read.kind.kind))) {
    const asked = objects.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    // One at a time: a RoutedIP costs three requests.
    for (const object of asked) uses.push(await useOf(cluster, node, { kind, object }));
  }
  const key = ({ namespace, name }: NodeUse) => `${namespace}/${name}`;
  return uses.sort((a, b) => byResult(a, b) || compareText(key(a), key(b)));
}

interface Subject {
  readonly kind: AnyKind;
  readonly object: OwnObject;
}

async function useOf(cluster: ClusterRead, node: NodeFacts, { kind, object }: Subject): Promise<NodeUse> {
  const { name, namespace = "" } = object.metadata;
  const resource = { kind: kind.kind, namespace, name };
  try {
    const { asked, question } = await ask(cluster, kind, object);
    return { ...resource, problems: asked.problems, ...explainNode(node, question) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const nothing = { node: node.name, result: "no", holds: [], checks: [], obstacles: [], meant: true } as const;
    return { ...resource, ...nothing, problems: [error.message] };
  }
}
