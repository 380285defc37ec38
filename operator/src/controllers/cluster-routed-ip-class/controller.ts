/** ClusterRoutedIPClasses: says whether each can work, and keeps it as long as somebody uses it. */

import { Finalizer } from "cdk8s-flipop/api";
import { CONFLICT_MS, JOB_TRIAL_MS } from "../../bounds.js";
import type { ObjectMeta } from "../../kube/objects.js";
import { finalizerPatch, statusPatch } from "../../kube/patch.js";
import { OwnSeries } from "../../metrics/series.js";
import { Controller } from "../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { conditionSamples } from "../condition-metrics.js";
import { given } from "../given.js";
import type { JobOrder } from "../jobs/job.js";
import type { JobDecision } from "../jobs/job-decision.js";
import { type FoundJob, type JobDesk, jobSpecOf } from "../jobs/job-desk.js";
import { jobNamespaceOf } from "../jobs/job-place.js";
import { assignVariables, firewallVariables } from "../jobs/variables.js";
import { conditionsWish, turnedBad } from "../planned-condition.js";
import type { Problem } from "../problem.js";
import type { FirewallJobs } from "../routed-ip/jobs/firewall-jobs.js";
import type { ClassRead } from "../routed-ip/resource.js";
import type { Routing } from "../routed-ip/routing.js";
import { classTerms } from "../routed-ip/terms.js";
import { resultOfError } from "../run-failure.js";
import { regardingOf } from "../telling.js";
import { type ClassPlan, type ClassSnapshot, isByJobs, planClass } from "./class-plan.js";

const NAME = "cluster-routed-ip-class";
const KIND = "ClusterRoutedIPClass";

export class ClassController {
  readonly controller: Controller;
  private readonly series = new Map<string, OwnSeries>();
  private readonly ends: readonly (() => void)[];

  /**
   * @param jobs absent: the operator runs without feature jobs.
   * @param onFirewall the firewall of a class is in step now, or cannot be brought there.
   */
  constructor(
    private readonly routing: Routing,
    private readonly jobs: ClassJobs | undefined,
    private readonly onFirewall: () => void,
  ) {
    const { clock, random, logger, runtime, settings } = routing.context;
    this.controller = new Controller({
      ...{ name: NAME, clock, random, logger, workers: 1, resyncMs: settings.resyncMs },
      reconcile: (key) => this.reconcile(key),
      keys: () => this.keys(),
      metrics: { queue: runtime.queue, controller: runtime.controller },
    });
    this.ends = [
      routing.classes.store.listen(({ type, object: { name } }) => {
        if (type !== "deleted") this.controller.add(name);
        else {
          this.series.get(name)?.clear();
          this.series.delete(name);
          this.jobs?.firewalls.drop(name);
        }
      }),
    ];
  }

  /** An issuer or a RoutedIP has changed. */
  lookAgain(): void {
    for (const name of this.keys()) this.controller.add(name);
  }

  close(): Promise<void> {
    for (const end of this.ends) end();
    return Promise.resolve();
  }

  private *keys(): Iterable<string> {
    for (const { name } of this.routing.classes.store.list()) yield name;
  }

  private async reconcile(name: string): Promise<Result> {
    const read = this.routing.lookUp.class(name);
    if (read === undefined) return done;
    try {
      const made = planClass(this.snapshotOf(name, read));
      await this.tell(read, made);
      await this.act(name, made);
      if (made.dryRunIn !== undefined && (await this.tryOut(read, made.dryRunIn))) return requeueAfter(0);
      return await this.bringFirewall(read, made);
    } catch (error) {
      return resultOfError(error);
    }
  }

  private snapshotOf(name: string, { metadata, spec, status, problem }: ClassRead): ClassSnapshot {
    const { context, lookUp, settings } = this.routing;
    const { issuerRef } = spec;
    return {
      now: context.clock.now(),
      ...given({ retryAt: status.retryAt }),
      metadata,
      spec,
      ...(problem === undefined ? {} : { problem }),
      cachesComplete: context.leads() && this.routing.synced,
      users: this.routing.usersOfClass(name),
      ...(issuerRef === undefined
        ? {}
        : { issuerFound: lookUp.issuer(`${issuerRef.namespace}/${issuerRef.name}`) !== undefined }),
      jobs: {
        enabled: this.jobs !== undefined,
        namespaces: settings.jobNamespaces,
        ...(this.jobs?.desk.trialOf(name, spec) ?? { dryRun: "untried", accounts: new Map(), due: false }),
      },
    };
  }

  private async tell({ metadata, status }: ClassRead, { conditions, retryAt }: ClassPlan): Promise<void> {
    const { clock, metrics, leads } = this.routing.context;
    const { name } = metadata;
    const series = this.series.get(name) ?? new OwnSeries();
    this.series.set(name, series);
    series.show(conditionSamples(metrics, { kind: KIND, namespace: "", name }, conditions));
    if (!leads()) return;
    const wish = { ...conditionsWish(metadata, conditions, clock.now()), retryAt };
    const writer = this.routing.classWriters.of(name);
    await writer.write({ patch: (seen) => statusPatch(seen, wish), subresource: "status" });
    for (const problem of turnedBad(status.conditions, conditions)) this.event({ metadata, problem, action: "Check" });
  }

