import { expect } from "chai";
import { describe, it } from "mocha";
import type { ProbeState } from "../../../src/health/probe-state.js";
import { type StandbyFacts, type StandbyWitness, standbyWitness } from "../../../src/health/standby/evidence.js";
import { type LeaseFacts, type NodeHealth, nodeHealth } from "../../../src/health/witness.js";
import { FALLEN_LEADER_MS, STANDBY_VALID_MS } from "../../../src/timings.js";

const SUSPECTED = { name: "node-3", since: 100_000, leaderNode: "node-1" };
const NOW = 102_000;
const FALLEN = { node: "node-3", at: SUSPECTED.since + FALLEN_LEADER_MS };
const answer = (ok: boolean, more: Partial<NonNullable<StandbyFacts["answer"]>> = {}): StandbyFacts => ({
  isAsked: false,
  answer: { ok, began: 101_000, node: "node-2", ...more },
});

describe("what the standby replica says of a suspicion", () => {
  const cases: readonly (readonly [string, StandbyFacts, StandbyWitness, number?])[] = [
    ["nothing, if it was not asked", { isAsked: false }, "absent"],
    ["nothing yet, while the first answer is due", { isAsked: true }, "pending"],
    ["that it does not reach the node either", answer(false), "unreached"],
    ["that it reaches the node", answer(true), "reached"],
    ["nothing by a probe that began before the suspicion", answer(false, { began: 99_999 }), "absent"],
    ["nothing by an answer that is too old", answer(false, { began: NOW - STANDBY_VALID_MS - 1 }), "absent", 0],
    ["nothing against a node that it shares with the leader", answer(false, { node: "node-1" }), "absent"],
    ["that it reaches the node from the node of the leader", answer(true, { node: "node-1" }), "reached"],
    ["nothing for the node that it runs on", answer(true, { node: "node-3" }), "absent"],
    ["that the leader on the node fell silent", { isAsked: false, fallen: FALLEN }, "fallen"],
    ["nothing about a leader on another node", { isAsked: false, fallen: { ...FALLEN, node: "node-4" } }, "absent"],
    ["nothing about a leader, while an answer is due", { isAsked: true, fallen: FALLEN }, "pending"],
    ["that it reaches the node on which a leader fell silent", { ...answer(true), fallen: FALLEN }, "reached"],
    [
      "nothing about a leader on a node from which a replica answers",
      { ...answer(true, { node: "node-3" }), fallen: FALLEN },
      "absent",
    ],
    [
      "nothing about a leader that fell silent soon after the suspicion began",
      { isAsked: false, fallen: { ...FALLEN, at: FALLEN.at - 1 } },
      "absent",
    ],
    [
      "nothing about a former leader on its own node",
      { isAsked: false, fallen: { ...FALLEN, node: "node-1" } },
      "absent",
    ],
    ["that the service fails on the node that it runs on", answer(false, { node: "node-3" }), "unreached"],
  ];
  for (const [says, facts, expected, since = SUSPECTED.since] of cases) {
    it(`is ${says}`, () => expect(standbyWitness(facts, { ...SUSPECTED, since }, NOW)).to.equal(expected));
  }
});

describe("the health of a holder with two witnesses", () => {
  const state: ProbeState = {
    verdict: "failed",
    run: { ok: false, count: 2, since: 100_000 },
    error: "no answer within 1 s",
    failedAt: [101_000],
  };
  const leases = {
    silent: { readAt: 0, renewedAt: 80_000, connectedSince: 0, silentMs: 15_000 },
    renewed: { readAt: 0, renewedAt: 101_000, connectedSince: 0, silentMs: 15_000 },
    pending: { readAt: 0, renewedAt: 95_000, connectedSince: 0, silentMs: 15_000 },
    absent: { silentMs: 1_000 },
  } satisfies Readonly<Record<string, LeaseFacts>>;
  const table = {
    silent: { unreached: "failed", reached: "failed", pending: "failed", absent: "failed", fallen: "failed" },
    renewed: {
      unreached: "failed",
      reached: "StandbyReached",
      pending: "suspected",
      absent: "LeaseRenewed",
      fallen: "LeaseRenewed",
    },
    pending: { unreached: "failed", reached: "suspected", pending: "suspected", absent: "suspected", fallen: "failed" },
    absent: {
      unreached: "failed",
      reached: "StandbyReached",
      pending: "suspected",
      absent: "NoWitness",
      fallen: "failed",
    },
  } as const;
  const health = (lease: LeaseFacts, standby: StandbyWitness, controlFailed = false): NodeHealth =>
    nodeHealth({ ...{ state, target: "TCP 10.0.0.3:80", held: true, controlFailed, lease, standby }, now: NOW });

  for (const [lease, row] of Object.entries(table)) {
    for (const [standby, expected] of Object.entries(row)) {
      it(`is ${expected} if the Lease is ${lease} and the standby's answer ${standby}`, () => {
        const seen = health(leases[lease as keyof typeof leases], standby as StandbyWitness);
        expect(seen.is === "doubted" ? seen.doubt : seen.is).to.equal(expected);
      });
    }
  }

  it("says which witness confirms the failure, and whether another one contradicts it", () => {
    const failed = {
      is: "failed",
      detail: "TCP 10.0.0.3:80: no answer within 1 s; the standby replica does not reach it either",
      isByProbesAlone: true,
    };
    expect(health(leases.pending, "unreached")).to.deep.equal(failed);
    expect(health(leases.renewed, "unreached")).to.deep.equal({ ...failed, isContested: true });
    expect(health(leases.silent, "unreached")).not.to.have.any.keys("isContested", "isByProbesAlone");
  });

  it("is in doubt whatever the standby says while the leader's own network is at fault", () => {
    expect(health(leases.pending, "unreached", true)).to.include({ doubt: "ControlProbeFailed" });
  });
});
