/** What the server says of the Jobs of a class before any of them runs: a dry run of the Jobs and their pods. */

import type { ClusterRoutedIPClassSpec } from "cdk8s-flipop/api";
import type { ControllerContext } from "../controllers/context.js";
import { isConflict, isNotFound, isPodSecurityRefusal, isTooManyRequests, StatusError } from "../kube/client.js";
import type { KubeObject, ObjectMeta } from "../kube/objects.js";
import { JOB_DRY_RUN_RETRY_MS } from "../timings.js";
import { accountProblem, buildJob, type JobOrder, podOfJob, serviceAccountOf } from "./job.js";

/** The answers of the server about the Jobs of one class as it is now. */
export interface JobDryRun {
  readonly dryRun: "untried" | "accepted" | { readonly refused: string };
  readonly accounts: ReadonlyMap<string, Pick<ObjectMeta, "labels"> | undefined>;
  /** Time to ask again: what stood in the way may be gone, or the server has refused a Job since. */
  readonly due: boolean;
  /** When that is, ms since the epoch. Absent: nothing has been refused. */
  readonly dueAt?: number;
}

const UNTRIED: JobDryRun = { dryRun: "untried", accounts: new Map(), due: true };

/** The operator does not even ask the server for it. */
class JobRefusedError extends Error {
  override readonly name = "JobRefusedError";
}

interface KnownDryRun {
  readonly key: string;
  readonly state: Omit<JobDryRun, "due" | "dueAt">;
  /** ms since the epoch; `undefined`: nothing has been refused. */
  dueAt: number | undefined;
}

export class JobDryRuns {
  private readonly known = new Map<string, KnownDryRun>();

  constructor(private readonly context: Pick<ControllerContext, "client" | "clock">) {}

  stateOf(name: string, spec: ClusterRoutedIPClassSpec): JobDryRun {
    const known = this.known.get(name);
    if (known?.key !== JSON.stringify(spec)) return UNTRIED;
    const { dueAt } = known;
    if (dueAt === undefined) return { ...known.state, due: false };
    return { ...known.state, due: this.context.clock.now() >= dueAt, dueAt };
  }

  /** A dry run of both Jobs, and a look at the accounts that they ask for. */
  async tryOut(className: string, spec: ClusterRoutedIPClassSpec, orders: readonly JobOrder[]): Promise<void> {
    const accounts = new Map<string, Pick<ObjectMeta, "labels"> | undefined>();
    let dryRun: JobDryRun["dryRun"] = "accepted";
    let refusedAccount = false;
    for (const order of orders) {
      const account = serviceAccountOf(order.spec);
      if (account !== "") accounts.set(account, await this.account(order.namespace, account));
      refusedAccount ||= accountProblem(account, order.namespace, accounts.get(account)) !== undefined;
      const refused = await this.refusal(order);
      if (refused !== undefined) dryRun = { refused };
    }
    const dueAt = dryRun !== "accepted" || refusedAccount ? this.context.clock.now() + JOB_DRY_RUN_RETRY_MS : undefined;
    this.known.set(className, { key: JSON.stringify(spec), state: { dryRun, accounts }, dueAt });
  }

  /** The label may have been taken off since the dry run. */
  async checkAccount({ spec, namespace }: JobOrder): Promise<void> {
    const name = serviceAccountOf(spec);
    if (name === "") return;
    const problem = accountProblem(name, namespace, await this.account(namespace, name));
    if (problem !== undefined) throw new JobRefusedError(problem.message);
  }

  /** The server has refused a Job of a class that it took before. */
  contradict(className: string): void {
    const known = this.known.get(className);
    if (known !== undefined) known.dueAt = this.context.clock.now();
  }

  private async refusal(order: JobOrder): Promise<string | undefined> {
    const path = `/apis/batch/v1/namespaces/${order.namespace}/jobs?dryRun=All&fieldValidation=Strict`;
    try {
      await this.context.client.request({ method: "POST", path, body: buildJob(order) });
      return await this.podRefusal(order);
    } catch (error) {
      if (isConflict(error)) return undefined;
      if (isRefusal(error)) return error.message;
      throw error;
    }
  }

  /** The server takes a Job whose pods Pod Security refuses. Other refusals of a pod, such as a full quota, may pass. */
  private async podRefusal(order: JobOrder): Promise<string | undefined> {
    const path = `/api/v1/namespaces/${order.namespace}/pods?dryRun=All`;
    try {
      await this.context.client.request({ method: "POST", path, body: podOfJob(buildJob(order)) });
      return undefined;
    } catch (error) {
      if (isPodSecurityRefusal(error)) return error.message;
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  private async account(namespace: string, name: string): Promise<Pick<ObjectMeta, "labels"> | undefined> {
    try {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
      return (await this.context.client.request<KubeObject>({ method: "GET", path, metadataOnly: true })).metadata;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** There is no such Job, and none will come of it. */
export function isDefinite(error: unknown): boolean {
  return error instanceof JobRefusedError || isRefusal(error);
}

/** There is no such Job, though the same request may succeed in a moment. */
export function hadNoEffect(error: unknown): boolean {
  return isDefinite(error) || isTooManyRequests(error) || (isConflict(error) && !isTaken(error));
}

/** A Job of that name exists. Another 409 is of a quota that changed meanwhile: then there is no Job. */
export function isTaken(error: unknown): boolean {
  return isConflict(error) && error.reason === "AlreadyExists";
}

/** It would be the same if it were sent again now. */
function isRefusal(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code >= 400 && error.code < 500 && ![409, 429].includes(error.code);
}
