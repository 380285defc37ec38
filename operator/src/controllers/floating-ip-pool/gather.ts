/** The snapshot of one pool, in one turn: reads what is there, waits for nothing. */

import { type AddressStatus, canonicalIp, type IpFamily, isIp } from "cdk8s-flipop/api";
import type { InventoryAddress, InventoryView } from "../../inventory/types.js";
import { NOTHING_SEEN } from "../../inventory/view.js";
import { tallyText } from "../../match/tally.js";
import type { ProviderId } from "../../providers/types.js";
import { AddressAccount } from "../address-accounts.js";
import type { ControllerContext } from "../context.js";
import { ownerName } from "../owners.js";
import type { Problem } from "../problem.js";
import type { DnsDesk, DnsLook } from "../records/dns-desk.js";
import { memoryOf } from "./memory.js";
import type { PoolRead } from "./read-pool.js";
import type { Pool, Snapshot } from "./snapshot.js";
import { addressSubject, CREATION } from "./subject.js";
import type { PoolUnit } from "./unit.js";
import { annotatedIps, dnsProviderOf, familyOfPool } from "./wish.js";

export interface GatherTools {
  readonly context: ControllerContext;
  readonly desk: DnsDesk;
}

/** What a turn stands on. */
export interface Gathered {
  readonly snapshot: Snapshot;
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly dns: DnsLook | undefined;
}

export function gather({ context, desk }: GatherTools, unit: PoolUnit, read: PoolRead): Gathered {
  const pool = withEffects(unit, read.pool);
  const family = familyOfPool(pool);
  const found = context.accounts.find(pool.spec.provider, family);
  const account = found instanceof AddressAccount ? found : undefined;
  const inventory = viewOf(unit, account);
  const claims = context.claims.view(unit.ref.uid);
  const dns = lookUp(desk, pool, family, claims);
  const [now, monotonic] = [context.clock.now(), context.clock.monotonic()];
  unit.followAccount(account?.recovered ?? 0);
  const matches = matchesOf(context, unit);
  const { verdictOf } = matches;
  const snapshot: Snapshot = {
    ...{ pool, now, inventory, claims, ...matches, ...accountFacts(account) },
    ...optional("problem", read.problem ?? unit.match.problem ?? problemOf(found)),
    ...optional("dns", dns?.snapshot),
    ownerOf: (ip) => context.claims.holderOf(ip),
    share: (wants, nodes) => shareOf(context, unit, { family, account, inventory }, { wants, nodes }),
    otherCreations: context.creations.others(creationKey(unit, pool, { family, account })),
    annotated: context.annotated.find(family, ownerName(pool.metadata), namedAddresses(pool)),
    crdTooOld: unit.crdTooOld,
    creating: unit.underWay.has(CREATION),
    passedOver: unit.match.passedOver,
    memory: memoryOf(unit, { inventory, verdictOf, now, monotonic, recordReverts: dns?.reverts ?? [] }),
  };
  return { snapshot, family, account, dns };
}

function matchesOf({ leads, leadsSince }: ControllerContext, { match: { index, settled } }: PoolUnit) {
  return {
    cachesComplete: leads() && settled,
    ...optional("leadsSince", leadsSince()),
    candidates: index?.candidates() ?? [],
    verdictOf: (machine: ProviderId) => index?.verdictOfMachine(machine),
    refusals: index === undefined ? "" : tallyText(index.tally()),
  };
}

function accountFacts(account: AddressAccount | undefined) {
  if (account === undefined) return {};
  const { failure, retryAt, provider } = account;
  const failed = { ...optional("providerFailure", failure), ...optional("providerRetryAt", retryAt) };
  return { ...failed, capabilities: provider.capabilities };
}

function problemOf(found: AddressAccount | Problem): Problem | undefined {
  return found instanceof AddressAccount ? undefined : found;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}

/** As the creation book knows the pool. */
export function creationKey(
  { ref }: Pick<PoolUnit, "ref">,
  { spec }: Pool,
  { family, account }: Pick<Gathered, "family" | "account">,
) {
  return { resource: ref, provider: spec.provider, family, account: account?.inventory };
}

/** Addresses that the pool names anywhere; canonical. */
export function namedAddresses({ metadata, spec, status }: Pool): readonly string[] {
  const created = [...(status.createdIPs ?? []).map(({ ip }) => ip), ...annotatedIps({ metadata })];
  const named = [...(spec.ips ?? []), ...created, ...Object.keys(status.ips ?? {})];
  return [...new Set(named.filter(isIp).map(canonicalIp))];
}

/** Entries as they will be told, with what an older server did not keep. */
export function withEffects({ effects, shadow, crdTooOld }: PoolUnit, pool: Pool): Pool {
  if (effects.size === 0 && !crdTooOld) return pool;
  const status: Pool["status"] = crdTooOld ? { ...pool.status, ...shadow } : pool.status;
  const ips: Readonly<Record<string, AddressStatus>> = { ...status.ips, ...Object.fromEntries(effects) };
  return { ...pool, status: { ...status, ips } };
}

/** `undefined`: the pool has no record set and had none. */
function lookUp(desk: DnsDesk, pool: Pool, family: IpFamily, claims: Snapshot["claims"]): DnsLook | undefined {
  const { spec, status } = pool;
  if (spec.dnsRecordSet === undefined && status.dns === undefined) return undefined;
  return desk.look({
    provider: dnsProviderOf(spec),
    wanted: spec.dnsRecordSet,
    types: [family === "IPv6" ? "AAAA" : "A"],
    last: status.dns,
    claims,
  });
}

/** An address whose call has not been answered yet shows as moving, whatever was seen of it. */
function viewOf(unit: PoolUnit, account: AddressAccount | undefined): InventoryView {
  const view = account?.inventory?.view() ?? NOTHING_SEEN;
  const busy = (ip: string) => unit.underWay.has(addressSubject(ip));
  if (!view.complete || unit.underWay.size === 0) return view;
  const shown = (address: InventoryAddress): InventoryAddress =>
    busy(address.ip) && address.action === undefined ? { ...address, action: {} } : address;
  return {
    complete: view.complete,
    ageSeconds: view.ageSeconds,
    ...(view.lookAgainSeconds === undefined ? {} : { lookAgainSeconds: view.lookAgainSeconds }),
    get addresses() {
      return new Map([...view.addresses].map(([ip, address]) => [ip, shown(address)]));
    },
    isGone: (ip) => view.isGone(ip),
    reservedFor: (node) => view.reservedFor(node),
    get: (ip) => {
      const address = view.get(ip);
      return address === undefined ? undefined : shown(address);
    },
    heldBy: (node) => view.heldBy(node).map(shown),
    heldCount: view.heldCount,
  };
}

interface Place {
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly inventory: InventoryView;
}

interface Asked {
  readonly wants: number;
  readonly nodes: readonly ProviderId[];
}

function shareOf(
  { demands }: ControllerContext,
  { ref, createdAt }: PoolUnit,
  { family, account, inventory }: Place,
  { wants, nodes }: Asked,
): readonly ProviderId[] {
  const limit = account?.provider.capabilities.addressesPerNode ?? 1;
  const roomOn = (node: ProviderId) =>
    limit - inventory.heldCount(node) - (inventory.reservedFor(node) === undefined ? 0 : 1);
  return demands.share(family, { ref, createdAt, wants, candidates: () => nodes }, roomOn);
}
