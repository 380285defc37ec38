/** What a class asks for, and how it is done. */

import { Finalizer } from "cdk8s-flipop/api";
import { DONE, type Outcome } from "../../addresses/calls/outcomes.js";
import type { JobOrder } from "../../jobs/job.js";
import { jobSpecOf } from "../../jobs/job-service.js";
import { assignVariables, firewallVariables } from "../../jobs/variables.js";
import { finalizerPatch } from "../../kube/write/patch.js";
import type { ActionTable } from "../../reconcile/kind.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import type { ClassObject, ClassRead } from "../../routing/resource.js";
import type { ClassJobs, ClassTools, Snapshot } from "./gather.js";
import type { Action, Plan } from "./plan.js";

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

export function actions({ jobs }: ClassTools): ActionTable<RoutedClass> {
  return {
    "add-finalizer": ({ state }) => setFinalizer(state, true),
    "remove-finalizer": ({ state }) => setFinalizer(state, false),
    "try-jobs": async ({ snapshot }, { namespace }) => {
      await jobsOf(jobs).dnsService.tryOut(snapshot.metadata.name, snapshot.spec, trialOrders(snapshot, namespace));
      return DONE;
    },
    "create-job": async ({ snapshot }, { namespace, variables, attempt }) => {
      const { dnsService, firewalls } = jobsOf(jobs);
      firewalls.started(snapshot.metadata.name);
      await dnsService.create(orderOf(snapshot, { purpose: "firewall", namespace, variables, attempt }));
      return DONE;
    },
    "take-result": async ({ snapshot }, { job, variables }) => {
      const { dnsService, firewalls } = jobsOf(jobs);
      firewalls.succeeded(snapshot.metadata.name, variables);
      await dnsService.remove(job);
      return DONE;
    },
    "record-failure": async ({ snapshot }, { job, problem, retry }) => {
      const { dnsService, firewalls } = jobsOf(jobs);
      firewalls.failed(snapshot.metadata.name, problem, retry);
      await dnsService.remove(job);
      return DONE;
    },
  };
}

async function setFinalizer(state: ResourceState<RoutedClass>, present: boolean): Promise<Outcome> {
  await state.write({ patch: (seen) => finalizerPatch(seen, Finalizer.inUse, present) });
  return DONE;
}

/** A plan asks for Jobs only where the feature is on. */
function jobsOf(jobs: ClassJobs | undefined): ClassJobs {
  if (jobs === undefined) throw new Error("a plan asks for a Job, and the operator runs without feature jobs");
  return jobs;
}

function trialOrders(snapshot: Snapshot, namespace: string): readonly JobOrder[] {
  const assign = assignVariables({ namespace: "", name: "", node: { name: "", providerID: "" }, region: "" });
  return [
    orderOf(snapshot, { purpose: "assign", namespace, variables: assign, attempt: 0 }),
    orderOf(snapshot, { purpose: "firewall", namespace, variables: firewallVariables([]), attempt: 0 }),
  ];
}

function orderOf(
  { metadata: { name, uid }, spec }: Pick<Snapshot, "metadata" | "spec">,
  order: Pick<JobOrder, "purpose" | "namespace" | "variables" | "attempt">,
): JobOrder {
  const secrets = (spec.fromSecretsRef ?? []).map((secret) => secret.name);
  return { ...order, uid, owner: { name, uid }, spec: jobSpecOf(spec, order.purpose), secrets };
}
