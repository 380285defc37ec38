/** The Jobs of classes at the API server: found by their labels, created, deleted, tried by a dry run. */

import type { ClusterRoutedIPClassSpec, JsonObject } from "cdk8s-flipop/api";
import type { Cache } from "../../kube/cache.js";
import { isConflict, isNotFound, StatusError } from "../../kube/client.js";
import type { KubeObject, ObjectMeta } from "../../kube/objects.js";
import { type WholeObject, wholeObjects } from "../../kube/slim.js";
import { cachePart } from "../../runtime/cache-part.js";
import type { Synced } from "../../runtime/manager.js";
import type { ControllerContext } from "../context.js";
import { buildJob, JOB_LABELS, type JobOrder, type JobPurpose, serviceAccountOf } from "./job.js";
import { type JobObject, type JobPod, type JobState, jobState } from "./job-state.js";

export interface FoundJob {
  readonly object: JobObject;
  readonly state: JobState;
}

/** The answers of the server about the Jobs of one class as it is now. */
export interface JobTrial {
  readonly dryRun: "untried" | "accepted" | { readonly refused: string };
  readonly accounts: ReadonlyMap<string, Pick<ObjectMeta, "labels"> | undefined>;
}

const UNTRIED: JobTrial = { dryRun: "untried", accounts: new Map() };

export class JobDesk {
  /** For the manager. */
  readonly parts: readonly Synced[];
  readonly jobs: readonly Cache<WholeObject<JobObject>>[];
  readonly pods: readonly Cache<WholeObject<JobPod>>[];
  private readonly trials = new Map<string, { readonly key: string; readonly trial: JobTrial }>();
  private readonly warnings = new Map<string, string>();

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
    const warning = this.warnings.get(object.metadata.uid);
    const scene = { job: object, pods: this.podsOf(object), now: this.context.clock.now() };
    return { object, state: jobState({ ...scene, ...(warning === undefined ? {} : { warning }) }) };
  }

  /** One that is there already is the one of an earlier try. */
  async create(order: JobOrder): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${order.namespace}/jobs`;
    try {
      await this.context.client.request({ method: "POST", path, body: buildJob(order) });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }

  async remove({ metadata: { name, namespace = "" } }: JobObject): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
    try {
      await this.context.client.request({ method: "DELETE", path, body: { propagationPolicy: "Background" } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.warnings.clear();
  }

  /** Asks the server why a Job has no pod. */
  async lookForWarning({ metadata: { uid, name, namespace = "" } }: JobObject): Promise<void> {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const list = await this.context.client.request<EventList>({ method: "GET", path });
    const own = list.items.filter(({ type, regarding }) => type === "Warning" && regarding?.name === name);
    const last = own.at(-1);
    if (last !== undefined) this.warnings.set(uid, `${last.reason}: ${last.note}`);
  }

  trialOf(name: string, spec: ClusterRoutedIPClassSpec): JobTrial {
    const known = this.trials.get(name);
    return known?.key === JSON.stringify(spec) ? known.trial : UNTRIED;
  }

  /** A dry run of both Jobs, and a look at the accounts that they ask for. */
  async tryOut(className: string, spec: ClusterRoutedIPClassSpec, orders: readonly JobOrder[]): Promise<JobTrial> {
    const accounts = new Map<string, Pick<ObjectMeta, "labels"> | undefined>();
    let dryRun: JobTrial["dryRun"] = "accepted";
    for (const order of orders) {
      const account = serviceAccountOf(order.spec);
      if (account !== "") accounts.set(account, await this.account(order.namespace, account));
      const refused = await this.refusal(order);
      if (refused !== undefined) dryRun = { refused };
    }
    const trial = { dryRun, accounts };
    this.trials.set(className, { key: JSON.stringify(spec), trial });
    return trial;
  }

  private async refusal(order: JobOrder): Promise<string | undefined> {
    const path = `/apis/batch/v1/namespaces/${order.namespace}/jobs?dryRun=All&fieldValidation=Strict`;
    try {
      await this.context.client.request({ method: "POST", path, body: buildJob(order) });
      return undefined;
    } catch (error) {
      if (isConflict(error)) return undefined;
      if (error instanceof StatusError && error.code >= 400 && error.code < 500) return error.message;
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

  private podsOf({ metadata: { uid } }: JobObject): readonly JobPod[] {
    const pods = this.pods.flatMap(({ store }) => [...store.list()].map(({ object }) => object));
    return pods.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  }

  private *all(): Iterable<JobObject> {
    for (const { store } of this.jobs) for (const { object } of store.list()) yield object;
  }
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

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
