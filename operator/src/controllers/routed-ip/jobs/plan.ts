/** The decision about a RoutedIP whose class works by Jobs: elect, then one Job at a time. Pure. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { MarkAction } from "../../../addresses/actions.js";
import { annotatedIps } from "../../../addresses/desired-addresses.js";
import { markChainsFor, markRemovals, markTraces } from "../../../addresses/marks/mark-plan.js";
import { assignVariables, type JobNode, type JobVariables } from "../../../jobs/job.js";
import { decideJob, type JobDecision, type JobObject, type JobSituation } from "../../../jobs/job-decision.js";
import type { NodeFacts } from "../../../match/node-facts.js";
import { WHYS } from "../../../messages/action-reasons.js";
import type { Problem } from "../../../messages/message.js";
import type { ProviderId } from "../../../providers/types.js";
import type { PublishedAddresses } from "../../../publishing/publications.js";
import type { PlannedCondition } from "../../../reconcile/conditions.js";
import type { Deletion } from "../../../reconcile/plan.js";
import { isCleanupOverdue } from "../../../reconcile/retries.js";
import type { RecordChain } from "../../../records/record-actions.js";
import type { RoutedIP } from "../../../routing/read-resources.js";
import { omitUndefined } from "../../../values.js";
import { retaining } from "../address/address-set.js";
import { hasFinalizer, isDeleting, retainingRecords } from "../deletion.js";
import { electTaint, heldTaint, strayTaints } from "../node-election.js";
import { refusedMarkOfJobs } from "../refused-marks.js";
import { behindFirewall, creation, type JobAction, taken } from "./actions.js";
import { conflictOf, createdBy, type Election, elect, rejected, rejectionOf } from "./node-election.js";
import { publishedOf, recordsLeft, recordsOf, recordTimes } from "./records.js";
import { addressOf, type Change, type JobSnapshot } from "./snapshot.js";
import { conditionsOf, statusOf } from "./status.js";

export interface JobPlan {
  /** One after the other, as long as each is done. */
  readonly chain: readonly JobAction[];
  /** Beside the chain: DNS waits for no Job, and no Job for DNS. */
  readonly records: RecordChain;
  /** Beside the chain, too. */
  readonly marks: readonly (readonly MarkAction[])[];
  readonly status: Change;
  /** The address for the objects of `publishTo`. Absent: these stay as they are. */
  readonly publication?: PublishedAddresses;
  readonly conditions: readonly PlannedCondition[];
  readonly deletion?: Deletion;
  /** The node that should hold the address. */
  readonly elected?: JobNode;
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
  const decision = snapshot.crdTooOld && isCreation(wanted) ? NOTHING : behindFirewall(snapshot, wanted);
  const lost = isLost(snapshot);
  const published = publishedOf(snapshot, election, conflict);
  const status = statusOf(snapshot, election, { decision, conflict });
  const publication = isAble(snapshot) ? publicationOf(snapshot, published, status) : undefined;
  const chain = jobChain(snapshot, election, { decision, able, lost });
  const marks = marksOf(snapshot, conflict === undefined);
  const refusedMark = refusedMarkOfJobs(snapshot, chain, marks);
  return {
    ...{ chain, marks, status },
    records: recordsOf(snapshot, { published, able }),
    conditions: conditionsOf(snapshot, election, { decision, conflict, lost, published, publication, refusedMark }),
    ...omitUndefined({ publication, deletion: deletionOf(snapshot, decision) }),
    ...omitUndefined({ elected: able && mayCreate(snapshot) ? nodeOf(election.target) : undefined }),
    nodes: isDeleting(snapshot.routed) ? [] : [election.holder, election.target].flatMap((node) => node?.name ?? []),
    ...requeue(snapshot, election, decision),
    settled: able && isAtRest(election, decision),
  };
}

/** While a Job moves the address, it stays where it is shown. */
function publicationOf({ routed }: JobSnapshot, active: readonly string[], { state }: Change): PublishedAddresses {
  const ip = addressOf(routed);
  return { active, kept: state === "in-progress" && ip !== undefined && !active.includes(ip) ? [ip] : [] };
}

function jobChain(
  snapshot: JobSnapshot,
  election: Election,
  { decision, able, lost }: { readonly decision: JobDecision; readonly able: boolean; readonly lost: boolean },
): readonly JobAction[] {
  if (isDeleting(snapshot.routed)) return deletionChain(snapshot, decision);
  return able ? chainOf(snapshot, election, lost ? NOTHING : decision) : [];
}

function isAtRest({ target }: Election, decision: JobDecision): boolean {
  return target !== undefined && decision.do === "nothing";
}

const NOTHING: JobDecision = { do: "nothing" };

/** Or needs to create nothing. */
function mayCreate(snapshot: JobSnapshot): boolean {
  return addressOf(snapshot.routed) !== undefined || !(snapshot.crdTooOld || isLost(snapshot));
}

function nodeOf(node: NodeFacts | undefined): JobNode | undefined {
  return node?.machine === undefined ? undefined : { name: node.name, providerID: node.machine };
}

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

