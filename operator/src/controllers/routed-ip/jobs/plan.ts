/** The decision about a RoutedIP whose class works by Jobs: elect, then one Job at a time. Pure. */

import { canonicalIp } from "cdk8s-flipop/api";
import { annotatedIps } from "../../../addresses/desired.js";
import type { JobVariables } from "../../../jobs/job.js";
import { decideJob, type JobDecision, type JobSituation } from "../../../jobs/job-decision.js";
import type { JobObject } from "../../../jobs/job-state.js";
import { assignVariables } from "../../../jobs/variables.js";
import { omitUndefined } from "../../../omit-undefined.js";
import type { ProviderId } from "../../../providers/types.js";
import { isCleanupOverdue } from "../../../reconcile/cleanup.js";
import { type PlannedCondition, stamped, unknown } from "../../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../../reconcile/conditions/problem.js";
import type { RetryState } from "../../../reconcile/retries/retry-schedule.js";
import type { RoutedIP } from "../../../routing/resource.js";
import { timestamp } from "../../../times.js";
import type { TaintAction } from "../actions.js";
import { hasFinalizer, isDeleting } from "../deletion.js";
import { electTaint, strayTaints } from "../taints/taints.js";
import { conditionsOf, conflictOf } from "./conditions.js";
import { type Election, elect } from "./election.js";
import { addressOf, type Change, type JobSnapshot } from "./snapshot.js";
import { statusOf } from "./status.js";

export type JobAction =
  | TaintAction
  | { readonly do: "add-finalizer"; readonly why: string }
  /** `kept`: what stays by the nature of the class; `abandonedItems`: what could not be cleaned up in time. */
  | {
      readonly do: "remove-finalizer";
      readonly kept: readonly string[];
      readonly abandonedItems: readonly string[];
      readonly why: string;
    }
  /** A copy of the address that was created. */
  | { readonly do: "annotate"; readonly value: string; readonly why: string }
  /** A fact of the status, before the next action. */
  | { readonly do: "record"; readonly change: Change; readonly why: string }
  | { readonly do: "create-job"; readonly variables: JobVariables; readonly attempt: number; readonly why: string }
  /** Deletes it. `failure`: an Event reports it, and it counts. */
  | {
      readonly do: "remove-job";
      readonly job: JobObject;
      readonly failure?: { readonly problem: Problem; readonly retry?: RetryState };
      readonly why: string;
    };

export interface JobPlan {
  /** One after the other, as long as each is done. */
  readonly sequence: readonly JobAction[];
  readonly status: Change;
  readonly conditions: readonly PlannedCondition[];
  /** Nodes that keep the taint. */
  readonly nodes: readonly string[];
  readonly requeueAt?: number;
  /** The address is where it belongs, and no Job is there: failures of former ones are over. */
  readonly settled: boolean;
}

export function planJobs(snapshot: JobSnapshot): JobPlan {
  const election = elect(snapshot);
  const conflict = conflictOf(snapshot);
  const able = isAble(snapshot) && conflict === undefined;
  const wanted = decideJob(situationOf(snapshot, able ? wantedOf(snapshot, election) : undefined));
  const decision = snapshot.crdTooOld && isCreation(wanted) ? NOTHING : wanted;
  const lost = isLost(snapshot);
  const sequence = isDeleting(snapshot.routed)
    ? deletionChain(snapshot, decision)
    : able
      ? chainOf(snapshot, election, lost ? NOTHING : decision)
      : [];
  return {
    sequence,
    status: statusOf(snapshot, election, decision),
    conditions: conditionsOf(snapshot, election, { decision, conflict, lost }),
    nodes: isDeleting(snapshot.routed) ? [] : [election.holder, election.target].flatMap((node) => node?.name ?? []),
    ...requeue(election, decision),
    settled: able && isAtRest(election, decision),
  };
}

function isAtRest({ target }: Election, decision: JobDecision): boolean {
  return target !== undefined && decision.do === "nothing";
}

const NOTHING: JobDecision = { do: "nothing" };

function isCreation(decision: JobDecision): boolean {
  return decision.do === "create" && decision.variables["ROUTED_IP"] === "";
}

function isAble({ cachesComplete, problem, resolvedClass, routed }: JobSnapshot): boolean {
  return (
    cachesComplete &&
    problem === undefined &&
    resolvedClass !== undefined &&
    routed.spec.paused !== true &&
    !isDeleting(routed)
  );
}

/** What a Job should reach; `undefined`: it is so already, or no node is a candidate. */
function wantedOf({ routed }: JobSnapshot, { target }: Election): JobVariables | undefined {
  const { metadata, status } = routed;
  const ip = addressOf(routed);
  if (target?.machine === undefined || isThere(routed, target.machine)) return undefined;
  const { assignedNode: name, providerID } = status;
  const previous = name === undefined || providerID === undefined ? undefined : { name, providerID };
  return assignVariables({
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    node: { name: target.name, providerID: target.machine },
    ...omitUndefined({ ip, previous }),
    region: target.labels["topology.kubernetes.io/region"] ?? "",
  });
}

function isThere(routed: RoutedIP, machine: ProviderId): boolean {
  const { routedIP, providerID, state } = routed.status;
  if (routedIP === undefined || providerID !== machine || state !== "active") return false;
  return canonicalIp(routedIP) === addressOf(routed);
}

