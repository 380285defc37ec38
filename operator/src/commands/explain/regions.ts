/** Pure: in which regions `flipop explain` looks for nodes: those of the addresses of a resource, and of those to create. */

import { canonicalIp, type FloatingIPPoolSpec, type FloatingIPPoolStatus, isIp } from "cdk8s-flipop/api";
import { regionOf } from "../../addresses/moves/addresses-by-region.js";
import type { NodeDirectory } from "../../match/node-directory.js";
import type { AddressFacts } from "../../providers/types.js";
import type { OwnObject } from "../list-objects.js";
import type { Question } from "./node-explanation.js";

/** The addresses of a resource of a provider whose addresses each belong to a region. */
export interface AskedAddresses {
  /** Those that it asks for and that exist. */
  readonly ips: readonly string[];
  /** The operator has addresses to create for it. */
  readonly creates: boolean;
  /** Where it creates them; "": wherever nodes are. */
  readonly region: string;
}

/** What is known of addresses: the account has the region of each, a node that of the address on it. */
export interface KnownAddresses {
  readonly account: readonly AddressFacts[];
  readonly heldBy: NonNullable<Question["room"]>["heldBy"];
  readonly nodes: NodeDirectory;
}

/** `undefined`: any region. */
export function regionsFor(asked: AskedAddresses, known: KnownAddresses): ReadonlySet<string> | undefined {
  const regions = regionsByIp(known);
  const found = asked.ips.map((ip) => regions.get(canonicalIp(ip)) ?? "");
  // Of an address whose region is unknown, the best guess is where the resource asks for addresses.
  const asksRegion = asked.creates || found.includes("");
  if (asksRegion && asked.region === "") return undefined;
  const all = new Set(asksRegion ? [...found, asked.region] : found);
  all.delete("");
  return all.size === 0 ? undefined : all;
}

function regionsByIp({ account, heldBy, nodes }: KnownAddresses): ReadonlyMap<string, string> {
  const regions = new Map<string, string>();
  for (const node of nodes.list()) {
    const held = heldBy.get(node.machine ?? "") ?? [];
    for (const { ip } of held.filter(({ ours }) => ours)) regions.set(canonicalIp(ip), regionOf(node));
  }
  for (const { ip, region } of account) if (region) regions.set(canonicalIp(ip), region);
  return regions;
}

/** Those of a FloatingIPPool. */
export function addressesOfPool(spec: OwnObject["spec"], status: OwnObject["status"]): AskedAddresses {
  const { ips = [], desiredIPs = 0, region = "" } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
  const known = Object.entries(((status ?? {}) as FloatingIPPoolStatus).ips ?? {});
  const all = new Set([...ips.filter(isIp), ...known.map(([ip]) => ip)].map(canonicalIp));
  const disabled = known.filter(([, { state }]) => state === "disabled").map(([ip]) => canonicalIp(ip));
  return { ips: [...all].filter((ip) => !disabled.includes(ip)), creates: desiredIPs > all.size, region };
}
