/** The snapshot of one issuer: what the provider says to its credentials, and who uses it. */

import type { RoutedIPIssuerSpec, RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/accounts/address-account.js";
import { regionOf } from "../../addresses/moves/addresses-by-region.js";
import type { Clock } from "../../clock.js";
import type { ObjectMeta } from "../../kube/objects.js";
import type { ClassUser, LeavingUser } from "../../messages/deletion/kept-resource.js";
import { firewallMessages } from "../../messages/firewalls.js";
import type { Problem } from "../../messages/message.js";
import type { CallContext } from "../../providers/call.js";
import { isProviderError } from "../../providers/errors.js";
import type { FirewallFacts } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import { earliest } from "../../reconcile/iteration.js";
import { type CleanupMemory, isDue } from "../../reconcile/retries.js";
import { baseName } from "../../routing/firewalls/additional-firewalls.js";
import { createdFirewallsOf, hasOnRecord } from "../../routing/firewalls/firewalls-in-issuer-status.js";
import type { SharedFirewall } from "../../routing/firewalls/shared-firewall.js";
import type { InUseFinalizers } from "../../routing/in-use.js";
import type { AccountAnswer, IssuerAccounts } from "../../routing/issuer-accounts.js";
import type { IssuerRead } from "../../routing/read-resources.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import { CREDENTIALS_CHECK_SECONDS, JANITOR_RETRY_MS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { type AccountUse, accountUse } from "./account-on-record.js";

export interface Issuer {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPIssuerSpec;
  readonly status: RoutedIPIssuerStatus;
}

export interface Snapshot {
  readonly issuer: Issuer;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly finalizers: InUseFinalizers;
  /** All RoutedIPs and classes are known: none can use it unseen. */
  readonly cachesComplete: boolean;
  /** Why it can't serve: the spec, the provider, the credentials. */
  readonly problem?: Problem;
  /** What the provider said when it was asked with these credentials. `untried`: not asked yet. */
  readonly account: "untried" | "good" | { readonly failure: Problem };
  readonly accountUse: AccountUse;
  /** Regions of the cluster's nodes; empty: they name none. */
  readonly regions: ReadonlySet<string>;
  /** The firewall that the spec names. */
  readonly firewall: FirewallFacts | "unknown" | "missing" | "none" | { readonly failure: Problem };
  /** Those that the operator created under earlier names, by name; under `Delete`, as far as they were read lately. */
  readonly former?: ReadonlyMap<string, FirewallFacts | "missing">;
  /** Those that the operator created because the first one was full. Absent: not read lately. */
  readonly additional?: readonly FirewallFacts[];
  /** Machines that RoutedIPs need in a firewall. Absent: what deleted ones left in firewalls cannot be cleaned up now. */
  readonly machines?: ReadonlySet<ProviderId>;
  /** The same as it was read last, for people, while a slow read goes on. Nothing is changed by it. */
  readonly lastFirewall?: Snapshot["firewall"];
  /** ms since the epoch: when a failed read of the account or the firewall is tried again. Absent: none has failed. */
  readonly retryAt?: number;
  /** When an account that failed is tried again, ms since the epoch. */
  readonly accountRetryAt?: number;
  /** The same of a firewall that failed. */
  readonly firewallRetryAt?: number;
  /** RoutedIPs that use it, as `namespace/name`, sorted. */
  readonly users: readonly string[];
  /** Of these, those that are being deleted, if the resource is, too. */
  readonly leaving: readonly LeavingUser[];
  /** Of these, those that are newer than the deletion of the resource. @default none */
  readonly newer?: readonly string[];
  /** Of these, those that use it by a class, if the resource is being deleted. @default none */
  readonly classUsers?: readonly ClassUser[];
  /** Of the cleanup of a deleted one. */
  readonly cleanup: CleanupMemory;
}

export interface IssuerTools {
  readonly routing: RoutingCaches;
  readonly accounts: IssuerAccounts;
}

export interface IssuerMemory {
  /** The firewall as it was read last. */
  firewall: Snapshot["firewall"] | undefined;
  /** When the operator last removed what deleted RoutedIPs had left, monotonic ms. Absent: never. */
  partsCleanedAt?: number;
}

/** What this process knows of an issuer. */
interface IssuerState {
  readonly key: string;
  readonly memory: IssuerMemory;
  readonly cleanup: CleanupMemory;
  /** Set while a read of an earlier run goes on. */
  readonly preparing: Promise<void> | undefined;
  read(): IssuerRead | undefined;
}

/** What the credentials of an issuer give access to. */
export interface Access {
  readonly answer: AccountAnswer;
  readonly account: AddressAccount | undefined;
  /** Why there is no account: the provider is unknown, or has no addresses. */
  readonly problem: Problem | undefined;
  readonly firewall: SharedFirewall | undefined;
  /** Those on record that it does not name now, if they are to go. */
  readonly former: readonly SharedFirewall[];
  /** Those that additional ones on record belong to. `undefined`: the account is not known. */
  readonly additional: readonly SharedFirewall[] | undefined;
  /** Those in which deleted RoutedIPs have left something. */
  readonly retained: readonly SharedFirewall[];
}

/** What the plan reads, and what its actions work with. */
export interface Gathered {
  readonly clock: Pick<Clock, "monotonic">;
  readonly snapshot: Snapshot;
  readonly access: Access;
}

/** Tries the credentials, and reads the firewall; what the provider refuses stays in the account's and firewall's memory. */
export async function prepare(
  tools: IssuerTools,
  state: IssuerState,
  contextOf: (why: string) => CallContext,
): Promise<void> {
  const issuer = state.read();
  if (issuer === undefined) return;
  await accessOf(tools, issuer).account?.refresh(CREDENTIALS_CHECK_SECONDS, "check");
  const { answer, account, firewall, former, additional = [], retained } = accessOf(tools, issuer);
  const provider = answer.account?.providers.firewalls;
  if (provider === undefined) return;
  const caller = { provider, context: contextOf("is the firewall there"), ...(account && { account }) };
  const all = new Set([...(firewall === undefined ? [] : [firewall]), ...former, ...additional, ...retained]);
  for (const each of [...all].filter((one) => isToBeRead(tools, one))) {
    await each.read(caller, []).catch((error: unknown) => {
      if (!isProviderError(error)) throw error;
    });
  }
}

/** A firewall that failed is read when its retry is due, whatever the issuer runs for. */
function isToBeRead({ routing }: IssuerTools, firewall: SharedFirewall): boolean {
  const { failure, retryAt } = firewall.view();
  return failure === undefined || isDue(retryAt, routing.context.clock.now());
}

export function gather(tools: IssuerTools, state: IssuerState, issuer: IssuerRead): Gathered {
  const { context, synced } = tools.routing;
  const access = accessOf(tools, issuer);
  const firewall = firewallState(issuer, access);
  const reading = state.preparing !== undefined && firewall === "unknown";
  const lastFirewall = reading ? state.memory.firewall : undefined;
  if (!reading) state.memory.firewall = firewall;
  const regions = [...context.nodes.list()].map(regionOf).filter((region) => region !== "");
  const snapshot: Snapshot = {
    issuer,
    now: context.clock.now(),
    finalizers: tools.routing.inUseFinalizers,
    cachesComplete: context.leads() && synced,
    ...omitUndefined({
      problem: issuer.problem ?? access.problem,
      additional: additionalOf(tools, issuer, access),
      former: knownFormer(access),
      machines: machinesOf(tools, state),
      lastFirewall,
      retryAt: retryAtOf(state, access),
      accountRetryAt: access.account?.retryAt,
      firewallRetryAt: firewallRetryAt(access),
    }),
    account: accountState(access.account),
    accountUse: accountUse(
      access.account?.key,
      issuer.status,
      tools.routing.usersOfIssuer(state.key).map((user) => tools.routing.routed.get(user)?.status),
    ),
    regions: new Set(regions),
    firewall,
    ...usersOf(tools.routing, state.key, issuer),
    cleanup: state.cleanup,
  };
  return { clock: context.clock, snapshot, access };
}

/** One whose last read failed, or is too old, is left out. */
function knownFormer({ former }: Access): Snapshot["former"] {
  const known = former.flatMap((firewall) => {
    const { facts, failure } = firewall.view();
    return facts === "unknown" || failure !== undefined ? [] : [[firewall.name, facts] as const];
  });
  return new Map(known);
}

/** `undefined`: not all its RoutedIPs have said yet what they need, or the firewalls were cleaned up a moment ago. */
function machinesOf({ routing }: IssuerTools, { key, memory: { partsCleanedAt } }: IssuerState): Snapshot["machines"] {
  const isRecent =
    partsCleanedAt !== undefined && routing.context.clock.monotonic() - partsCleanedAt < JANITOR_RETRY_MS;
  const uids = routing.usersOfIssuer(key).flatMap((user) => routing.routed.get(user)?.metadata.uid ?? []);
  return isRecent ? undefined : routing.firewalls.machinesNeeded(uids);
}

/** Also those of a firewall that the issuer named before. From here on RoutedIPs may use them. */
function additionalOf(
  { routing: { firewalls } }: IssuerTools,
  { metadata, status }: IssuerRead,
  { account, additional }: Access,
): Snapshot["additional"] {
  const { inventory } = account ?? {};
  const issuer = `${metadata.namespace}/${metadata.name}`;
  if (inventory !== undefined) firewalls.noteAdditional(issuer, status.additionalFirewalls ?? [], inventory.account);
  const groups = additional?.map((firewall) => firewall.additionalOnes());
  return groups?.includes(undefined) ? undefined : groups?.flatMap((group) => group ?? []);
}

/** What failed is tried at its own times, or the failure outlives its cause. */
function retryAtOf({ preparing }: IssuerState, access: Access): number | undefined {
  // A read that goes on asks for a run when it ends.
  return preparing === undefined ? earliest([access.account?.retryAt, firewallRetryAt(access)]) : undefined;
}

function firewallRetryAt({ firewall }: Access): number | undefined {
  const { failure, retryAt } = firewall?.view() ?? {};
  return failure === undefined ? undefined : retryAt;
}

function accessOf({ accounts, routing }: IssuerTools, issuer: IssuerRead): Access {
  const answer = accounts.of(issuer);
  const found = answer.account?.addresses("IPv4");
  const [account, unable] = found instanceof AddressAccount ? [found, undefined] : [undefined, found];
  const key = `${issuer.metadata.namespace}/${issuer.metadata.name}`;
  const shared = (name: string) => {
    const firewall = sharedFirewall(routing, { answer, account }, name);
    firewall?.noteRecord(key, hasOnRecord(issuer.status, name));
    firewall?.noteAdditional(key, issuer.status.additionalFirewalls ?? []);
    return firewall;
  };
  const { routedIPFirewallName: named = issuer.status.createdFirewall?.name } = issuer.spec;
  const { additionalFirewalls = [] } = issuer.status;
  const created = issuer.spec.routedIPReclaimPolicy === "Delete" ? createdFirewallsOf(issuer.status) : [];
  const former = created.map(({ name }) => name).filter((name) => name !== named);
  const bases = [...new Set(additionalFirewalls.map(({ name }) => baseName(name)))].map(shared);
  return {
    ...{ answer, account },
    problem: answer.problem ?? unable,
    firewall: named === undefined ? undefined : shared(named),
    former: former.flatMap((name) => shared(name) ?? []),
    additional: bases.includes(undefined) ? undefined : bases.flatMap((base) => base ?? []),
    retained: retainedOf(issuer, shared),
  };
}

function retainedOf(
  { status: { retainedFirewalls = [] } }: IssuerRead,
  shared: (name: string) => SharedFirewall | undefined,
): Access["retained"] {
  return retainedFirewalls.flatMap(({ name }) => shared(name) ?? []);
}

function sharedFirewall(
  { firewalls }: RoutingCaches,
  { answer, account }: Pick<Access, "answer" | "account">,
  name: string,
): SharedFirewall | undefined {
  const reserved = answer.account?.providers.firewalls?.capabilities.reserved(name);
  if (account?.inventory === undefined || reserved !== false) return undefined;
  return firewalls.of(account.inventory.account, name);
}

function accountState(account: AddressAccount | undefined): Snapshot["account"] {
  if (account === undefined) return "untried";
  if (account.failure !== undefined) return { failure: account.failure };
  return account.token.isGiven && account.inventory?.complete === true ? "good" : "untried";
}

function firewallState({ spec, metadata }: IssuerRead, { answer, firewall }: Access): Snapshot["firewall"] {
  const { routedIPFirewallName: name } = spec;
  const firewalls = answer.account?.providers.firewalls;
  if (name !== undefined && firewalls?.capabilities.reserved(name) === true) {
    return { failure: firewallMessages.ofPlatform({ name }) };
  }
  if (firewall === undefined) return name === undefined ? "none" : "unknown";
  const { facts, failure, ofAddition } = firewall.view();
  const isOfCleanup = ofAddition !== true || metadata.deletionTimestamp === undefined;
  return failure !== undefined && isOfCleanup ? { failure } : facts;
}

function usersOf(
  routing: RoutingCaches,
  key: string,
  { metadata }: IssuerRead,
): Pick<Snapshot, "users" | "leaving" | "newer" | "classUsers"> {
  const users = routing.usersOfIssuer(key);
  if (metadata.deletionTimestamp === undefined) return { users, leaving: [] };
  const [newer, classUsers] = [routing.newerOf(users, metadata), routing.classUsersOf(users)];
  return { users, leaving: routing.leavingOf(users), newer, classUsers };
}
