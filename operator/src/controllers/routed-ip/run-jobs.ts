/** One run of a RoutedIP whose class works by Jobs: look, decide, act, tell. */

import { Annotation, Finalizer, GROUP_VERSION } from "cdk8s-flipop/api";
import { finalizerPatch, ownAnnotationPatch, statusPatch } from "../../kube/patch.js";
import type { ProviderId } from "../../providers/types.js";
import type { Run } from "../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { jobNamespaceOf } from "../cluster-routed-ip-class/class-plan.js";
import type { FirewallJobs } from "../cluster-routed-ip-class/firewall-jobs.js";
import { inputOf } from "../cluster-routed-ip-class/job.js";
import { type JobDesk, jobSpecOf } from "../cluster-routed-ip-class/job-desk.js";
import { conditionSamples } from "../condition-metrics.js";
import { stamped } from "../planned-condition.js";
import type { Problem } from "../problem.js";
import { leftBehind, normal, type Telling, warning } from "../telling.js";
import { CRD_PROBE_MS } from "../times.js";
import { hasFinalizer, isDeleting } from "./deletion.js";
import { nodesOf, problemOfService, servedBy } from "./gather.js";
import { given } from "./given.js";
import { CRD_TOO_OLD } from "./job-conditions.js";
import { type Change, type JobAction, type JobPlan, type JobSnapshot, planJobs } from "./job-plan.js";
import type { PortsFound } from "./ports.js";
import { type RoutedObject, type RoutedRead, readRouted } from "./resource.js";
import type { Routing } from "./routing.js";
import { setTaints } from "./set-taints.js";
import type { RoutedIP } from "./snapshot.js";
import { classTerms, type JobTerms, termsOf } from "./terms.js";
import { KIND, type RoutedUnit } from "./unit.js";

const ROUNDS = 6;

export interface JobTools {
  readonly routing: Routing;
  readonly desk: JobDesk;
  readonly firewalls: FirewallJobs;
  /** By uid of the RoutedIP: the machine that a Job is bringing its address to. No status says so yet. */
  readonly aims: Map<string, ProviderId>;
}

export async function runJobs(tools: JobTools, unit: RoutedUnit, run: Run): Promise<Result> {
  for (let round = 0; round < ROUNDS; round++) {
    const read = unit.read();
    if (read === undefined) return done;
    const snapshot = snapshotOf(tools, unit, read);
    if (round === 0) {
      noteCleanup(unit, snapshot);
      if (await lookForWarning(tools, snapshot)) continue;
    }
    const plan = planJobs(snapshot);
    noteAim(tools, unit, snapshot, plan);
    noteTaint(tools, unit, snapshot, plan);
    const acted = await carryOut(tools, unit, snapshot, { plan, run });
    if (acted && plan.chain.some((action) => action.do === "remove-finalizer")) return done;
    if (acted) continue;
    await tell(tools, unit, snapshot, plan);
    const { lookAgainAt } = plan;
    return lookAgainAt === undefined ? done : requeueAfter(Math.max(0, lookAgainAt - snapshot.now));
  }
  return requeueAfter(0);
}

function noteTaint({ routing }: JobTools, { ref }: RoutedUnit, snapshot: JobSnapshot, plan: JobPlan): void {
  const { cachesComplete, terms } = snapshot;
  if (cachesComplete && terms !== undefined) routing.taints.need(ref.uid, terms.taint, plan.nodes);
}

/** @returns whether the server has been asked why there is no pod. */
async function lookForWarning({ desk }: JobTools, { job }: JobSnapshot): Promise<boolean> {
  if (job?.state.is !== "stuck") return false;
  await desk.lookForWarning(job.object);
  return true;
}

function snapshotOf(tools: JobTools, unit: RoutedUnit, { routed, problem }: RoutedRead): JobSnapshot {
  const { routing, desk, firewalls } = tools;
  const { context } = routing;
  const found = termsOf(routed, routing.lookUp);
  const terms = found.terms?.by === "jobs" ? found.terms : undefined;
  const verdict = terms === undefined ? undefined : verdictOnClass(routing, terms);
  const unserved = problem ?? found.problem ?? problemOfService(routing, unit) ?? problemIn(verdict);
  const { ports, cachesComplete } = servedBy(routing, unit, { routed, problem: unserved });
  return {
    routed,
    now: context.clock.now(),
    cachesComplete: cachesComplete && verdict !== "unknown" && desk.parts.every((part) => part.hasSynced()),
    ...given({ terms, problem: unserved, job: desk.find(unit.ref.uid, "assign"), retry: unit.addressRetry }),
    claims: context.claims.view(unit.ref.uid),
    ...nodesOf(unit),
    ports,
    taints: routing.taints.view(unit.ref.uid),
    load: (machine) => loadOf(tools, unit, machine),
    firewall: firewallState(routing, firewalls, withPorts(routed, ports)),
    crdTooOld: context.clock.monotonic() - unit.droppedAt < CRD_PROBE_MS,
    cleanup: unit.cleanup,
  };
}

