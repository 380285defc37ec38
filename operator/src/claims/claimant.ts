/** A resource with what it claims, and the order among resources. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/view.js";
import type { RecordType } from "../providers/types.js";
import { compareText } from "../values.js";
import type { Title } from "./claim-rank.js";

/** Where a claimed address, or the zone of a claimed name, is, as far as the account of the claimant shows it. */
export interface InAccount {
  /**
   * Of an address: its account; empty: not known yet. Of a name: the issuer whose token shows the zone; empty: the
   * operator's own token. @default nothing can show it: an address of Jobs
   */
  readonly account?: string;
  /** Whether the account has it. Absent: the account has not been read whole. */
  readonly isThere?: boolean;
}

export interface ClaimedAddress extends InAccount {
  /** Canonical text. */
  readonly ip: string;
  readonly title: Title;
  /** The operator created it for the resource, whose spec does not name it. @default false */
  readonly unlisted?: true;
  /** Whose annotation has it. Absent: the status or the spec has it. */
  readonly node?: string;
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

export interface ClaimedName extends DnsName, InAccount {
  readonly title: Title;
  /** Of a name that the resource leaves: what the operator wrote on it. */
  readonly values?: readonly string[];
}

export interface Claimant {
  readonly ref: ResourceRef;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  /** It is being deleted. @default false */
  readonly leaving?: boolean;
  /** @default false */
  readonly paused?: boolean;
  readonly addresses: readonly ClaimedAddress[];
  /** Canonical: those that it lists, and may not use. @default none */
  readonly refused?: readonly string[];
  readonly names: readonly ClaimedName[];
}

/**
 * Below 0: `a` comes first. One `kubectl apply` creates many resources in the same second, so names decide next: a person
 * can see them. Never 0 for two resources.
 */
export function olderFirst(a: Aged, b: Aged): number {
  // Times of the API server have one form, which sorts as text.
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return compareText(placeOf(a.ref), placeOf(b.ref)) || compareText(a.ref.uid, b.ref.uid);
}

type Aged = Pick<Claimant, "ref" | "createdAt">;

function placeOf({ kind, namespace, name }: ResourceRef): string {
  return `${namespace}/${name}/${kind}`;
}

/** Whether the spec names another address than the status. */
export function isReplaced(ip: string, asked: readonly string[]): boolean {
  return asked.some((each) => each !== "" && canonicalIp(each) !== canonicalIp(ip));
}
