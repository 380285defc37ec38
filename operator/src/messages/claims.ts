/** Addresses and names that another resource owns. The owner is a value, so that a sentence names it once. */

import { timeText } from "../clock.js";
import type { ResourceRef } from "../inventory/view.js";
import { listed, listedClauses } from "../values.js";
import { note, type Problem, problem, topic } from "./message.js";

/** Why a resource owns what it claims. */
export type Basis = "created" | "uses" | "marked" | "waits" | "spares" | "restored" | "asks" | "leaves";

/** An address or name, and the resource that has the better claim to it. */
export interface Owned {
  readonly owner: ResourceRef;
  readonly basis: Basis;
  /** The owner is paused, which changes nothing of what belongs to it. */
  readonly paused?: boolean;
  /** Of `marked`: the node with the annotation. */
  readonly node?: string;
}

/** Completes "FloatingIPPool default/web, which ..." in the order of `olderFirst`. */
export const COMES_FIRST = "comes first (by age, then by name)";

const ASKED_FIRST = "asked for it first";

/** Completes "203.0.113.7 belongs to FloatingIPPool default/web, which ...". */
const BASES: Readonly<Record<Exclude<Basis, "marked">, string>> = {
  created: "created it",
  uses: "already uses it",
  waits: ASKED_FIRST,
  spares: `${ASKED_FIRST}, but does not use it now, because its desiredIPs is lower than the number of its addresses`,
  restored: "created it, as its annotation says",
  asks: `asks for it, too, and ${COMES_FIRST}`,
  leaves: "has left it in its spec, and keeps its records there until its new name holds them",
};

function markedText(node: string | undefined): string {
  return `${annotationOf(node)} names as its owner, and which this operator does not manage`;
}

/** `FloatingIPPool default/web`. */
export function refText({ kind, namespace, name }: Pick<ResourceRef, "kind" | "namespace" | "name">): string {
  return `${kind} ${namespace}/${name}`;
}

/** `the annotation of node node-3`. */
export function annotationOf(node: string | undefined): string {
  return node === undefined ? "an annotation of a node" : `the annotation of node ${node}`;
}

function owned(what: string, { owner, basis, paused = false, node }: Owned): string {
  const kept = paused ? `; it is paused (spec.paused), and a paused resource keeps what belongs to it` : "";
  return `${what} belongs to ${refText(owner)}, which ${basis === "marked" ? markedText(node) : BASES[basis]}${kept}`;
}

function nameRemedy({ basis, owner }: Owned): string {
  if (basis === "leaves") return `if that does not end, see what ${refText(owner)} says of its new name`;
  const change = owner.kind === "NodeDNSRecordSet" ? "delete it or change its recordName" : "change its dnsRecordSet";
  return `use another name here, or ask the author of ${refText(owner)} to ${change}`;
}

const OWNER: Owned = {
  owner: { kind: "FloatingIPPool", namespace: "ingress", name: "web", uid: "u1" },
  basis: "uses",
};
const REMEDY = "remove it from one of the two resources, or ask the author of the other one to do so";

const SPARED =
  "remove it from ips of that pool, which interrupts no traffic, or ask its author to do so; or remove it here";

const CREATED =
  "to hand it over, remove it from ips of that pool and lower its desiredIPs, or ask its author to do so; or remove it here";

const MARKED =
  "remove it here, or ask the author of that pool to remove it there; if the pool no longer exists, have the cluster's administrator remove its address annotations from the node";

function addressRemedy({ basis, owner }: Owned): string {
  if (basis === "spares") return SPARED;
  if (basis === "marked") return MARKED;
  return basis === "created" && owner.kind === "FloatingIPPool" ? CREATED : REMEDY;
}

interface Reverted {
  readonly what: readonly string[];
  /** ms since the epoch. */
  readonly last: number;
}

export const STOP_WRITER =
  "have the cluster's administrator find and stop it, such as a second operator, Terraform or a person's script";

export const claimMessages = topic("claims", {
  none: note({ reason: "Observed", text: () => "no other resource claims its addresses or DNS name" }),
  noneOnName: note({ reason: "Observed", text: () => "no other resource claims the DNS name" }),
  address: problem({
    reason: "ClaimedByOther",
    by: "other",
    text: ({ ip, ...claim }: Owned & { readonly ip: string }) => owned(ip, claim),
    remedy: addressRemedy,
    example: { ip: "203.0.113.7", ...OWNER },
  }),
  name: problem({
    reason: "ClaimedByOther",
    by: "other",
    text: ({ name, ...claim }: Owned & { readonly name: string }) => owned(name, claim),
    remedy: nameRemedy,
    example: { name: "www.example.com", ...OWNER },
  }),
  several: problem({
    reason: "ClaimedByOther",
    by: "cause",
    text: ({ causes }: { readonly causes: readonly Problem[] }) => listedClauses(causes.map(({ message }) => message)),
    example: {
      causes: [
        { reason: "ClaimedByOther", message: "203.0.113.7 belongs to FloatingIPPool ingress/web, which created it" },
      ],
    },
  }),
  keepsFormer: problem({
    reason: ({ cause }: { readonly cause: Problem }) => cause.reason,
    by: "cause",
    text: ({ ip, cause }: { readonly ip: string; readonly cause: Problem }) =>
      `${ip} stays the address, because the operator cannot use the one that spec.routedIP names now: ${cause.message}`,
    example: {
      ip: "203.0.113.7",
      cause: {
        reason: "AddressNotFound",
        message: "the account does not have 203.0.113.8; fix: correct the spec",
      },
    },
  }),
  reverted: problem({
    reason: "ForeignWriter",
    by: "administrator",
    text: ({ what, last }: Reverted) =>
      `something outside of this operator keeps reverting ${listed(what)}, last seen at ${timeText(last)}`,
    remedy: `${STOP_WRITER}; the account's log shows who it is (DigitalOcean: security history; Cloudflare: audit logs); this condition clears 10 to 20 minutes after the last time`,
    example: { what: ["203.0.113.7", "records"], last: Date.parse("2026-01-01T10:02:11Z") },
  }),
});
