/** Pure: whether a node has room for another address, and what would make some, for `flipop explain`. */

import type { Held } from "./held-addresses.js";

interface Room {
  readonly passed: boolean;
  readonly seen: string;
  readonly reason?: string;
  readonly remedy?: string;
}

/**
 * @param limit of addresses on a node
 * @param keptFor the resource that gets the node first
 */
export function roomOn(limit: number, holds: readonly Held[], keptFor: string | undefined): Room {
  const others = holds.filter(({ ours, spare }) => !ours && spare !== true);
  const own = holds.filter(({ ours }) => ours).length;
  if (own > 0 || (others.length < limit && keptFor === undefined)) return { passed: true, seen: heldText(holds) };
  if (others.length < limit) {
    const seen = `the operator keeps it for ${keptFor}, which comes first`;
    return { passed: false, reason: "Kept", seen, remedy: OCCUPIED_REMEDY };
  }
  return {
    ...{ passed: false, reason: "Occupied" },
    seen: `it already holds ${others.map(ownedText).join(", ")}; the limit is ${limit}`,
    remedy: occupiedRemedy(others),
  };
}

const OCCUPIED_REMEDY = "Add a node that only this resource matches, or let the two resources match different nodes.";
const DISABLED_REMEDY =
  "Release the disabled address (flipop explain of its resource shows how), or unassign it at the provider, or make its resource ask for it again.";
const DELETING_REMEDY =
  "Wait until the resource is gone (flipop status shows what its deletion waits for). If the address is still on the node then, release it with flipop orphans, or use it with flipop adopt.";
const UNOWNED_REMEDY =
  "Let the resource use the address that no resource knows (a pool: flipop adopt IP pool/NAME; a RoutedIP: spec.routedIP; a pool that has all its addresses: spec.ips, in place of one without a node), or release it (flipop orphans --release IP --unassign).";
const REFUSED_REMEDY =
  "Have the limits allow the address to the resource that lists it (its condition Accepted says how), or remove the address from the spec of that resource: flipop explain then says how to use or release it.";
const RETAINED_REMEDY =
  "Set spec.routedIP of a RoutedIP in the namespace to the retained address. If nothing needs the address, release it (flipop orphans --release IP --unassign).";

function occupiedRemedy(others: readonly Held[]): string {
  if (others.some(({ owner, retained }) => owner === undefined && retained === undefined)) return UNOWNED_REMEDY;
  if (others.some(({ retained }) => retained)) return RETAINED_REMEDY;
  if (others.some(({ refused }) => refused !== undefined)) return REFUSED_REMEDY;
  if (others.some(({ deleting }) => deleting)) return DELETING_REMEDY;
  return others.some(({ disabled }) => disabled) ? DISABLED_REMEDY : OCCUPIED_REMEDY;
}

function ownedText({ ip, owner, refused, retained, disabled, deleting }: Held): string {
  if (retained !== undefined) return `${ip}, retained for namespace ${retained.namespace} by ${retained.by}`;
  if (owner === undefined) return `${ip}, which no resource names`;
  if (refused !== undefined) return `${ip}, which ${owner} lists, but may not use (${refused})`;
  if (deleting) return `${ip} of ${owner}, which is being deleted`;
  return `${ip} of ${owner}${disabled ? ", which no longer asks for it" : ""}`;
}

function heldText(holds: readonly Held[]): string {
  const texts = holds.map(({ ip, state, since, spare }) => {
    const text = state === undefined ? ip : `${ip} (${state}${since === undefined ? "" : ` since ${since}`})`;
    return spare === true ? `${text}, which leaves the node if an address that the pool asks for needs it` : text;
  });
  return texts.length === 0 ? "holds no address" : `holds ${texts.join(", ")}`;
}
