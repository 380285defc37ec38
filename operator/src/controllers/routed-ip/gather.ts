/**
 * The snapshot of one RoutedIP, in one turn, and what the operator reads before it: the account's list, and addresses that
 * the list lacks or that are unconfirmed or locked.
 */

import { canonicalIp, familyOf, type IpFamily } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/accounts/address-account.js";
import type { AddressMemory } from "../../addresses/address-set.js";
import { freshSeconds } from "../../addresses/creation/creation-registry.js";
import { noteList } from "../../addresses/creation/newcomers.js";
import { annotatedIps } from "../../addresses/desired-addresses.js";
import { marksOf } from "../../addresses/marks/holder-labels-and-taints.js";
import { isLockedFor, lockedDueMs } from "../../addresses/placements.js";
import { requesterOf } from "../../claims/node-shares.js";
import type { Clock } from "../../clock.js";
import { probesOf } from "../../health/probes-for-controllers.js";
import { NOTHING_SEEN } from "../../inventory/view.js";
import { jobMessages } from "../../messages/jobs.js";
import type { Problem } from "../../messages/message.js";
import type { CallContext } from "../../providers/call.js";
import type { ProviderId } from "../../providers/types.js";
import { publishingOf } from "../../publishing/published-addresses.js";
import { earliest } from "../../reconcile/iteration.js";
import { dropsIntents } from "../../reconcile/write-status.js";
import type { DnsView } from "../../records/dns-service.js";
import type { IssuerAccounts } from "../../routing/issuer-accounts.js";
import type { RoutedIP, RoutedRead } from "../../routing/read-resources.js";
import { type ResolvedIssuerClass, resolveClass } from "../../routing/resolved-class.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import { SETTLE_LIST_SECONDS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { hasUnseenOwners } from "../context.js";
import { JOB_KEY, UPDATE } from "./actions.js";
import { addressSetOf, creationTimes, withResult } from "./address/address-set.js";
import { formerAddress, problemOfAddress, usableAddresses } from "./claim-permissions.js";
import { isDeleting } from "./deletion.js";
import { firewallOf, firewallReverts, type ResolvedAccount } from "./firewall/gather-firewall.js";
import { lookUpDns } from "./gather-records.js";
import { gatherJobs, type JobTools, prepareJob } from "./jobs/gather.js";
import { listSecondsOf, memoryOf, type RoutedState, readOf } from "./memory.js";
import { nodesOf, problemOfService, safeguardsOf, servedBy } from "./service-follower.js";
import type { Gathered, IssuedGathered, Snapshot } from "./snapshot.js";

export interface GatherTools {
  readonly routing: RoutingCaches;
  readonly accounts: IssuerAccounts;
  /** Absent: the operator runs without feature jobs. */
  readonly jobs?: JobTools;
}

export function gather(tools: GatherTools, state: RoutedState, read: RoutedRead): Gathered {
  const known = withResult(read, state.memory.creationResult);
  state.memory.follower.follow(known.routed);
  const { resolvedClass } = resolveClass(known.routed, tools.routing.lookUp);
  if (resolvedClass?.by !== "jobs" || tools.jobs === undefined) return gatherIssued(tools, state, known);
  const retryAt = state.retries.get(JOB_KEY)?.retryAt;
  return { by: "jobs", ...gatherJobs(tools.jobs, state, known), ...omitUndefined({ retryAt }) };
}