/** Of a class that is gone nobody can say. Of this RoutedIP the newest version counts: the cache may lag behind it. */
function firewallState(routing: Routing, firewalls: FirewallJobs, routed: RoutedIP): JobSnapshot["firewall"] {
  const { className = "" } = routed.spec;
  const found = routing.lookUp.class(className);
  if (found === undefined) return "pending";
  const isOwn = ({ metadata }: RoutedIP) => metadata.uid === routed.metadata.uid;
  const members = membersOf(routing, className).map((member) => (isOwn(member) ? routed : member));
  return firewalls.of(className, members, classTerms(found.spec));
}

/** As its status will say. */
function withPorts(routed: RoutedIP, { ports }: PortsFound): RoutedIP {
  return ports.length === 0 ? routed : { ...routed, status: { ...routed.status, ports } };
}

type Verdict = Problem | "unknown" | undefined;

function problemIn(verdict: Verdict): Problem | undefined {
  return verdict === "unknown" ? undefined : verdict;
}

/** What the class, as it is now, says is in the way, such as a Job that the server refuses. `unknown`: not tried yet. */
function verdictOnClass(routing: Routing, { className }: JobTerms): Verdict {
  const { metadata, status } = routing.lookUp.class(className) ?? {};
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.observedGeneration !== metadata?.generation) return "unknown";
  if (ready.status === "True") return undefined;
  if (ready.status === "Unknown") return "unknown";
  return { reason: "JobRefused", message: `ClusterRoutedIPClass ${className}: ${ready.message}` };
}

/** Without a pause after the election, so that no two elect the same machine at once. */
function noteAim({ aims }: JobTools, { ref: { uid } }: RoutedUnit, { job }: JobSnapshot, { chain }: JobPlan): void {
  const created = chain.find((action) => action.do === "create-job");
  const variables = created?.variables ?? (job && inputOf(job.object));
  const machine = variables?.["NODE_PROVIDER_ID"];
  if (machine === undefined) aims.delete(uid);
  else aims.set(uid, machine);
}

/** By the statuses of other RoutedIPs, by where their Jobs are bringing them, and by what pools have put there. */
function loadOf({ routing, aims }: JobTools, unit: RoutedUnit, machine: ProviderId): number {
  let load = 0;
  for (const { metadata, status } of routing.routed.list()) {
    if (metadata.uid === unit.ref.uid) continue;
    if (status?.providerID === machine || aims.get(metadata.uid) === machine) load += 1;
  }
  const node = routing.context.nodes.ofMachine(machine);
  return load + (node?.annotations["flipop.digitalocean.com/ipv4-reserved-ip"] === undefined ? 0 : 1);
}

/** Each run is one attempt to clean up. */
function noteCleanup(unit: RoutedUnit, { routed, now }: JobSnapshot): void {
  if (!isDeleting(routed) || !hasFinalizer(routed)) return;
  const { attempts, since = now } = unit.cleanup;
  unit.cleanup = { attempts: attempts + 1, since };
}

interface Work {
  readonly plan: JobPlan;
  readonly run: Run;
}

/** @returns whether anything was done. */
async function carryOut(
  tools: JobTools,
  unit: RoutedUnit,
  snapshot: JobSnapshot,
  { plan, run }: Work,
): Promise<boolean> {
  let acted = false;
  for (const action of plan.chain) {
    if (run.signal.aborted || unit.signal.aborted) return false;
    if (!(await perform(tools, unit, snapshot, action))) break;
    run.logger.info({ action: action.do, why: action.why }, "action");
    acted = true;
  }
  return acted;
}

