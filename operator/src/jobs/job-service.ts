/** The Jobs of classes at the API server: found by their labels, created, deleted, tried by a dry run. */

import type { ClusterRoutedIPClassSpec, JsonObject } from "cdk8s-flipop/api";
import { CACHE_LAG_MS, JOB_TRIAL_MS } from "../bounds.js";
import type { ControllerContext } from "../controllers/context.js";
import type { Cache } from "../kube/cache/cache.js";
import { type WholeObject, wholeObjects } from "../kube/cache/slim.js";
import type { KubeObject, ObjectMeta } from "../kube/objects.js";
import { isConflict, isNotFound, StatusError } from "../kube/status-error.js";
import { cachePart } from "../runtime/cache-part.js";
import type { Synced } from "../runtime/manager.js";
import { buildJob, JOB_LABELS, type JobOrder, type JobPurpose, serviceAccountOf } from "./job.js";
import { accountProblem } from "./job-place.js";
import { type JobObject, type JobPod, type JobScene, type JobState, jobState } from "./job-state.js";

export interface FoundJob {
  readonly object: JobObject;
  readonly state: JobState;
}

/** The answers of the server about the Jobs of one class as it is now. */
export interface JobTrial {
  readonly dryRun: "untried" | "accepted" | { readonly refused: string };
  readonly accounts: ReadonlyMap<string, Pick<ObjectMeta, "labels"> | undefined>;
  /** Time to ask again: what stood in the way may be gone, or the server has refused a Job since. */
  readonly due: boolean;
  /** When that is, ms since the epoch. Absent: nothing has been refused. */
  readonly dueAt?: number;
}

const UNTRIED: JobTrial = { dryRun: "untried", accounts: new Map(), due: true };

/** Of the Job controller, on each pod. */
const JOB_UID_LABEL = "batch.kubernetes.io/controller-uid";

/** The operator does not even ask the server for it. */
export class JobRefusedError extends Error {
  override readonly name = "JobRefusedError";
}

interface KnownTrial {
  readonly key: string;
  readonly trial: Omit<JobTrial, "due" | "dueAt">;
  /** ms since the epoch; `undefined`: nothing has been refused. */
  dueAt: number | undefined;
}

export class JobService {
  /** For the manager. */
  readonly parts: readonly Synced[];
  readonly jobs: readonly Cache<WholeObject<JobObject>>[];
  readonly pods: readonly Cache<WholeObject<JobPod>>[];
  private readonly trials = new Map<string, KnownTrial>();
  private readonly warnings = new Map<string, string>();
  /** By uid, until the cache knows. */
  private readonly removed = new Set<string>();
  /** The same of those that are new: without them a Job would be missed, and another one started beside it. */
  private readonly created = new Map<string, { readonly job: JobObject; readonly at: number }>();
  /** By the uid of a Job that has ended: its pods, as the server had them then. */
  private readonly read = new Map<string, readonly JobPod[]>();
  /** Pods that are gone, by the uid of their Job: the server deletes them before it says that the Job has failed. */
  private readonly lastPods = new Map<string, JobPod>();
  private readonly ends: readonly (() => void)[];
  private unconfirmed: (className: string) => void = () => undefined;

  /** The watches start at once. */
  constructor(
    private readonly context: Pick<ControllerContext, "watches" | "client" | "clock">,
    readonly namespaces: readonly string[],
  ) {
    const { watches } = context;
    this.jobs = namespaces.map((namespace) =>
      watches.kind("jobs", `/apis/batch/v1/namespaces/${namespace}/jobs`, wholeObjects<JobObject>()),
    );
    this.pods = namespaces.map((namespace) =>
      watches.kind("job-pods", `/api/v1/namespaces/${namespace}/pods`, wholeObjects<JobPod>()),
    );
    this.parts = [...this.jobs, ...this.pods].map((cache) => cachePart(cache));
    this.ends = [
      ...this.jobs.map(({ store }) =>
        store.listen(({ type, object }) => this.indexResource(object, type === "deleted")),
      ),
      ...this.pods.map(({ store }) => store.listen(({ type, object }) => type === "deleted" && this.keep(object))),
    ];
  }

