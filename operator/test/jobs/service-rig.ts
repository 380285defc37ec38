/** The service of Jobs, with caches and a server that tests control. */

import { JOB_LABELS, type JobOrder } from "../../src/jobs/job.js";
import type { JobObject } from "../../src/jobs/job-decision.js";
import { JobService } from "../../src/jobs/job-service.js";
import type { JobPod } from "../../src/jobs/pod-start.js";
import { type WholeObject, wholeObjects } from "../../src/kube/cache/slim-objects.js";
import { Store } from "../../src/kube/cache/store.js";
import { StatusError } from "../../src/kube/client.js";
import type { KubeObject } from "../../src/kube/objects.js";
import { meta } from "../claims/resources.js";
import { FakeClock } from "../support/time/fake-clock.js";

export const SPEC = { updateRoutedIP: {}, updateFirewall: {} };
export const ORDER: JobOrder = {
  ...{ purpose: "assign", uid: "rip", owner: { name: "rack", uid: "rack-uid" }, namespace: "jobs", spec: {} },
  ...{ variables: { NODE_NAME: "n1" }, secrets: [], attempt: 0 },
};

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A service whose server answers what a test says. */
export function rig(answer: (call: Call) => unknown = () => ({ items: [] })) {
  const clock = new FakeClock();
  const [jobs, pods] = [new Store<WholeObject<JobObject>>(), new Store<WholeObject<JobPod>>()];
  const calls: Call[] = [];
  const context = {
    clock,
    client: {
      request: (call: Call) => {
        calls.push(call);
        return Promise.resolve().then(() => answer(call));
      },
    },
    watches: {
      kind: (name: string) => ({ store: name === "jobs" ? jobs : pods, state: { name, synced: true } }),
    },
  };
  const service = new JobService(context as unknown as ConstructorParameters<typeof JobService>[0], ["jobs"]);
  const ask = async () => {
    const found = service.find("rip", "assign");
    return found !== undefined && (await service.ask(found));
  };
  return { clock, jobs, pods, calls, service, ask };
}

export function job(name: string, more: Partial<KubeObject["metadata"]> = {}, purpose = "assign"): JobObject {
  const labels = { [JOB_LABELS.uid]: "rip", [JOB_LABELS.purpose]: purpose };
  return { metadata: { ...meta(name), uid: name, creationTimestamp: "2025-06-01T10:00:00Z", labels, ...more } };
}

export const whole = <O extends KubeObject>(object: O) => wholeObjects<O>()(object);
export const status = (code: number) => {
  throw new StatusError({ code, reason: code === 409 ? "AlreadyExists" : "Refused", message: `answer ${code}` });
};
export const refusal = async (promise: Promise<unknown>) => {
  return promise.then(() => "none").catch((error: unknown) => (error as Error).message);
};
