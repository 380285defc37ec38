import { Finalizer, JOB_VARIABLES, type JsonObject, Label } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import {
  type ClassSnapshot,
  isByJobs,
  planClass,
} from "../../../src/controllers/cluster-routed-ip-class/class-plan.js";
import { buildJob, inputOf, type JobOrder, jobName } from "../../../src/controllers/jobs/job.js";
import { decideJob } from "../../../src/controllers/jobs/job-decision.js";
import { accountProblem } from "../../../src/controllers/jobs/job-place.js";
import { type JobObject, type JobPod, jobState, reportedAddress } from "../../../src/controllers/jobs/job-state.js";
import { assignVariables, firewallOrders, firewallVariables } from "../../../src/controllers/jobs/variables.js";
import { meta } from "../../claims/resources.js";

const NODE = { name: "n1", providerID: "cloud://1" };
const ASSIGN = assignVariables({ namespace: "default", name: "a", ip: "192.0.2.1", node: NODE, region: "r" });
const CREATE = assignVariables({ namespace: "default", name: "a", node: NODE, region: "r" });
const NOW = Date.parse("2025-06-01T10:00:00Z");

function order(spec: JsonObject, more: Partial<JobOrder> = {}): JobOrder {
  const owner = { name: "class", uid: "class-uid" };
  const base = { purpose: "assign", uid: "rip-uid", owner, namespace: "flipop-jobs", attempt: 0 } as const;
  return { ...base, spec, variables: ASSIGN, secrets: ["cloud"], ...more };
}

function podSpec(spec: JsonObject): JsonObject {
  const { template } = buildJob(order({ template: { spec } })).spec as { template: { spec: JsonObject } };
  return template.spec;
}

function job(variables = ASSIGN, status: JobObject["status"] = {}, ageMs = 0): JobObject {
  const built = buildJob(order({}, { variables })).metadata as { annotations: Record<string, string> };
  const creationTimestamp = new Date(NOW - ageMs).toISOString();
  return { metadata: { ...meta("job"), annotations: built.annotations, creationTimestamp }, status };
}

function pod(message: string): JobPod {
  return {
    metadata: meta("pod"),
    status: { containerStatuses: [{ state: { terminated: { exitCode: 1, message } } }] },
  };
}

function ended(type: "Complete" | "Failed"): JobObject["status"] {
  return { conditions: [{ type, status: "True", message: "Job has reached the specified backoff limit" }] };
}

