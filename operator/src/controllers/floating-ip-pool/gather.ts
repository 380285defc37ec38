/** The snapshot of one pool, in one turn, and what the operator reads before it: the account's list, and addresses that the list lacks or that are unconfirmed or locked. */

import { familyOf, type IpFamily } from "cdk8s-flipop/api";
import { AddressAccount, ALONE } from "../../addresses/accounts/address-account.js";
import { addressLockKey, CREATION } from "../../addresses/actions.js";
import { ownerName } from "../../addresses/annotations.js";
import { freshSeconds } from "../../addresses/creation/creation-registry.js";
import { noteList } from "../../addresses/creation/newcomers.js";
import { dnsProviderOf } from "../../addresses/desired-addresses.js";
import { marksOf, type ResourceMarks } from "../../addresses/marks/holder-labels-and-taints.js";
import { isLockedFor, lockedDueMs } from "../../addresses/placements.js";
import type { RecordsSeen } from "../../addresses/releases/left-dns.js";
import { listSeconds } from "../../addresses/requeue-at.js";
import { refusalsOf } from "../../addresses/unavailable-nodes.js";
import { requesterOf } from "../../claims/node-shares.js";
import { familyOfPool } from "../../claims/pool-family.js";
import { markHolders, nodesOf, probesOf } from "../../health/probes-for-controllers.js";
import { type InventoryAddress, type InventoryView, NOTHING_SEEN } from "../../inventory/view.js";
import { mistakenPorts } from "../../match/node-workload.js";
import type { Problem } from "../../messages/message.js";
import type { CallContext } from "../../providers/call.js";
import type { ProviderId } from "../../providers/types.js";
import { publishingOf } from "../../publishing/published-addresses.js";
import type { DnsService, DnsView } from "../../records/dns-service.js";
import { MOVE_MAX_AGE_SECONDS, SETTLE_LIST_SECONDS } from "../../timings.js";
import { type ControllerContext, hasUnseenOwners } from "../context.js";
import { otherAccount } from "./account-on-record.js";
import { memoryOf } from "./memory.js";
import { creationKey, freeReservations } from "./move-reservations.js";
import { limitsOfRecords, mayList, refusedAddresses } from "./namespace-limits.js";
import { latestPool, type PoolRead, type PoolState, withCreationResult } from "./resource.js";
import { holdersOf, safeguardsOf } from "./safeguards.js";
import { addressSetOf, type Gathered, namedAddresses, type Pool, type Snapshot } from "./snapshot.js";

export interface GatherTools {
  readonly context: ControllerContext;
  readonly dnsService: DnsService;
}

export function gather({ context, dnsService }: GatherTools, state: PoolState, stored: PoolRead): Gathered {
  const { memory } = state;
  const { pool, problem } = withCreationResult(stored, memory.creationResult);
  freeReservations(context, state, pool);
  const family = familyOfPool(pool);
  const found = context.accounts.find(pool.spec.provider, family);
  const account = found instanceof AddressAccount ? found : undefined;
  const inventory = viewOf(state, account, pool);
  const claims = context.claims.view(state.ref.uid);
  const dns = lookUp(dnsService, pool, family, claims);
  const [now, monotonic, ips] = [context.clock.now(), context.clock.monotonic(), namedAddresses(pool)];
  markHolders(memory.health, pool.spec.healthCheck, () =>
    nodesOf(holdersOf({ pool, inventory }), (machine) => memory.match.index?.verdictOfMachine(machine)),
  );
  const marks = marksOf(context.marks, "FloatingIPPool", pool, memory.match.index);
  const matches = matchesOf(context, memory, marks);
  const { verdictOf } = matches;
  const snapshot: Snapshot = {
    ...{ pool, set: setWithLimits(context, pool), now, inventory, claims, ...matches, ...marks },
    ...accountFacts(account, pool, ips),
    ...optional("problem", problem ?? memory.match.problem ?? problemOf(found)),
    ...optional("dns", dns && { ...dns.snapshot, ...limitsOfRecords(context, pool) }),
    creationProblem: () => context.tenants.creationProblem(state.ref, pool.spec.reclaimPolicy ?? "Retain"),
    ...(account && { creationTurn: () => account.creationTurn(state.ref) }),
    ...{ ...usersOf(context), mayList: mayList(context, pool) },
    ...sharesOf(context, state, { family, account, inventory }),
    otherCreations: context.creations.others(creationKey(state, pool, { family, account })),
    annotated: context.annotated.find(family, ownerName(pool.metadata), ips),
    crdTooOld: state.statusWrites.droppedAt !== undefined,
    creating: state.inFlight.has(CREATION),
    ...probesOf(memory.health, pool.spec.healthCheck, { ofSpec: stored.ignored, ofMatch: memory.match.passedOver }),
    ...safeguardsOf(context, state, { pool, inventory, verdictOf }),
    ...publishingOf(context.publications, state.ref.uid, pool.spec.publishTo),
    memory: memoryOf(state, {
      ...{ inventory, verdictOf, now, monotonic, ips: pool.status.ips },
      ...{ recordReverts: dns?.reverts ?? [], records: recordsSeen(pool, dns, ips) },
    }),
  };
  return { snapshot, family, account, dns };
}

