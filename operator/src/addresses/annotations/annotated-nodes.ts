/** Nodes that bear an address annotation, by its value and by its owner: kept from event to event, shared by all. */

import { Annotation, canonicalIp, type IpFamily } from "cdk8s-flipop/api";
import type { NodeChange, NodeDirectory } from "../../match/node-directory.js";
import type { NodeFacts } from "../../match/node-facts.js";

/** The annotations of each family: the address, and who wrote it. */
export const ADDRESS_ANNOTATIONS = {
  IPv4: { value: Annotation.reservedIpv4, owner: Annotation.reservedIpv4Owner },
  IPv6: { value: Annotation.reservedIpv6, owner: Annotation.reservedIpv6Owner },
} as const satisfies Readonly<Record<IpFamily, { readonly value: string; readonly owner: string }>>;

const FAMILIES: readonly IpFamily[] = ["IPv4", "IPv6"];

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
  return FAMILIES.flatMap((family) => {
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