/** What a Job should reach; `undefined`: it is so already, no node is a candidate, or a safeguard keeps it where it is. */
function wantedOf({ routed }: JobSnapshot, { target, heldBack }: Election): JobVariables | undefined {
  const { metadata, status } = routed;
  const ip = addressOf(routed);
  if (heldBack !== undefined || target?.machine === undefined || isThere(routed, target.machine)) return undefined;
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
  const { routedIP, providerID, state, attemptedNodes = [] } = routed.status;
  if (routedIP === undefined || providerID !== machine || state !== "active") return false;
  // A Job that failed, or that somebody deleted, may have moved it.
  if (attemptedNodes.some((node) => node.providerID !== machine)) return false;
  return canonicalIp(routedIP) === addressOf(routed);
}

/** By the status, which has no node while a Job may move the address. */
function marksOf(snapshot: JobSnapshot, isOurs: boolean): JobPlan["marks"] {
  const { routed, cachesComplete } = snapshot;
  if (isDeleting(routed)) return cachesComplete && hasFinalizer(routed) ? markRemovals(snapshot) : [];
  if (!isAble(snapshot) || !hasFinalizer(routed)) return [];
  const holder = isOurs ? holderNow(snapshot) : undefined;
  return markChainsFor(snapshot, { names: holder === undefined ? [] : [holder], possible: [], uncertain: false });
}

function holderNow({ routed, verdictOf }: JobSnapshot): string | undefined {
  const { providerID: machine } = routed.status;
  return machine !== undefined && isThere(routed, machine) ? verdictOf(machine)?.node.name : undefined;
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
      : [{ do: "add-finalizer", why: "when the RoutedIP is deleted, the operator undoes what it does for it" }];
  const taint = target === undefined ? heldTaint(snapshot, holder?.name) : electTaint(snapshot, target.name);
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
  const problem = rejectionOf(snapshot, decision);
  if (problem !== undefined && "job" in decision) return rejection(snapshot, decision, problem);
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

function rejection(
  snapshot: JobSnapshot,
  decision: Extract<JobDecision, { readonly job: JobObject }>,
  problem: Problem,
): readonly JobAction[] {
  const why = "another resource has the address that it reported";
  return [
    { do: "record", change: rejected(snapshot, problem, createdBy(decision)), why },
    { do: "remove-job", job: decision.job, failure: { problem }, why },
  ];
}

/** One firewall Job without its rules; the address stays. A Job of its own that still runs is let finish. */
function deletionChain(snapshot: JobSnapshot, decision: JobDecision): readonly JobAction[] {
  const { routed, now, cleanup } = snapshot;
  if (!hasFinalizer(routed)) return [];
  const strays = strayTaints(snapshot, []);
  const overdue = isCleanupOverdue(routed.metadata, now, cleanup);
  const traces = tracesOf(snapshot);
  const busy = decision.do !== "nothing" || snapshot.firewall !== "done" || strays.length + traces.length > 0;
  if (busy && !overdue) return [...strays, ...actionsOf(snapshot, decision)];
  const why = overdue ? WHYS.cleanupLate : WHYS.cleanedUp;
  const ip = addressOf(routed);
  const kept = ip === undefined ? [] : [`address ${ip}, which a class with Jobs never releases`];
  const abandonedItems = [...rulesLeft(snapshot), ...traces];
  const retained = overdue ? [] : [...retaining(routed), ...retainingRecords(routed)];
  return [...retained, { do: "remove-finalizer", kept, abandonedItems, why }];
}

function tracesOf(snapshot: JobSnapshot): readonly string[] {
  return [...recordsLeft(snapshot), ...markTraces(snapshot)];
}

function rulesLeft({ firewall }: JobSnapshot): readonly string[] {
  return firewall === "done" ? [] : ["its rules in the firewall of the class"];
}

function causeOf({ problem, firewall, dns }: JobSnapshot): Problem | undefined {
  return problem ?? (typeof firewall === "object" ? firewall.failure : dns?.failure);
}

/** `undefined`: there is no cleanup. */
function deletionOf(snapshot: JobSnapshot, decision: JobDecision): Deletion | undefined {
  if (!isDeleting(snapshot.routed) || !hasFinalizer(snapshot.routed)) return undefined;
  const taints = strayTaints(snapshot, []).length === 0 ? [] : ["its taints on nodes"];
  const job = decision.do === "nothing" ? [] : ["its Job, once that has ended"];
  const cause = causeOf(snapshot) ?? ("problem" in decision ? decision.problem : undefined);
  return { left: [...job, ...rulesLeft(snapshot), ...tracesOf(snapshot), ...taints], ...omitUndefined({ cause }) };
}

function requeue(
  snapshot: JobSnapshot,
  { grace, heldBack }: Election,
  decision: JobDecision,
): { readonly requeueAt?: number } {
  const times = [
    ...recordTimes(snapshot),
    grace?.state === "protected" ? grace.until : undefined,
    decision.do === "wait" ? decision.until : undefined,
    heldBack?.until,
  ];
  const ahead = times.filter((time) => time !== undefined);
  return ahead.length === 0 ? {} : { requeueAt: Math.min(...ahead) };
}
