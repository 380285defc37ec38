/** ClusterRoutedIPClasses: each says whether it can work, and stays as long as a RoutedIP uses it. */

import { clusterRoutedIPClassKind } from "cdk8s-flipop/api";
import { DONE, type Outcome } from "../../addresses/call-outcomes.js";
import { assignVariables, firewallVariables, type JobOrder } from "../../jobs/job.js";
import { deadlineOf, jobSpecOf } from "../../jobs/job-service.js";
import { conditionEvent } from "../../messages/events.js";
import { conditionEvents } from "../../reconcile/conditions.js";
import type { ActionTable, Kind, SequenceEvents } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import { clusterSource } from "../../reconcile/resource-source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { inUsePatch } from "../../routing/in-use.js";
import { type ClassObject, type ClassRead, nameOfClass, readClass } from "../../routing/read-resources.js";
import { classRules } from "../../routing/resolved-class.js";
import { type ClassJobs, type ClassTools, gather, prepare, type Snapshot } from "./gather.js";
import { type Action, isReportedByOthers, type Plan, plan } from "./plan.js";

export function createClassController(tools: ClassTools): KindController<RoutedClass> {
  return new KindController(tools.routing.context, kindOf(tools));
}

function kindOf(tools: ClassTools): Kind<RoutedClass> {
  const { routing, jobs } = tools;
  return {
    names: {
      kind: "ClusterRoutedIPClass",
      plural: "clusterroutedipclasses",
      controller: "cluster-routed-ip-class",
      finalizer: routing.inUseFinalizers.own,
    },
    readyWhen: clusterRoutedIPClassKind.readyWhen,
    source: clusterSource(routing.classes, routing.classWriters),
    read: readObject,
    remember: () => ({ firewall: undefined }),
    forget: ({ key }) => jobs?.firewalls.drop(key),
    prepare: (state) => prepare(tools, state),
    gather: (_state, read) => gather(tools, read),
    plan,
    register: (state, snapshot, made) => registerDecision(tools, state, snapshot, made),
    actions: actions(tools),
    status: (snapshot, { retryAt }) => (isReportedByOthers(snapshot) ? undefined : { retryAt }),
    events: (_snapshot, _plan, result) => eventsOf(result),
    statusEvents: conditionEvents,
    workers: 1,
  };
}

function readObject(object: ClassObject) {
  const read = readClass(object);
  if (read === undefined) throw new Error("a ClusterRoutedIPClass that is there could not be read");
  return read;
}

/** RoutedIPs of the class run again when the state of its firewall has changed. */
function registerDecision(
  { routing, jobs, onFirewall }: ClassTools,
  { memory }: ResourceState<RoutedClass>,
  { metadata, spec }: Snapshot,
  { firewall }: Plan,
): void {
  if (jobs === undefined || firewall === undefined) return;
  if (firewall.do === "wait" && firewall.problem !== undefined) jobs.firewalls.failed(metadata.name, firewall.problem);
  const before = memory.firewall;
  const members = routing.membersOf(nameOfClass({ metadata, spec }));
  memory.firewall = jobs.firewalls.versionOf(metadata.name, members, classRules(spec));
  if (before !== undefined && before !== memory.firewall) onFirewall();
}

/** A failed Job is reported, whether or not it could be deleted. */
function eventsOf({ results }: SequenceResult<Action>): SequenceEvents {
  const failures = results.filter(({ outcome }) => outcome.is !== "skipped");
  return {
    now: failures.flatMap(({ action }) => {
      return action.do === "record-failure" ? conditionEvent(action.problem, "ChangeFirewall") : [];
    }),
  };
}

/** The types of this kind, for the engine. */
export interface RoutedClass {
  readonly object: ClassObject;
  readonly resource: ClassRead;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
  /** `firewall`: the state of the firewall as RoutedIPs heard of it last. */
  readonly memory: { firewall: string | undefined };
}

function actions({ jobs }: ClassTools): ActionTable<RoutedClass> {
  return {
    "add-finalizer": ({ state, snapshot }) => setFinalizer(state, snapshot, true),
    "remove-finalizer": ({ state, snapshot }) => setFinalizer(state, snapshot, false),
    "try-jobs": async ({ snapshot }, { namespace }) => {
      await jobsOf(jobs).jobService.dryRuns.tryOut(
        snapshot.metadata.name,
        snapshot.spec,
        dryRunOrders(snapshot, namespace),
      );
      return DONE;
    },
    "create-job": async ({ snapshot }, { namespace, variables, attempt }) => {
      const { jobService, firewalls } = jobsOf(jobs);
      firewalls.started(snapshot.metadata.name, variables);
      await jobService.create(orderOf(snapshot, { purpose: "firewall", namespace, variables, attempt }));
      return DONE;
    },
    "take-result": async ({ snapshot }, { job, variables }) => {
      const { jobService, firewalls } = jobsOf(jobs);
      firewalls.succeeded(snapshot.metadata.name, variables);
      await jobService.remove(job);
      return DONE;
    },
    "record-failure": async ({ snapshot }, { job, problem, retry }) => {
      const { jobService, firewalls } = jobsOf(jobs);
      firewalls.failed(snapshot.metadata.name, problem, retry);
      await jobService.remove(job);
      return DONE;
    },
  };
}

async function setFinalizer(
  state: ResourceState<RoutedClass>,
  { finalizers }: Snapshot,
  present: boolean,
): Promise<Outcome> {
  await state.write({ patch: (seen) => inUsePatch(seen, finalizers, present) });
  return DONE;
}

/** A plan asks for Jobs only where the feature is on. */
function jobsOf(jobs: ClassJobs | undefined): ClassJobs {
  if (jobs === undefined) throw new Error("a plan asks for a Job, and the operator runs without feature jobs");
  return jobs;
}

function dryRunOrders(snapshot: Snapshot, namespace: string): readonly JobOrder[] {
  const node = { name: "", providerID: "" };
  const assign = assignVariables({ namespace: "", name: "", node, region: "" });
  const first = orderOf(snapshot, { purpose: "assign", namespace, variables: assign, attempt: 0 });
  if (snapshot.spec.updateFirewall === undefined) return [first];
  return [first, orderOf(snapshot, { purpose: "firewall", namespace, variables: firewallVariables([]), attempt: 0 })];
}

function orderOf(
  { metadata: { name, uid }, spec }: Pick<Snapshot, "metadata" | "spec">,
  order: Pick<JobOrder, "purpose" | "namespace" | "variables" | "attempt">,
): JobOrder {
  const secrets = (spec.fromSecretsRef ?? []).map((secret) => secret.name);
  return { ...order, uid, owner: { name, uid }, spec: jobSpecOf(spec, order.purpose), secrets, ...deadlineOf(spec) };
}