function gatherIssued(tools: GatherTools, state: RoutedState, read: RoutedRead): IssuedGathered {
  const { routing } = tools;
  const { memory } = state;
  const claims = routing.context.claims.view(state.ref.uid);
  const ofSpec = resolveAccount(tools, state, read);
  const former = formerAddress(routing, read.routed, { ...ofSpec, claims });
  const routed = former?.routed ?? read.routed;
  const resolvedAccount = former === undefined ? ofSpec : resolveAccount(tools, state, { ...read, routed });
  const { account, issued } = resolvedAccount;
  const named = namedAddresses(routed);
  const isProviders = (ip: string) => named.includes(ip) || routing.context.claims.holderOf(ip) !== undefined;
  if (account !== undefined) memory.follower.limitTo(account.provider.capabilities, isProviders);
  const family = familyOfRouted(routed);
  const { dnsService, dns } = lookUpDns(routing, routed, { ...resolvedAccount, claims, family });
  const firewalls = issued?.providers.firewalls;
  const around = firewallOf(routing, state, { routed, resolvedAccount, firewalls });
  const place = { routed, family, ignored: read.ignored ?? [] };
  const scene = { ...resolvedAccount, ...place, claims, dns, around };
  const snapshot = { ...issuedSnapshot(tools, state, scene), ...omitUndefined({ former }) };
  const poll = memory.poll && { id: memory.poll.id, at: wallTime(routing.context.clock, memory.poll.nextAt) };
  const own = omitUndefined({ move: memory.move, poll });
  return { by: "issuer", snapshot, ...own, family, account, dnsService, dns, firewall: around.firewall, firewalls };
}

interface IssuedScene extends ResolvedAccount {
  readonly routed: RoutedIP;
  readonly family: IpFamily;
  readonly claims: Snapshot["claims"];
  readonly dns: DnsView | undefined;
  readonly around: ReturnType<typeof firewallOf>;
  readonly ignored: readonly string[];
}

function issuedSnapshot(tools: GatherTools, state: RoutedState, scene: IssuedScene): Snapshot {
  const { routing } = tools;
  const { clock, claims, creations, tenants } = routing.context;
  const { memory, ref } = state;
  const { routed, resolvedClass, problem, account, dns, around } = scene;
  const inventory = viewOf(account);
  const holders = namedAddresses(routed).flatMap((ip) => inventory.get(ip)?.holder ?? []);
  const nodes = nodesOf(memory, routed, holders);
  const moment = { inventory, verdictOf: nodes.verdictOf, now: clock.now(), monotonic: clock.monotonic() };
  return {
    ...{ routed, now: moment.now, inventory, claims: scene.claims },
    set: addressSetOf({ routed, ...omitUndefined({ resolvedClass }) }),
    ...omitUndefined({ resolvedClass, problem, dns: dns?.snapshot, firewall: around.snapshot }),
    previousFirewallStates: around.previousFirewallStates,
    ...accountFacts(scene, namedAddresses(routed)),
    ...nodes,
    ...servedBy(routing, memory, { routed, problem, resolvedClass }),
    ...{ ownerOf: (ip: string) => claims.holderOf(ip), refusedTo: (ip: string) => claims.refusedTo(ip) },
    hasUnseenOwners: hasUnseenOwners(routing.context.settings),
    nodeNameOf: (ip) => routing.context.nodeNames.of(ip),
    usable: () => {
      const found = resolvedClass === undefined ? [] : usableAddresses(routing, routed, resolvedClass);
      return found.filter(({ ip }) => inventory.get(canonicalIp(ip)) !== undefined);
    },
    clusterNodes: () => routing.context.nodes.list(),
    ...sharesOf(tools, state, scene),
    otherCreations: creations.others(creationKey(state, scene)),
    creationProblem: () =>
      tenants.creationProblem(ref, resolvedClass?.reclaimPolicy ?? "Retain", resolvedClass?.issuer),
    ...(scene.account && { creationTurn: () => scene.account?.creationTurn(ref) }),
    crdTooOld: dropsIntents(state, moment.monotonic),
    // A check whether the sequence's own decision still holds is made as if the sequence did not run.
    creating: memory.creating === "called" && state.inFlight.has(UPDATE),
    memory: withFirewall(memoryOf(state, { ...moment, status: routed.status }, dns?.reverts), scene, moment),
    taints: routing.taints.view(ref.uid, isDeleting(routed)),
    ...probesOf(memory.health, routed.spec.healthCheck, { ofSpec: scene.ignored }),
    ...marksOf(routing.context.marks, "RoutedIP", routed, memory.follower.index),
    ...publishingOf(routing.context.publications, ref.uid, routed.spec.publishTo),
    ...safeguardsOf(routing.context, ref.uid, { routed, holders, verdictOf: nodes.verdictOf }),
  };
}

