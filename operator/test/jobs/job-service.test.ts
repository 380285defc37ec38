import { expect } from "chai";
import { describe, it } from "mocha";
import { JOB_TRIAL_MS } from "../../src/bounds.js";
import { JOB_LABELS, type JobOrder } from "../../src/jobs/job.js";
import { JobService } from "../../src/jobs/job-service.js";
import type { JobObject, JobPod } from "../../src/jobs/job-state.js";
import { type WholeObject, wholeObjects } from "../../src/kube/cache/slim.js";
import { Store } from "../../src/kube/cache/store.js";
import type { KubeObject } from "../../src/kube/objects.js";
import { StatusError } from "../../src/kube/status-error.js";
import { meta } from "../claims/resources.js";
import { FakeClock } from "../support/fake-clock.js";

const SPEC = { updateRoutedIP: {}, updateFirewall: {} };
const ORDER: JobOrder = {
  ...{ purpose: "assign", uid: "rip", owner: { name: "rack", uid: "rack-uid" }, namespace: "jobs", spec: {} },
  ...{ variables: { NODE_NAME: "n1" }, secrets: [], attempt: 0 },
};

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A desk whose server answers what a test says. */
function rig(answer: (call: Call) => unknown = () => ({ items: [] })) {
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
  const dnsService = new JobService(context as unknown as ConstructorParameters<typeof JobService>[0], ["jobs"]);
  const ask = async () => {
    const found = dnsService.find("rip", "assign");
    return found !== undefined && (await dnsService.ask(found));
  };
  return { clock, jobs, pods, calls, dnsService, ask };
}

function job(name: string, more: Partial<KubeObject["metadata"]> = {}, purpose = "assign"): JobObject {
  const labels = { [JOB_LABELS.uid]: "rip", [JOB_LABELS.purpose]: purpose };
  return { metadata: { ...meta(name), uid: name, creationTimestamp: "2025-06-01T10:00:00Z", labels, ...more } };
}

const whole = <O extends KubeObject>(object: O) => wholeObjects<O>()(object);
const status = (code: number) => {
  throw new StatusError({ code, reason: code === 409 ? "Conflict" : "Refused", message: `answer ${code}` });
};
const refusal = async (promise: Promise<unknown>) => {
  return promise.then(() => "none").catch((error: unknown) => (error as Error).message);
};

