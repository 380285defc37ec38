/**
 * The annotation on the node that holds an address, and on no other. An annotation names its owner, who may be
 * gone: so the process keeps, from event to event, which nodes bear one and which resources there are.
 */

import { Annotation, canonicalIp, IP_FAMILIES, type IpFamily } from "cdk8s-flipop/api";
import type { ObjectMeta } from "../kube/objects.js";
import { JSON_PATCH, nodeAnnotationPatch, type Patch } from "../kube/write/patch.js";
import type { NodeChange, NodeDirectory } from "../match/node-directory.js";
import type { NodeFacts } from "../match/node-facts.js";
import type { Action, ActionChain } from "./actions.js";
import type { AddressSnapshot } from "./address-set.js";
import { isServed, type Placement } from "./placements.js";

/** Whether a controller has a resource of this uid; `undefined`: it can't see its resources. */
type KnowsUid = (uid: string) => boolean | undefined;

/** `<namespace>/<name>/<uid>`, as the owner annotation has it. */
interface OwnerName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export class Owners {
  private readonly known: KnowsUid[] = [];
  private readonly listeners = new Set<(owner: string) => void>();

  /** A kind that annotates nodes; its cache has to be among those that sync before anybody leads. */
  add(knows: KnowsUid): void {
    this.known.push(knows);
  }

  /** No controller has it, and each of them sees all its resources. False where no controller serves such a kind. */
  isGone(uid: string): boolean {
    return this.known.length > 0 && this.known.every((knows) => knows(uid) === false);
  }

  /** A resource that may have annotated nodes has been deleted. */
  gone(owner: OwnerName): void {
    for (const listener of [...this.listeners]) listener(ownerName(owner));
  }

  /** @param listener gets the owner as annotations have it. @returns the function that ends it. */
  onGone(listener: (owner: string) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}

/** As annotations have it. */
export function ownerName({ namespace = "", name, uid }: Pick<ObjectMeta, keyof OwnerName>): string {
  return `${namespace}/${name}/${uid}`;
}

/** `undefined`: it names no owner. */
export function parseOwner(text: string): OwnerName | undefined {
  const [namespace, name, uid, ...rest] = text.split("/");
  if (!namespace || !name || !uid || rest.length > 0) return undefined;
  return { namespace, name, uid };
}

/** The annotations of each family: the address, and who wrote it. */
export const ADDRESS_ANNOTATIONS = {
  IPv4: { value: Annotation.reservedIpv4, owner: Annotation.reservedIpv4Owner },
  IPv6: { value: Annotation.reservedIpv6, owner: Annotation.reservedIpv6Owner },
} as const satisfies Readonly<Record<IpFamily, { readonly value: string; readonly owner: string }>>;

export class AnnotatedNodes {
  private readonly names = new Map<string, Set<string>>();
  /** All that bear any. */
  private readonly bearers = new Set<string>();
  private readonly unlisten: () => void;

  constructor(private readonly nodes: NodeDirectory) {
    for (const node of nodes.list()) this.changed({ name: node.name, before: undefined, after: node });
    this.unlisten = nodes.listen((change) => this.changed(change));
  }

  /** Names of all nodes that bear any of the annotations. */
  all(): Iterable<string> {
    return this.bearers;
  }

  /** Nodes with this owner, or with one of these (canonical) addresses; each once. */
  find(family: IpFamily, owner: string, ips: Iterable<string>): readonly NodeFacts[] {
    const keys = [ownerKey(family, owner), ...[...ips].map((ip) => valueKey(family, ip))];
    const names = new Set(keys.flatMap((key) => [...(this.names.get(key) ?? [])]));
    return [...names].flatMap((name) => this.nodes.get(name) ?? []);
  }

  close(): void {
    this.unlisten();
  }

  private changed({ name, before, after }: NodeChange): void {
    if (before?.annotations === after?.annotations) return;
    for (const key of keysOf(before)) this.drop(key, name);
    const keys = keysOf(after);
    for (const key of keys) this.put(key, name);
    if (keys.length > 0) this.bearers.add(name);
    else this.bearers.delete(name);
  }

  private put(key: string, name: string): void {
    const names = this.names.get(key);
    if (names === undefined) this.names.set(key, new Set([name]));
    else names.add(name);
  }

