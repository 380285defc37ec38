/** Pure: which addresses each machine holds, and which ones issuers and classes retain. */

import {
  canonicalIp,
  type FloatingIPPoolStatus,
  familyOf,
  type IpFamily,
  type Reason,
  type RetainedAddress,
  type RoutedIPIssuerStatus,
  type RoutedIPSpec,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import type { NodeDirectory } from "../../match/node-directory.js";
import { partsOf } from "../../messages/message.js";
import type { AddressFacts, ProviderId } from "../../providers/types.js";
import { omitUndefined } from "../../values.js";
import type { KindRead, OwnObject } from "../list-objects.js";

/** An address that an issuer or a class retains for a namespace, and that no resource has. */
export interface Retained extends RetainedAddress {
  /** `RoutedIPIssuer voice/main` */
  readonly by: string;
}

/** `RoutedIPIssuer voice/main`, `ClusterRoutedIPClass public` */
export function keeperText(
  kind: string,
  { namespace, name }: Pick<OwnObject["metadata"], "namespace" | "name">,
): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** @param owners by canonical address */
export function retainedIn(reads: readonly KindRead[], owners: ReadonlyMap<string, string>): readonly Retained[] {
  const all = reads.flatMap(({ kind: { kind }, objects }) =>
    objects.flatMap(({ metadata, status }) => {
      const { retainedAddresses = [] } = (status ?? {}) as RoutedIPIssuerStatus;
      const by = keeperText(kind, metadata);
      return retainedAddresses.map((entry) => ({ namespace: entry.namespace, ip: canonicalIp(entry.ip), by }));
    }),
  );
  return all.filter(({ ip }) => !owners.has(ip));
}

/** An address that a machine holds, as the statuses have it, or the account where no resource knows it. */
export interface Held {
  readonly ip: string;
  /** `FloatingIPPool default/web`. Absent: the account has the address, and no resource has it. */
  readonly owner?: string;
  /** Why the owner, which lists it, may not use it. Absent: no limit refuses it. */
  readonly refused?: string;
  /** A former RoutedIP left it. Absent: no issuer and no class knows it. */
  readonly retained?: Retained;
  /** As the status of the owner has it: `active`. Absent: the account alone shows the address. */
  readonly state?: string;
  /** RFC 3339: when the state last changed. Absent: not known. */
  readonly since?: string;
  /** Of the resource that is explained, and not disabled while it stays. */
  readonly ours: boolean;
  /** The owner asks for it no more; it takes the place of another address until it leaves the machine. */
  readonly disabled?: true;
  /** Of the pool that is explained, which takes it off the machine where a wanted address needs that. */
  readonly spare?: true;
  /** The owner is being deleted. */
  readonly deleting?: true;
}

interface Placed {
  readonly ip: string;
  readonly providerID?: string | undefined;
  readonly node?: string | undefined;
  readonly state?: string | undefined;
  readonly since?: string | undefined;
}

/** The addresses of one family. @param uid of the resource that is explained */
export function heldBy(
  reads: readonly KindRead[],
  nodes: NodeDirectory,
  { uid, family }: { readonly uid: string; readonly family: IpFamily | undefined },
): ReadonlyMap<ProviderId, readonly Held[]> {
  const held = new Map<ProviderId, Held[]>();
  const objects = reads.flatMap((read) => read.objects.map((object) => ({ kind: read.kind.kind, object })));
  for (const { kind, object } of objects) {
    for (const placed of placedOf(kind, object).filter(({ ip }) => familyOf(ip) === family)) {
      const machine = placed.providerID || nodes.get(placed.node ?? "")?.machine;
      if (machine === undefined) continue;
      held.set(machine, [...(held.get(machine) ?? []), entryOf(kind, object, { placed, uid })]);
    }
  }
  return held;
}

function entryOf(kind: string, { metadata }: OwnObject, { placed, uid }: { placed: Placed; uid: string }): Held {
  const { namespace, name, uid: own, deletionTimestamp } = metadata;
  const isDisabled = placed.state === "disabled";
  const isSpare = isDisabled && own === uid && kind === "FloatingIPPool" && deletionTimestamp === undefined;
  return {
    ip: placed.ip,
    owner: `${kind} ${namespace}/${name}`,
    ...omitUndefined({ state: placed.state, since: placed.since }),
    ours: own === uid && (!isDisabled || deletionTimestamp !== undefined),
    ...(isDisabled ? { disabled: true } : {}),
    ...(isSpare ? { spare: true } : {}),
    ...(deletionTimestamp === undefined ? {} : { deleting: true }),
  };
}

/** Who lists an address and may not use it, and why. */
type Refusal = Required<Pick<Held, "owner" | "refused">>;

/** By canonical address, as the statuses say it. */
export function refusedIn(reads: readonly KindRead[]): ReadonlyMap<string, Refusal> {
  const objects = reads.flatMap((read) => read.objects.map((object) => ({ kind: read.kind.kind, object })));
  return new Map(
    objects.flatMap(({ kind, object }) => {
      const owner = keeperText(kind, object.metadata);
      const problems = kind === "RoutedIP" ? problemsOfRouted(object) : problemsOfPool(object);
      return problems.map(([ip, text]): [string, Refusal] => [canonicalIp(ip), { owner, refused: partsOf(text)[0] }]);
    }),
  );
}

type AddressProblem = readonly [ip: string, text: string];

function problemsOfPool({ status = {} }: OwnObject): readonly AddressProblem[] {
  const entries = Object.entries((status as FloatingIPPoolStatus).ips ?? {});
  return entries.flatMap(([ip, { reason, error = "" }]) => (reason === NOT_ALLOWED ? [[ip, error] as const] : []));
}

function problemsOfRouted({ spec, status }: OwnObject): readonly AddressProblem[] {
  const { routedIP } = (spec ?? {}) as Partial<RoutedIPSpec>;
  const refusal = status?.conditions?.find(({ type, reason }) => type === "Accepted" && reason === NOT_ALLOWED);
  return routedIP === undefined || refusal === undefined ? [] : [[routedIP, refusal.message]];
}

const NOT_ALLOWED: Reason = "AddressNotAllowed";

interface Unplaced {
  readonly family: IpFamily | undefined;
  readonly retained: readonly Retained[];
  readonly refused: ReadonlyMap<string, Refusal>;
}

/** @param unowned addresses of the account that no resource has, or that a resource may not use */
export function withUnowned(
  held: ReadonlyMap<ProviderId, readonly Held[]>,
  unowned: readonly AddressFacts[],
  { family, retained, refused }: Unplaced,
): ReadonlyMap<ProviderId, readonly Held[]> {
  const placed = new Set([...held.values()].flat().map(({ ip }) => canonicalIp(ip)));
  const all = new Map(held);
  for (const { ip, holder, family: own } of unowned) {
    if (holder === undefined || own !== family || placed.has(ip)) continue;
    const known = { ...omitUndefined({ retained: retained.find((entry) => entry.ip === ip) }), ...refused.get(ip) };
    all.set(holder, [...(all.get(holder) ?? []), { ip, ours: false, ...known }]);
  }
  return all;
}

/** In these states an address is on no machine of the resource, whatever the status still names. */
const ON_NONE: ReadonlySet<string | undefined> = new Set(["unassigned", "", undefined]);

function placedOf(kind: string, { status = {} }: OwnObject): readonly Placed[] {
  if (kind === "RoutedIP") {
    const { routedIP, state, since, providerID, assignedNode } = status as RoutedIPStatus;
    return routedIP === undefined || ON_NONE.has(state)
      ? []
      : [{ ip: routedIP, providerID, node: assignedNode, state, since }];
  }
  return Object.entries((status as FloatingIPPoolStatus).ips ?? {}).flatMap(([ip, { nodeName, ...placed }]) =>
    ON_NONE.has(placed.state) ? [] : [{ ip, node: nodeName, ...placed }],
  );
}