  private async act(name: string, { action }: ClassPlan): Promise<void> {
    if (action === undefined) return;
    const present = action.do === "add-finalizer";
    await this.routing.classWriters.of(name).write({ patch: (seen) => finalizerPatch(seen, Finalizer.inUse, present) });
  }

  /** @returns whether the server has answered. */
  private async tryOut({ metadata, spec }: ClassRead, namespace: string): Promise<boolean> {
    const { jobs } = this;
    if (jobs === undefined || !this.routing.context.leads()) return false;
    const assign = assignVariables({ namespace: "", name: "", node: { name: "", providerID: "" }, region: "" });
    const orders = [
      orderOf({ metadata, spec }, { purpose: "assign", namespace, variables: assign, attempt: 0 }),
      orderOf({ metadata, spec }, { purpose: "firewall", namespace, variables: firewallVariables([]), attempt: 0 }),
    ];
    await jobs.desk.tryOut(metadata.name, spec, orders);
    return true;
  }

  /** One firewall Job at a time, with the full set of the class. */
  private async bringFirewall(read: ClassRead, { conditions }: ClassPlan): Promise<Result> {
    const { jobs, routing } = this;
    const fit = isByJobs(read.spec) && conditions.every(({ status }) => status === "True");
    if (jobs === undefined || !routing.context.leads() || !routing.synced) return done;
    if (!fit) return isByJobs(read.spec) ? requeueAfter(JOB_TRIAL_MS) : done;
    const { name, uid } = read.metadata;
    const job = await findAndAsk(jobs.desk, uid);
    const terms = classTerms(read.spec);
    const members = routing.membersOf(name);
    const look = () => JSON.stringify(jobs.firewalls.of(name, members, terms));
    const before = look();
    const now = routing.context.clock.now();
    const decision = jobs.firewalls.decide(name, members, { terms, now, ...given({ job }) });
    await this.carryOut(jobs, read, decision);
    if (look() !== before) this.onFirewall();
    return resultOf(decision, now);
  }

  private async carryOut(jobs: ClassJobs, { metadata, spec }: ClassRead, decision: JobDecision): Promise<void> {
    const { name } = metadata;
    switch (decision.do) {
      case "create": {
        const namespace = jobNamespaceOf(spec, jobs.desk);
        const { variables, attempt } = decision;
        jobs.firewalls.started(name);
        return jobs.desk.create(orderOf({ metadata, spec }, { purpose: "firewall", namespace, variables, attempt }));
      }
      case "take":
        jobs.firewalls.succeeded(name, decision.variables);
        return jobs.desk.remove(decision.job);
      case "retry":
      case "give-up":
        jobs.firewalls.failed(name, decision.problem, "retry" in decision ? decision.retry : undefined);
        this.event({ metadata, problem: decision.problem, action: "ChangeFirewall" });
        return jobs.desk.remove(decision.job);
      case "wait":
        if (decision.problem !== undefined) jobs.firewalls.failed(name, decision.problem);
        return;
      case "nothing":
        return;
    }
  }

  private event({ metadata: { name, uid }, problem, action }: Telling): void {
    const regarding = regardingOf({ kind: KIND, name, uid });
    const { reason, message: note } = problem;
    this.routing.context.events.record({ regarding, type: "Warning", reason, action, note });
  }
}

/** With what only the server can say about it. */
async function findAndAsk(desk: JobDesk, uid: string): Promise<FoundJob | undefined> {
  const job = desk.find(uid, "firewall");
  return job !== undefined && (await desk.ask(job)) ? desk.find(uid, "firewall") : job;
}

interface Telling {
  readonly metadata: ObjectMeta;
  readonly problem: Problem;
  readonly action: "Check" | "ChangeFirewall";
}

function resultOf(decision: JobDecision, now: number): Result {
  if (decision.do === "wait") return requeueAfter(Math.max(0, decision.until - now));
  return decision.do === "nothing" || decision.do === "create" ? done : requeueAfter(CONFLICT_MS);
}

/** What a class with Jobs works with. */
export interface ClassJobs {
  readonly desk: JobDesk;
  readonly firewalls: FirewallJobs;
}

function orderOf(
  { metadata: { name, uid }, spec }: Pick<ClassRead, "metadata" | "spec">,
  order: Pick<JobOrder, "purpose" | "namespace" | "variables" | "attempt">,
): JobOrder {
  const secrets = (spec.fromSecretsRef ?? []).map((secret) => secret.name);
  return { ...order, uid, owner: { name, uid }, spec: jobSpecOf(spec, order.purpose), secrets };
}
