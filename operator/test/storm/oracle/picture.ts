/** The world at one moment of the quiet phase, as plain data. */

import type { CreatedAddress } from "cdk8s-flipop/api";
import type { NodeState, ResourceState } from "../history.js";
import type { AnyResource } from "../stage/specs.js";

export interface PictureNode {
  readonly name: string;
  readonly state: NodeState;
  readonly externalIp: string;
  /** Whether the account has its machine. */
  readonly hasMachine: boolean;
  /** Value of the node's annotation for each family. */
  readonly annotations: Readonly<Partial<Record<"ipv4" | "ipv6", string>>>;
}

export interface PictureResource {
  readonly name: string;
  readonly state: ResourceState;
  readonly object: AnyResource;
}

export interface Picture {
  readonly at: number;
  readonly nodes: readonly PictureNode[];
  /** Droplet by address; null: unassigned. */
  readonly holders: Readonly<Record<string, number | null>>;
  /** By `cloudflare A www.example.org`. */
  readonly records: Readonly<Record<string, readonly string[]>>;
  readonly resources: readonly PictureResource[];
  /** Resources that were deleted and are still there. */
  readonly lingering: readonly string[];
  /** `resourceVersion` of each object that the operator writes. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Addresses that a pool has, in the documented order, cut at the desired number: `ips` first, then those it lacks (yet). */
export function enabledAddresses({ object, state }: PictureResource): readonly string[] {
  const listed = object.spec.ips ?? [];
  const isTakenOut = (entry: CreatedAddress) => Number(entry.inSpec === true && !listed.includes(entry.ip));
  const created = [...(object.status?.createdIPs ?? [])].sort(
    (a, b) => isTakenOut(a) - isTakenOut(b) || a.createdTime.localeCompare(b.createdTime) || (a.ip < b.ip ? -1 : 1),
  );
  const all = [...new Set([...listed, ...created.map(({ ip }) => ip)])];
  return state.desired > 0 ? all.slice(0, state.desired) : all.filter((ip) => listed.includes(ip));
}

/** Addresses that the pool has disabled, and that no other resource lists. */
export function spareAddresses({ resources }: Picture, { object }: PictureResource, enabled: readonly string[]) {
  const disabled = Object.entries(object.status?.ips ?? {}).filter(([, { state }]) => state === "disabled");
  const others = resources.filter((other) => other.object !== object).map((other) => JSON.stringify(other.object.spec));
  const own = disabled.map(([ip]) => ip).filter((ip) => !enabled.includes(ip));
  return new Set(own.filter((ip) => !others.some((spec) => spec.includes(`"${ip}"`))));
}
