/** A platform that only the Jobs of classes can change; with what stands for the Job controller and the kubelet. */

import type { ApiObject } from "flipop-sandbox/kubernetes";
import type { FirewallRuleOrder } from "../../src/jobs/variables.js";
import type { World } from "./world.js";

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

export class JobPlatform {
  /** That Jobs have created. */
  readonly created: string[] = [];
  /** Rules of the firewall, as the last Job has made them. */
  rules: readonly FirewallRuleOrder[] = [];
  /** What must never be: Jobs of one purpose for one resource at the same time. */
  readonly clashes: string[] = [];
  /** Jobs that have begun. */
  begun = 0;
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

  private runActions({ metadata: { name, uid } }: ApiObject): void {
    this.begun += 1;
    const ownerReferences = [{ apiVersion: BATCH, kind: "Job", name, uid, controller: true }];
    this.world.kubernetes.create({
      ...podRef(name),
      metadata: { name, namespace: JOB_NAMESPACE, labels: { [JOB_UID]: uid }, ownerReferences },
      spec: { nodeName: "of-the-platform", containers: [{ name: "job", image: "example.invalid/job" }] },
      status: { phase: "Running" },
    });
    this.schedule(uid);
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
    const message = this.carryOut(job);
    const containerStatuses = [{ name: "job", state: { terminated: { exitCode: 0, message } } }];
    const pod = { phase: "Succeeded", containerStatuses };
    this.world.kubernetes.change(podRef(name), (object) => ({ ...object, status: pod }), "status");
    const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, status: "True" }));
    const completionTime = new Date(this.world.clock.now()).toISOString();
    const ref = { ...podRef(name), apiVersion: BATCH, kind: "Job" };
    this.world.kubernetes.change(ref, (object) => ({ ...object, status: { conditions, completionTime } }), "status");
  }

  private carryOut({ metadata: { labels = {}, annotations = {} } }: ApiObject): string {
    const input = JSON.parse(annotations[INPUT] ?? "{}") as Readonly<Record<string, string>>;
    if (labels[PURPOSE] === "firewall") {
      this.rules = JSON.parse(input["FIREWALL_RULES"] ?? "[]") as readonly FirewallRuleOrder[];
      return "";
    }
    const ip = input["ROUTED_IP"] || this.create();
    this.holders.set(ip, input["NODE_PROVIDER_ID"] ?? "");
    return JSON.stringify({ routedIP: ip });
  }

  private create(): string {
    const ip = `192.0.2.${this.created.length + 1}`;
    this.created.push(ip);
    return ip;
  }
}

function podRef(name: string) {
  return { apiVersion: "v1", kind: "Pod", name, namespace: JOB_NAMESPACE };
}
