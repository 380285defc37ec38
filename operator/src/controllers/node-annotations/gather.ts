/** What is known of the address annotations of one node, and of its labels and taints, at one moment. */

import { canonicalIp, IP_FAMILIES, type IpFamily } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/accounts/address-account.js";
import { ADDRESS_ANNOTATIONS, nodePath, parseOwner } from "../../addresses/annotations.js";
import type { InventoryView } from "../../inventory/view.js";
import type { KubeObject } from "../../kube/objects.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { ProviderId } from "../../providers/types.js";
import { ObjectWriters } from "../../reconcile/object-writer.js";
import type { ResourceSource } from "../../reconcile/resource-source.js";
import { ACTION_SECONDS, CACHE_LAG_MS, JANITOR_LIST_MAX_AGE_SECONDS, SECOND_MS } from "../../timings.js";
import type { ControllerContext } from "../context.js";
import { leftMarksOn, nodesWithLeftMarks } from "./left-marks.js";
import { seesOwner } from "./unseen-owners.js";

/** Where the provider shows the address of an annotation. `unknown`: the account cannot be read now. */
export type Place = "on the node" | "elsewhere" | "unknown";

export interface AnnotationFacts {
  readonly family: IpFamily;
  /** The address, canonical; absent: only the owner's annotation is there. */
  readonly ip?: string;
  /** Absent: the Go operator wrote it, which names no owner. */
  readonly owner?: "exists" | "gone" | "out of sight";
  /** A resource claims the address. */
  readonly claimed: boolean;
  /** Absent: no provider is there to ask. */
  readonly place?: Place;
}

/** What this process knows of a node. */
interface AnnotatedNode {
  /** Its name. */
  readonly key: string;
  readonly memory: NodeMemory;
}

export interface Snapshot {
  readonly node: string;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly annotations: readonly AnnotationFacts[];
  /** Keys of labels and taints whose resources are gone. */
  readonly leftMarks: readonly string[];
}

export function gather(
  context: ControllerContext,
  state: AnnotatedNode,
  { metadata: { name, annotations = {} } }: KubeObject,
): Snapshot {
  const node = context.nodes.get(name);
  const found = IP_FAMILIES.filter((family) => {
    const text = annotationText(annotations, family);
    return text !== "" && !isRemoved(context, state, { family, text });
  });
  return {
    node: name,
    now: context.clock.now(),
    annotations: found.map((family) => factsOf(context, state, { family, annotations })),
    leftMarks: node === undefined ? [] : leftMarksOn(context, node),
  };
}

interface Asked {
  readonly family: IpFamily;
  readonly ip: string;
  readonly text: string;
  /** By a resource of another installation. */
  readonly owned: boolean;
}

interface Annotated {
  readonly family: IpFamily;
  readonly annotations: Readonly<Record<string, string>>;
}

function factsOf(
  context: ControllerContext,
  state: AnnotatedNode,
  { family, annotations }: Annotated,
): AnnotationFacts {
  const { value: valueKey, owner: ownerKey } = ADDRESS_ANNOTATIONS[family];
  const [value, owner] = [annotations[valueKey], annotations[ownerKey]];
  const ip = value === undefined ? undefined : canonicalIp(value);
  const text = annotationText(annotations, family);
  const place =
    ip === undefined ? undefined : placeOf(context, state, { family, ip, text, owned: owner !== undefined });
  return {
    family,
    ...(ip === undefined ? {} : { ip }),
    ...(owner === undefined ? {} : { owner: stateOfOwner(context, owner) }),
    // Without pools, the process does not know which addresses are claimed.
    claimed:
      !context.settings.features.includes("pools") || (ip !== undefined && context.claims.holderOf(ip) !== undefined),
    ...(place === undefined ? {} : { place }),
  };
}

/** Reads the account that `placeOf` asks, where its list is old. */
export async function prepare(context: ControllerContext, state: AnnotatedNode): Promise<void> {
  const now = context.clock.monotonic();
  const read = async (family: IpFamily) => {
    const settledFor = (now - (state.memory.elsewhere.get(family)?.until ?? now)) / SECOND_MS;
    const maxAge = settledFor > 0 ? Math.min(JANITOR_LIST_MAX_AGE_SECONDS, settledFor) : JANITOR_LIST_MAX_AGE_SECONDS;
    await accountOf(context, state.key, family)?.refresh(maxAge, "check");
  };
  await Promise.all(IP_FAMILIES.map(read));
}

