/** The snapshot of one pool, in one turn: reads what is there, waits for nothing. */

import { canonicalIp, type IpFamily, isIp } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/address-accounts.js";
import { ownerName } from "../../addresses/annotations/owners.js";
import { annotatedIps, dnsProviderOf } from "../../addresses/desired.js";
import { addressLockKey, CREATION } from "../../addresses/lock-key.js";
import type { InventoryAddress, InventoryView } from "../../inventory/types.js";
import { NOTHING_SEEN } from "../../inventory/view.js";
import { tallyText } from "../../match/tally.js";
import type { ProviderId } from "../../providers/types.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import type { DnsService, DnsView } from "../../records/dns-service.js";
import type { ControllerContext } from "../context.js";
import { memoryOf } from "./memory.js";
import { creationKey } from "./pool-creation.js";
import { freeReservations } from "./reservations.js";
import { type PoolRead, type PoolState, withResult } from "./resource.js";
import type { Gathered, Pool, Snapshot } from "./snapshot.js";
import { addressSetOf, familyOfPool } from "./snapshot.js";

export interface GatherTools {
  readonly context: ControllerContext;
  readonly dnsService: DnsService;
}

export function gather({ context, dnsService }: GatherTools, state: PoolState, stored: PoolRead): Gathered {
  const { memory } = state;
  const { pool, problem } = withResult(stored, memory.creationResult);
  freeReservations(context, state, pool);
  const family = familyOfPool(pool);
  const found = context.accounts.find(pool.spec.provider, family);
  const account = found instanceof AddressAccount ? found : undefined;
  const inventory = viewOf(state, account);
  const claims = context.claims.view(state.ref.uid);
  const dns = lookUp(dnsService, pool, family, claims);
  const [now, monotonic] = [context.clock.now(), context.clock.monotonic()];
  const matches = matchesOf(context, memory);
  const { verdictOf } = matches;
  const snapshot: Snapshot = {
    ...{ pool, set: addressSetOf(pool), now, inventory, claims, ...matches, ...accountFacts(account) },
    ...optional("problem", problem ?? memory.match.problem ?? problemOf(found)),
    ...optional("dns", dns?.snapshot),
    ownerOf: (ip) => context.claims.holderOf(ip),
    share: (wants, nodes) => shareOf(context, state, { family, account, inventory }, { wants, nodes }),
    otherCreations: context.creations.others(creationKey(state, pool, { family, account })),
    annotated: context.annotated.find(family, ownerName(pool.metadata), namedAddresses(pool)),
    crdTooOld: state.statusWrites.droppedAt !== undefined,
    creating: state.inFlight.has(CREATION),
    passedOver: memory.match.passedOver,
    memory: memoryOf(state, { inventory, verdictOf, now, monotonic, recordReverts: dns?.reverts ?? [] }),
  };
  return { snapshot, family, account, dns };
}

function matchesOf({ leads, leadsSince }: ControllerContext, { match: { index, settled } }: PoolState["memory"]) {
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

/** Addresses that the pool names anywhere; canonical. */
export function namedAddresses({ metadata, spec, status }: Pool): readonly string[] {
  const created = [...(status.createdIPs ?? []).map(({ ip }) => ip), ...annotatedIps({ metadata })];
  const named = [...(spec.ips ?? []), ...created, ...Object.keys(status.ips ?? {})];
  return [...new Set(named.filter(isIp).map(canonicalIp))];
}

/** `undefined`: the pool has no record set and had none. */
function lookUp(dnsService: DnsService, pool: Pool, family: IpFamily, claims: Snapshot["claims"]): DnsView | undefined {
  const { spec, status } = pool;
  if (spec.dnsRecordSet === undefined && status.dns === undefined) return undefined;
  return dnsService.evaluate({
    provider: dnsProviderOf(spec),
    wanted: spec.dnsRecordSet,
    types: [family === "IPv6" ? "AAAA" : "A"],
    last: status.dns,
    claims,
  });
}

/** An address whose call has not been answered yet shows as moving, whatever was seen of it. */
function viewOf({ inFlight }: PoolState, account: AddressAccount | undefined): InventoryView {
  const view = account?.inventory?.view() ?? NOTHING_SEEN;
  const busy = (ip: string) => inFlight.has(addressLockKey(ip));
  if (!view.complete || inFlight.size === 0) return view;
  const shown = (address: InventoryAddress): InventoryAddress =>
    busy(address.ip) && address.action === undefined ? { ...address, action: {} } : address;
  return {
    complete: view.complete,
    ageSeconds: view.ageSeconds,
    ...(view.rereadSeconds === undefined ? {} : { rereadSeconds: view.rereadSeconds }),
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
  { nodeRequests }: ControllerContext,
  { ref, createdAt }: PoolState,
  { family, account, inventory }: Place,
  { wants, nodes }: Asked,
): readonly ProviderId[] {
  const limit = account?.provider.capabilities.addressesPerNode ?? 1;
  const roomOn = (node: ProviderId) =>
    limit - inventory.heldCount(node) - (inventory.reservedFor(node) === undefined ? 0 : 1);
  return nodeRequests.share(family, { ref, createdAt, wants, candidates: () => nodes }, roomOn);
}
