import type { AddressStatus, FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type Action, lockKeyOf } from "../../../src/addresses/actions.js";
import type { Outcome } from "../../../src/addresses/call-outcomes.js";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { readPool } from "../../../src/controllers/floating-ip-pool/resource.js";
import {
  differsInCandidatesAlone,
  statusChangeOf,
  statusOf,
} from "../../../src/controllers/floating-ip-pool/status.js";
import { stamped } from "../../../src/reconcile/conditions.js";
import { meta } from "../../claims/resources.js";
import { ModelCloud } from "./support/model-cloud.js";

const A = "203.0.113.7";
const node = { name: "n2", machine: "digitalocean://n2" };
const ASSIGN: Action = { do: "assign", ip: A, node, from: "digitalocean://n1", why: "" };
const UNASSIGN: Action = { do: "unassign", ip: A, from: "digitalocean://n1", why: "" };
const POLL: Action = { do: "poll", ip: A, id: "7", expected: node.machine, why: "" };
const REFUSED: Outcome = {
  is: "refused",
  failure: { kind: "Unavailable", problem: { reason: "ProviderUnavailable", message: "no answer" } },
};
const RETRY = Date.parse("2025-06-01T10:00:00Z");

describe("what the end of an action says of its address", () => {
  const target = { state: "in-progress", nodeName: node.name, providerID: node.machine } as const;
  const grace = { graceSince: "2025-06-01T09:00:00Z" };
  const error = {
    ...{ state: "error", reason: "ProviderUnavailable", error: "no answer" },
    retryAt: new Date(RETRY).toISOString(),
  };
  const cases: readonly (readonly [string, Action, Outcome, AddressStatus, object])[] = [
    ["assigned", ASSIGN, { is: "done" }, { state: "no-match", ...grace }, target],
    ["on its way", ASSIGN, { is: "started", id: "7" }, grace, { ...target, ...grace, actionID: "7" }],
    ["refused", ASSIGN, REFUSED, { ...target, ...grace }, { ...error, ...grace }],
    ["not sent", ASSIGN, { is: "skipped", because: "" }, { state: "active" }, { state: "active" }],
    ["unassigned", UNASSIGN, { is: "done" }, { state: "disabled", actionID: "7" }, { state: "disabled" }],
    ["leaving", UNASSIGN, { is: "started", id: "8" }, { state: "disabled" }, { state: "disabled", actionID: "8" }],
    ["disabled, not left", UNASSIGN, REFUSED, { state: "disabled" }, { state: "disabled" }],
    ["arrived", POLL, { is: "done" }, { ...target, actionID: "7" }, target],
    ["still running", POLL, { is: "skipped", because: "" }, { ...target, actionID: "7" }, { ...target, actionID: "7" }],
    ["errored", POLL, REFUSED, { ...target, actionID: "7" }, error],
  ];

  for (const [name, action, outcome, was, expected] of cases) {
    it(name, () => expect(statusChangeOf({ action, outcome }, was, RETRY)?.status).to.deep.equal(expected));
  }
});

describe("the subject of a chain", () => {
  it("is what must not be done twice at once", () => {
    const record: Action = { do: "record-assignment", at: "", why: "" };
    const annotate: Action = { do: "annotate-node", node: "n2", ip: A, family: "IPv4", why: "" };
    expect(lockKeyOf([record, ASSIGN, annotate])).to.equal(lockKeyOf([POLL]));
    expect(lockKeyOf([annotate])).to.equal("node n2");
    expect(lockKeyOf([{ do: "append-to-spec", ip: A, why: "" }])).not.to.equal(lockKeyOf([POLL]));
  });
});

