/** How good the title of a resource to an address or name is. */

import type { Basis } from "../messages/claims.js";

/** How good a title is. The best comes first; among equals the older resource, then the first by name. */
const TITLES = ["created", "serves", "holds", "marked", "waits", "restored", "asks", "clears", "leaves"] as const;

/**
 * `created`: its status says that the resource created it. `serves`: its status has it at work, or on its way to a node.
 * `holds`: its status has it, with a machine and without Conflict; the Go operator knows no Conflict, so two of its
 * statuses may have it. `marked`: a node's annotation has it, for a pool that this operator does not see. `waits`: its status
 * has it without a machine: the resource asked for it first. `spares`: the same,
 * and the resource does not need it now. `restored`: only the backup annotation has it, because the status was lost. It comes
 * after every status, because anyone who may edit a resource may write this annotation. `asks`: only its spec names it.
 * `takes`: the same, of a DNS name for which the resource has addresses to publish. `clears`: its status has records on a
 * name that its spec no longer asks for, and deletes them. `leaves`: the same, but they stay; or its status has an address, and
 * its spec names another one.
 */
export type Title = (typeof TITLES)[number] | "spares" | "takes";

/** Titles that a resource has by what the operator did for it, and keeps while it cannot be served. */
export function isKept(title: Title): boolean {
  return title === "created" || title === "serves" || title === "holds" || title === "marked" || isLeft(title);
}

/** A resource that has not been read yet may list what would be released. */
export function mayBeHandedOver(title: Title): boolean {
  return title === "created" || title === "leaves";
}

/** Of an address that the resource may have disabled: it did not create it, and its status shows it at rest. */
export function isSpareTitle(title: Title): boolean {
  return title === "holds" || title === "spares";
}

/** Of a former name or address: it gives way to whoever can take it. */
export function isLeft(title: Title): boolean {
  return title === "clears" || title === "leaves";
}

/** Whether a resource that has not been read yet may have a better title. */
export function mayBeBeaten(title: Title): boolean {
  return title === "restored" || title === "asks" || title === "takes" || isLeft(title);
}

/** The lower, the better. */
export function rankOf(title: Title): number {
  if (title === "spares") return TITLES.indexOf("waits");
  return TITLES.indexOf(title === "takes" ? "asks" : title);
}

/** As far as others need to know. */
export const BASIS_OF: Readonly<Record<Title, Basis>> = {
  created: "created",
  serves: "uses",
  holds: "uses",
  marked: "marked",
  waits: "waits",
  spares: "spares",
  restored: "restored",
  asks: "asks",
  takes: "asks",
  clears: "leaves",
  leaves: "leaves",
};