function situationOf({ job, retry, failure, now }: JobSnapshot, wanted: JobVariables | undefined): JobSituation {
  return { wanted, now, ...omitUndefined({ job, retry, failure }) };
}

/** A Job that should create an address is gone, and its result is unknown: a person has to decide. */
function isLost({ routed, job, cachesComplete }: JobSnapshot): boolean {
  return (
    cachesComplete &&
    routed.status.pendingCreation !== undefined &&
    job === undefined &&
    addressOf(routed) === undefined
  );
}

function chainOf(snapshot: JobSnapshot, { target, holder }: Election, decision: JobDecision): readonly JobAction[] {
  const armed: readonly JobAction[] =
    hasFinalizer(snapshot.routed) || target === undefined
      ? []
      : [{ do: "add-finalizer", why: "there will be something to clean up" }];
  const taint = electTaint(snapshot, target?.name);
  const strays = decision.do === "nothing" ? strayTaints(snapshot, [target?.name ?? holder?.name]) : [];
  return [...armed, ...backup(snapshot), ...taint, ...actionsOf(snapshot, decision), ...strays];
}

function backup({ routed }: JobSnapshot): readonly JobAction[] {
  const { created, routedIP } = routed.status;
  if (created !== true || routedIP === undefined) return [];
  const value = canonicalIp(routedIP);
  if (annotatedIps(routed).join() === value) return [];
  return [{ do: "annotate", value, why: "a copy of the created address, should the status get lost" }];
}

function actionsOf(snapshot: JobSnapshot, decision: JobDecision): readonly JobAction[] {
  switch (decision.do) {
    case "nothing":
    case "wait":
      return [];
    case "create":
      return creation(snapshot, decision);
    case "take":
      return [
        { do: "record", change: taken(snapshot, decision), why: "the Job has done it" },
        { do: "remove-job", job: decision.job, why: "it has ended well, and its result is on record" },
      ];
    case "give-up":
      return [
        {
          do: "remove-job",
          job: decision.job,
          failure: { problem: decision.problem },
          why: "its result is unknown",
        },
      ];
    case "retry": {
      const { job, problem, retry, created } = decision;
      const change: Change = {
        pendingCreation: undefined,
        ...(created === undefined ? {} : { routedIP: created, created: true }),
      };
      const why = "it failed";
      return [
        { do: "record", change, why },
        { do: "remove-job", job, failure: { problem, retry }, why },
      ];
    }
  }
}

/** The intent first: should the Job and its words get lost, nothing is created a second time. */
function creation(
  { now }: JobSnapshot,
  { variables, attempt }: Extract<JobDecision, { readonly do: "create" }>,
): readonly JobAction[] {
  const why = `the address should be on ${variables["NODE_NAME"]}`;
  const create: JobAction = { do: "create-job", variables, attempt, why };
  if (variables["ROUTED_IP"] !== "") return [create];
  const intent = { startedAt: timestamp(now), provider: "jobs", family: "IPv4" as const };
  return [{ do: "record", change: { pendingCreation: intent }, why }, create];
}

function taken(
  { routed, now }: JobSnapshot,
  { variables, created }: Extract<JobDecision, { readonly do: "take" }>,
): Change {
  const { generation } = routed.metadata;
  const moved = routed.status.providerID !== variables["NODE_PROVIDER_ID"];
  return {
    // The report is about the previous node: after a crash, a successor would attribute it to this one.
    ...(moved ? { conditions: stamped([unknown("FirewallReady")], { now, generation }) } : {}),
    routedIP: created ?? variables["ROUTED_IP"],
    ...(created === undefined ? {} : { created: true }),
    pendingCreation: undefined,
    assignedNode: variables["NODE_NAME"],
    providerID: variables["NODE_PROVIDER_ID"],
    state: "active",
    since: timestamp(now),
    graceSince: undefined,
    error: undefined,
    reason: undefined,
    retryAt: undefined,
  };
}

/** One firewall Job without its rules; the address stays. A Job of its own that still runs is let finish. */
function deletionChain(snapshot: JobSnapshot, decision: JobDecision): readonly JobAction[] {
  const { routed, now, cleanup } = snapshot;
  if (!hasFinalizer(routed)) return [];
  const strays = strayTaints(snapshot, []);
  const overdue = isCleanupOverdue(routed.metadata, now, cleanup);
  const busy = decision.do !== "nothing" || snapshot.firewall !== "done" || strays.length > 0;
  if (busy && !overdue) return [...strays, ...actionsOf(snapshot, decision)];
  const why = overdue ? "the deadline of the clean-up has passed" : "all is cleaned up";
  const ip = addressOf(routed);
  const kept = ip === undefined ? [] : [`address ${ip}, which a class with Jobs never releases`];
  const abandonedItems = snapshot.firewall === "done" ? [] : ["its rules in the firewall of the class"];
  return [{ do: "remove-finalizer", kept, abandonedItems, why }];
}

function requeue({ grace }: Election, decision: JobDecision): { readonly requeueAt?: number } {
  const times = [
    grace?.state === "protected" ? grace.until : undefined,
    decision.do === "wait" ? decision.until : undefined,
  ];
  const ahead = times.filter((time) => time !== undefined);
  return ahead.length === 0 ? {} : { requeueAt: Math.min(...ahead) };
}