describe("a Job of a class", () => {
  it("has the forced fields, whatever its author says", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            ...[
              "parallelism",
              "completions",
              "backoffLimit",
              "ttlSecondsAfterFinished",
              "activeDeadlineSeconds",
              "suspend",
            ],
            ...["selector", "manualSelector", "managedBy", "podFailurePolicy", "completionMode"],
          ),
          fc.oneof(fc.integer(), fc.boolean(), fc.string()),
        ),
        (spec) => {
          const built = buildJob(order(spec as JsonObject)).spec;
          expect(Object.keys(built)).to.have.members([
            "parallelism",
            "completions",
            "backoffLimit",
            "ttlSecondsAfterFinished",
            "activeDeadlineSeconds",
            "template",
          ]);
          const { activeDeadlineSeconds, template: _template, ...forced } = built;
          expect(forced).to.deep.equal({
            parallelism: 1,
            completions: 1,
            backoffLimit: 0,
            ttlSecondsAfterFinished: 3600,
          });
          expect(activeDeadlineSeconds).to.be.within(1, 600);
        },
      ),
    );
  });

  it("keeps a shorter deadline", () => {
    expect(buildJob(order({ activeDeadlineSeconds: 30 })).spec["activeDeadlineSeconds"]).to.equal(30);
    for (const none of [601, 0, -1, 30.5, "30"]) {
      expect(buildJob(order({ activeDeadlineSeconds: none })).spec["activeDeadlineSeconds"], `${none}`).to.equal(600);
    }
  });

  it("is found by its labels and those of its pods, which its author can't change", () => {
    const { labels } = buildJob(order({})).metadata as { readonly labels: Record<string, string> };
    const metadata = { labels: { ...labels, "flipop.digitalocean.com/for-uid": "another", app: "mine" } };
    const { template } = buildJob(order({ template: { metadata } })).spec as { template: { metadata: JsonObject } };
    expect(template.metadata["labels"]).to.deep.equal({ ...labels, app: "mine" });
  });

  it("never restarts its pod, mounts no token unasked, and takes no account by its old name", () => {
    const pod = podSpec({ restartPolicy: "Always", serviceAccount: "admin", containers: [] });
    expect(pod).to.deep.include({ restartPolicy: "Never", automountServiceAccountToken: false });
    expect(pod).not.to.have.property("serviceAccount");
    expect(podSpec({ automountServiceAccountToken: true })["automountServiceAccountToken"]).to.equal(true);
  });

  it("tells every container what to do, and nobody can say otherwise", () => {
    const env = [
      { name: "NODE_NAME", value: "mine" },
      { name: "MODE", value: "fast" },
    ];
    const { containers, initContainers } = podSpec({
      containers: [{ name: "a", env }],
      initContainers: [{ name: "b" }],
    }) as {
      containers: { env: { name: string; value: string }[]; envFrom: unknown }[];
      initContainers: { env: unknown[] }[];
    };
    expect(containers[0]?.env).to.deep.include({ name: "NODE_NAME", value: "n1" });
    expect(containers[0]?.env).to.deep.include({ name: "MODE", value: "fast" });
    expect(containers[0]?.env.filter(({ name }) => name === "NODE_NAME")).to.have.length(1);
    expect(containers[0]?.envFrom).to.deep.equal([{ secretRef: { name: "cloud" } }]);
    const envFrom = [{ configMapRef: { name: "own" } }];
    const [own] = podSpec({ containers: [{ name: "a", envFrom }] })["containers"] as { envFrom: unknown }[];
    expect(own?.envFrom).to.deep.equal([...envFrom, { secretRef: { name: "cloud" } }]);
    expect(initContainers[0]?.env).to.have.length(Object.keys(ASSIGN).length);
  });

  it("sets the variables that the documents list, and no other", () => {
    expect([...Object.keys(ASSIGN), ...Object.keys(firewallVariables([]))]).to.have.members([...JOB_VARIABLES]);
  });

  it("is told where the address has been", () => {
    const previous = { name: "n0", providerID: "cloud://0" };
    expect(assignVariables({ namespace: "default", name: "a", node: NODE, previous, region: "" })).to.include({
      PREVIOUS_NODE_NAME: "n0",
      PREVIOUS_NODE_PROVIDER_ID: "cloud://0",
    });
  });

  it("belongs to its class, which does not wait for it", () => {
    expect(buildJob(order({})).metadata["ownerReferences"]).to.deep.equal([
      {
        apiVersion: "flipop.digitalocean.com/v1alpha1",
        kind: "ClusterRoutedIPClass",
        name: "class",
        uid: "class-uid",
        controller: true,
        blockOwnerDeletion: false,
      },
    ]);
  });

  it("is named by uid, purpose, input and attempt, so that a retry finds it", () => {
    const same = { purpose: "assign", uid: "u", variables: ASSIGN, attempt: 0 } as const;
    const reordered = Object.fromEntries(Object.entries(ASSIGN).reverse());
    expect(jobName(same)).to.equal(jobName({ ...same, variables: reordered }));
    const others = [
      { ...same, uid: "v" },
      { ...same, purpose: "firewall" as const },
      { ...same, attempt: 1 },
      { ...same, variables: CREATE },
    ];
    expect(new Set([same, ...others].map(jobName)).size).to.equal(5);
    expect(jobName(same)).to.match(/^[a-z0-9-]{1,63}$/);
    expect(inputOf(job())).to.deep.equal(ASSIGN);
  });

  it("gets the full set of the class's rules, each port with its nodes", () => {
    const other = { name: "n2", providerID: "cloud://2" };
    const needs = [
      { ports: [{ protocol: "TCP" as const, port: 443 }], nodes: [other] },
      {
        ports: [
          { protocol: "UDP" as const, port: 53 },
          { protocol: "TCP" as const, port: 443 },
        ],
        nodes: [NODE],
      },
      { ports: [{ protocol: "TCP" as const, port: 80 }], nodes: [] },
    ];
    expect(firewallOrders(needs)).to.deep.equal([
      { protocol: "udp", port: 53, nodes: [NODE] },
      { protocol: "tcp", port: 443, nodes: [NODE, other] },
    ]);
    expect(firewallOrders([...needs].reverse())).to.deep.equal(firewallOrders(needs));
    const third = { name: "n3", providerID: "cloud://3" };
    const twice = [
      { ports: [{ protocol: "TCP" as const, port: 53 }], nodes: [third, NODE] },
      { ports: (["TCP", "UDP"] as const).map((protocol) => ({ protocol, port: 53 })), nodes: [NODE] },
      { ports: [{ protocol: "UDP" as const, port: 53 }], nodes: [other, NODE] },
    ];
    expect(firewallOrders(twice), "one node of one machine, protocols apart").to.deep.equal([
      { protocol: "tcp", port: 53, nodes: [NODE, third] },
      { protocol: "udp", port: 53, nodes: [NODE, other] },
    ]);
  });
});

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
      const state = { is, lookAgainAt: NOW + 1 };
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