/** The annotation and its owner, as they are compared with a removal. */
export function annotationText(annotations: Readonly<Record<string, string>>, family: IpFamily): string {
  const { value, owner } = ADDRESS_ANNOTATIONS[family];
  const present = [value, owner].flatMap((key) => annotations[key] ?? []);
  return present.join(" ");
}

function isRemoved(
  { clock }: ControllerContext,
  { memory: { removed: removals } }: AnnotatedNode,
  { family, text }: { readonly family: IpFamily; readonly text: string },
): boolean {
  const removed = removals.get(family);
  return removed?.annotation === text && clock.monotonic() - removed.at < CACHE_LAG_MS;
}

/** An owner that another installation manages is out of sight, and left alone. */
function stateOfOwner({ owners, settings }: ControllerContext, text: string): AnnotationFacts["owner"] & string {
  const owner = parseOwner(text);
  if (owner === undefined || !seesOwner(settings, text)) return "out of sight";
  return owners.isGone(owner.uid) ? "gone" : "exists";
}

/** The account is asked only of an annotation for which no owner answers that this operator sees. */
function accountOf(context: ControllerContext, name: string, family: IpFamily): AddressAccount | undefined {
  const { annotations = {}, machine } = context.nodes.get(name) ?? {};
  const { value, owner } = ADDRESS_ANNOTATIONS[family];
  const ip = annotations[value];
  if (ip === undefined || machine === undefined || !isAsked(context, canonicalIp(ip), annotations[owner])) {
    return undefined;
  }
  const account = context.accounts.find(machine.split("://")[0] ?? "", family);
  return account instanceof AddressAccount ? account : undefined;
}

function isAsked({ settings, claims }: ControllerContext, ip: string, owner: string | undefined): boolean {
  if (owner !== undefined) return !seesOwner(settings, owner);
  return settings.features.includes("pools") && claims.holderOf(ip) === undefined;
}

function placeOf(context: ControllerContext, state: AnnotatedNode, asked: Asked): Place | undefined {
  const account = accountOf(context, state.key, asked.family);
  if (account === undefined) state.memory.elsewhere.delete(asked.family);
  if (account === undefined) return undefined;
  const view = account.inventory?.view();
  if (view?.complete !== true) return "unknown";
  const place = placeIn(view, asked.ip, context.nodes.get(state.key)?.machine);
  if (place !== "elsewhere") state.memory.elsewhere.delete(asked.family);
  else if (asked.owned && !hasLasted(context, state, asked, view)) return "unknown";
  return place;
}

/** Whether the account contradicts the annotation for longer than any action may run that moves the address. */
function hasLasted(
  { clock }: ControllerContext,
  { memory: { elsewhere } }: AnnotatedNode,
  { family, text }: Asked,
  { ageSeconds }: InventoryView,
): boolean {
  const now = clock.monotonic();
  const known = elsewhere.get(family);
  const until = known?.text === text ? known.until : now + ACTION_SECONDS * SECOND_MS;
  elsewhere.set(family, { text, until });
  return now - ageSeconds * SECOND_MS > until;
}

function placeIn(view: InventoryView, ip: string, machine: ProviderId | undefined): Place {
  const facts = view.get(ip);
  if (facts?.action !== undefined) return "unknown";
  return facts !== undefined && (facts.holder === machine || facts.unconfirmed === true) ? "on the node" : "elsewhere";
}

export interface NodeMemory {
  /** Removals that the node cache may not show yet. */
  readonly removed: Map<IpFamily, { readonly annotation: string; readonly at: number }>;
  /**
   * Annotations of other installations that the account contradicts. Such an installation may just be moving the address, so
   * only a list proves it that was read after `until` (monotonic ms), when every action of then has ended.
   */
  readonly elsewhere: Map<IpFamily, { readonly text: string; readonly until: number }>;
}

/** Only nodes that bear an annotation, or a mark whose resource is gone, have runs; a node that is gone is forgotten. */
export function annotatedNodes(context: ControllerContext): ResourceSource<KubeObject> {
  const { nodes, annotated, client, clock } = context;
  const cached = (name: string) => {
    const node = nodes.get(name);
    return node === undefined ? undefined : objectOf(node);
  };
  return {
    writers: new ObjectWriters<KubeObject>(client, cached, nodePath, clock),
    keys: () => new Set([...annotated.all(), ...nodesWithLeftMarks(context)]),
    cached,
    listen: (listener) =>
      nodes.listen(({ name, before, after }) => {
        if (before !== undefined && after === undefined)
          listener({ key: name, object: objectOf(before), deleted: true });
      }),
  };
}

function objectOf({ name, uid, annotations }: NodeFacts): KubeObject {
  return { metadata: { name, uid, annotations, resourceVersion: "" } };
}
