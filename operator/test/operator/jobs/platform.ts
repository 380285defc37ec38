/** A platform that only the Jobs of classes can change; with what stands for the Job controller and the kubelet. */

import type { JsonObject } from "cdk8s-flipop/api";
import type { ApiObject } from "flipop-sandbox/kubernetes";
import type { FirewallRuleOrder } from "../../../src/jobs/job.js";
import type { World } from "../world.js";

export const JOB_NAMESPACE = "flipop-jobs";
export const JOB_SPEC = { template: { spec: { containers: [{ name: "job", image: "example.invalid/job" }] } } };

const BATCH = "batch/v1";
const FOR_UID = "flipop.digitalocean.com/for-uid";
const PURPOSE = "flipop.digitalocean.com/purpose";
const INPUT = "flipop.digitalocean.com/input";
/** Of each pod of a Job. */
const JOB_UID = "batch.kubernetes.io/controller-uid";
/** Of the clock: longer than the operator waits between two looks at a Job. */
const RUN_MS = 20_000;

export type JobInput = Readonly<Record<string, string>>;

export class JobPlatform {
  /** That Jobs have created. */
  readonly created: string[] = [];
  /** Rules of the firewall, as the last Job has made them. */
  rules: readonly FirewallRuleOrder[] = [];
  /** What must never be: Jobs of one purpose for one resource at the same time. */
  readonly clashes: string[] = [];
  /** Jobs that have begun, and those of them that assign an address. */
  begun = 0;
  assigning = 0;
  /** What Jobs have done, in order, such as `assign n1` and `open n1 n2`. */
  readonly done: string[] = [];
  /** Why no pod of a Job can start; the kubelet's words. */
  cannotStart: string | undefined;
  /** How a Job ends, by what it is for. `fails late`: after it has done what it is for. */
  outcome: (purpose: string, input: JobInput) => "succeeds" | "fails" | "fails late" = () => "succeeds";
  private readonly holders = new Map<string, string>();
  private readonly running = new Map<string, { readonly cancel: () => void }>();

  constructor(private readonly world: World) {
    world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: JOB_NAMESPACE } });
    world.clock.onStep(() => this.evaluate());
  }

  get jobs(): readonly ApiObject[] {
    return this.world.kubernetes.list(BATCH, "Job");
  }

  /** Provider id of the machine that has the address. */
  holder(ip: string): string | undefined {
    return this.holders.get(ip);
  }

  /** All Jobs that run come to their end now. */
  end(): void {
    this.evaluate();
    for (const job of this.unfinished()) this.finish(job);
  }

  /** All Jobs that run take their whole time again. */
  extend(): void {
    this.evaluate();
    for (const { metadata } of this.unfinished()) this.schedule(metadata.uid);
  }

  private evaluate(): void {
    const unfinished = this.unfinished();
    const lockKeys = unfinished.map(({ metadata: { labels = {} } }) => `${labels[PURPOSE]} ${labels[FOR_UID]}`);
    this.clashes.push(...lockKeys.filter((lockKey, index) => lockKeys.indexOf(lockKey) !== index));
    for (const job of unfinished.filter(({ metadata }) => !this.running.has(metadata.uid))) this.runActions(job);
  }

  private unfinished(): readonly ApiObject[] {
    return this.jobs.filter(({ status }) => (status as { conditions?: unknown } | undefined)?.conditions === undefined);
  }

  private runActions(job: ApiObject): void {
    const { name, uid, labels = {} } = job.metadata;
    this.begun += 1;
    if (orderOf(job).purpose === "assign") this.assigning += 1;
    const ownerReferences = [{ apiVersion: BATCH, kind: "Job", name, uid, controller: true }];
    this.world.kubernetes.create({
      ...podRef(name),
      metadata: { name, namespace: JOB_NAMESPACE, labels: { ...labels, [JOB_UID]: uid }, ownerReferences },
      spec: { nodeName: "of-the-platform", containers: [{ name: "job", image: "example.invalid/job" }] },
    });
    const status = this.cannotStart === undefined ? { phase: "Running" } : waitingFor(this.cannotStart);
    this.world.kubernetes.change(podRef(name), (object) => ({ ...object, status }), "status");
    if (this.cannotStart === undefined) this.schedule(uid);
    else this.running.set(uid, { cancel: () => undefined });
  }

  private schedule(uid: string): void {
    this.running.get(uid)?.cancel();
    const end = () => {
      this.evaluate();
      for (const job of this.unfinished()) if (job.metadata.uid === uid) this.finish(job);
    };
    this.running.set(uid, this.world.clock.setTimer(RUN_MS, end));
  }

  /** Its pod's last words come before its end, as on a cluster. */
  private finish(job: ApiObject): void {
    const { name, uid } = job.metadata;
    this.running.get(uid)?.cancel();
    const { purpose, input } = orderOf(job);
    const outcome = this.outcome(purpose, input);
    const succeeds = outcome === "succeeds";
    const message = outcome === "fails" ? "refused" : this.carryOut(purpose, input);
    const containerStatuses = [{ name: "job", state: { terminated: { exitCode: succeeds ? 0 : 1, message } } }];
    const pod = { phase: succeeds ? "Succeeded" : "Failed", containerStatuses };
    this.world.kubernetes.change(podRef(name), (object) => ({ ...object, status: pod }), "status");
    const types = succeeds ? ["SuccessCriteriaMet", "Complete"] : ["FailureTarget", "Failed"];
    const conditions = types.map((type) => ({ type, status: "True" }));
    const startTime = new Date(this.world.clock.now()).toISOString();
    const times = succeeds ? { startTime, completionTime: startTime } : { startTime };
    const ref = { ...podRef(name), apiVersion: BATCH, kind: "Job" };
    this.world.kubernetes.change(ref, (object) => ({ ...object, status: { conditions, ...times } }), "status");
  }

  private carryOut(purpose: string, input: JobInput): string {
    if (purpose === "firewall") {
      this.rules = JSON.parse(input["FIREWALL_RULES"] ?? "[]") as readonly FirewallRuleOrder[];
      this.done.push(["open", ...new Set(this.rules.flatMap(({ nodes }) => nodes.map(({ name }) => name)))].join(" "));
      return "";
    }
    const ip = input["ROUTED_IP"] || this.create();
    this.holders.set(ip, input["NODE_PROVIDER_ID"] ?? "");
    this.done.push(`assign ${input["NODE_NAME"]}`);
    return JSON.stringify({ routedIP: ip });
  }

  private create(): string {
    const ip = `192.0.2.${this.created.length + 1}`;
    this.created.push(ip);
    return ip;
  }
}

function waitingFor(message: string): JsonObject {
  const waiting = { reason: "CreateContainerConfigError", message };
  return { phase: "Pending", containerStatuses: [{ name: "job", state: { waiting } }] };
}

function orderOf({ metadata: { labels = {}, annotations = {} } }: ApiObject) {
  return { purpose: labels[PURPOSE] ?? "", input: JSON.parse(annotations[INPUT] ?? "{}") as JobInput };
}

function podRef(name: string) {
  return { apiVersion: "v1", kind: "Pod", name, namespace: JOB_NAMESPACE };
}
