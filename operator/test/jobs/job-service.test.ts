import { expect } from "chai";
import { describe, it } from "mocha";
import { hadNoEffect, isDefinite } from "../../src/jobs/job-dry-run.js";
import { StatusError } from "../../src/kube/client.js";
import { JOB_DRY_RUN_RETRY_MS } from "../../src/timings.js";
import { meta } from "../claims/resources.js";
import { job, ORDER, refusal, rig, SPEC, status, whole } from "./service-rig.js";

describe("the service of Jobs", () => {
  it("takes a refusal as final, unless it is of the moment", () => {
    const codes = [399, 400, 403, 422, 429, 499, 500, 503];
    const final = codes.filter((code) => isDefinite(new StatusError({ code, reason: "r", message: "m" })));
    expect(final).to.deep.equal([400, 403, 422, 499]);
    expect(isDefinite(new Error("connection lost"))).to.equal(false);
  });

  it("knows a Job that it has created before the cache does: no second one is started beside it", async () => {
    const made = rig(() => job("new"));
    await made.service.create(ORDER);
    expect(made.service.find("rip", "assign")?.object.metadata.name).to.equal("new");
    expect(made.service.find("rip", "firewall")).to.equal(undefined);
    made.jobs.upsert(whole(job("new")));
    expect(made.service.find("rip", "assign")?.object.metadata.name).to.equal("new");
    made.jobs.remove(whole(job("new")));
    expect(made.service.find("rip", "assign"), "the cache has seen it come and go").to.equal(undefined);
  });

  it("believes the cache again when it has had the time to see a created Job", async () => {
    const made = rig(() => job("new"));
    await made.service.create(ORDER);
    await made.clock.advance(10_000);
    expect(made.service.find("rip", "assign")).to.equal(undefined);
  });

  it("finds the first of several, of its purpose", () => {
    const made = rig();
    made.jobs.upsert(whole(job("later", { creationTimestamp: "2025-06-01T10:00:01Z" })));
    made.jobs.upsert(whole(job("first")));
    made.jobs.upsert(whole(job("other", { creationTimestamp: "2025-06-01T09:00:00Z" }, "firewall")));
    expect(made.service.find("rip", "assign")?.object.metadata.name).to.equal("first");
  });

  it("takes a Job of that name for the one of an earlier try", async () => {
    const contradictions: string[] = [];
    const made = rig(() => status(409));
    made.service.onUnconfirmed((name) => contradictions.push(name));
    expect(await refusal(made.service.create(ORDER))).to.equal("none");
    expect(contradictions).to.deep.equal([]);
  });

  it("knows which answers leave no Job, also if the same request may succeed in a moment", async () => {
    const refused = (code: number, reason = "") => hadNoEffect(new StatusError({ code, reason, message: "m" }));
    expect([403, 422, 429, 500].map((code) => refused(code))).to.deep.equal([true, true, true, false]);
    expect(refused(409, "Conflict"), "the quota has changed meanwhile").to.equal(true);
    expect(refused(409, "AlreadyExists")).to.equal(false);
    const made = rig(() => {
      throw new StatusError({ code: 409, reason: "Conflict", message: "the quota has changed" });
    });
    expect(await refusal(made.service.create(ORDER)), "there is no Job of that name").to.equal("the quota has changed");
  });

  it("says when it asks the server for a Job: an account that cannot be read keeps it from that", async () => {
    let sent = 0;
    const made = rig(() => status(500));
    const spec = { template: { spec: { serviceAccountName: "worker" } } };
    expect(await refusal(made.service.create({ ...ORDER, spec }, () => sent++))).to.equal("answer 500");
    expect(sent).to.equal(0);
    await refusal(made.service.create(ORDER, () => sent++));
    expect(sent).to.equal(1);
  });

  it("starts no Job as an account whose label is gone", async () => {
    const made = rig(() => ({ metadata: meta("worker") }));
    const spec = { template: { spec: { serviceAccountName: "worker" } } };
    expect(await refusal(made.service.create({ ...ORDER, spec }))).to.contain("worker");
    expect(made.calls.map(({ method }) => method)).to.deep.equal(["GET"]);
  });

  it("doubts the class when the server refuses a Job, and not when it has no time", async () => {
    const unconfirmed = async (code: number) => {
      const contradictions: string[] = [];
      const made = rig(() => status(code));
      made.service.onUnconfirmed((name) => contradictions.push(name));
      expect(await refusal(made.service.create(ORDER))).to.equal(`answer ${code}`);
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
      expect(await refusal(made.service.remove(found))).to.equal("none");
      const [call] = made.calls;
      expect(call?.body).to.deep.equal({ propagationPolicy: "Background", preconditions: { uid: "done" } });
      expect(made.service.find("rip", "assign")?.state.is, "the cache still has it").to.equal("ending");
    }
    expect(await refusal(rig(() => status(403)).service.remove(job("done")))).to.equal("answer 403");
  });

  it("asks again after a minute what was refused, and at once when the class has changed", async () => {
    const made = rig(({ method }) => (method === "POST" ? status(422) : {}));
    expect(made.service.dryRuns.stateOf("rack", SPEC)).to.include({ dryRun: "untried", due: true });
    await made.service.dryRuns.tryOut("rack", SPEC, [ORDER]);
    expect(made.service.dryRuns.stateOf("rack", SPEC)).to.deep.include({
      dryRun: { refused: "answer 422" },
      due: false,
    });
    expect(made.service.dryRuns.stateOf("rack", { ...SPEC, jobNamespace: "jobs" })).to.include({
      dryRun: "untried",
      due: true,
    });
    await made.clock.advance(JOB_DRY_RUN_RETRY_MS);
    expect(made.service.dryRuns.stateOf("rack", SPEC).due).to.equal(true);
  });

  it("tries the pods of a class, too: the server takes Jobs whose pods Pod Security refuses", async () => {
    const trial = async (message: string, code = 403) => {
      const made = rig(({ path }) => {
        if (path.includes("/pods?dryRun")) throw new StatusError({ code, reason: "Forbidden", message });
        return {};
      });
      const spec = { template: { spec: { containers: [{ name: "a" }] } } };
      await made.service.dryRuns.tryOut("rack", SPEC, [{ ...ORDER, spec }]);
      const [, pod] = made.calls;
      expect(pod?.body, "the pod of the Job").to.have.nested.property("spec.containers[0].name", "a");
      expect(pod?.body).to.have.nested.property("spec.restartPolicy", "Never");
      return made.service.dryRuns.stateOf("rack", SPEC).dryRun;
    };
    const violation = 'pods "x" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true';
    expect(await trial(violation)).to.deep.equal({ refused: violation });
    expect(await trial("exceeded quota: pods"), "it may have room when a Job runs").to.equal("accepted");
    expect(await trial('cannot create resource "pods"'), "an older role").to.equal("accepted");
    expect(await trial("a quota has changed meanwhile", 409)).to.equal("accepted");
  });
});