describe("the desk of Jobs", () => {
  it("knows a Job that it has created before the cache does: no second one is started beside it", async () => {
    const made = rig(() => job("new"));
    await made.dnsService.create(ORDER);
    expect(made.dnsService.find("rip", "assign")?.object.metadata.name).to.equal("new");
    expect(made.dnsService.find("rip", "firewall")).to.equal(undefined);
    made.jobs.upsert(whole(job("new")));
    expect(made.dnsService.find("rip", "assign")?.object.metadata.name).to.equal("new");
    made.jobs.remove(whole(job("new")));
    expect(made.dnsService.find("rip", "assign"), "the cache has seen it come and go").to.equal(undefined);
  });

  it("believes the cache again when it has had the time to see a created Job", async () => {
    const made = rig(() => job("new"));
    await made.dnsService.create(ORDER);
    await made.clock.advance(10_000);
    expect(made.dnsService.find("rip", "assign")).to.equal(undefined);
  });

  it("finds the first of several, of its purpose", () => {
    const made = rig();
    made.jobs.upsert(whole(job("later", { creationTimestamp: "2025-06-01T10:00:01Z" })));
    made.jobs.upsert(whole(job("first")));
    made.jobs.upsert(whole(job("other", { creationTimestamp: "2025-06-01T09:00:00Z" }, "firewall")));
    expect(made.dnsService.find("rip", "assign")?.object.metadata.name).to.equal("first");
  });

  it("takes a Job of that name for the one of an earlier try", async () => {
    const contradictions: string[] = [];
    const made = rig(() => status(409));
    made.dnsService.onUnconfirmed((name) => contradictions.push(name));
    expect(await refusal(made.dnsService.create(ORDER))).to.equal("none");
    expect(contradictions).to.deep.equal([]);
  });

  it("starts no Job as an account whose label is gone", async () => {
    const made = rig(() => ({ metadata: meta("worker") }));
    const spec = { template: { spec: { serviceAccountName: "worker" } } };
    expect(await refusal(made.dnsService.create({ ...ORDER, spec }))).to.contain("worker");
    expect(made.calls.map(({ method }) => method)).to.deep.equal(["GET"]);
  });

  it("doubts the class when the server refuses a Job, and not when it has no time", async () => {
    const unconfirmed = async (code: number) => {
      const contradictions: string[] = [];
      const made = rig(() => status(code));
      made.dnsService.onUnconfirmed((name) => contradictions.push(name));
      expect(await refusal(made.dnsService.create(ORDER))).to.equal(`answer ${code}`);
      return contradictions;
    };
    expect(await unconfirmed(403)).to.deep.equal(["rack"]);
    expect(await unconfirmed(429)).to.deep.equal([]);
    expect(await unconfirmed(500)).to.deep.equal([]);
  });

  it("removes this Job with its pods, and no other of that name; one that is gone is no error", async () => {
    for (const code of [200, 404, 409]) {
      const made = rig(() => (code === 200 ? {} : status(code)));
      const found = job("done");
      made.jobs.upsert(whole(found));
      expect(await refusal(made.dnsService.remove(found))).to.equal("none");
      const [call] = made.calls;
      expect(call?.body).to.deep.equal({ propagationPolicy: "Background", preconditions: { uid: "done" } });
      expect(made.dnsService.find("rip", "assign")?.state.is, "the cache still has it").to.equal("ending");
    }
    expect(await refusal(rig(() => status(403)).dnsService.remove(job("done")))).to.equal("answer 403");
  });

  it("keeps the last words of a pod that is gone before its Job has failed", async () => {
    const made = rig();
    const conditions = [{ type: "Failed", status: "True" }];
    made.jobs.upsert(whole({ ...job("bad"), status: { conditions } }));
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "bad", uid: "bad" }];
    const containerStatuses = [{ state: { terminated: { message: "quota exceeded" } } }];
    const pod = whole({ metadata: { ...meta("pod"), ownerReferences }, status: { containerStatuses } });
    made.pods.upsert(pod);
    made.pods.remove(pod);
    await made.ask();
    expect(made.dnsService.find("rip", "assign")?.state).to.deep.equal({ is: "failed", words: "quota exceeded" });
  });

  it("asks the server for the last words: the cache of pods may lag behind that of Jobs", async () => {
    const said = (message: string) => ({ containerStatuses: [{ state: { terminated: { message } } }] });
    const made = rig(() => ({ items: [{ metadata: meta("pod"), status: said('{"routedIP": "192.0.2.1"}') }] }));
    made.jobs.upsert(whole({ ...job("good"), status: { conditions: [{ type: "Complete", status: "True" }] } }));
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "good", uid: "good" }];
    made.pods.upsert(whole({ metadata: { ...meta("before"), ownerReferences }, status: said("no route") }));
    const state = () => made.dnsService.find("rip", "assign")?.state;
    expect(state()).to.deep.equal({ is: "unread" });
    expect(await made.ask()).to.equal(true);
    expect(made.calls.map(({ path }) => path)).to.deep.equal([
      "/api/v1/namespaces/default/pods?labelSelector=batch.kubernetes.io/controller-uid%3Dgood",
    ]);
    expect(state()).to.deep.equal({ is: "succeeded", words: '{"routedIP": "192.0.2.1"}' });
    expect(await made.ask(), "once").to.equal(false);
  });

  it("waits for the last words of a pod that the server has deleted and the cache still calls running", async () => {
    const made = rig();
    const conditions = [{ type: "Failed", status: "True", message: "DeadlineExceeded" }];
    made.jobs.upsert(whole({ ...job("late"), status: { conditions } }));
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "late", uid: "late" }];
    const metadata = { ...meta("pod"), ownerReferences };
    made.pods.upsert(whole({ metadata, status: { phase: "Running" } }));
    const state = () => made.dnsService.find("rip", "assign")?.state;
    expect(await made.ask()).to.equal(true);
    expect(state()).to.deep.equal({ is: "unread" });
    const message = '{"routedIP": "192.0.2.1"}';
    const containerStatuses = [{ state: { terminated: { message } } }];
    const over = whole({ metadata, status: { phase: "Failed", containerStatuses } });
    made.pods.upsert(over);
    made.pods.remove(over);
    expect(state()).to.deep.equal({ is: "failed", words: message });
  });

  it("takes no Job for silent while the server does not say what its pods said", async () => {
    const made = rig(() => status(500));
    made.jobs.upsert(whole({ ...job("good"), status: { conditions: [{ type: "Complete", status: "True" }] } }));
    expect(await refusal(made.ask())).to.equal("answer 500");
    expect(made.dnsService.find("rip", "assign")?.state).to.deep.equal({ is: "unread" });
  });

  it("tells the server's newest warning about this Job", async () => {
    const event = (type: string, name: string, note: string) => ({ type, reason: "Told", note, regarding: { name } });
    const items = [event("Warning", "j", "old"), event("Warning", "j", "new"), event("Warning", "k", "of another")];
    const made = rig(() => ({ items: [...items, event("Normal", "j", "usual")] }));
    made.jobs.upsert(whole(job("j", { creationTimestamp: new Date(made.clock.now() - 60_000).toISOString() })));
    await made.ask();
    const state = made.dnsService.find("rip", "assign")?.state;
    expect(state).to.have.property("message").that.contains("Told: new");
  });

  it("asks again after a minute what was refused, and at once when the class has changed", async () => {
    const made = rig(({ method }) => (method === "POST" ? status(422) : {}));
    expect(made.dnsService.trialOf("rack", SPEC)).to.include({ dryRun: "untried", due: true });
    await made.dnsService.tryOut("rack", SPEC, [ORDER]);
    expect(made.dnsService.trialOf("rack", SPEC)).to.deep.include({ dryRun: { refused: "answer 422" }, due: false });
    expect(made.dnsService.trialOf("rack", { ...SPEC, jobNamespace: "jobs" })).to.include({
      dryRun: "untried",
      due: true,
    });
    await made.clock.advance(JOB_TRIAL_MS);
    expect(made.dnsService.trialOf("rack", SPEC).due).to.equal(true);
  });
});
