/** What the engine runs for a RoutedIP: the plan of its mode as sequences, each with what it locks. Pure. */

import { canonicalIp, MAX_ERROR, type RoutedIPStatus } from "cdk8s-flipop/api";
import { addressLockKey, CREATION, lockKeyOf } from "../../../addresses/actions.js";
import { hasLostHolder } from "../../../addresses/address-set.js";
import { retryKeyOf, stepsByName } from "../../../addresses/dns-records.js";
import { cut } from "../../../reconcile/conditions.js";
import { type ActionSequence, type Plan as EnginePlan, inOrder, type SequenceStep } from "../../../reconcile/plan.js";
import { reportedRetry } from "../../../reconcile/retries.js";
import type { RecordChain } from "../../../records/record-actions.js";
import {
  type Action,
  type ActionChain,
  FINALIZER,
  firewallKey,
  JOB_KEY,
  joining,
  type Of,
  pollKey,
  type SharedAction,
  TAINTS,
  UPDATE,
} from "../actions.js";
import type { JobAction } from "../jobs/actions.js";
import { type JobPlan, planJobs } from "../jobs/plan.js";
import { type Plan, plan } from "../plan.js";
import type { Gathered, IssuedGathered, JobsGathered, Snapshot } from "../snapshot.js";
import { reliesOn, type Step, type StepName } from "./steps.js";

export interface RoutedPlan extends EnginePlan<Action | JobAction> {
  readonly status: StatusChange;
  /** The decision of the mode that the class asks for. */
  readonly decision: ({ readonly by: "issuer" } & Plan) | ({ readonly by: "jobs" } & JobPlan);
}

export function planOf(gathered: Gathered): RoutedPlan {
  return gathered.by === "jobs" ? planOfJobs(gathered) : planOfIssued(gathered);
}

function planOfJobs({ snapshot, retryAt }: JobsGathered): RoutedPlan {
  const made = planJobs(snapshot);
  const { chain, records, marks, conditions, requeueAt, status } = made;
  const ofFirewall = typeof snapshot.firewall === "object" ? snapshot.firewall.retryAt : undefined;
  const ofRecords = snapshot.dns?.failureRetryAt;
  const retry =
    status.retryAt ?? reportedRetry([retryAt, ofFirewall, ofRecords], snapshot.routed.status.retryAt, snapshot.now);
  return {
    sequences: [
      ...inOrder(JOB_KEY, chain),
      ...(records.length === 0 ? [] : [recordSequence(snapshot.set, records)]),
      ...marks.flatMap((chain) => inOrder(lockKeyOf(chain), chain)),
    ],
    ...(requeueAt === undefined ? {} : { requeueAt }),
    ...{ conditions, explanation: "", status: { ...status, retryAt: retry }, decision: { by: "jobs", ...made } },
  };
}

function planOfIssued(gathered: IssuedGathered): RoutedPlan {
  const made = plan(gathered.snapshot);
  const { steps, chains, conditions, explanation, requeueAt } = made;
  return {
    sequences: [...updateOf(gathered, made, steps), ...chains.map((chain) => besideUpdate(gathered, chain))],
    ...(requeueAt === undefined ? {} : { requeueAt }),
    lostHolder: hasLostHolder(gathered.snapshot),
    ...{ conditions, explanation, status: statusOf(gathered.snapshot, made), decision: { by: "issuer", ...made } },
  };
}

/** The steps that bring address, firewall and taint where they belong. */
function updateOf(
  { snapshot }: IssuedGathered,
  { postAllow }: Plan,
  steps: readonly Step[],
): readonly ActionSequence<Action>[] {
  if (steps.length === 0) return [];
  const firewall = firewallKey(snapshot.firewall?.name ?? "");
  const made = steps.map(({ name, actions }): SequenceStep<Action> => {
    const needs = steps.map((other) => other.name).filter((other) => reliesOn(name, other, postAllow));
    return { name, reliesOn: needs, retryKey: stepRetryKeyOf(name, actions) ?? firewall, actions };
  });
  return [{ lockKey: UPDATE, steps: made }];
}