async function perform(tools: JobTools, unit: RoutedUnit, snapshot: JobSnapshot, action: JobAction): Promise<boolean> {
  const { routing, desk } = tools;
  switch (action.do) {
    case "set-taints":
      return (await setTaints(routing, action)).is === "done";
    case "add-finalizer":
      await unit.writer.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, true) });
      return true;
    case "remove-finalizer":
      await unit.writer.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, false) });
      tellLeftBehind(tools, unit, action);
      return true;
    case "annotate": {
      const change = { [Annotation.createdIps]: action.value };
      await unit.writer.write({ patch: (object) => ownAnnotationPatch(object, change) });
      return true;
    }
    case "record":
      return record(tools, unit, action.change);
    case "create-job":
      await createJob(tools, unit, snapshot, action);
      return false;
    case "remove-job":
      await desk.remove(action.job);
      endJob(tools, unit, action);
      return false;
  }
}

/** @returns whether it is on record: an older CRD drops the intent of a creation, and then nothing is created. */
async function record(tools: JobTools, unit: RoutedUnit, change: Change): Promise<boolean> {
  const patch = (object: RoutedObject) => statusPatch(object, { ...change });
  const { status } = await unit.writer.write({ patch, subresource: "status", fact: true });
  if (change.pendingCreation?.startedAt === status?.pendingCreation?.startedAt) return true;
  if (change.pendingCreation === undefined) return true;
  unit.droppedAt = tools.routing.context.clock.monotonic();
  event(tools, unit, warning(CRD_TOO_OLD.reason, "Assign", CRD_TOO_OLD.message));
  return false;
}

function tellLeftBehind(
  tools: JobTools,
  unit: RoutedUnit,
  { kept, givenUp, why }: Extract<JobAction, { readonly do: "remove-finalizer" }>,
): void {
  const telling = leftBehind([...kept, ...givenUp], why);
  if (telling !== undefined) event(tools, unit, telling);
  if (givenUp.length === 0) return;
  const { metrics, logger } = tools.routing.context;
  metrics.leftBehind.inc({ kind: KIND, namespace: unit.ref.namespace }, givenUp.length);
  logger.error({ routedIP: unit.key, leftBehind: givenUp }, "clean-up given up; remove by hand what is left behind");
}

async function createJob(
  { routing, desk }: JobTools,
  unit: RoutedUnit,
  { terms }: JobSnapshot,
  { variables, attempt }: Extract<JobAction, { readonly do: "create-job" }>,
): Promise<void> {
  const found = routing.lookUp.class(terms?.className ?? "");
  if (found === undefined) return;
  await desk.create({
    purpose: "assign",
    uid: unit.ref.uid,
    owner: { name: found.metadata.name, uid: found.metadata.uid },
    namespace: jobNamespaceOf(found.spec, desk),
    spec: jobSpecOf(found.spec, "assign"),
    variables,
    secrets: (found.spec.fromSecretsRef ?? []).map(({ name }) => name),
    attempt,
  });
}

function endJob(
  tools: JobTools,
  unit: RoutedUnit,
  { failure }: Extract<JobAction, { readonly do: "remove-job" }>,
): void {
  unit.addressRetry = failure?.retry;
  if (failure === undefined) {
    event(tools, unit, normal("Assigned", "Assign", "a Job of the class has moved the address"));
    return;
  }
  event(tools, unit, warning(failure.problem.reason, "Assign", failure.problem.message));
}

async function tell(
  { routing: { context } }: JobTools,
  unit: RoutedUnit,
  { routed, now }: JobSnapshot,
  { status, conditions }: JobPlan,
): Promise<void> {
  const { kind, namespace, name } = unit.ref;
  unit.series.show(conditionSamples(context.metrics, { kind, namespace, name }, conditions));
  if (!context.leads()) return;
  const { generation } = routed.metadata;
  const wish = {
    ...status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: stamped(conditions, { now, generation }),
  };
  await unit.writer.write({ patch: (object) => statusPatch(object, wish), subresource: "status" });
}

function event(
  { routing: { context } }: JobTools,
  { ref: { namespace, name, uid } }: RoutedUnit,
  telling: Telling,
): void {
  context.events.record({ regarding: { apiVersion: GROUP_VERSION, kind: KIND, namespace, name, uid }, ...telling });
}

/** The RoutedIPs of a class, as read. */
export function membersOf(routing: Routing, className: string) {
  return [...routing.routed.list()]
    .map((object) => readRouted(object).routed)
    .filter(({ spec }) => spec.className === className);
}