function withFirewall(
  memory: AddressMemory,
  { around: { snapshot }, routed }: IssuedScene,
  { verdictOf }: Pick<Snapshot, "verdictOf">,
): AddressMemory {
  const own = snapshot && firewallReverts(snapshot, routed, (machine) => verdictOf(machine)?.node.name);
  return { ...memory, reverts: new Map([...memory.reverts, ...(own ?? [])]) };
}

function wallTime(clock: Pick<Clock, "now" | "monotonic">, monotonic: number): number {
  return clock.now() + monotonic - clock.monotonic();
}

function familyOfRouted({ spec, status }: RoutedIP): IpFamily {
  return familyOf(spec.routedIP || status.routedIP || "");
}

function viewOf(account: AddressAccount | undefined) {
  return account?.inventory?.view() ?? NOTHING_SEEN;
}

function accountFacts({ account, credentials }: ResolvedAccount, ips: readonly string[]) {
  if (account === undefined) return {};
  const { failure, retryAt: providerRetryAt } = account.troubleOf(ips);
  // A token that is refused is replaced where the credentials are looked for now.
  const providerFailure = failure?.reason === "Unauthorized" ? (credentials ?? failure) : failure;
  return {
    capabilities: account.provider.capabilities,
    ...omitUndefined({ providerFailure, providerRetryAt, longWait: account.longWait, credentials }),
  };
}

export function creationKey({ ref }: Pick<RoutedState, "ref">, { resolvedClass, family, account }: Place) {
  return { resource: ref, provider: resolvedClass?.provider ?? "", family, account: account?.inventory };
}

/** Addresses that it names anywhere; canonical. */
function namedAddresses({ metadata, spec, status }: RoutedIP): readonly string[] {
  const own = [spec.routedIP, status.routedIP].flatMap((ip) => (ip ? [canonicalIp(ip)] : []));
  return [...new Set([...own, ...annotatedIps({ metadata })])];
}

/** By whose account, and what stands in the way: the first of all that does. */
function resolveAccount(tools: GatherTools, state: RoutedState, { routed, problem }: RoutedRead): ResolvedAccount {
  const { routing } = tools;
  const found = resolveClass(routed, routing.lookUp);
  const { resolvedClass } = found;
  // The cleanup needs only the account: a Service that went with the namespace does not hold it up.
  const leaving = isDeleting(routed);
  const unserved = leaving ? found.problem : (problem ?? found.problem ?? problemOfService(routing, state));
  if (resolvedClass === undefined) return { ...NO_ACCOUNT, problem: unserved };
  if (resolvedClass.by === "jobs")
    return { ...NO_ACCOUNT, problem: unserved ?? jobsDisabled(resolvedClass.objectName) };
  const { issued, account, problem: unable, credentials } = accountOf(tools, resolvedClass, routed);
  const refused = unserved ?? (leaving ? undefined : problemOfAddress(routing, routed, resolvedClass));
  return { resolvedClass, account, issued, problem: refused ?? unable, credentials };
}

function jobsDisabled(name: string): Problem {
  return jobMessages.disabledForClass({ name });
}

function accountOf({ routing, accounts }: GatherTools, { issuer: key }: ResolvedIssuerClass, routed: RoutedIP) {
  const issuer = routing.lookUp.issuer(key);
  const { account: issued, problem } = issuer === undefined ? {} : accounts.of(issuer);
  const account = issued?.addresses(familyOfRouted(routed));
  if (!(account instanceof AddressAccount)) return { issued, account: undefined, problem: problem ?? account };
  // What is deleted together with its Secret goes by the last token.
  return { issued, account, problem: undefined, credentials: isDeleting(routed) ? undefined : problem };
}

const NO_ACCOUNT = { resolvedClass: undefined, account: undefined, issued: undefined };

interface Place {
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly resolvedClass: ResolvedIssuerClass | undefined;
}