  /** @param doubted the server has refused a Job of a class that it took before. */
  onUnconfirmed(unconfirmed: (className: string) => void): void {
    this.unconfirmed = unconfirmed;
  }

  close(): void {
    for (const end of this.ends) end();
  }

  /** The one Job for a RoutedIP or a class's firewall. Of several, the one that was there first. */
  find(uid: string, purpose: JobPurpose): FoundJob | undefined {
    const found = [...this.all()].filter(({ metadata: { labels = {} } }) => {
      return labels[JOB_LABELS.uid] === uid && labels[JOB_LABELS.purpose] === purpose;
    });
    const [object] = found.sort((a, b) =>
      compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""),
    );
    if (object === undefined) return undefined;
    const { uid: ofJob } = object.metadata;
    const warning = this.warnings.get(ofJob);
    const scene = {
      job: object,
      ...this.podsOf(object),
      removed: this.removed.has(ofJob),
      now: this.context.clock.now(),
    };
    return { object, state: jobState({ ...scene, ...(warning === undefined ? {} : { warning }) }) };
  }

  /**
   * One that is there already is the one of an earlier try.
   * @throws JobRefusedError, or StatusError: the class is to be tried again
   */
  async create(order: JobOrder): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${order.namespace}/jobs`;
    try {
      await this.checkAccount(order);
      const job = await this.context.client.request<JobObject>({ method: "POST", path, body: buildJob(order) });
      this.created.set(job.metadata.uid, { job, at: this.context.clock.monotonic() });
    } catch (error) {
      if (isConflict(error)) return;
      if (isDefinite(error)) this.contradiction(order.owner.name);
      throw error;
    }
  }

  async remove({ metadata: { uid, name, namespace = "" } }: JobObject): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
    try {
      const body = { propagationPolicy: "Background", preconditions: { uid } };
      await this.context.client.request({ method: "DELETE", path, body });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    if ([...this.all()].some((job) => job.metadata.uid === uid)) this.removed.add(uid);
  }

  /**
   * Asks the server what the caches do not tell: why a Job has no pod, and what the pods of one that has ended said.
   * @returns whether there was anything to ask
   */
  async ask({ object, state }: FoundJob): Promise<boolean> {
    if (state.is === "stuck") await this.lookForWarning(object);
    else if (state.is === "unread") await this.readPods(object);
    else return false;
    return true;
  }

  /** The cache of Jobs may be ahead of that of pods: their last words would be missed, and the address in them. */
  private async readPods({ metadata: { uid, namespace = "" } }: JobObject): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${JOB_UID_LABEL}%3D${uid}`;
    const { items } = await this.context.client.request<{ readonly items: readonly JobPod[] }>({ method: "GET", path });
    if ([...this.all()].some((job) => job.metadata.uid === uid)) this.read.set(uid, items);
  }

  private async lookForWarning({ metadata: { uid, name, namespace = "" } }: JobObject): Promise<void> {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const list = await this.context.client.request<EventList>({ method: "GET", path });
    const own = list.items.filter(({ type, regarding }) => type === "Warning" && regarding?.name === name);
    const last = own.at(-1);
    if (last !== undefined) this.warnings.set(uid, `${last.reason}: ${last.note}`);
  }

  trialOf(name: string, spec: ClusterRoutedIPClassSpec): JobTrial {
    const known = this.trials.get(name);
    if (known?.key !== JSON.stringify(spec)) return UNTRIED;
    const { dueAt } = known;
    if (dueAt === undefined) return { ...known.trial, due: false };
    return { ...known.trial, due: this.context.clock.now() >= dueAt, dueAt };
  }

  /** A dry run of both Jobs, and a look at the accounts that they ask for. */
  async tryOut(className: string, spec: ClusterRoutedIPClassSpec, orders: readonly JobOrder[]): Promise<void> {
    const accounts = new Map<string, Pick<ObjectMeta, "labels"> | undefined>();
    let dryRun: JobTrial["dryRun"] = "accepted";
    let refusedAccount = false;
    for (const order of orders) {
      const account = serviceAccountOf(order.spec);
      if (account !== "") accounts.set(account, await this.account(order.namespace, account));
      refusedAccount ||= accountProblem(account, order.namespace, accounts.get(account)) !== undefined;
      const refused = await this.refusal(order);
      if (refused !== undefined) dryRun = { refused };
    }
    const dueAt = dryRun !== "accepted" || refusedAccount ? this.context.clock.now() + JOB_TRIAL_MS : undefined;
    this.trials.set(className, { key: JSON.stringify(spec), trial: { dryRun, accounts }, dueAt });
  }

  /** The label may have been taken off since the trial. */
  private async checkAccount({ spec, namespace }: JobOrder): Promise<void> {
    const name = serviceAccountOf(spec);
    if (name === "") return;
    const problem = accountProblem(name, namespace, await this.account(namespace, name));
    if (problem !== undefined) throw new JobRefusedError(problem.message);
  }

  private contradiction(className: string): void {
    const known = this.trials.get(className);
    if (known !== undefined) known.dueAt = this.context.clock.now();
    this.unconfirmed(className);
  }

  private async refusal(order: JobOrder): Promise<string | undefined> {
    const path = `/apis/batch/v1/namespaces/${order.namespace}/jobs?dryRun=All&fieldValidation=Strict`;
    try {
      await this.context.client.request({ method: "POST", path, body: buildJob(order) });
      return undefined;
    } catch (error) {
      if (isConflict(error)) return undefined;
      if (isRefusal(error)) return error.message;
      throw error;
    }
  }

  private async account(namespace: string, name: string): Promise<Pick<ObjectMeta, "labels"> | undefined> {
    try {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
      return (await this.context.client.request<KubeObject>({ method: "GET", path })).metadata;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  private podsOf({ metadata: { uid } }: JobObject): Pick<JobScene, "pods" | "stale"> {
    const read = this.read.get(uid);
    if (read !== undefined && read.length > 0) return { pods: read };
    const pods = this.pods.flatMap(({ store }) => [...store.list()].map(({ object }) => object));
    const own = pods.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
    const last = this.lastPods.get(uid);
    // The server deletes the pods of a Job that ran into its deadline: what they said comes with their end.
    const stale = read === undefined || own.some(({ status }) => !isOver(status?.phase));
    return { pods: own.length > 0 || last === undefined ? own : [last], stale };
  }

  private keep({ object: pod }: WholeObject<JobPod>): void {
    for (const { uid } of pod.metadata.ownerReferences ?? []) {
      if ([...this.all()].some(({ metadata }) => metadata.uid === uid)) this.lastPods.set(uid, pod);
    }
  }

  private indexResource({ object: { metadata } }: WholeObject<JobObject>, gone: boolean): void {
    this.created.delete(metadata.uid);
    if (!gone) return;
    this.removed.delete(metadata.uid);
    this.warnings.delete(metadata.uid);
    this.read.delete(metadata.uid);
    this.lastPods.delete(metadata.uid);
  }

  private *all(): Iterable<JobObject> {
    const known = new Set<string>();
    for (const { store } of this.jobs) {
      for (const { object } of store.list()) {
        known.add(object.metadata.uid);
        yield object;
      }
    }
    const oldest = this.context.clock.monotonic() - CACHE_LAG_MS;
    for (const [uid, { job, at }] of this.created) if (at > oldest && !known.has(uid)) yield job;
  }
}

function isOver(phase = ""): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

interface EventList {
  readonly items: readonly {
    readonly type?: string;
    readonly reason?: string;
    readonly note?: string;
    readonly regarding?: { readonly name?: string };
  }[];
}

/** The spec of one Job of a class. */
export function jobSpecOf(spec: ClusterRoutedIPClassSpec, purpose: JobPurpose): JsonObject {
  return (purpose === "assign" ? spec.updateRoutedIP : spec.updateFirewall) ?? {};
}

/** There is no such Job, and none will come of it. */
export function isDefinite(error: unknown): boolean {
  return error instanceof JobRefusedError || isRefusal(error);
}

/** It would be the same if it were sent again now. */
function isRefusal(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 429;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
