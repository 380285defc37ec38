/** Decides about one issuer: whether it is usable, which resources use it, and what its deletion removes. Pure. */

import type { CreatedFirewall, PreviousFirewall } from "cdk8s-flipop/api";
import { timeOf } from "../../clock.js";
import { WHYS } from "../../messages/action-reasons.js";
import { inUseOf, keptBy } from "../../messages/deletion/kept-resource.js";
import { issuerMessages } from "../../messages/issuers-and-classes.js";
import type { Problem } from "../../messages/message.js";
import { deletionMessages } from "../../messages/summary.js";
import type { FirewallFacts } from "../../providers/firewall-types.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions.js";
import { type Deletion, type Action as EngineAction, type Plan as EnginePlan, inOrder } from "../../reconcile/plan.js";
import { isCleanupOverdue, reportedRetry } from "../../reconcile/retries.js";
import { isEmpty } from "../../routing/firewalls/additional-firewalls.js";
import { createdFirewallsOf } from "../../routing/firewalls/firewalls-in-issuer-status.js";
import { isHeld, isKeptByOthers, lacksFinalizer, othersUsing } from "../../routing/in-use.js";
import {
  CREDENTIALS_CHECK_SECONDS,
  DUE_RETRY_PAUSE_MS,
  FIREWALL_CREATION_MS,
  JANITOR_RETRY_MS,
  SECOND_MS,
} from "../../timings.js";
import { listed, omitUndefined } from "../../values.js";
import type { Issuer, Snapshot } from "./gather.js";

export type Action =
  | (EngineAction & { readonly do: "add-finalizer" })
  /** `abandonedItems`: what was not cleaned up in time. */
  | (EngineAction & { readonly do: "remove-finalizer"; readonly abandonedItems: readonly string[] })
  /** The operator created it, it is empty, and no RoutedIP uses it. */
  | (EngineAction & { readonly do: "remove-firewall"; readonly firewall: Pick<FirewallFacts, "id" | "name"> })
  /** An additional one that is empty. */
  | (EngineAction & { readonly do: "remove-additional"; readonly firewall: Pick<FirewallFacts, "id" | "name"> })
  /** Removes what deleted RoutedIPs left, and none needs; the rest stays on record. */
  | (EngineAction & { readonly do: "clean-firewall"; readonly retained: PreviousFirewall })
  /** In `status.additionalFirewalls`; without an id it is removed there. */
  | (EngineAction & { readonly do: "record-additional"; readonly name: string; readonly id?: string })
  /** Of the firewalls that were created for it; `undefined` takes the one of this name off the record. */
  | (EngineAction & {
      readonly do: "record-firewall";
      readonly name: string;
      readonly created: CreatedFirewall | undefined;
    });

const NOT_THERE = "it is not there, or not ours, any more";
const CREATED = "it was created, and its id is not on record yet";

export interface Plan extends EnginePlan<Action> {
  /** `status.retryAt`. */
  readonly retryAt: string | undefined;
}

export function plan(snapshot: Snapshot): Plan {
  return {
    sequences: inOrder("issuer", chainOf(snapshot)),
    conditions: [accepted(snapshot)],
    ...omitUndefined({ unserved: unservedOf(snapshot), deletion: deletionOf(snapshot) }),
    requeueAt: requeueTime(snapshot),
    retryAt: retryAtOf(snapshot),
    explanation: "",
  };
}

/** What a deleted issuer waits for, if not for the operator. */
function unservedOf(snapshot: Snapshot): Problem | undefined {
  const { issuer, users } = snapshot;
  if (issuer.metadata.deletionTimestamp === undefined) return undefined;
  const waiting = waitingOf(snapshot);
  if (users.length > 0) return waiting ?? deletionMessages.issuerInUse(inUseOf(snapshot));
  const others = othersUsing(issuer.metadata, snapshot.finalizers);
  if (others.length > 0) return deletionMessages.keptByInstallation(keptBy("routedipissuers", issuer.metadata, others));
  if (deletionOf(snapshot)?.cause !== undefined) return undefined;
  const created = leftFirewall(snapshot, []).filter(isKept);
  const kept = [...created, ...leftAdditional(snapshot, []).filter(isKept)];
  if (kept.length === 0) return undefined;
  return deletionMessages.firewallNotEmpty({ left: kept.map(leftText), retainable: created.length > 0 });
}