/** Who has an address, and which name leads to it. */
function usersOf({
  claims,
  nodeNames,
  settings,
}: ControllerContext): Pick<Snapshot, "ownerOf" | "refusedTo" | "hasUnseenOwners" | "nodeNameOf"> {
  const unseen = hasUnseenOwners(settings);
  const [ownerOf, refusedTo] = [(ip: string) => claims.holderOf(ip), (ip: string) => claims.refusedTo(ip)];
  return { ownerOf, refusedTo, hasUnseenOwners: unseen, nodeNameOf: (ip) => nodeNames.of(ip) };
}

function setWithLimits(context: ControllerContext, pool: Pool) {
  const limiter = context.tenants.limiterOf(pool.metadata.namespace ?? "");
  return { ...addressSetOf(pool), refused: refusedAddresses(context, pool), limiter };
}

function matchesOf(
  { leads, leadsSince, nodes }: ControllerContext,
  { match: { index, settled } }: PoolState["memory"],
  marks: ResourceMarks,
) {
  return {
    cachesComplete: leads() && settled,
    ...optional("leadsSince", leadsSince()),
    candidates: index?.candidates() ?? [],
    verdictOf: (machine: ProviderId) => index?.verdictOfMachine(machine),
    ...refusalsOf(index, "match", marks),
    clusterNodes: () => nodes.list(),
    hadMachine: (machine: ProviderId) => nodes.hadMachine(machine),
    podNamespaces: () => index?.podNamespaces() ?? [],
    podOwners: () => index?.podOwners() ?? [],
    portlessOf: (nodes: readonly string[]) => mistakenPorts(nodes, index?.candidates() ?? [], index?.workload),
  };
}

function accountFacts(account: AddressAccount | undefined, pool: Pool, ips: readonly string[]) {
  if (account === undefined) return {};
  const { provider, longWait, key } = account;
  const { failure = otherAccount(account, pool), retryAt } = account.troubleOf(ips);
  const failed = { ...optional("providerFailure", failure), ...optional("providerRetryAt", retryAt) };
  const known = { ...optional("longWait", longWait), ...optional("accountKey", key) };
  return { ...failed, ...known, capabilities: provider.capabilities };
}

function problemOf(found: AddressAccount | Problem): Problem | undefined {
  return found instanceof AddressAccount ? undefined : found;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}

/** `undefined`: the pool has no record set and had none. */
function lookUp(dnsService: DnsService, pool: Pool, family: IpFamily, claims: Snapshot["claims"]): DnsView | undefined {
  const { spec, status, metadata } = pool;
  const { dnsRecordSet: wanted } = spec;
  const { dns: last, begunRecords: begun } = status;
  if ([wanted, last, begun].every((each) => each === undefined)) return undefined;
  const types = [family === "IPv6" ? ("AAAA" as const) : ("A" as const)];
  const deleting = metadata.deletionTimestamp !== undefined;
  return dnsService.evaluate({ provider: dnsProviderOf(spec), wanted, types, last, begun, deleting, claims });
}

function recordsSeen(pool: Pool, dns: DnsView | undefined, ips: readonly string[]): RecordsSeen {
  const { dns: last, begunRecords = [], recordsCachedUntil: cachedUntil } = pool.status;
  const { records, previous, begun } = dns?.snapshot ?? {};
  const read = [records, previous?.records, begun?.records].flatMap((set) =>
    set === undefined || set === "unknown" ? [] : set.records.map(({ value }) => value),
  );
  const written = new Set([last, ...begunRecords].flatMap((set) => set?.values ?? []));
  return { ips, written, read: new Set(read), cachedUntil };
}

