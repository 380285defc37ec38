import { expect } from "chai";
import { describe, it } from "mocha";
import type { JobPod } from "../../src/jobs/pod-start.js";
import { meta } from "../claims/resources.js";
import { type Call, job, refusal, rig, status, whole } from "./service-rig.js";

describe("what the service of Jobs learns from pods and Events", () => {
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
    expect(made.service.find("rip", "assign")?.state).to.deep.equal({ is: "failed", words: "quota exceeded" });
  });

  it("asks the server for the last words: the cache of pods may lag behind that of Jobs", async () => {
    const said = (message: string) => ({ containerStatuses: [{ state: { terminated: { message } } }] });
    const made = rig(() => ({ items: [{ metadata: meta("pod"), status: said('{"routedIP": "192.0.2.1"}') }] }));
    made.jobs.upsert(whole({ ...job("good"), status: { conditions: [{ type: "Complete", status: "True" }] } }));
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "good", uid: "good" }];
    made.pods.upsert(whole({ metadata: { ...meta("before"), ownerReferences }, status: said("no route") }));
    const state = () => made.service.find("rip", "assign")?.state;
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
    const state = () => made.service.find("rip", "assign")?.state;
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
    expect(made.service.find("rip", "assign")?.state).to.deep.equal({ is: "unread" });
  });

  it("shows the server's newest warning about this Job", async () => {
    const event = (type: string, name: string, note: string) => ({
      type,
      reason: "FailedCreate",
      note,
      regarding: { name },
    });
    const items = [event("Warning", "j", "old"), event("Warning", "j", "new"), event("Warning", "k", "of another")];
    const made = rig(({ path }) => ({
      items: path.includes("/events") ? [...items, event("Normal", "j", "usual")] : [],
    }));
    made.jobs.upsert(whole(job("j")));
    await made.ask();
    await made.clock.advance(30_000);
    await made.ask();
    const state = made.service.find("rip", "assign")?.state;
    expect(state).to.have.nested.property("problem.message").that.contains("FailedCreate: new");
  });

  it("asks for the warnings about the pod where there is one, and else about the Job", async () => {
    const warned = ({ path }: Call) => {
      return path.includes("/events") ? { items: [] } : {};
    };
    const made = rig(warned);
    made.jobs.upsert(whole(job("stuck")));
    await made.ask();
    await made.clock.advance(6_000);
    await made.ask();
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "stuck", uid: "stuck" }];
    const pod: JobPod = {
      metadata: { ...meta("pod-of-it"), uid: "p", ...(ownerReferences && { ownerReferences }) },
      status: { phase: "Pending" },
    };
    made.pods.upsert(whole(pod));
    await made.ask();
    const asked = made.calls.map((call) => JSON.stringify(call)).filter((text) => text.includes("regarding.name"));
    expect(asked[0]).to.contain("regarding.name=stuck");
    expect(asked.at(-1)).to.contain("regarding.name=pod-of-it");
  });

  it("passes what a Job and its pod say through the redactor", async () => {
    const token = `dop_v1_${"0a".repeat(32)}`;
    const said = async (words: string) => {
      const containerStatuses = [{ state: { terminated: { message: words } } }];
      const items = [{ metadata: meta("pod"), status: { phase: "Failed", containerStatuses } }];
      const made = rig(() => ({ items }));
      made.jobs.upsert(whole({ ...job("failed"), status: { conditions: [{ type: "Failed", status: "True" }] } }));
      await made.ask();
      return JSON.stringify(made.service.find("rip", "assign"));
    };
    const secrets = [token, "Bearer abc.def-123", "AKIAIOSFODNN7EXAMPLE", "-----BEGIN PRIVATE KEY-----\nMIIE"];
    for (const secret of secrets) {
      expect(await said(`401 for ${secret}`))
        .to.contain("401 for")
        .and.not.to.contain(JSON.stringify(secret).slice(1, -1));
    }
    expect(await said('{"routedIP": "192.0.2.1"}'), "a report stays").to.contain("192.0.2.1");
  });

  it("gives up no Job whose pod the cache has not seen yet: it asks the server first", async () => {
    const status = { phase: "Running" };
    const made = rig(({ path }) => ({ items: path.includes("/events") ? [] : [{ metadata: meta("unseen"), status }] }));
    made.jobs.upsert(whole(job("old")));
    await made.ask();
    await made.clock.advance(60_000);
    expect(made.service.find("rip", "assign")?.state.is, "not asked yet").to.equal("stuck");
    await made.ask();
    expect(made.service.find("rip", "assign")?.state.is).to.equal("running");
    const empty = rig();
    empty.jobs.upsert(whole(job("old")));
    await empty.ask();
    await empty.clock.advance(60_000);
    await empty.ask();
    expect(empty.service.find("rip", "assign")?.state.is, "there is none").to.equal("failed");
  });

  it("waits for a pod by its own clock, whatever the clock of the server shows", async () => {
    for (const offsetMs of [-3_600_000, 3_600_000]) {
      const made = rig();
      const creationTimestamp = new Date(made.clock.now() + offsetMs).toISOString();
      made.jobs.upsert(whole(job("new", { creationTimestamp })));
      const state = () => made.service.find("rip", "assign")?.state.is;
      expect(state()).to.equal("running");
      await made.clock.advance(59_000);
      await made.ask();
      expect(state()).to.equal("stuck");
      await made.clock.advance(1_000);
      expect(state()).to.equal("failed");
      made.jobs.remove(whole(job("new", { creationTimestamp })));
      made.jobs.upsert(whole(job("new", { creationTimestamp })));
      expect(state(), "nothing is remembered of a Job that is gone").to.equal("running");
    }
  });
});