/** When the operator tries again what failed: a call to the account, or to the firewall. */
function retryAtOf({ account, accountRetryAt, firewallRetryAt, issuer, now }: Snapshot): string | undefined {
  const failed = typeof account === "object";
  return reportedRetry([failed ? accountRetryAt : undefined, firewallRetryAt], issuer.status.retryAt, now);
}

function requeueTime({ now, retryAt = Number.POSITIVE_INFINITY, issuer, finalizers }: Snapshot): number {
  // Its RoutedIPs, which decide what of it they need, do not notify the issuer.
  const isToClean = issuer.status.retainedFirewalls !== undefined && !isKeptByOthers(issuer.metadata, finalizers);
  const longest =
    isToClean || issuer.metadata.deletionTimestamp ? JANITOR_RETRY_MS : CREDENTIALS_CHECK_SECONDS * SECOND_MS;
  return Math.max(now + DUE_RETRY_PAUSE_MS, Math.min(now + longest, retryAt));
}

function chainOf(snapshot: Snapshot): readonly Action[] {
  const { issuer, users, cachesComplete } = snapshot;
  if (!cachesComplete) return [];
  const parts = partActions(snapshot);
  const additional = additionalActions(snapshot);
  if (users.length > 0)
    return [...held(snapshot), ...settled(snapshot), ...parts, ...additional, ...formerRemovals(snapshot)];
  if (isKeptByOthers(issuer.metadata, snapshot.finalizers)) return leave(snapshot);
  const removal = [...parts, ...additional, ...formerRemovals(snapshot), ...firewallRemoval(snapshot)];
  if (!isHeld(issuer.metadata, snapshot.finalizers)) return removal;
  return [...removal, ...released(snapshot, removal)];
}

/** What deleted RoutedIPs left in firewalls stays as long as another installation may need it. */
function partActions({ issuer, machines, finalizers }: Snapshot): readonly Action[] {
  if (machines === undefined || isKeptByOthers(issuer.metadata, finalizers)) return [];
  const why = "no RoutedIP needs them any more";
  return (issuer.status.retainedFirewalls ?? []).map((retained) => ({ do: "clean-firewall", retained, why }));
}

/** Its firewalls are still in use: the last installation that leaves it cleans up. */
function leave({ issuer, finalizers }: Snapshot): readonly Action[] {
  if (!isHeld(issuer.metadata, finalizers)) return [];
  return [{ do: "remove-finalizer", abandonedItems: [], why: "no RoutedIP that this installation sees uses it" }];
}

function held({ issuer, finalizers }: Snapshot): readonly Action[] {
  return lacksFinalizer(issuer.metadata, finalizers) ? [{ do: "add-finalizer", why: "RoutedIPs use it" }] : [];
}

/** No resource uses it: it may be deleted after the firewalls that were created for it. */
function released(snapshot: Snapshot, removal: readonly Action[]): readonly Action[] {
  const { issuer, now, cleanup } = snapshot;
  const left = leftTexts(snapshot, removal);
  if (left.length === 0) return [{ do: "remove-finalizer", abandonedItems: [], why: "no RoutedIP uses it" }];
  if (issuer.metadata.deletionTimestamp === undefined) return [];
  if (!isCleanupOverdue(issuer.metadata, now, cleanup)) return [];
  return [{ do: "remove-finalizer", abandonedItems: left, why: WHYS.cleanupLate }];
}

/** `undefined`: it is not being deleted. */
function deletionOf(snapshot: Snapshot): Deletion | undefined {
  const { issuer, account, problem, firewall } = snapshot;
  if (issuer.metadata.deletionTimestamp === undefined) return undefined;
  // A last good token goes on without its Secret: then that is not the cause.
  const cause = failureOf(account) ?? (account === "good" ? undefined : problem) ?? failureOf(firewall);
  return { left: leftTexts(snapshot, []), ...omitUndefined({ cause }) };
}