describe("the status of a pool", () => {
  const cluster = (nodes: number) => {
    const cloud = new ModelCloud();
    for (let number = 0; number < nodes; number++) cloud.addNode(`n${String(number).padStart(3, "0")}`);
    cloud.addPool("web", { ips: [A] });
    for (let round = 0; round < 5; round++) cloud.run("web");
    return cloud;
  };
  const desiredOf = (cloud: ModelCloud) => {
    const snapshot = cloud.snapshot("web");
    const made = plan(snapshot);
    const conditions = stamped(made.conditions, { now: cloud.now, generation: 1 });
    return { ...statusOf(snapshot, made), conditions } as FloatingIPPoolStatus;
  };

  it("shows the first fifty of those that wait, in order, and counts all", () => {
    const { assignableNodes = [], counts } = desiredOf(cluster(80));
    expect(assignableNodes).to.have.length(50);
    expect([...assignableNodes].sort()).to.deep.equal(assignableNodes);
    expect(counts?.candidates).to.equal(80);
  });

  it("knows a change that is of candidates alone", () => {
    const cloud = cluster(3);
    const seen = JSON.parse(JSON.stringify(desiredOf(cloud))) as FloatingIPPoolStatus;
    cloud.addNode("n900");
    expect(differsInCandidatesAlone(seen, desiredOf(cloud))).to.equal(true);
    cloud.addresses.set(A, undefined);
    expect(differsInCandidatesAlone(seen, desiredOf(cloud))).to.equal(false);
  });

  it("leaves what was observed as it is before all has been read", () => {
    const cloud = cluster(3);
    const snapshot = { ...cloud.snapshot("web"), cachesComplete: false };
    const desired = statusOf(snapshot, plan(snapshot));
    expect(desired.ips).to.deep.equal(cloud.pool("web").status.ips);
    expect(desired).not.to.have.any.keys("assignableNodes", "counts");
    expect(plan(snapshot).conditions.find(({ type }) => type === "Fulfilled")).to.include({ status: "Unknown" });
  });

  it("says when a node that refused the address is tried again, but not before an address needs it", () => {
    const cloud = cluster(1);
    const snapshot = cloud.snapshot("web");
    const at = cloud.now + 300_000;
    const memory = { ...snapshot.memory, nodeRetryAt: new Map([["digitalocean://n000", at]]) };
    const retryAt = (statuses: Readonly<Record<string, AddressStatus>>) => {
      const seen = { ...snapshot, memory, set: { ...snapshot.set, statuses } };
      return statusOf(seen, plan(seen)).retryAt;
    };
    expect(retryAt({ [A]: { state: "error" } })).to.equal(new Date(at).toISOString());
    expect(retryAt({ [A]: { state: "active" } })).to.equal(undefined);
  });

  it("cuts an error that the schema would refuse", () => {
    const snapshot = {
      ...cluster(1).snapshot("web"),
      problem: { reason: "Invalid", message: "x".repeat(9_000) } as const,
    };
    expect(statusOf(snapshot, plan(snapshot)).error).to.have.length(4_096);
  });
});

describe("a stored pool", () => {
  const read = (spec: unknown) => readPool({ metadata: meta("web"), spec });

  it("is taken as it is when it is valid", () => {
    const { pool, problem } = read({ provider: "digitalocean", ips: [A] });
    expect(problem).to.equal(undefined);
    expect(pool.spec).to.deep.equal({ provider: "digitalocean", ips: [A] });
  });

  it("has a problem where its own label on holders decides which nodes match", () => {
    const key = "flipop.digitalocean.com/holder-of-fip.default.web";
    const labelled = (nodeLabel: string, holderLabel: boolean) =>
      read({ provider: "digitalocean", ips: [A], holderLabel, match: { nodeLabel } }).problem;
    for (const nodeLabel of [`pool=edge,!${key}`, `${key}=`, key]) {
      expect(labelled(nodeLabel, true)?.message, nodeLabel).to.include(`remove ${key} from spec.match.nodeLabel`);
    }
    expect(labelled(`!${key}`, false), "no node has the label").to.equal(undefined);
    expect(labelled(`!${key}2`, true), "the label of another pool").to.equal(undefined);
  });

  it("loses the fields that are of no use, and keeps the others", () => {
    const { pool, problem } = read({ provider: "digitalocean", ips: [A], desiredIPs: "2", gracePeriodSeconds: -1 });
    expect(problem?.reason).to.equal("Invalid");
    expect(problem?.message).to.include("spec.desiredIPs").and.include("spec.gracePeriodSeconds");
    expect(pool.spec).to.deep.equal({ provider: "digitalocean", ips: [A] });
  });

  it("keeps addresses that the plan passes over by itself", () => {
    const { pool, problem } = read({ provider: "digitalocean", ips: [A, "nonsense", "2001:db8::1"] });
    expect(problem).to.equal(undefined);
    expect(pool.spec.ips).to.have.length(3);
  });

  it("may lack everything", () => {
    for (const spec of [undefined, null, "text", []]) expect(read(spec).problem?.reason).to.equal("Invalid");
  });
});

describe("an address whose holder fails within the cool-off", () => {
  it("says when it moves, not that no node can take it", () => {
    const cloud = new ModelCloud();
    for (const name of ["n1", "n2"]) cloud.addNode(name);
    cloud.addPool("a", { desiredIPs: 1, assignmentCoolOffSeconds: 600 });
    for (let round = 1; round <= 3; round++) cloud.run("a");
    const [[ip = "", holder = ""] = []] = [...cloud.addresses];
    cloud.setReady(holder.replace("digitalocean://", ""), false);
    cloud.now += 1_000;
    cloud.run("a");
    const { state, reason, error } = cloud.pool("a").status.ips?.[ip] ?? {};
    expect({ state, reason }).to.deep.equal({ state: "no-match", reason: "CoolingOff" });
    expect(error).to.match(/^assignmentCoolOffSeconds limits how often .* assigns the next one at \S+Z$/);
  });
});
