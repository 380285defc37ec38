/** One resource, as far as it claims anything: what goes into the decision who may use what. */

import type { ResourceRef } from "../inventory/types.js";
import type { RecordType } from "../providers/types.js";

/** How good a title is. The best comes first; among equals the older resource, then the lesser uid. */
export const TITLES = ["created", "serves", "holds", "restored", "asks"] as const;

/**
 * `created`: its status says that the resource created it. `serves`: its status has it at work, or on its way to a node.
 * `holds`: its status has it without Conflict; of a Go operator's statuses, which know no Conflict, two may. `restored`: a
 * lost status, of which the backup annotation is left. It comes after every status, for anybody who may edit a resource
 * may write one. `asks`: its spec names it, no more.
 */
export type Title = (typeof TITLES)[number];

export interface ClaimedAddress {
  /** Canonical text. */
  readonly ip: string;
  readonly title: Title;
}

/** A DNS name of one type, in a form that compares. */
export interface DnsName {
  /** DNS provider. */
  readonly provider: string;
  /** One text for each zone, however the resource names it. */
  readonly zone: string;
  /** In lower case, without the final dot. */
  readonly fqdn: string;
  readonly type: RecordType;
}

export interface ClaimedName extends DnsName {
  readonly title: Title;
}

export interface Claimant {
  readonly ref: ResourceRef;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  readonly addresses: readonly ClaimedAddress[];
  readonly names: readonly ClaimedName[];
}

/** `FloatingIPPool default/web`. */
export function refText({ kind, namespace, name }: ResourceRef): string {
  return `${kind} ${namespace}/${name}`;
}

/** Below 0: `a` is older. Never 0 for two resources. */
export function olderFirst(a: Pick<Claimant, "ref" | "createdAt">, b: Pick<Claimant, "ref" | "createdAt">): number {
  // Times of the API server have one form, which sorts as text.
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  if (a.ref.uid === b.ref.uid) return 0;
  return a.ref.uid < b.ref.uid ? -1 : 1;
}