  private drop(key: string, name: string): void {
    const names = this.names.get(key);
    names?.delete(name);
    if (names?.size === 0) this.names.delete(key);
  }
}

function keysOf(node: NodeFacts | undefined): readonly string[] {
  if (node === undefined) return [];
  return IP_FAMILIES.flatMap((family) => {
    const value = node.annotations[ADDRESS_ANNOTATIONS[family].value];
    const owner = node.annotations[ADDRESS_ANNOTATIONS[family].owner];
    return [
      ...(value === undefined ? [] : [valueKey(family, canonicalIp(value))]),
      ...(owner === undefined ? [] : [ownerKey(family, owner)]),
    ];
  });
}

function valueKey(family: IpFamily, ip: string): string {
  return `${family} value ${ip}`;
}

function ownerKey(family: IpFamily, owner: string): string {
  return `${family} owner ${owner}`;
}

type Annotated = Pick<NodeFacts, "uid" | "annotations">;

/** Path of a node. */
export function nodePath(name: string): string {
  return `/api/v1/nodes/${name}`;
}

/** Sets the address and its owner; `undefined`: both are there. */
export function annotationPatch(
  node: Annotated,
  family: IpFamily,
  { ip, owner }: { readonly ip: string; readonly owner: string },
): Patch | undefined {
  const { value, owner: ownerKey } = ADDRESS_ANNOTATIONS[family];
  return nodeAnnotationPatch(node, { [value]: ip, [ownerKey]: owner });
}

/** Removes both, if they still are what was seen. A 422: they are not. `undefined`: there is nothing. */
export function annotationRemoval({ uid, annotations }: Annotated, family: IpFamily): Patch | undefined {
  const { value, owner } = ADDRESS_ANNOTATIONS[family];
  const there = [value, owner].filter((key) => annotations[key] !== undefined);
  if (there.length === 0) return undefined;
  const changes = there.flatMap((key) => [
    { op: "test", path: pointerTo(key), value: annotations[key] },
    { op: "remove", path: pointerTo(key) },
  ]);
  return { contentType: JSON_PATCH, body: [{ op: "test", path: "/metadata/uid", value: uid }, ...changes] };
}

function pointerTo(key: string): string {
  return `/metadata/annotations/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

interface Snapshot extends AddressSnapshot {
  /** Nodes that bear the annotation of the family with our name as owner, or with one of our addresses. */
  readonly annotated: readonly NodeFacts[];
}

/** What nodes should bear: the addresses that are served there. One chain for each node. */
export function annotationChains(
  snapshot: Snapshot,
  placements: readonly Placement[],
  family: IpFamily,
): readonly ActionChain[] {
  const served = placements.filter(isServed);
  const holders = new Set(served.map(({ verdict }) => verdict?.node.name));
  const set = firstOfEachNode(served).flatMap((placement) => annotate(snapshot, placement, family));
  const strays = snapshot.annotated.filter(({ name }) => !holders.has(name));
  const byIp = new Map(placements.map((placement) => [placement.address.ip, placement]));
  const removed = strays.flatMap((node) => unannotate(snapshot, byIp, { node, family }));
  return [...set, ...removed].map((action) => [action]);
}

/** Takes the annotations of a resource that goes off all nodes. */
export function annotationRemovals(snapshot: Snapshot, family: IpFamily): readonly ActionChain[] {
  const mine = snapshot.annotated.filter((node) => ownerOn(node, family) === ownerName(snapshot.set.metadata));
  return mine.map((node) => [removal(node, family, "the pool is being deleted")]);
}

/** A node may hold several addresses, but bears one: the first of the set's. */
function firstOfEachNode(served: readonly Placement[]): readonly Placement[] {
  const firsts = new Map<Placement["holder"], Placement>();
  for (const placement of served) if (!firsts.has(placement.holder)) firsts.set(placement.holder, placement);
  return [...firsts.values()];
}

function annotate(snapshot: Snapshot, { verdict, address }: Placement, family: IpFamily): readonly Action[] {
  if (verdict === undefined) return [];
  const { node } = verdict;
  const right = ownerOn(node, family) === ownerName(snapshot.set.metadata) && valueOn(node, family) === address.ip;
  if (right || isOthers(snapshot, node, { family, ip: address.ip })) return [];
  return [{ do: "annotate-node", node: node.name, ip: address.ip, family, why: "the node holds the address" }];
}

/** Another resource's address that really is there: the annotation is that one's. */
function isOthers(
  { set, inventory }: Snapshot,
  node: NodeFacts,
  { family, ip }: { readonly family: IpFamily; readonly ip: string },
): boolean {
  const [value, owner] = [valueOn(node, family), ownerOn(node, family)];
  if (value === undefined || value === ip || owner === undefined || owner === ownerName(set.metadata)) return false;
  return inventory.get(value)?.holder === node.machine;
}

interface Stray {
  readonly node: NodeFacts;
  readonly family: IpFamily;
}

/** Ours, or without an owner (as the Go operator wrote it) and of an address that is ours and not there. */
function unannotate(
  snapshot: Snapshot,
  placements: ReadonlyMap<string, Placement>,
  { node, family }: Stray,
): readonly Action[] {
  const value = valueOn(node, family);
  if (value === undefined) return [];
  const owner = ownerOn(node, family);
  const placement = placements.get(value);
  if (owner === ownerName(snapshot.set.metadata)) return isUnknown(placement) ? [] : [removal(node, family, STALE)];
  if (owner !== undefined || placement === undefined || isUnknown(placement)) return [];
  return placement.address.claim?.ours === true ? [removal(node, family, STALE)] : [];
}

/** The address may be there: no read has settled that. */
function isUnknown(placement: Placement | undefined): boolean {
  return placement !== undefined && (placement.certainty === "unread" || placement.certainty === "doubted");
}

const STALE = "the node does not serve the address any more";

function removal(node: NodeFacts, family: IpFamily, why: string): Action {
  const ip = node.annotations[ADDRESS_ANNOTATIONS[family].value] ?? "";
  return { do: "unannotate-node", node: node.name, ip, family, why };
}

/** Canonical. */
function valueOn({ annotations }: NodeFacts, family: IpFamily): string | undefined {
  const value = annotations[ADDRESS_ANNOTATIONS[family].value];
  return value === undefined ? undefined : canonicalIp(value);
}

function ownerOn({ annotations }: NodeFacts, family: IpFamily): string | undefined {
  return annotations[ADDRESS_ANNOTATIONS[family].owner];
}