/** `undefined`: that of the firewall. */
function stepRetryKeyOf(name: StepName, actions: ActionChain): string | undefined {
  switch (name) {
    case "arm":
      return FINALIZER;
    case "elect":
    case "untaint":
      return TAINTS;
    case "record":
    case "remove-rules":
    case "remove-nodes":
      // The success of a removal says nothing of an addition that was refused.
      return name;
    case "assign":
      return lockKeyOf(actions.filter(isShared));
    default:
      return joinKey(actions);
  }
}

/** What was refused for one machine does not hold up another one. `undefined`: no machine joins. */
function joinKey(actions: ActionChain): string | undefined {
  const [machine] = actions.flatMap(joining);
  return machine === undefined ? undefined : `join ${machine}`;
}

/** What is no step of an update. */
function besideUpdate(gathered: IssuedGathered, actions: ActionChain): ActionSequence<Action> {
  const [first] = actions;
  switch (first?.do) {
    case "poll":
      return pollOf(gathered, first);
    case "set-taints":
      return { lockKey: `taint ${first.node}`, steps: [{ actions }] };
    case "read-firewall":
    case "record-firewall":
      return cleaning(first.name, actions);
    case "change-firewall":
      return cleaning(first.change.name, actions);
    case "record-retained":
      return "firewall" in first.retained
        ? cleaning(first.retained.firewall.name, actions)
        : sharedSequence(gathered, actions);
    default:
      return sharedSequence(gathered, actions);
  }
}

/** A removal does not wait for an addition that was refused. */
function cleaning(name: string, actions: ActionChain): ActionSequence<Action> {
  return { lockKey: firewallKey(name), steps: [{ actions, retryKey: `clean ${name}` }] };
}

/** The provider's view of an action does not always say where the address goes. */
function pollOf({ poll, move }: IssuedGathered, action: Of<"poll">): ActionSequence<Action> {
  const { ip, id } = action;
  const expected = action.expected ?? (move?.ip === ip ? move.node.machine : undefined);
  const step = { retryKey: addressLockKey(ip), actions: [{ ...action, expected }] };
  return { lockKey: pollKey(ip), steps: [step], ...(poll?.id === id ? { notBefore: poll.at } : {}) };
}

/** The end of a creation does not wait until the next creation may be tried. */
function sharedSequence({ snapshot }: IssuedGathered, actions: ActionChain): ActionSequence<Action> {
  const lockKey = lockKeyOf(actions.filter(isShared));
  const retryKey = lockKey === CREATION ? "end of creation" : retryKeyOf(snapshot.set, lockKey);
  return { lockKey, steps: stepsByName(actions, retryKey) };
}

function recordSequence(set: JobsGathered["snapshot"]["set"], records: RecordChain): ActionSequence<JobAction> {
  const lockKey = lockKeyOf(records);
  return { lockKey, steps: stepsByName(records, retryKeyOf(set, lockKey)) };
}

/** An action that pools have, too. */
function isShared(action: Action): action is SharedAction {
  const { do: verb } = action;
  return verb !== "set-taints" && verb !== "record-retained" && !verb.endsWith("-firewall");
}

/** `undefined` takes a field away. */
export type StatusChange = { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined };

function statusOf({ routed }: Snapshot, { status }: Plan): StatusChange {
  // An address that was created stays the one on record until it is forgotten.
  const created = routed.status.created === true ? routed.status.routedIP : undefined;
  const error = status.error === undefined ? undefined : cut(status.error, MAX_ERROR);
  const other = created !== undefined && canonicalIp(created) !== canonicalIp(status.routedIP ?? "");
  return { ...status, ...(other ? { routedIP: created } : {}), error };
}
