/**
 * Labels and taints of pools and RoutedIPs that are gone, though their cleanup should have removed them: somebody has removed the
 * finalizer, or etcd was restored. Only those go that this operator must have set.
 */

import {
  HOLDER_KINDS,
  HOLDER_LABEL_PREFIX,
  HOLDER_LABEL_VALUE,
  type HolderKind,
  KINDS,
  UNTIL_ASSIGNED_PREFIX,
} from "cdk8s-flipop/api";
import { DONE, type Outcome, skipped } from "../../addresses/call-outcomes.js";
import { isKeyOf } from "../../addresses/marks/holder-labels-and-taints.js";
import { taintUntil, writeLabel } from "../../addresses/marks/mark-calls.js";
import type { KubeObject } from "../../kube/objects.js";
import { listPages } from "../../kube/watch/list.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { GROUP_PATH } from "../../reconcile/resource-source.js";
import { type ControllerContext, watchesNamespace } from "../context.js";

/** What a key says of the resource that its marks belong to. */
interface MarkOwner {
  readonly kind: HolderKind;
  /** Absent: a hash replaces its end. */
  readonly namespace?: string;
  /** Absent: a hash replaces its end. */
  readonly name?: string;
}

/** `undefined`: no key of this release. */
export function ownerOfMark(key: string): MarkOwner | undefined {
  const prefix = [HOLDER_LABEL_PREFIX, UNTIL_ASSIGNED_PREFIX].find((each) => key.startsWith(each)) ?? key;
  const [short, namespace = "", ...rest] = key.slice(prefix.length).split(".");
  const kind = (Object.keys(HOLDER_KINDS) as HolderKind[]).find((each) => HOLDER_KINDS[each] === short);
  if (kind === undefined || namespace === "") return undefined;
  if (key.includes("_")) return rest.length === 0 ? { kind } : { kind, namespace };
  return rest.length === 0 ? undefined : { kind, namespace, name: rest.join(".") };
}

type MarkContext = Pick<ControllerContext, "client" | "marks" | "nodes" | "watches"> & {
  readonly settings: Pick<ControllerContext["settings"], "watchNamespaces">;
};

/** Names of the nodes with such marks. */
export function nodesWithLeftMarks(context: Pick<MarkContext, "marks" | "settings">): readonly string[] {
  const { labels, taints } = context.marks;
  return [labels, taints].flatMap((marked) =>
    [...marked.keys()].filter((key) => isLeft(context, key)).flatMap((key) => marked.bearersOf(key)),
  );
}

/** Their keys on a node: only marks exactly as the operator sets them. */
export function leftMarksOn(
  context: Pick<MarkContext, "marks" | "settings">,
  { name, labels, ownTaints = [] }: NodeFacts,
): readonly string[] {
  const { marks } = context;
  const set = Object.keys(labels).filter((key) => labels[key] === HOLDER_LABEL_VALUE);
  const waits = ownTaints.filter(({ effect }) => effect === "NoSchedule").map(({ key }) => key);
  return [
    ...set.filter((key) => isLeft(context, key) && marks.labels.bearersOf(key).includes(name)),
    ...waits.filter((key) => isLeft(context, key) && marks.taints.bearersOf(key).includes(name)),
  ];
}

/** The process sees all resources that may have the key, and none has it. */
function isLeft({ marks, settings }: Pick<MarkContext, "marks" | "settings">, key: string): boolean {
  const owner = ownerOfMark(key);
  const resources = owner && marks.resourcesOf(owner.kind);
  if (owner === undefined || resources?.complete !== true) return false;
  if (!watchesNamespace(settings, owner.namespace ?? "")) return false;
  for (const object of resources.list()) if (owns(object, key, owner)) return false;
  return true;
}

/** Compares names first, which spares all other resources the making of their keys. */
function owns(object: KubeObject, key: string, { kind, ...owner }: MarkOwner): boolean {
  const { metadata } = object;
  const { namespace = metadata.namespace, name = metadata.name } = owner;
  return namespace === metadata.namespace && name === metadata.name && isKeyOf(key, kind, object);
}

export async function removeLeftMark(
  context: MarkContext,
  signal: AbortSignal,
  { key, node }: { readonly key: string; readonly node: string },
): Promise<Outcome> {
  if (await hasOwner(context, signal, key)) return skipped("a resource has the label or taint");
  if (!key.startsWith(HOLDER_LABEL_PREFIX)) return taintUntil(context, { signal }, { key, node, present: false });
  const uid = context.nodes.get(node)?.uid;
  if (uid === undefined) return skipped("the node is gone");
  return (await writeLabel(context, { signal }, { key, name: node, uid, present: false })) ?? DONE;
}

/** From the server itself: the cache may lack a resource for which the last leader set the mark. */
async function hasOwner({ client }: Pick<MarkContext, "client">, signal: AbortSignal, key: string): Promise<boolean> {
  const owner = ownerOfMark(key);
  if (owner === undefined) return true;
  const { kind, namespace, name } = owner;
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const target = {
    ...{ name: kind, path: `${GROUP_PATH}${scope}/${KINDS[kind].plural}` },
    ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
  };
  let found = false;
  const look = async (items: readonly KubeObject[]) => {
    found ||= items.some((object) => isKeyOf(key, kind, object));
  };
  await listPages({ client, target, signal }, look, () => {});
  return found;
}