/** An address whose call has not been answered yet shows as moving, whatever was seen of it. */
function viewOf({ inFlight }: PoolState, account: AddressAccount | undefined, pool: Pool): InventoryView {
  const isRight = account !== undefined && otherAccount(account, pool) === undefined;
  const view = (isRight ? account.inventory?.view() : undefined) ?? NOTHING_SEEN;
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
    isGone: (ip, forMs) => view.isGone(ip, forMs),
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

function sharesOf(
  { nodeRequests }: ControllerContext,
  state: PoolState,
  { family, account, inventory }: Place,
): Pick<Snapshot, "share" | "takenBefore"> {
  const requester = requesterOf(state, account);
  const limit = account?.provider.capabilities.addressesPerNode ?? 1;
  const roomOn = (node: ProviderId) =>
    limit - inventory.heldCount(node) - (inventory.reservedFor(node) === undefined ? 0 : 1);
  return {
    share: (wanted, nodes) => nodeRequests.share(family, { ...requester, ...wanted, candidates: () => nodes }, roomOn),
    takenBefore: (missing) => nodeRequests.takenBefore(family, { ...requester, missing }, roomOn),
  };
}

/** Never rejects: what can't be read is a failure of the account. */
export async function prepare(
  context: ControllerContext,
  state: PoolState,
  why: (text: string) => CallContext,
): Promise<void> {
  const pool = latestPool(state)?.pool;
  if (pool === undefined) return;
  const account = context.accounts.find(pool.spec.provider, familyOfPool(pool));
  if (!(account instanceof AddressAccount)) return;
  declareNames(account, state, pool);
  const { listObservations, moving, needsFreshList } = state.memory;
  const settling = listObservations.meet(pool.status.pendingCreation, context.clock.monotonic());
  const key = creationKey(state, pool, { family: account.family, account });
  const others = freshSeconds(context.creations.others(key), context.clock.now());
  const isUrgent = settling || moving || needsFreshList || others < Number.POSITIVE_INFINITY;
  const maxAge = settling ? SETTLE_LIST_SECONDS : Math.min(listSecondsOf(state, pool), others);
  await account.refresh(maxAge, account.readable && !isUrgent ? "check" : "assignment");
  await readSingly(account, state, pool, why);
  await noteList(account, listObservations, { clock: context.clock, why });
}

/** ms until the account, an address or the record set is to be read again. */
export function readAgainMs(state: PoolState, { snapshot, account }: Gathered): number | undefined {
  const { now, pool, dns } = snapshot;
  const retryAt = account?.troubleOf(namedAddresses(pool)).retryAt;
  const due = [retryAt, dns?.readAgainAt].flatMap((at) => (at === undefined ? [] : Math.max(0, at - now)));
  // An account that does not answer is read when its next try is due, and no sooner.
  const reads =
    account?.failure === undefined
      ? [listDueMs(account, listSecondsOf(state, pool)), lockedDueMs(account?.inventory?.view(), namedAddresses(pool))]
      : [];
  const waits = [...due, ...reads].filter((ms) => ms !== undefined);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** When the list of the account is to be read again, ms from now; `undefined`: the account is not known yet. */
function listDueMs(account: AddressAccount | undefined, maxAge: number): number | undefined {
  const age = account?.inventory?.view().ageSeconds;
  // One that is just that old still counts: a run at that very moment would read nothing, and would ask for the next run at once.
  return age === undefined || !Number.isFinite(age) ? undefined : Math.max(0, maxAge - age) * 1000 + 1;
}

function listSecondsOf({ memory }: PoolState, { status }: Pick<Pool, "status">): number {
  return memory.needsFreshList ? MOVE_MAX_AGE_SECONDS : listSeconds(status.conditions, memory.reverts.size > 0);
}

/** Another account is not asked for them: it does not have them. @returns whether the account is the right one, as far as is known */
function declareNames(account: AddressAccount, state: PoolState, pool: Pool): boolean {
  if (otherAccount(account, pool) !== undefined) return false;
  const { createdIPs = [] } = pool.status;
  const created = createdIPs.map(({ ip, createdTime }) => [ip, Date.parse(createdTime ?? "")] as const);
  account.inventory?.want(state.ref, namedAddresses(pool), new Map(created));
  return true;
}

async function readSingly(
  account: AddressAccount,
  state: PoolState,
  pool: Pool,
  why: (text: string) => CallContext,
): Promise<void> {
  if (!declareNames(account, state, pool)) return;
  const view = account.inventory?.view();
  if (view?.complete !== true || account.failure !== undefined) return;
  const ips = namedAddresses(pool).filter((ip) => !state.inFlight.has(addressLockKey(ip)));
  const unread = ips.filter((ip) => view.get(ip) === undefined && !view.isGone(ip) && familyOf(ip) === account.family);
  if (unread.length > ALONE) await account.refresh(0, "assignment");
  else if (unread.length > 0) await account.read(why("no list has shown it yet"), unread);
  await account.rereadUnconfirmed(why("a read contradicted what was done"));
  const locked = ips.filter((ip) => isLockedFor(view.get(ip)));
  if (locked.length > 0) await account.read(why("another action runs on it"), locked);
}
