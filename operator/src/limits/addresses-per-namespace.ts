/**
 * Addresses that the operator created, by namespace, as the statuses of pools and RoutedIPs show them. After a restart
 * the counts are the same. The registry of creations has the open ones.
 */

import type { ResourceRef } from "../inventory/view.js";
import { compareText } from "../values.js";

export class CreatedAddresses {
  private readonly byUid = new Map<string, Entry>();
  private readonly byNamespace = new Map<string, Map<string, number>>();

  /** @param onLess resources may create again, because there are fewer addresses. */
  constructor(private readonly onLess: () => void = () => undefined) {}

  /** What the status of a resource shows now. */
  put(ref: ResourceRef, shown: readonly string[]): void {
    this.enter(ref, { shown, reserved: this.byUid.get(ref.uid)?.reserved ?? [] });
  }

  /** Room for one that is about to be in the status. @returns call it after the write: gives back what the status lacks. */
  reserve(ref: ResourceRef, ip: string): () => void {
    const { shown, reserved } = this.byUid.get(ref.uid) ?? { shown: [], reserved: [] };
    this.enter(ref, { shown, reserved: [...reserved, ip] });
    return () => {
      const now = this.byUid.get(ref.uid);
      if (now !== undefined) this.enter(ref, { ...now, reserved: now.reserved.filter((each) => each !== ip) });
    };
  }

  /** The resource is gone. */
  drop(uid: string): void {
    const before = this.byUid.get(uid);
    this.byUid.delete(uid);
    this.remove(before);
    if (before !== undefined && before.ips.length > 0) this.onLess();
  }

  countIn(namespace: string): number {
    return this.byNamespace.get(namespace)?.size ?? 0;
  }

  get total(): number {
    // While one passes from a namespace to another, both have it.
    return new Set([...this.byNamespace.values()].flatMap((counts) => [...counts.keys()])).size;
  }

  isCreated(ip: string): boolean {
    return [...this.byNamespace.values()].some((counts) => counts.has(ip));
  }

  /** The resources of a namespace that have some, those with most of them first. */
  holdersIn(namespace: string): readonly CreatedFor[] {
    const entries = [...this.byUid.values()].filter((entry) => entry.namespace === namespace && entry.ips.length > 0);
    const holders = entries.map(({ kind, name, ips }) => ({ kind, namespace, name, count: ips.length }));
    return holders.sort(
      (one, other) => other.count - one.count || compareText(`${one.name} ${one.kind}`, `${other.name} ${other.kind}`),
    );
  }

  isCreatedFor(namespace: string, ip: string): boolean {
    return this.byNamespace.get(namespace)?.has(ip) === true;
  }

  private enter({ uid, kind, namespace, name }: ResourceRef, { shown, reserved }: Had): void {
    const before = this.byUid.get(uid);
    const ips = [...new Set([...shown, ...reserved])];
    this.byUid.set(uid, { kind, namespace, name, ips, shown, reserved });
    if (before?.namespace === namespace && `${before.ips}` === `${ips}`) return;
    this.remove(before);
    const counts = this.byNamespace.get(namespace) ?? new Map<string, number>();
    for (const ip of ips) counts.set(ip, (counts.get(ip) ?? 0) + 1);
    this.byNamespace.set(namespace, counts);
    if (ips.length < (before?.ips.length ?? 0)) this.onLess();
  }

  private remove(entry: Entry | undefined): void {
    if (entry === undefined) return;
    const counts = this.byNamespace.get(entry.namespace);
    for (const ip of entry.ips) {
      const left = (counts?.get(ip) ?? 0) - 1;
      if (left > 0) counts?.set(ip, left);
      else counts?.delete(ip);
    }
    if (counts?.size === 0) this.byNamespace.delete(entry.namespace);
  }
}

/** A resource, and how many created addresses it has. */
export interface CreatedFor extends Pick<ResourceRef, "kind" | "namespace" | "name"> {
  readonly count: number;
}

/** Canonical: the addresses in the status, and those that are about to be written into it. */
type Had = Readonly<Record<"shown" | "reserved", readonly string[]>>;

interface Entry extends Pick<ResourceRef, "kind" | "namespace" | "name">, Had {
  readonly ips: readonly string[];
}
