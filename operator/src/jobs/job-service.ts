/** The Jobs of classes at the API server: found by their labels, created, deleted, tried by a dry run. */

import type { ClusterRoutedIPClassSpec, JsonObject } from "cdk8s-flipop/api";
import type { ControllerContext } from "../controllers/context.js";
import type { Cache } from "../kube/cache/cache.js";
import { type WholeObject, wholeObjects } from "../kube/cache/slim-objects.js";
import { isConflict, isNotFound } from "../kube/client.js";
import { Redactor } from "../logging.js";
import type { Synced } from "../runtime/manager.js";
import { cachePart } from "../runtime/synced-kinds.js";
import { CACHE_LAG_MS } from "../timings.js";
import { compareText } from "../values.js";
import { buildJob, JOB_LABELS, type JobOrder, type JobPurpose } from "./job.js";
import { type JobObject, type JobScene, type JobState, jobState } from "./job-decision.js";
import { isDefinite, isTaken, JobDryRuns } from "./job-dry-run.js";
import type { JobPod } from "./pod-start.js";

export interface FoundJob {
  readonly object: JobObject;
  readonly state: JobState;
}

const OWN = { labelSelector: JOB_LABELS.uid }; // Jobs of the operator and their pods have this label.
const JOB_UID_LABEL = "batch.kubernetes.io/controller-uid"; // The Job controller sets it on each pod.

export class JobService {
  /** For the manager. */
  readonly parts: readonly Synced[];
  readonly jobs: readonly Cache<WholeObject<JobObject>>[];
  readonly pods: readonly Cache<WholeObject<JobPod>>[];
  private readonly warnings = new Map<string, string>();
  /** By the uid of a Job: its pods, as the server had them before the cache. */
  private readonly listed = new Map<string, readonly JobPod[]>();
  /** When this process saw a Job first, by uid, ms since the epoch. */
  private readonly seen = new Map<string, number>();
  /** Uids of Jobs about whose start the server has been asked. */
  private readonly asked = new Set<string>();
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
  /** What the server says of classes. */
  readonly dryRuns: JobDryRuns;

  /** The watches start at once. */
  constructor(
    private readonly context: Pick<ControllerContext, "watches" | "client" | "clock">,
    readonly namespaces: readonly string[],
    private readonly redactor: Pick<Redactor, "scrub"> = new Redactor(),
  ) {
    const { watches } = context;
    this.dryRuns = new JobDryRuns(context);
    this.jobs = namespaces.map((namespace) =>
      watches.kind("jobs", `/apis/batch/v1/namespaces/${namespace}/jobs`, wholeObjects<JobObject>(), OWN),
    );
    this.pods = namespaces.map((namespace) =>
      watches.kind("job-pods", `/api/v1/namespaces/${namespace}/pods`, wholeObjects<JobPod>(), OWN),
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
      compareText(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""),
    );
    if (object === undefined) return undefined;
    const { uid: ofJob } = object.metadata;
    const now = this.context.clock.now();
    const seenAt = this.seen.get(ofJob) ?? now;
    this.seen.set(ofJob, seenAt);
    const warning = this.warnings.get(ofJob);
    const scene = {
      job: object,
      ...this.podsOf(object),
      removed: this.removed.has(ofJob),
      asked: this.asked.has(ofJob),
      seenAt,
      now,
    };
    const state = jobState({ ...scene, ...(warning === undefined ? {} : { warning }) });
    return { object, state: this.redacted(state) };
  }

  /** What a Job says goes into conditions and Events, which more people may read than its logs. */
  private redacted(state: JobState): JobState {
    if ("words" in state) return { ...state, words: this.redactor.scrub(state.words) };
    if (state.is !== "stuck" || state.problem === undefined) return state;
    const { problem } = state;
    return { ...state, problem: { ...problem, message: this.redactor.scrub(problem.message) } };
  }

  /**
   * One that is there already is the one of an earlier try.
   * @param onSend called right before the server is asked to create it
   * @throws JobRefusedError, or StatusError: the class is to be tried again
   */
  async create(order: JobOrder, onSend: () => void = () => undefined): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${order.namespace}/jobs`;
    try {
      await this.dryRuns.checkAccount(order);
      onSend();
      const job = await this.context.client.request<JobObject>({ method: "POST", path, body: buildJob(order) });
      this.created.set(job.metadata.uid, { job, at: this.context.clock.monotonic() });
    } catch (error) {
      if (isTaken(error)) return;
      if (isDefinite(error)) {
        this.dryRuns.contradict(order.owner.name);
        this.unconfirmed(order.owner.name);
      }
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
    if (state.is === "stuck") await this.askAboutStart(object);
    else if (state.is === "unread") await this.readPods(object);
    else return false;
    return true;
  }

  /** The cache of Jobs may be ahead of that of pods: their last words would be missed, and the address in them. */
  private async readPods(job: JobObject): Promise<void> {
    const { uid } = job.metadata;
    const items = await this.listPods(job);
    if ([...this.all()].some((job) => job.metadata.uid === uid)) this.read.set(uid, items);
  }

  /** Pods that the cache does not have yet, and then a warning. */
  private async askAboutStart(job: JobObject): Promise<void> {
    const { uid } = job.metadata;
    if (this.podsOf(job).pods.length === 0) this.listed.set(uid, await this.listPods(job));
    await this.lookForWarning(job);
    this.asked.add(uid);
  }

  private async listPods({ metadata: { uid, namespace = "" } }: JobObject): Promise<readonly JobPod[]> {
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${JOB_UID_LABEL}%3D${uid}`;
    return (await this.context.client.request<{ readonly items: readonly JobPod[] }>({ method: "GET", path })).items;
  }

  /** Of its pod, such as a volume that cannot be mounted; without a pod, of the Job itself. */
  private async lookForWarning(job: JobObject): Promise<void> {
    const { uid, namespace = "" } = job.metadata;
    const name = this.podsOf(job).pods[0]?.metadata.name ?? job.metadata.name;
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const query = { fieldSelector: `regarding.name=${name},type=Warning` };
    const list = await this.context.client.request<EventList>({ method: "GET", path, query });
    const own = list.items.filter(({ type, regarding }) => type === "Warning" && regarding?.name === name);
    const last = own.at(-1);
    if (last !== undefined) this.warnings.set(uid, `${last.reason}: ${last.note}`);
  }

  private podsOf({ metadata: { uid } }: JobObject): Pick<JobScene, "pods" | "stale"> {
    const read = this.read.get(uid);
    if (read !== undefined && read.length > 0) return { pods: read };
    const pods = this.pods.flatMap(({ store }) => [...store.list()].map(({ object }) => object));
    const own = pods.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
    const last = this.lastPods.get(uid);
    // The server deletes the pods of a Job that ran into its deadline: what they said comes with their end.
    const stale = read === undefined || own.some(({ status }) => !isOver(status?.phase));
    if (own.length > 0) return { pods: own, stale };
    return { pods: last === undefined ? (this.listed.get(uid) ?? []) : [last], stale };
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
    this.listed.delete(metadata.uid);
    this.asked.delete(metadata.uid);
    this.seen.delete(metadata.uid);
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

/** How long its pod may take to start. */
export function deadlineOf({ startDeadlineSeconds }: ClusterRoutedIPClassSpec): Pick<JobOrder, "startDeadlineSeconds"> {
  return startDeadlineSeconds === undefined ? {} : { startDeadlineSeconds };
}