function sharesOf(
  { routing }: GatherTools,
  state: RoutedState,
  { family, account, resolvedClass }: Place,
): Pick<Snapshot, "share" | "takenBefore"> {
  const { nodeRequests } = routing.context;
  const view = viewOf(account);
  const requester = requesterOf(state, account);
  const limit = Math.min(resolvedClass?.perNodeIPLimit ?? 1, account?.provider.capabilities.addressesPerNode ?? 1);
  const roomOn = (node: ProviderId) => limit - view.heldCount(node) - Number(view.reservedFor(node) !== undefined);
  return {
    share: ({ wants, missing }, nodes) => {
      const own = nodes.filter((node) => view.reservedFor(node)?.uid === state.ref.uid).slice(0, wants);
      const rest = { ...requester, wants: wants - own.length, missing, candidates: () => nodes };
      return [...own, ...nodeRequests.share(family, rest, roomOn)];
    },
    takenBefore: (missing) => nodeRequests.takenBefore(family, { ...requester, missing }, roomOn),
  };
}

type Why = (text: string) => CallContext;

/** What the provider refuses is a failure of the account. */
export async function prepare(tools: GatherTools, state: RoutedState, why: Why): Promise<void> {
  const read = readOf(state);
  if (read === undefined) return;
  state.memory.follower.follow(read.routed);
  const { resolvedClass } = resolveClass(read.routed, tools.routing.lookUp);
  if (resolvedClass?.by === "jobs" && tools.jobs !== undefined) await prepareJob(tools.jobs, state.ref.uid);
  else await prepareAccount(tools, state, read, why);
}

async function prepareAccount(tools: GatherTools, state: RoutedState, read: RoutedRead, why: Why): Promise<void> {
  const { account, resolvedClass } = resolveAccount(tools, state, read);
  if (account === undefined) return;
  const { memory, ref } = state;
  const { clock, creations } = tools.routing.context;
  const { routed } = read;
  const names = namedAddresses(routed);
  memory.account = account;
  const want = () => account.inventory?.want(ref, names, creationTimes(routed));
  want();
  const settling = memory.listObservations.meet(routed.status.pendingCreation, clock.monotonic());
  const others = creations.others(creationKey(state, { resolvedClass, family: familyOfRouted(routed), account }));
  const fresh = Math.min(listSecondsOf(state, routed), freshSeconds(others, clock.now()));
  await account.refresh(settling ? SETTLE_LIST_SECONDS : fresh, "assignment");
  want();
  const view = account.inventory?.view();
  if (view?.complete === true && account.failure === undefined) {
    const unseen = names.filter((ip) => view.get(ip) === undefined && !view.isGone(ip));
    const locked = names.filter((ip) => isLockedFor(view.get(ip)));
    const again = [...unseen, ...locked];
    if (again.length > 0) await account.read(why("the list does not show it as it is"), again);
    await account.rereadUnconfirmed(why("a read contradicted what was done"));
  }
  await noteList(account, memory.listObservations, { clock, why });
}

/** ms until something is to be read again; `undefined`: only when something happens. */
export function readAgainMs(clock: Pick<Clock, "now">, state: RoutedState, gathered: Gathered): number | undefined {
  if (gathered.by === "jobs") return undefined;
  const dueInMs = gathered.firewall?.view().dueInMs;
  // A read that goes on asks for a run when it ends.
  if (state.preparing !== undefined) return dueInMs;
  return earliest([dueInMs, ...accountDueMs(clock.now(), state, gathered)]);
}

function accountDueMs(
  now: number,
  state: RoutedState,
  { account, snapshot: { routed } }: IssuedGathered,
): readonly (number | undefined)[] {
  const names = namedAddresses(routed);
  const { failure, retryAt = 0 } = account?.troubleOf(names) ?? {};
  if (failure === undefined) return [listDueMs(account, state, routed), lockedDueMs(account?.inventory?.view(), names)];
  return retryAt > now ? [retryAt - now] : [];
}

/** When the list of the account is to be read again, ms from now; `undefined`: it need not be. */
function listDueMs(account: IssuedGathered["account"], state: RoutedState, routed: RoutedIP): number | undefined {
  const view = account?.inventory?.view();
  if (view?.complete !== true) return undefined;
  // A list that is just that old still counts: a run at that very moment would read nothing.
  return Math.max(0, listSecondsOf(state, routed) - view.ageSeconds) * 1000 + 1;
}
