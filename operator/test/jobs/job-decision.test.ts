import { expect } from "chai";
import { describe, it } from "mocha";
import { decideJob } from "../../src/jobs/job-decision.js";
import { type JobObject, type JobPod, jobState, reportedAddress } from "../../src/jobs/job-state.js";
import { meta } from "../claims/resources.js";
import { ASSIGN, CREATE, job, NOW } from "./made-jobs.js";

function pod(message: string): JobPod {
  return {
    metadata: meta("pod"),
    status: { containerStatuses: [{ state: { terminated: { exitCode: 1, message } } }] },
  };
}

function ended(type: "Complete" | "Failed"): JobObject["status"] {
  return { conditions: [{ type, status: "True", message: "Job has reached the specified backoff limit" }] };
}

describe("the life of a Job", () => {
  const decide = (object: JobObject, pods: readonly JobPod[] = [], warning?: string) => {
    const scene = { job: object, pods, now: NOW, ...(warning === undefined ? {} : { warning }) };
    return decideJob({ wanted: ASSIGN, job: { object, state: jobState(scene) }, now: NOW });
  };

  it("begins when something is wanted, and not before its retry is due", () => {
    expect(decideJob({ wanted: undefined, now: NOW })).to.deep.equal({ do: "nothing" });
    expect(decideJob({ wanted: ASSIGN, now: NOW })).to.deep.equal({ do: "create", variables: ASSIGN, attempt: 0 });
    const retry = { schedule: "fast", failures: 2, retryAt: NOW + 5 } as const;
    expect(decideJob({ wanted: ASSIGN, retry, now: NOW })).to.deep.equal({ do: "wait", until: NOW + 5 });
    expect(decideJob({ wanted: ASSIGN, retry, now: NOW + 5 })).to.deep.include({ do: "create", attempt: 2 });
  });

  it("that failed is told until one ends well: while the next one waits, and while it runs", () => {
    const failure = { reason: "JobFailed", message: "quota" } as const;
    const retry = { schedule: "fast", failures: 1, retryAt: NOW + 5 } as const;
    const told = (more: object) => decideJob({ wanted: ASSIGN, now: NOW, retry, failure, ...more });
    expect(told({})).to.deep.equal({ do: "wait", until: NOW + 5, problem: failure });
    for (const is of ["running", "ending", "unread"] as const) {
      const state = { is, requeueAt: NOW + 1 };
      expect(told({ job: { object: job(ASSIGN), state } }), is).to.deep.include({ do: "wait", problem: failure });
    }
    expect(told({ job: { object: job(ASSIGN), state: { is: "succeeded", words: "" } } })).not.to.have.property(
      "problem",
    );
  });

  it("is not over until its pods have been read: their words may not have come yet", () => {
    const scene = { job: job(CREATE, ended("Complete")), pods: [], now: NOW, stale: true };
    const decision = decideJob({ wanted: undefined, job: { object: scene.job, state: jobState(scene) }, now: NOW });
    expect(decision).to.deep.include({ do: "wait" });
  });

  it("is let finish, though something else is wanted by now", () => {
    expect(decide(job(CREATE), [{ metadata: meta("pod") }])).to.deep.include({ do: "wait" });
  });

  it("is told as refused when it has no pod after 60 s", () => {
    expect(decide(job(ASSIGN, {}, 59_000))).to.deep.equal({ do: "wait", until: NOW + 1000 });
    const late = decide(job(ASSIGN, {}, 60_000), [], "FailedCreate: violates PodSecurity");
    expect(late).to.have.nested.property("problem.reason", "JobRefused");
    expect(late).to.have.nested.property("problem.message").that.contains("violates PodSecurity");
  });

  it("runs as long as it has a pod, and speaks by whoever has words: a container, an init container, the kubelet", () => {
    expect(decide(job(ASSIGN, {}, 120_000), [{ metadata: meta("pod") }])).not.to.have.property("problem");
    const said = (status: NonNullable<JobPod["status"]>) => {
      const pods = [{ metadata: meta("pod"), status }];
      const state = jobState({ job: job(ASSIGN, ended("Failed")), pods, now: NOW });
      return state.is === "failed" ? state.words : state.is;
    };
    const terminated = { message: " no route \n" };
    expect(said({ containerStatuses: [{ state: { terminated } }] })).to.equal("no route");
    expect(said({ initContainerStatuses: [{ state: { terminated } }] })).to.equal("no route");
    expect(said({ message: "evicted" })).to.equal("evicted");
    const older = { ...pod("older"), metadata: { ...meta("old"), creationTimestamp: "2025-06-01T09:00:00Z" } };
    const newer = { ...pod("newer"), metadata: { ...meta("new"), creationTimestamp: "2025-06-01T09:00:01Z" } };
    for (const pods of [
      [older, newer],
      [newer, older],
    ]) {
      const state = jobState({ job: job(ASSIGN, ended("Failed")), pods, now: NOW });
      expect(state).to.deep.equal({ is: "failed", words: "newer" });
    }
    const unfailed = { conditions: [{ type: "Failed", status: "False" }] };
    expect(jobState({ job: job(ASSIGN, unfailed), pods: [pod("")], now: NOW }).is).to.equal("running");
  });

  it("is over when it has been deleted, whatever the cache still shows: nothing is taken or counted twice", () => {
    const state = jobState({ job: job(ASSIGN, ended("Failed")), pods: [], removed: true, now: NOW });
    const decision = decideJob({ wanted: ASSIGN, job: { object: job(ASSIGN, ended("Failed")), state }, now: NOW });
    expect(decision).to.deep.include({ do: "wait" });
    const going = { ...job(ASSIGN, ended("Complete")) };
    const metadata = { ...going.metadata, deletionTimestamp: new Date(NOW).toISOString() };
    expect(decide({ ...going, metadata })).to.deep.include({ do: "wait" });
  });

  it("ends well: its result is taken", () => {
    expect(decide(job(ASSIGN, ended("Complete")))).to.deep.include({ do: "take", variables: ASSIGN });
    const created = decide(job(CREATE, ended("Complete")), [pod('{"routedIP": "192.0.2.9"}\n')]);
    expect(created).to.deep.include({ do: "take", created: "192.0.2.9" });
  });

  it("ends well and does not say what it created: that is for a person, and nothing is created again", () => {
    for (const words of ["", "done", '{"routedIP": "none"}', '{"ip": "192.0.2.9"}', "[1]"]) {
      const decision = decide(job(CREATE, ended("Complete")), [pod(words)]);
      expect(decision).to.have.nested.property("problem.reason", "AddressUnknown");
    }
    expect(reportedAddress('{"routedIP": "2001:DB8::1"}')).to.equal("2001:db8::1");
  });

  it("fails: its last words are told, and it is tried again with back-off", () => {
    const failed = decide(job(ASSIGN, ended("Failed")), [pod("quota exceeded")]);
    expect(failed).to.have.nested.property("problem.message").that.contains("quota exceeded");
    expect(failed).to.have.nested.property("retry.failures", 1);
    expect(failed).to.have.nested.property("retry.retryAt", NOW + 1000);
    expect(decide(job(ASSIGN, ended("Failed"))))
      .to.have.nested.property("problem.message")
      .that.contains("backoff limit");
  });

  it("fails again: the failures add up, and no address but a created one is taken", () => {
    const state = { is: "failed", words: '{"routedIP": "192.0.2.9"}' } as const;
    const retry = { schedule: "fast", failures: 2, retryAt: NOW } as const;
    const decision = decideJob({ wanted: ASSIGN, job: { object: job(ASSIGN), state }, retry, now: NOW });
    expect(decision).to.have.nested.property("retry.failures", 3);
    expect(decision).not.to.have.property("created");
  });

  it("fails after it has created an address: the next one gets it", () => {
    const failed = decide(job(CREATE, ended("Failed")), [pod('{"routedIP": "192.0.2.9"}')]);
    expect(failed).to.deep.include({ do: "retry", created: "192.0.2.9" });
  });
});
