import type { RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../../../src/clock.js";
import type { JobSnapshot } from "../../../../src/controllers/routed-ip/jobs/snapshot.js";
import type { JobState } from "../../../../src/jobs/job-decision.js";
import { JOB_CLASS } from "./job-class.js";
import {
  ARMED,
  ATTEMPTED,
  type Changes,
  CLAIMED,
  COPIED,
  CREATED,
  DELETED,
  does,
  FORMER_TAINT,
  HELD,
  IP,
  jobFor,
  N1,
  N2,
  NOW,
  node,
  ON_N1,
  OTHER,
  PENDING,
  plan,
  RUNNING,
  TAINTED,
  to,
  UNSERVED,
  WINNER,
} from "./job-plan.js";

describe("the plan of a RoutedIP whose class works by Jobs", () => {
  it("moves an address that only probes take off its node to a node that passes them, and else to none", () => {
    const refusal = { reason: "ProbeFailed", detail: "", recoverable: true, isByProbesAlone: true } as const;
    const electedWith = (hasPassed: NonNullable<JobSnapshot["hasPassed"]>) => {
      const verdictOf = () => ({ node: N1, refusals: [refusal] });
      const candidates = [N2, node("n3", 500)];
      return plan({ status: ON_N1, metadata: ARMED, candidates, verdictOf, hasPassed }).elected?.providerID;
    };
    expect(electedWith(({ name }) => name === "n2")).to.equal("cloud://n2");
    expect(electedWith(({ name }) => name === "n3")).to.equal("cloud://n3");
    expect(electedWith(() => false)).to.equal(undefined);
  });

  const rows: readonly (readonly [string, Changes, string])[] = [
    ["arms, taints, notes the intent, then creates", {}, "add-finalizer set-taints record create-job"],
    ["creates nothing where the server drops the intent", { crdTooOld: true }, "add-finalizer set-taints"],
    [
      "moves what is there where the server drops the intent",
      { crdTooOld: true, spec: { routedIP: IP } },
      "add-finalizer set-taints record create-job",
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
      "set-taints record create-job",
    ],
    [
      "notes the node before it brings a given address there",
      { spec: { routedIP: IP } },
      "add-finalizer set-taints record create-job",
    ],
    [
      "notes no node twice",
      { spec: { routedIP: IP }, status: { attemptedNodes: [ATTEMPTED] }, metadata: ARMED },
      "set-taints create-job",
    ],
    ["starts no Job before the firewall is open", { opens: () => false }, "add-finalizer set-taints"],
    [
      "starts it first with firewallPostAllow",
      { opens: () => false, resolvedClass: { ...JOB_CLASS, postAllow: true } },
      "add-finalizer set-taints record create-job",
    ],
    [
      "brings back what a Job may have moved elsewhere",
      { status: { ...ON_N1, attemptedNodes: [ATTEMPTED] }, metadata: ARMED },
      "set-taints record create-job",
    ],
    ["waits for the caches", { cachesComplete: false }, ""],
    ["does nothing while paused", { spec: { paused: true } }, ""],
    ["does nothing with a problem", { problem: { reason: "JobRefused", message: "no" } }, ""],
    ["does nothing without a candidate", { candidates: [] }, ""],
    ["does nothing where all nodes are full", { heldOn: () => [HELD] }, ""],
    ["rests where the address is", { status: ON_N1, metadata: ARMED }, "set-taints"],
    [
      "moves when the holder is no candidate",
      { status: ON_N1, metadata: ARMED, candidates: [N2] },
      "set-taints record create-job",
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
      "set-taints record create-job",
    ],
    ["keeps the taint of a holder that does not serve", { ...UNSERVED, taints: TAINTED }, ""],
    ["gives such a holder the taint of the changed class", { ...UNSERVED, taints: FORMER_TAINT }, "set-taints"],
    ["gives such a holder none", UNSERVED, ""],
    [
      "takes the former node's taint when the address has left it",
      { status: { ...ON_N1, assignedNode: "n2", providerID: "cloud://n2" }, metadata: ARMED, taints: TAINTED },
      "set-taints set-taints",
    ],
    [
      "brings back what has failed",
      { status: { ...ON_N1, state: "error" }, metadata: ARMED },
      "set-taints record create-job",
    ],
    [
      "brings another address",
      { spec: { routedIP: OTHER }, status: ON_N1, metadata: ARMED },
      "set-taints record create-job",
    ],
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

  it("takes the youngest node, and of a move names the previous one", () => {
    const [fresh] = plan().chain.filter((action) => action.do === "create-job");
    expect(fresh?.variables).to.include({ NODE_NAME: "n2", ROUTED_IP: "", PREVIOUS_NODE_NAME: "" });
    const move = plan({ status: ON_N1, candidates: [N2] }).chain.filter((action) => action.do === "create-job");
    expect(move[0]?.variables).to.include({ NODE_NAME: "n2", ROUTED_IP: IP, PREVIOUS_NODE_NAME: "n1" });
  });

  it("records what a Job reported, whether it ended well or not", () => {
    const recorded = (state: JobState) => {
      const [record] = plan({ job: jobFor(to("n1"), state) }).chain.filter((action) => action.do === "record");
      return record?.change;
    };
    const well = { routedIP: IP, created: true, assignedNode: "n1", providerID: "cloud://n1", state: "active" };
    expect(recorded({ is: "succeeded", words: CREATED })).to.include(well);
    const failed = recorded({ is: "failed", words: CREATED });
    expect(failed).to.include({ routedIP: IP, created: true, pendingCreation: undefined });
    expect(failed).not.to.have.property("assignedNode");
  });

  it("rejects the whole report of a Job that names an address which another resource has", () => {
    const keeperOf = (ip: string) => (ip === IP ? { owner: WINNER, basis: "uses" as const } : undefined);
    for (const is of ["succeeded", "failed"] as const) {
      const made = plan({ job: jobFor(to("n1"), { is, words: CREATED }), keeperOf, metadata: ARMED });
      const [record, removal] = made.chain.filter(({ do: verb }) => verb === "record" || verb === "remove-job");
      const { assignedNode, providerID, created, ...change } = record?.do === "record" ? record.change : {};
      expect([assignedNode, providerID, created], is).to.deep.equal([undefined, undefined, undefined]);
      expect(change).to.include({ routedIP: IP, state: "error", reason: "ClaimedByOther", pendingCreation: undefined });
      expect(removal)
        .to.have.nested.property("failure.problem.message")
        .that.contains("have the author of the class correct its Job");
    }
    const after = plan({ status: { routedIP: IP, state: "error" }, keeperOf, metadata: ARMED });
    expect(does(after), "no other Job").to.equal("");
    expect(after.status).to.include({ state: "error", reason: "ClaimedByOther" });
    const { message } = after.conditions.find(({ type }) => type === "Accepted") ?? {};
    expect(message, "the spec names no address").to.contain("a Job reported").and.not.contain("remove it");
    const named = plan({ spec: { routedIP: IP }, keeperOf, metadata: ARMED }).conditions.map((each) => each.message);
    expect(named.join(), "the spec names it").to.contain("remove it").and.not.contain("a Job reported");
    const shown = after.conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`);
    expect(shown).to.include.members([
      "Accepted=False/ClaimedByOther",
      "Assigned=False/ClaimedByOther",
      "Conflict=True/ClaimedByOther",
    ]);
  });

  it("leaves an address on a machine that is not a node of the cluster, unless a Job brought it there", () => {
    const conflict = (status: RoutedIPStatus) =>
      plan({ spec: { routedIP: IP }, status, foreignHolder: "cloud://x", metadata: ARMED });
    expect(does(conflict({}))).to.equal("");
    expect(conflict({}).conditions.find(({ type }) => type === "Conflict")?.reason).to.equal("HeldElsewhere");
    expect(does(conflict({ routedIP: IP, providerID: "cloud://x" })), "its node is gone").to.include("create-job");
  });

  it("takes no address that the spec names for one that a Job created", () => {
    const status = { ...ON_N1, created: true };
    const job = jobFor(to("n2", OTHER), { is: "succeeded", words: "" });
    const change = (spec: object, ip: JobSnapshot["job"]) => {
      const [record] = plan({ status, spec, job: ip }).chain.filter((action) => action.do === "record");
      return record?.change.created;
    };
    expect(change({ routedIP: OTHER }, job)).to.equal(undefined);
    expect(change({}, jobFor(to("n2", IP), { is: "succeeded", words: "" }))).to.equal(true);
  });

  it("records with a move that the firewall of the new node is unknown, so that a successor asks for it", () => {
    const taken = (status: RoutedIPStatus) => {
      const job = jobFor(to("n2", IP), { is: "succeeded", words: "" });
      const [record] = plan({ status, job }).chain.filter((action) => action.do === "record");
      return record?.change.conditions?.map((condition) => `${condition.type}=${condition.status}`);
    };
    expect(taken(ON_N1)).to.deep.equal(["FirewallReady=Unknown"]);
    expect(taken({ ...ON_N1, assignedNode: "n2", providerID: "cloud://n2" })).to.equal(undefined);
  });

  it("keeps the taints of the former and the new node while it moves, and of a deleted one none", () => {
    expect(plan({ status: ON_N1, candidates: [N2] }).nodes).to.have.members(["n1", "n2"]);
    expect(plan({ status: ON_N1, metadata: DELETED, firewall: "pending" }).nodes).to.deep.equal([]);
  });

  it("moves to another node when the grace period was over before, and not back", () => {
    const status = { ...ON_N1, state: "no-match", graceSince: timestamp(NOW - 1000) } as const;
    const made = plan({ spec: { gracePeriodSeconds: 3600 }, status, candidates: [N2] });
    const [job] = made.chain.filter((action) => action.do === "create-job");
    expect(job?.variables).to.include({ NODE_NAME: "n2" });
  });

  it("notes the nodes of all Jobs until one succeeds", () => {
    const noted = (changes: Changes) => {
      const [record] = plan(changes).chain.filter((action) => action.do === "record");
      return record?.change.attemptedNodes?.map(({ name }) => name);
    };
    const status = { ...ON_N1, attemptedNodes: [ATTEMPTED] };
    expect(noted({ status: ON_N1, candidates: [N2] })).to.deep.equal(["n2"]);
    expect(noted({ status, state: "error" } as Changes)).to.deep.equal(["n2", "n1"]);
    const job = jobFor(to("n2", IP), { is: "succeeded", words: "" });
    const [record] = plan({ status, job }).chain.filter((action) => action.do === "record");
    expect(record?.change).to.have.property("attemptedNodes", undefined);
  });

  it("keeps the node that it has elected while the firewall opens, though a younger one is there", () => {
    const opens = () => false;
    expect(plan({ opens }).elected?.name, "the younger one").to.equal("n2");
    expect(plan({ opens, elected: "cloud://n1" }).elected?.name).to.equal("n1");
    const leaving = { ...N1, leaving: true };
    expect(plan({ opens, elected: "cloud://n1", candidates: [leaving, N2] }).elected?.name).to.equal("n2");
  });

  it("elects a node that is about to leave last of all", () => {
    const leaving = { ...node("n3"), leaving: true };
    const [job] = plan({ candidates: [leaving, N1] }).chain.filter((action) => action.do === "create-job");
    expect(job?.variables).to.include({ NODE_NAME: "n1" });
  });
});
