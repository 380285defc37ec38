/** Calls about addresses, through the inventory of their account, which knows of them at once; their outcomes; and whether the facts behind a call still hold. */

import type { Reason } from "cdk8s-flipop/api";
import type { HolderRegistry } from "../health/holder-registry.js";
import type { AccountInventory } from "../inventory/account-inventory.js";
import type { InventoryView, ResourceRef } from "../inventory/view.js";
import { isConflict, isNotFound, StatusError } from "../kube/client.js";
import type { ObjectMeta } from "../kube/objects.js";
import { errorText } from "../logging.js";
import type { Verdict } from "../match/checks.js";
import type { Problem } from "../messages/message.js";
import { providerMessages, serverMessages } from "../messages/provider.js";
import type { CallContext, Recheck } from "../providers/call.js";
import {
  isAccountError,
  isProviderError,
  isSuperseded,
  type ProviderError,
  type ProviderErrorReason,
} from "../providers/errors.js";
import type { ActionFacts, ProviderId } from "../providers/types.js";
import { problemOf } from "../reconcile/conditions.js";
import { ObjectGone } from "../reconcile/object-writer.js";
import { type Failure, isWithheld } from "../reconcile/retries.js";
import { NoDnsError } from "../records/snapshot-parts.js";
import { ACTION_POLL_SECONDS, SECOND_MS } from "../timings.js";
import type { AddressAccount } from "./accounts/address-account.js";
import type { AddressAction } from "./actions.js";

/** Why nothing came of an action. */
export interface ActionFailure extends Failure {
  readonly problem: Problem;
  /** What exactly stood in the way, where a provider said so. */
  readonly detail?: ProviderErrorReason;
  /** It is the account's, not that of the one address or node. */
  readonly ofAccount?: boolean;
  /** The address is there, but not the machine that it should go to. */
  readonly noMachine?: boolean;
  /** The address or the machine caused it; the provider does not say which. */
  readonly ofEither?: boolean;
  /** The call was sent, and its answer was lost: it may have been accepted. */
  readonly mayBeAccepted?: boolean;
}

/**
 * `ip`: the address that was created. `started`: it goes on without us; `id` is for polls. `refused`: try again later.
 * `unknown`: a creation whose answer was lost. `superseded`: nothing was sent, since the decision no longer held: plan
 * again at once. `skipped`: nothing was sent, or the world had changed; no failure, but
 * if a poll of an action got no answer (`unanswered`).
 */
export type Outcome =
  | { readonly is: "done"; readonly ip?: string }
  | { readonly is: "started"; readonly id: string; readonly ip?: string }
  | { readonly is: "refused"; readonly failure: ActionFailure }
  | { readonly is: "unknown"; readonly failure: ActionFailure }
  | { readonly is: "superseded"; readonly because: string }
  | {
      readonly is: "skipped";
      readonly because: string;
      readonly unanswered?: true;
      /** The caller gave up a call that had been sent: it may have been accepted. */
      readonly mayBeAccepted?: true;
    };

export const DONE: Outcome = { is: "done" };

export function skipped(because: string): Outcome {
  return { is: "skipped", because };
}

export function failureOf(outcome: Outcome): ActionFailure | undefined {
  return outcome.is === "refused" || outcome.is === "unknown" ? outcome.failure : undefined;
}

/** For the log. */
export function hasFailed(outcome: Outcome): boolean {
  return (
    outcome.is === "refused" || outcome.is === "unknown" || (outcome.is === "skipped" && outcome.unanswered === true)
  );
}

/**
 * What anything thrown by an action means.
 * @param missing what it is that the provider does not have, if it answers so
 */
export function outcomeOf(error: unknown, missing: Reason = "AddressNotFound"): Outcome {
  if (isWithheld(error)) return skipped(error.message);
  if (isSuperseded(error)) return { is: "superseded", because: error.seen };
  if (isProviderError(error)) {
    return error.reason === "Cancelled"
      ? cancelled(error)
      : { is: "refused", failure: providerFailure(error, missing) };
  }
  if (error instanceof NoDnsError) return { is: "refused", failure: { kind: "Terminal", problem: error.problem } };
  if (error instanceof ObjectGone) return skipped(error.message);
  if (isConflict(error)) return skipped("the object has changed meanwhile");
  if (isNotFound(error)) return skipped("the object is gone");
  return { is: "refused", failure: serverFailure(error) };
}

function cancelled({ message, outcome }: ProviderError): Outcome {
  return outcome === "unknown" ? { is: "skipped", because: message, mayBeAccepted: true } : skipped(message);
}

/** What a call about a record set comes to. */
export async function outcomeOfRecords(call: Promise<void>): Promise<Outcome> {
  try {
    await call;
    return DONE;
  } catch (error) {
    return outcomeOf(error, "ZoneNotFound");
  }
}