/** A firewall that should go and is still there. */
interface LeftFirewall {
  readonly name: string;
  /** What keeps the operator from deleting it, as far as is known. */
  readonly content: readonly string[];
}

function leftTexts(snapshot: Snapshot, removal: readonly Action[]): readonly string[] {
  const firewalls = [...leftFirewall(snapshot, removal), ...leftAdditional(snapshot, removal)].map(leftText);
  return [...leftParts(snapshot), ...firewalls];
}

function leftParts({ issuer }: Snapshot): readonly string[] {
  return (issuer.status.retainedFirewalls ?? []).flatMap(({ name, rules, nodes }) =>
    [...rules.map(({ protocol, ports }) => `rule ${protocol} ${ports}`), ...nodes].map(
      (part) => `${part} in firewall "${name}"`,
    ),
  );
}

function leftText({ name, content }: LeftFirewall): string {
  return `firewall "${name}", which was created for it${content.length === 0 ? "" : ` and still has ${listed(content)}`}`;
}

function isKept({ content }: LeftFirewall): boolean {
  return content.length > 0;
}

/** Under `Delete`. */
function leftFirewall(snapshot: Snapshot, removal: readonly Action[]): readonly LeftFirewall[] {
  const { issuer } = snapshot;
  if (issuer.spec.routedIPReclaimPolicy !== "Delete") return [];
  const going = new Set(removal.flatMap((action) => (action.do === "remove-firewall" ? action.firewall.name : [])));
  const left = createdFirewallsOf(issuer.status).filter(({ name }) => !going.has(name));
  return left.map((created) => ({ name: created.name, content: contentOf(created, snapshot) }));
}

function contentOf(created: CreatedFirewall, { firewall, lastFirewall, former }: Snapshot): readonly string[] {
  const seen = former?.get(created.name) ?? lastFirewall ?? firewall;
  if (!isKnown(seen) || seen === "missing" || !isSame(seen, created)) return [];
  return [...seen.rules.map(({ protocol, ports }) => `${protocol} ${ports}`.trim()), ...seen.nodes];
}

/** Whatever the policy: without the issuer the operator does not know that they are its own. Rules keep none of them. */
function leftAdditional({ issuer, additional }: Snapshot, removal: readonly Action[]): readonly LeftFirewall[] {
  const gone = new Set(
    removal.flatMap((action) => (action.do === "record-additional" && !action.id ? action.name : [])),
  );
  const left = (issuer.status.additionalFirewalls ?? []).filter(({ name }) => !gone.has(name));
  return left.map(({ name }) => ({ name, content: additional?.find((facts) => facts.name === name)?.nodes ?? [] }));
}

/** They go as soon as they are empty, whatever the policy: the operator creates them again when it needs them. */
function additionalActions({ issuer, additional, now }: Snapshot): readonly Action[] {
  if (additional === undefined) return [];
  return (issuer.status.additionalFirewalls ?? []).flatMap((recorded): readonly Action[] => {
    const { name } = recorded;
    const found = additional.find((facts) => facts.name === name);
    if (found === undefined) return isYoung(recorded, now) ? [] : [{ do: "record-additional", name, why: NOT_THERE }];
    if (isEmpty(found)) {
      const forget: Action = { do: "record-additional", name, why: "the firewall is removed" };
      return [{ do: "remove-additional", firewall: found, why: "the additional firewall is empty" }, forget];
    }
    return recorded.id === "" ? [{ do: "record-additional", name, id: found.id, why: CREATED }] : [];
  });
}

/** Its creation may be under way. */
function isYoung({ createdTime }: CreatedFirewall, now: number): boolean {
  return now - (timeOf(createdTime) ?? 0) < FIREWALL_CREATION_MS;
}

/** The name that the spec had last counts as its own as long as it has none. */
function namedOf({ spec, status }: Issuer): CreatedFirewall | undefined {
  const { routedIPFirewallName: named = status.createdFirewall?.name } = spec;
  return createdFirewallsOf(status).find(({ name }) => name === named);
}