describe("the plan of a class", () => {
  const JOBS = { updateRoutedIP: {}, updateFirewall: {} };

  function snapshot(more: Partial<ClassSnapshot>, jobs: Partial<ClassSnapshot["jobs"]> = {}): ClassSnapshot {
    return {
      metadata: meta("class"),
      spec: JOBS,
      cachesComplete: true,
      users: [],
      jobs: {
        enabled: true,
        namespaces: ["flipop-jobs"],
        dryRun: "accepted",
        accounts: new Map(),
        due: false,
        ...jobs,
      },
      ...more,
    };
  }

  function ready(made: ClassSnapshot): string {
    const [condition] = planClass(made).conditions;
    return `${condition?.status}/${condition?.reason}`;
  }

  it("says whether it can work", () => {
    const issuerRef = { name: "do", namespace: "flipop" };
    const foreign = new Map([["admin", { labels: {} }]]);
    const rows: readonly (readonly [ClassSnapshot, string])[] = [
      [snapshot({}), "True/Observed"],
      [snapshot({}, { enabled: false }), "False/JobsDisabled"],
      [snapshot({ spec: { ...JOBS, jobNamespace: "kube-system" } }), "False/NamespaceNotAllowed"],
      [snapshot({}, { dryRun: { refused: "unknown field" } }), "False/JobRefused"],
      [snapshot({}, { accounts: foreign }), "False/JobRefused"],
      [snapshot({}, { dryRun: "untried" }), "Unknown/NotObserved"],
      [snapshot({ spec: { issuerRef }, issuerFound: true }), "True/Observed"],
      [snapshot({ spec: { issuerRef }, issuerFound: false }), "False/IssuerNotFound"],
      [snapshot({ problem: { reason: "Invalid", message: "both" } }), "False/Invalid"],
    ];
    for (const [made, expected] of rows) expect(ready(made)).to.equal(expected);
  });

  it("asks the server once, and again when what it refused may be mended", () => {
    const asks = (jobs: Partial<ClassSnapshot["jobs"]>, more: Partial<ClassSnapshot> = {}) =>
      planClass(snapshot(more, jobs)).dryRunIn;
    expect(asks({ dryRun: "untried", due: true })).to.equal("flipop-jobs");
    expect(asks({ dryRun: { refused: "no" }, due: true })).to.equal("flipop-jobs");
    expect(asks({ dryRun: { refused: "no" } })).to.equal(undefined);
    expect(asks({ due: true }, { spec: { ...JOBS, jobNamespace: "kube-system" } })).to.equal(undefined);
    expect(asks({ due: true }, { spec: { issuerRef: { name: "do", namespace: "flipop" } } })).to.equal(undefined);
    expect(asks({ due: true, enabled: false })).to.equal(undefined);
    expect(asks({ due: true }, { problem: { reason: "Invalid", message: "one Job only" } })).to.equal(undefined);
  });

  it("runs Jobs only as accounts that are labelled for it", () => {
    expect(accountProblem("", "jobs", undefined)).to.equal(undefined);
    expect(accountProblem("worker", "jobs", { labels: { [Label.job]: "" } })).to.equal(undefined);
    expect(accountProblem("worker", "jobs", undefined)?.reason).to.equal("JobRefused");
  });

  it("is one of Jobs with either of them: what is missing is told by the class itself", () => {
    expect([isByJobs({ updateRoutedIP: {} }), isByJobs({ updateFirewall: {} }), isByJobs({})]).to.deep.equal([
      ...[true, true, false],
    ]);
  });

  it("is kept as long as a RoutedIP names it", () => {
    expect(planClass(snapshot({})).action, "nobody names it").to.equal(undefined);
    const late = { ...meta("class"), deletionTimestamp: "2025-06-01T10:00:00Z" };
    expect(planClass(snapshot({ users: ["default/a"], metadata: late })).action, "too late").to.equal(undefined);
    const finalizers = [Finalizer.inUse];
    expect(planClass(snapshot({ users: ["default/a"] })).action?.do).to.equal("add-finalizer");
    expect(planClass(snapshot({ metadata: { ...meta("class"), finalizers } })).action?.do).to.equal("remove-finalizer");
    const going = { ...meta("class"), finalizers, deletionTimestamp: "2001-01-01T00:00:00Z" };
    expect(planClass(snapshot({ metadata: going, users: ["default/a"] })).action, "no deadline").to.equal(undefined);
    expect(planClass(snapshot({ metadata: { ...meta("class"), finalizers }, cachesComplete: false })).action).to.equal(
      undefined,
    );
  });
});