export function providerFailure(error: ProviderError, missing: Reason = "AddressNotFound"): ActionFailure {
  const { kind, reason, retryAfterSeconds, outcome } = error;
  const isElsewhere = reason === "WrongRegion";
  return {
    kind,
    problem: isElsewhere ? providerMessages.wrongRegion({ text: error.message }) : problemOf(error, missing),
    ...(reason === undefined ? {} : { detail: reason }),
    // All machines of a region refuse it, so the address waits, too: it would else try each of them at once.
    ...(isElsewhere ? { ofEither: true } : {}),
    ...(isAccountError(error) ? { ofAccount: true } : {}),
    ...(outcome === "unknown" ? { mayBeAccepted: true } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** Of the Kubernetes API. It may accept a refused write after a person has granted the right or corrected the object. */
function serverFailure(error: unknown): ActionFailure {
  const retryAfterSeconds = error instanceof StatusError ? error.retryAfterSeconds : undefined;
  return {
    kind: "Unavailable",
    problem: refusedFor(error)({ text: errorText(error) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

function refusedFor(error: unknown) {
  const refused = error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 429;
  return refused ? serverMessages.refused : serverMessages.unanswered;
}

/** Something is wrong with the node, for this address or for any. */
export const NODE_FAULTS: ReadonlySet<ProviderErrorReason> = new Set(["NodeBusy", "NodeOccupied", "NodeUnfit"]);

export interface OpenAccount {
  readonly account: AddressAccount;
  readonly inventory: AccountInventory;
}

/** The account of a plan that asks for a call to it: it has been read, or the plan would not. @param who has the plan */
export function openAccount(account: AddressAccount | undefined, who: string): OpenAccount {
  const inventory = account?.inventory;
  if (account === undefined || inventory === undefined) {
    throw new Error(`${who}: its plan asks for a call to an account that was not read`);
  }
  return { account, inventory };
}

/** What the account's calls say about the account is known to all who use it. @param ip the address that the call is about */
export async function noting<T>(account: AddressAccount, call: () => Promise<T>, ip?: string): Promise<T> {
  try {
    const result = await call();
    account.answered();
    return result;
  } catch (error) {
    account.note(error, ip);
    throw error;
  }
}

/** What the provider says of an action. */
export function outcomeOfAction({ state, id, message }: ActionFacts): Outcome {
  if (state === "in-progress") return { is: "started", id };
  if (state === "completed") return DONE;
  return {
    is: "refused",
    failure: { kind: "Unavailable", ofEither: true, problem: providerMessages.actionFailed({ said: message }) },
  };
}

/** Looks at a running action. */
export interface PollState {
  readonly id: string;
  readonly attempts: number;
  /** Monotonic ms: not before. */
  readonly nextAt: number;
}

/** ms to wait after so many looks. */
export function pollMs(attempts: number): number {
  const last = ACTION_POLL_SECONDS.length - 1;
  return (ACTION_POLL_SECONDS[Math.min(attempts, last)] ?? 1) * SECOND_MS;
}

interface RunningAction {
  readonly ip: string;
  readonly id: string;
  readonly expected: ProviderId | undefined;
  readonly arrived?: true;
}

/** One look. `skipped`: it still runs, as far as anybody knows: no answer leaves it running. */
export async function poll(
  { account, inventory }: OpenAccount,
  context: CallContext,
  { ip, id, expected, arrived }: RunningAction,
): Promise<Outcome> {
  if (arrived) return DONE;
  try {
    const facts = await noting(account, () => inventory.poll(account.provider, context, { ip, id, expected }), ip);
    return facts.state === "in-progress" ? skipped("it still runs") : outcomeOfAction(facts);
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.is !== "refused") return outcome;
    return { is: "skipped", because: outcome.failure.problem.message, unanswered: true };
  }
}

/** By name, for people. */
export type Basis = Readonly<Record<string, string | number | boolean | undefined>>;

/** @param take the facts of now. Called once at once, in the same turn as the decision. */
export function recheckOf(take: () => Basis): Recheck {
  const before = take();
  return () => {
    const now = take();
    const changed = Object.keys(before).find((fact) => before[fact] !== now[fact]);
    return changed === undefined ? undefined : `${changed} has changed since the decision`;
  };
}

interface MoveScene {
  readonly view: Pick<InventoryView, "get" | "heldCount"> | undefined;
  readonly verdictOf: (machine: ProviderId) => Verdict | undefined;
  readonly ownerOf: (ip: string) => ResourceRef | undefined;
}

/** What a call is about. */
export interface Move {
  readonly ip?: string | undefined;
  readonly from?: ProviderId | undefined;
  readonly to?: ProviderId | undefined;
}

type MoveAction = Extract<AddressAction, { readonly do: "assign" | "unassign" | "release" | "create-address" }>;

/** `undefined`: the action moves no address. */
export function moveOf(action: { readonly do: string }): Move | undefined {
  if (!isMove(action)) return undefined;
  switch (action.do) {
    case "assign":
      return { ip: action.ip, to: action.node.machine, from: action.from };
    case "unassign":
      return { ip: action.ip, from: action.from };
    case "release":
      return { ip: action.ip };
    default:
      return "node" in action.desired ? { to: action.desired.node } : {};
  }
}

function isMove(action: { readonly do: string }): action is MoveAction {
  return Object.hasOwn(MOVES, action.do);
}

const MOVES = {
  assign: true,
  unassign: true,
  release: true,
  "create-address": true,
} as const satisfies Record<MoveAction["do"], true>;

export function moveBasis({ view, verdictOf, ownerOf }: MoveScene, { ip, from, to }: Move): Basis {
  const address = ip === undefined ? undefined : view?.get(ip);
  const fitness = (machine: ProviderId | undefined) => {
    const verdict = machine === undefined ? undefined : verdictOf(machine);
    return verdict === undefined ? undefined : `${verdict.node.name} ${verdict.refusals.length === 0}`;
  };
  return {
    "the target node": fitness(to),
    "the number of addresses on the target node": to === undefined ? undefined : view?.heldCount(to),
    "the holding node": fitness(from),
    "the address's holder": address?.holder,
    "the action on the address": address?.action === undefined ? undefined : `running ${address.action.id}`,
    "the address's owner": ip === undefined ? undefined : ownerOf(ip)?.uid,
  };
}

export function stopBasis(holders: HolderRegistry | undefined, { from }: Move): Basis {
  return { "a mass failure of holders": from !== undefined && holders?.isStopped(from) === true };
}

export function objectBasis(metadata: ObjectMeta | undefined): Basis {
  const { uid, generation, deletionTimestamp } = metadata ?? {};
  return { "the resource": `${uid} ${generation} ${deletionTimestamp}` };
}
