import { expect } from "chai";
import { describe, it } from "mocha";
import { buildJob } from "../../src/jobs/job.js";
import { decideJob, type JobObject, jobState, reportedAddress } from "../../src/jobs/job-decision.js";
import type { JobPod } from "../../src/jobs/pod-start.js";
import { meta } from "../claims/resources.js";
import { ASSIGN, CREATE, job, NOW, order } from "./made-jobs.js";

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
    const scene = { job: object, pods, asked: true, now: NOW, ...(warning === undefined ? {} : { warning }) };
    return decideJob({ wanted: ASSIGN, job: { object, state: jobState(scene) }, now: NOW });
  };

  it("begins when something is wanted, and not before its retry is due", () => {
    expect(decideJob({ wanted: undefined, now: NOW })).to.deep.equal({ do: "nothing" });
    expect(decideJob({ wanted: ASSIGN, now: NOW })).to.deep.equal({ do: "create", variables: ASSIGN, attempt: 0 });
    const retry = { schedule: "fast", failures: 2, retryAt: NOW + 5 } as const;
    expect(decideJob({ wanted: ASSIGN, retry, now: NOW })).to.deep.equal({ do: "wait", until: NOW + 5 });
    expect(decideJob({ wanted: ASSIGN, retry, now: NOW + 5 })).to.deep.include({ do: "create", attempt: 2 });
  });

  it("that failed is reported until one ends well: while the next one waits, and while it runs", () => {
    const failure = { reason: "JobFailed", message: "quota" } as const;
    const retry = { schedule: "fast", failures: 1, retryAt: NOW + 5 } as const;
    const decisionWith = (more: object) => decideJob({ wanted: ASSIGN, now: NOW, retry, failure, ...more });
    expect(decisionWith({})).to.deep.equal({ do: "wait", until: NOW + 5, problem: failure });
    for (const is of ["running", "ending", "unread"] as const) {
      const state = { is, requeueAt: NOW + 1 };
      expect(decisionWith({ job: { object: job(ASSIGN), state } }), is).to.deep.include({
        do: "wait",
        problem: failure,
      });
    }
    expect(decisionWith({ job: { object: job(ASSIGN), state: { is: "succeeded", words: "" } } })).not.to.have.property(
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

  it("without a pod is reported with the server's warning, asked for again within 15 s, and fails after 60 s", () => {
    expect(decide(job(ASSIGN, {}, 4000))).to.deep.equal({ do: "wait", until: NOW + 5000 });
    expect(decide(job(ASSIGN, {}, 5000)), "the server has given no reason").to.deep.equal({
      do: "wait",
      until: NOW + 5000,
    });
    const early = decide(job(ASSIGN, {}, 5000), [], "FailedCreate: violates PodSecurity");
    expect(early).to.have.nested.property("problem.reason", "JobRefused");
    expect(early).to.have.nested.property("problem.message").that.contains("violates PodSecurity");
    const late = decide(job(ASSIGN, {}, 60_000), [], "FailedCreate: violates PodSecurity");
    expect(late).to.deep.include({ do: "retry" });
    expect(late)
      .to.have.nested.property("problem.message")
      .that.matches(/did not start within 60 s.*PodSecurity/);
  });

  const waiting = (reason: string, message: string): JobPod => ({
    metadata: meta("pod"),
    status: { phase: "Pending", containerStatuses: [{ state: { waiting: { reason, message } } }] },
  });
  const UNSCHEDULABLE: JobPod = {
    metadata: meta("pod"),
    status: {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }],
    },
  };

  it("whose pod cannot start is reported at once with the kubelet's message, and fails after 60 s", () => {
    const pods: readonly (readonly [JobPod, string])[] = [
      [waiting("CreateContainerConfigError", 'secret "cloud" not found'), 'CreateContainerConfigError: secret "cloud"'],
      [waiting("ImagePullBackOff", "Back-off pulling image"), "ImagePullBackOff: Back-off"],
      [UNSCHEDULABLE, "Unschedulable: 0/3 nodes"],
    ];
    for (const [stuck, said] of pods) {
      const early = decide(job(ASSIGN, {}, 1000), [stuck]);
      expect(early, said).to.deep.include({ do: "wait", until: NOW + 5000 });
      expect(early).to.have.nested.property("problem.message").that.contains(said);
      const late = decide(job(ASSIGN, {}, 60_000), [stuck]);
      expect(late, said).to.deep.include({ do: "retry" });
      expect(late).to.have.nested.property("problem.message").that.contains(said);
    }
    const creating = waiting("ContainerCreating", "");
    expect(decide(job(ASSIGN, {}, 4000), [creating])).not.to.have.property("problem");
    expect(decide(job(ASSIGN, {}, 6000), [creating], "FailedMount: no such volume"))
      .to.have.nested.property("problem.message")
      .that.contains("FailedMount: no such volume");
    const begun = { ...UNSCHEDULABLE, status: { phase: "Running" } };
    expect(decide(job(ASSIGN, {}, 120_000), [begun]), "it runs").not.to.have.property("problem");
    const init = { phase: "Pending", initContainerStatuses: [{ state: { running: {} } }] };
    expect(decide(job(ASSIGN, {}, 120_000), [{ ...begun, status: init }])).not.to.have.property("problem");
  });

  it("that creates an address is reported, and not given up: its pod could start while the Job goes", () => {
    const late = decide(job(CREATE, {}, 120_000), [UNSCHEDULABLE]);
    expect(late).to.deep.include({ do: "wait", until: NOW + 15_000 });
    expect(late).to.have.nested.property("problem.message").that.contains("Unschedulable");
  });

  it("fails after the time to start that its class has", () => {
    const built = buildJob(order({}, { startDeadlineSeconds: 10 })).metadata as { annotations: Record<string, string> };
    const object = { ...job(ASSIGN, {}, 10_000) };
    const short = { ...object, metadata: { ...object.metadata, annotations: built.annotations } };
    expect(decide(short, [UNSCHEDULABLE])).to.deep.include({ do: "retry" });
    expect(decide(object, [UNSCHEDULABLE])).to.deep.include({ do: "wait" });
  });

  it("runs as long as it has a pod, and shows the first output: of a container, an init container, the kubelet", () => {
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

  it("fails: the status has its last output, and the operator tries again with back-off", () => {
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