/** RoutedIPs have left it. Those of another issuer that names it would create it again. */
function formerRemovals({ issuer, former, now }: Snapshot): readonly Action[] {
  const named = namedOf(issuer);
  const others = createdFirewallsOf(issuer.status).filter((created) => created !== named);
  return others.flatMap((created) => {
    const facts = former?.get(created.name);
    if (facts === undefined || (created.id === "" && isYoung(created, now))) return [];
    return removalOf(created, facts, "it was created for this issuer, which names it no more, and is empty");
  });
}

function firewallRemoval({ issuer, firewall, now }: Snapshot): readonly Action[] {
  const created = namedOf(issuer);
  if (created === undefined || !isKnown(firewall)) return [];
  // Another installation may have created it since this one read the account.
  const { deletionTimestamp } = issuer.metadata;
  if (firewall === "missing" && deletionTimestamp === undefined && isYoung(created, now)) return [];
  const why = "it was created for this issuer, is empty, and routedIPReclaimPolicy is Delete";
  const removal = removalOf(created, firewall, why);
  const isRemoved = removal.some((action) => action.do === "remove-firewall");
  return isRemoved && issuer.spec.routedIPReclaimPolicy !== "Delete" ? [] : removal;
}

function removalOf(created: CreatedFirewall, facts: FirewallFacts | "missing", why: string): readonly Action[] {
  const forget: Action = { do: "record-firewall", name: created.name, created: undefined, why: NOT_THERE };
  if (facts === "missing" || !isSame(facts, created)) return [forget];
  if (!isEmpty(facts) || facts.rules.length > 0) return [];
  return [{ do: "remove-firewall", firewall: facts, why }, forget];
}

/** A creation whose id is not on record yet, or whose answer got lost: the firewall of that name is the one. */
function settled({ issuer, firewall }: Snapshot): readonly Action[] {
  const recorded = namedOf(issuer);
  if (recorded === undefined || recorded.id !== "" || !isKnown(firewall) || firewall === "missing") return [];
  const created = { ...recorded, id: firewall.id };
  return [{ do: "record-firewall", name: created.name, created, why: CREATED }];
}

function isSame({ id, name }: FirewallFacts, created: CreatedFirewall): boolean {
  return name === created.name && (created.id === "" || created.id === id);
}

function isKnown(firewall: Snapshot["firewall"]): firewall is FirewallFacts | "missing" {
  return firewall === "missing" || (typeof firewall === "object" && "nodes" in firewall);
}

function accepted(snapshot: Snapshot): PlannedCondition {
  const { account } = snapshot;
  const firewall = snapshot.lastFirewall ?? snapshot.firewall;
  const obstacle = waitingOf(snapshot) ?? obstacleTo(snapshot) ?? failureOf(firewall);
  if (obstacle !== undefined) return no("Accepted", obstacle);
  if (account === "untried" || firewall === "unknown") return unknown("Accepted");
  if (firewall !== "missing") return yes("Accepted", issuerMessages.ready());
  return yes("Accepted", issuerMessages.firewallToCome({ name: snapshot.issuer.spec.routedIPFirewallName ?? "" }));
}

function obstacleTo(snapshot: Snapshot): Problem | undefined {
  return snapshot.problem ?? failureOf(snapshot.account) ?? regionProblem(snapshot);
}

/** Why the deletion cannot end, if the operator cannot clean up. `undefined`: it can, or nothing is left. */
function waitingOf(snapshot: Snapshot): Problem | undefined {
  const { users, finalizers } = snapshot;
  const { left = [], cause } = deletionOf(snapshot) ?? {};
  if (cause === undefined) return undefined;
  if (users.length > 0) return deletionMessages.usersStay({ users, cause });
  return left.length === 0 ? undefined : deletionMessages.cleanupFails({ left, cause, finalizer: finalizers.own });
}

function failureOf(part: Snapshot["account"] | Snapshot["firewall"]): Problem | undefined {
  return typeof part === "object" && "failure" in part ? part.failure : undefined;
}

/** An address can only go to nodes of its region: no RoutedIP can use one without nodes. */
function regionProblem({ issuer, regions }: Snapshot): Problem | undefined {
  const { region } = issuer.spec;
  if (!region || regions.size === 0 || regions.has(region)) return undefined;
  return issuerMessages.noNodeInRegion({ region, others: [...regions].sort() });
}
