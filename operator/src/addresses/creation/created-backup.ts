/** Where created addresses are on record, beside the status: in `spec.ips`, and in a copy in annotations. Pure. */

import { Annotation, canonicalIp } from "cdk8s-flipop/api";
import type { ActionChain } from "../actions.js";
import { type AddressSet, type AddressSnapshot, isDeleting } from "../address-set.js";
import type { Desired } from "../desired-addresses.js";
import type { Placement } from "../placements.js";

/**
 * Appends what is not in `spec.ips` yet, once; what somebody took out again stays out. An edit during the creation may have made
 * the address superfluous: in `spec.ips` it would be wanted again, so it is appended only when it is wanted.
 */
export function createdCopyChains(
  { set }: AddressSnapshot,
  { addresses }: Desired,
  placements: readonly Placement[],
): readonly ActionChain[] {
  const inSpec = new Set(addresses.filter((address) => address.inSpec).map(({ ip }) => ip));
  const wanted = new Set(addresses.filter((address) => address.wanted).map(({ ip }) => ip));
  const fresh = set.createdIPs.filter((entry) => entry.inSpec !== true);
  const appends = fresh.map(({ ip }): ActionChain => {
    const known = inSpec.has(canonicalIp(ip));
    if (known) return [{ do: "mark-in-spec", ip, why: "spec.ips has it already" }];
    // The server would refuse a list of both families.
    if (!wanted.has(canonicalIp(ip)) || set.otherFamily !== undefined) return [];
    return [{ do: "append-to-spec", ip, why: "a created address must survive a loss of the status" }];
  });
  return [...appends, ...backup(set, addresses, forgottenOf(placements)), ...staleCopy(set)];
}

/**
 * Addresses that only the copy names and that the provider, asked for each alone, does not have: the copy is out of date,
 * and an entry that stayed would take the place of an address for ever.
 */
function forgottenOf(placements: readonly Placement[]): readonly string[] {
  const gone = placements.filter(({ address, certainty }) => address.origin === "restored" && certainty === "gone");
  return gone.map(({ address }) => address.ip);
}

/** The copy without forgotten addresses. */
export function backup(
  set: AddressSet,
  addresses: Desired["addresses"],
  forgotten: readonly string[] = [],
): readonly ActionChain[] {
  const value = addresses
    .filter(({ origin, ip }) => origin !== "listed" && !forgotten.includes(ip))
    .map(({ ip }) => ip)
    .join(",");
  const seen = set.metadata.annotations?.[Annotation.createdIps];
  if ((seen ?? "") === value) return [];
  const why = "a copy of the created addresses, should the status get lost";
  // Of a resource that goes, the operator has released it: no news.
  const left = forgotten.length === 0 || isDeleting(set) ? {} : { forgotten };
  return [[{ do: "annotate-pool", value: value === "" ? undefined : value, ...left, why }]];
}

function staleCopy({ metadata, pendingCreation }: AddressSet): readonly ActionChain[] {
  const copied = metadata.annotations?.[Annotation.pendingCreation] !== undefined;
  if (!copied || pendingCreation !== undefined) return [];
  return [[{ do: "drop-intent-copy", why: "the creation has ended" }]];
}
