import { Annotation, Finalizer, type RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { planJobs } from "../../../../src/controllers/routed-ip/jobs/plan.js";
import type { JobSnapshot } from "../../../../src/controllers/routed-ip/jobs/snapshot.js";
import { buildJob, type JobVariables } from "../../../../src/jobs/job.js";
import type { JobState } from "../../../../src/jobs/job-state.js";
import { assignVariables } from "../../../../src/jobs/variables.js";
import type { NodeFacts } from "../../../../src/match/node-facts.js";
import type { ResolvedJobClass } from "../../../../src/routing/resolved-class.js";
import type { RoutedIP } from "../../../../src/routing/resource.js";
import { timestamp } from "../../../../src/times.js";
import { meta } from "../../../claims/resources.js";
import { TAINT } from "../model-cluster.js";

const NOW = Date.parse("2025-06-01T10:00:00Z");
const IP = "192.0.2.1";
const TERMS: ResolvedJobClass = {
  ...{ by: "jobs", className: "rack", perNodeIPLimit: 1, nodePortRange: "30000-32767", postAllow: false, taint: TAINT },
};
const PORT = { name: "https", port: 443, protocol: "TCP", origin: "HostPort" } as const;

function node(name: string, age = 0): NodeFacts {
  return {
    ...{ uid: `uid-${name}`, name, labels: {}, annotations: {}, addresses: [], machine: `cloud://${name}` },
    ...{ cordoned: false, leaving: false, conditionTaints: [], taints: [], kubeletVersion: "" },
    createdAt: timestamp(NOW - age),
  };
}

const N1 = node("n1", 2000);
const N2 = node("n2", 1000);
const ON_N1: RoutedIPStatus = { routedIP: IP, assignedNode: "n1", providerID: "cloud://n1", state: "active" };

interface Changes extends Partial<Omit<JobSnapshot, "routed">> {
  readonly spec?: Partial<RoutedIP["spec"]>;
  readonly status?: RoutedIPStatus;
  readonly metadata?: Partial<RoutedIP["metadata"]>;
}

function plan({ spec, status = {}, metadata, ...more }: Changes = {}) {
  const candidates = more.candidates ?? [N1, N2];
  const routed: RoutedIP = {
    metadata: { ...meta("a"), ...metadata },
    spec: { className: "rack", serviceRef: { serviceName: "web" }, ...spec },
    status,
  };
  return planJobs({
    ...{ routed, now: NOW, cachesComplete: true, resolvedClass: TERMS, candidates, refusals: "none" },
    ...{ claims: { addresses: new Map(), names: [] }, ports: { ports: [PORT] }, firewall: "done" },
    verdictOf: (machine) => {
      const found = [N1, N2].find((one) => one.machine === machine);
      if (found === undefined) return undefined;
      return {
        node: found,
        refusals: candidates.includes(found) ? [] : [{ reason: "NoMatchingPod", text: "no pod", recoverable: true }],
      };
    },
    servesAt: (name) => candidates.some((one) => one.name === name),
    taints: { nodes: [], neededOn: () => [] },
    load: () => 0,
    cleanup: { attempts: 0 },
    ...more,
  } as JobSnapshot);
}

function jobFor(variables: JobVariables, state: JobState): NonNullable<JobSnapshot["job"]> {
  const owner = { name: "rack", uid: "class-uid" };
  const built = buildJob({
    ...{ purpose: "assign", uid: "u", owner, namespace: "jobs", spec: {}, variables, secrets: [], attempt: 0 },
  });
  const { annotations } = built.metadata as { readonly annotations: Record<string, string> };
  return { object: { metadata: { ...meta("job"), annotations } }, state };
}

const to = (name: string, ip = "") => {
  return assignVariables({
    ...{ namespace: "default", name: "a", ip, region: "" },
    node: { name, providerID: `cloud://${name}` },
  });
};
const CREATED = `{"routedIP": "${IP}"}`;
const PENDING = { startedAt: timestamp(NOW), provider: "jobs", family: "IPv4" } as const;
const ARMED = { finalizers: [Finalizer.cleanup] };
const COPIED = { annotations: { [Annotation.createdIps]: IP } };
const DELETED = { ...ARMED, deletionTimestamp: timestamp(NOW - 1000) };
const OTHER = "192.0.2.2";
const TAINTED = { nodes: [{ name: "n1", taints: [TAINT], needed: [] }], neededOn: () => [] };
const RUNNING = jobFor(to("n1"), { is: "running", requeueAt: NOW + 1 });
const WINNER = { kind: "RoutedIP", namespace: "default", name: "other", uid: "other" };
const claim = (ours: boolean) => ({
  addresses: new Map([[OTHER, { ours, winner: WINNER, text: "it lists it" }]]),
  names: [],
});
const CLAIMED = claim(false) as unknown as JobSnapshot["claims"];
const CLAIMED_BY_US = claim(true) as unknown as JobSnapshot["claims"];
const does = ({ sequence }: ReturnType<typeof plan>) => sequence.map((action) => action.do).join(" ");

describe("the plan of a RoutedIP whose class works by Jobs", () => {
  const rows: readonly (readonly [string, Changes, string])[] = [
    ["arms, taints, notes the intent, then creates", {}, "add-finalizer set-taints record create-job"],
    ["creates nothing where the server drops the intent", { crdTooOld: true }, "add-finalizer set-taints"],
    [
      "moves what is there where the server drops the intent",
      { crdTooOld: true, spec: { routedIP: IP } },
      "add-finalizer set-taints create-job",
    ],
    [
      "copies the address that was created beside the status",
      { status: { ...ON_N1, created: true }, metadata: ARMED },
      "annotate set-taints",
    ],
    ["copies it once", { status: { ...ON_N1, created: true }, metadata: { ...ARMED, ...COPIED } }, "set-taints"],
    [
      "takes the copy for the address when the status is lost, and creates none",
      { metadata: { ...ARMED, ...COPIED } },
      "set-taints create-job",
    ],
    ["a given address needs no intent", { spec: { routedIP: IP } }, "add-finalizer set-taints create-job"],
    ["waits for the caches", { cachesComplete: false }, ""],
    ["does nothing while paused", { spec: { paused: true } }, ""],
    ["does nothing with a problem", { problem: { reason: "JobRefused", message: "no" } }, ""],
    ["does nothing without a candidate", { candidates: [] }, ""],
    ["does nothing where all nodes are full", { load: () => 1 }, ""],
    ["rests where the address is", { status: ON_N1, metadata: ARMED }, "set-taints"],
    [
      "moves when the holder is no candidate",
      { status: ON_N1, metadata: ARMED, candidates: [N2] },
      "set-taints create-job",
    ],
    [
      "does not create again when a Job and its words are lost",
      { status: { pendingCreation: PENDING }, metadata: ARMED },
      "set-taints",
    ],
    [
      "lets a Job of another target run",
      { job: jobFor(to("n1"), { is: "running", requeueAt: NOW + 1 }), metadata: ARMED },
      "set-taints",
    ],
    ["waits for one that ends", { job: jobFor(to("n1"), { is: "ending" }), metadata: ARMED }, "set-taints"],
    [
      "records, then removes one that ended well",
      { job: jobFor(to("n1"), { is: "succeeded", words: CREATED }), metadata: ARMED },
      "set-taints record remove-job",
    ],
    [
      "gives up one that ended well and said nothing",
      { job: jobFor(to("n1"), { is: "succeeded", words: "" }), metadata: ARMED },
      "set-taints remove-job",
    ],
    [
      "records, then removes one that failed",
      { job: jobFor(to("n1"), { is: "failed", words: "no" }), metadata: ARMED },
      "set-taints record remove-job",
    ],
    ["lets go of a deleted one when nothing is left", { status: ON_N1, metadata: DELETED }, "remove-finalizer"],
    ["keeps a deleted one until the firewall is done", { status: ON_N1, metadata: DELETED, firewall: "pending" }, ""],
    ["never starts a Job for a deleted one", { metadata: DELETED }, "remove-finalizer"],
    ["lets a deleted one without finalizer go", { metadata: { deletionTimestamp: timestamp(NOW) } }, ""],
    ["keeps a deleted one while its Job runs", { status: ON_N1, metadata: DELETED, job: RUNNING }, ""],
    ["cleans the taint of a deleted one first", { status: ON_N1, metadata: DELETED, taints: TAINTED }, "set-taints"],
    [
      "keeps the former node's taint until the address has left it",
      { status: ON_N1, metadata: ARMED, candidates: [N2], taints: TAINTED },
      "set-taints create-job",
    ],
    [
      "takes the former node's taint when the address has left it",
      { status: { ...ON_N1, assignedNode: "n2", providerID: "cloud://n2" }, metadata: ARMED, taints: TAINTED },
      "set-taints set-taints",
    ],
    ["brings back what has failed", { status: { ...ON_N1, state: "error" }, metadata: ARMED }, "set-taints create-job"],
    ["brings another address", { spec: { routedIP: OTHER }, status: ON_N1, metadata: ARMED }, "set-taints create-job"],
    ["leaves an address to whoever has it", { spec: { routedIP: OTHER }, claims: CLAIMED }, ""],
    [
      "lets go after the deadline, whatever the firewall does",
      {
        ...{ status: ON_N1, firewall: { failure: { reason: "JobFailed", message: "no" } } },
        metadata: { ...ARMED, deletionTimestamp: timestamp(NOW - 3_600_000) },
        cleanup: { attempts: 10, since: NOW - 600_000 },
      },
      "remove-finalizer",
    ],
  ];
  for (const [what, changes, expected] of rows) it(what, () => expect(does(plan(changes))).to.equal(expected));

  it("takes the youngest node, and of a move tells the former one", () => {
    const [fresh] = plan().sequence.filter((action) => action.do === "create-job");
    expect(fresh?.variables).to.include({ NODE_NAME: "n2", ROUTED_IP: "", PREVIOUS_NODE_NAME: "" });
    const move = plan({ status: ON_N1, candidates: [N2] }).sequence.filter((action) => action.do === "create-job");
    expect(move[0]?.variables).to.include({ NODE_NAME: "n2", ROUTED_IP: IP, PREVIOUS_NODE_NAME: "n1" });
  });

  it("calls nothing in progress while the Job that has done it goes, so that no second one follows", () => {
    const job = jobFor(to("n1"), { is: "ending" });
    expect(plan({ status: ON_N1, metadata: ARMED, job }).status.state).to.equal("active");
    const running = jobFor(to("n2"), { is: "running", requeueAt: NOW + 1 });
    expect(plan({ status: ON_N1, metadata: ARMED, job: running }).status.state).to.equal("in-progress");
  });

  it("records what a Job reported, whether it ended well or not", () => {
    const recorded = (state: JobState) => {
      const [record] = plan({ job: jobFor(to("n1"), state) }).sequence.filter((action) => action.do === "record");
      return record?.change;
    };
    const well = { routedIP: IP, created: true, assignedNode: "n1", providerID: "cloud://n1", state: "active" };
    expect(recorded({ is: "succeeded", words: CREATED })).to.include(well);
    const failed = recorded({ is: "failed", words: CREATED });
    expect(failed).to.include({ routedIP: IP, created: true, pendingCreation: undefined });
    expect(failed).not.to.have.property("assignedNode");
  });

  it("records with a move that nobody knows the firewall of the new node, so that a successor asks for it", () => {
    const taken = (status: RoutedIPStatus) => {
      const job = jobFor(to("n2", IP), { is: "succeeded", words: "" });
      const [record] = plan({ status, job }).sequence.filter((action) => action.do === "record");
      return record?.change.conditions?.map((condition) => `${condition.type}=${condition.status}`);
    };
    expect(taken(ON_N1)).to.deep.equal(["FirewallReady=Unknown"]);
    expect(taken({ ...ON_N1, assignedNode: "n2", providerID: "cloud://n2" })).to.equal(undefined);
  });

  it("keeps the taints of the former and the new node while it moves, and of a deleted one none", () => {
    expect(plan({ status: ON_N1, candidates: [N2] }).nodes).to.have.members(["n1", "n2"]);
    expect(plan({ status: ON_N1, metadata: DELETED, firewall: "pending" }).nodes).to.deep.equal([]);
  });

  it("looks again when the grace period ends, and keeps what it knows of ports and times", () => {
    const since = timestamp(NOW - 5000);
    const status = { ...ON_N1, since, ports: [PORT] };
    const graced = { ...status, graceSince: timestamp(NOW - 1000) };
    expect(plan({ status: graced, spec: { gracePeriodSeconds: 60 }, candidates: [N2] }).requeueAt).to.equal(
      NOW + 59_000,
    );
    const kept = plan({ status, ports: { ports: [], sourceRanges: [] } }).status;
    expect([kept.ports, kept.since]).to.deep.equal([[PORT], since]);
  });

  it("moves to another node when the grace period was over before, and not back", () => {
    const status = { ...ON_N1, state: "no-match", graceSince: timestamp(NOW - 1000) } as const;
    const made = plan({ spec: { gracePeriodSeconds: 3600 }, status, candidates: [N2] });
    const [job] = made.sequence.filter((action) => action.do === "create-job");
    expect(job?.variables).to.include({ NODE_NAME: "n2" });
  });

  it("elects a node that is about to leave last of all", () => {
    const leaving = { ...node("n3"), leaving: true };
    const [job] = plan({ candidates: [leaving, N1] }).sequence.filter((action) => action.do === "create-job");
    expect(job?.variables).to.include({ NODE_NAME: "n1" });
  });

  it("says what stays behind: the address always, rules where the firewall is not done", () => {
    const left = (firewall: JobSnapshot["firewall"]) => {
      const overdue = { ...ARMED, deletionTimestamp: timestamp(NOW - 3_600_000) };
      const cleanup = { attempts: 10, since: NOW - 600_000 };
      const [action] = plan({ status: ON_N1, metadata: overdue, cleanup, firewall }).sequence;
      return action?.do === "remove-finalizer" ? [action.kept, action.abandonedItems] : [];
    };
    const kept = [`address ${IP}, which a class with Jobs never releases`];
    expect(left("done")).to.deep.equal([kept, []]);
    expect(left("pending")).to.deep.equal([kept, ["its rules in the firewall of the class"]]);
  });

  it("shows a failure until a Job ends well, and when the next one comes", () => {
    const failure = { reason: "JobFailed", message: "quota" } as const;
    const retry = { schedule: "fast", failures: 1, retryAt: NOW + 1000 } as const;
    const shown = (changes: Changes) => {
      const { state, reason, error, retryAt } = plan({ failure, retry, ...changes }).status;
      return [state, reason, error, retryAt];
    };
    const told = ["JobFailed", "quota"];
    const between = ["error", ...told, timestamp(NOW + 1000)];
    expect(shown({})).to.deep.equal(between);
    expect(shown({ job: jobFor(to("n1"), { is: "ending" }) })).to.deep.equal(between);
    expect(shown({ job: RUNNING })).to.deep.equal(["in-progress", ...told, undefined]);
    expect(shown({ status: ON_N1 }), "nothing is wanted any more").to.deep.equal([
      "active",
      ...[1, 2, 3].map(() => undefined),
    ]);
    expect(plan({ failure, status: ON_N1 }).settled).to.equal(true);
    const waiting: readonly Changes[] = [{}, { candidates: [] }, { spec: { paused: true } }, { cachesComplete: false }];
    for (const more of waiting)
      expect(plan({ failure, retry, ...more }).settled, "the retry still waits").to.equal(false);
  });

  it("says what is wrong", () => {
    const reason = (changes: Changes, type: string) => {
      const found = plan(changes).conditions.find((condition) => condition.type === type);
      return `${found?.status}/${found?.reason}`;
    };
    const failure = { reason: "JobFailed", message: "no" } as const;
    const table: readonly (readonly [Changes, string, string])[] = [
      [{ status: ON_N1 }, "Ready", "True/Observed"],
      [{ status: ON_N1 }, "Assigned", "True/Observed"],
      [{ candidates: [] }, "Assigned", "False/NoCandidate"],
      [{ status: ON_N1, servesAt: () => false }, "Assigned", "Unknown/NotObserved"],
      [{ firewall: "done" }, "FirewallReady", "Unknown/NotObserved"],
      [{ status: ON_N1, cachesComplete: false }, "Ready", "Unknown/NotObserved"],
      [{ status: { pendingCreation: PENDING } }, "Ready", "False/AddressUnknown"],
      [{ status: { pendingCreation: PENDING }, cachesComplete: false }, "Ready", "Unknown/NotObserved"],
      [{ crdTooOld: true }, "Assigned", "False/CRDTooOld"],
      [{ crdTooOld: true, status: ON_N1 }, "Assigned", "True/Observed"],
      [{ spec: { paused: true } }, "Ready", "True/Paused"],
      [{ spec: { routedIP: OTHER }, claims: CLAIMED }, "Conflict", "True/ClaimedByOther"],
      [{ spec: { routedIP: OTHER }, claims: CLAIMED_BY_US }, "Conflict", "False/Observed"],
      [{ status: ON_N1, firewall: { failure } }, "FirewallReady", "False/JobFailed"],
      [{ status: ON_N1, firewall: "pending" }, "FirewallReady", "Unknown/NotObserved"],
      [{ job: jobFor(to("n1"), { is: "failed", words: "no" }) }, "Ready", "False/JobFailed"],
      [{ job: jobFor(to("n1"), { is: "succeeded", words: "" }) }, "Ready", "False/AddressUnknown"],
      [{ job: jobFor(to("n1"), { is: "stuck", message: "no pod" }) }, "Ready", "False/JobRefused"],
      [{ job: jobFor(to("n1"), { is: "stuck", message: "no pod" }) }, "Assigned", "False/JobRefused"],
      [{ failure, retry: { schedule: "fast", failures: 1, retryAt: NOW + 1 } }, "Ready", "False/JobFailed"],
      [{ failure, job: RUNNING }, "Assigned", "False/JobFailed"],
      [{ failure, status: ON_N1 }, "Ready", "True/Observed"],
    ];
    for (const [changes, type, expected] of table) expect(reason(changes, type), type).to.equal(expected);
  });
});
