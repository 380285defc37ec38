import { expect } from "chai";
import { describe, it } from "mocha";
import type { ProbeState } from "../../src/health/probe-state.js";
import { type HealthInput, healthDueAt, type LeaseFacts, leaseWitness, nodeHealth } from "../../src/health/witness.js";
import { FLAP_FIRST_WAIT_MS } from "../../src/timings.js";

const SILENT = 15_000;
const FAILED: ProbeState = {
  verdict: "failed",
  run: { ok: false, count: 2, since: 100_000 },
  error: "no answer within 1 s",
  failedAt: [101_000],
};
const lease = (more: Partial<LeaseFacts> = {}): LeaseFacts => ({
  readAt: 0,
  renewedAt: 95_000,
  connectedSince: 0,
  silentMs: SILENT,
  ...more,
});
const input = (more: Partial<HealthInput> = {}): HealthInput => ({
  ...{ state: FAILED, target: "TCP 10.0.0.3:80", held: true, controlFailed: false, lease: lease(), now: 101_000 },
  ...more,
});

describe("the witness of a kubelet's Lease", () => {
  it("is silent when the kubelet has not renewed it for longer than a live one pauses", () => {
    expect(leaseWitness(lease(), 100_000, 95_000 + SILENT - 1)).to.equal("pending");
    expect(leaseWitness(lease(), 100_000, 95_000 + SILENT)).to.equal("silent");
  });

  it("contradicts a suspicion that began before a renewal", () => {
    expect(leaseWitness(lease({ renewedAt: 104_000 }), 100_000, 105_000)).to.equal("renewed");
  });

  it("is silent also when the kubelet stops long after the suspicion began", () => {
    expect(leaseWitness(lease({ renewedAt: 200_000 }), 100_000, 200_000 + SILENT)).to.equal("silent");
  });

  it("does not take the first reading of a Lease for a renewal", () => {
    const { renewedAt: _never, ...first } = lease({ readAt: 101_000 });
    expect(leaseWitness(first, 100_000, 102_000)).to.equal("pending");
    expect(leaseWitness(first, 100_000, 101_000 + SILENT)).to.equal("silent");
  });

  it("does not count time in which the watch was not open: the API server may have refused the kubelets as well", () => {
    const { connectedSince: _closed, ...broken } = lease();
    expect(leaseWitness(broken, 100_000, 1_000_000)).to.equal("pending");
    expect(leaseWitness(lease({ connectedSince: 300_000 }), 100_000, 300_000 + SILENT - 1)).to.equal("pending");
    expect(leaseWitness(lease({ connectedSince: 300_000 }), 100_000, 300_000 + SILENT)).to.equal("silent");
  });
});

describe("the health of a node", () => {
  it("of a candidate follows the prober alone", () => {
    expect(nodeHealth(input({ held: false }))).to.deep.equal({
      is: "failed",
      detail: "TCP 10.0.0.3:80: no answer within 1 s",
    });
  });

  it("of a holder waits for a witness", () => {
    expect(nodeHealth(input()).is).to.equal("suspected");
    expect(nodeHealth(input({ now: 95_000 + SILENT })).is).to.equal("failed");
  });

  it("of a holder whose kubelet renews its Lease is in doubt", () => {
    expect(nodeHealth(input({ lease: lease({ renewedAt: 102_000 }), now: 103_000 }))).to.include({
      is: "doubted",
      doubt: "LeaseRenewed",
    });
  });

  it("of a holder that the standby alone confirms depends on the other nodes: a wrong health check fails on each", () => {
    const health = (more: Partial<HealthInput>) => nodeHealth(input({ standby: "unreached", ...more }));
    expect(health({ peers: "passing" })).to.include({ is: "failed", isByProbesAlone: true });
    expect(health({ peers: "awaited" }).is).to.equal("suspected");
    expect(health({ peers: "failing" })).to.include({ is: "doubted", doubt: "NoNodePasses" });
  });

  it("of a holder whose kubelet is silent or whose machine is off depends on no other node", () => {
    const health = (more: Partial<HealthInput>) =>
      nodeHealth(input({ standby: "unreached", peers: "failing", ...more }));
    for (const more of [{ now: 95_000 + SILENT }, { offAt: 101_000 }]) {
      expect(health(more).is).to.equal("failed");
      expect(health(more)).not.to.have.property("isByProbesAlone");
    }
  });

  it("of a holder without a Lease is in doubt when the time for a witness is over", () => {
    const absent = { silentMs: SILENT };
    expect(nodeHealth(input({ lease: absent })).is).to.equal("suspected");
    expect(nodeHealth(input({ lease: absent, now: 100_000 + SILENT }))).to.include({ doubt: "NoWitness" });
  });

  it("of a holder is bad at once when the cloud reports that its machine is off, whatever the Lease says so far", () => {
    const leases: readonly (readonly [what: string, lease: LeaseFacts])[] = [
      ["fresh", lease({ renewedAt: 100_500 })],
      ["renewed before the suspicion", lease()],
      ["never read", { silentMs: SILENT }],
    ];
    for (const [what, facts] of leases) {
      expect(nodeHealth(input({ lease: facts, offAt: 101_000 })), what).to.deep.equal({
        is: "failed",
        detail: "TCP 10.0.0.3:80: no answer within 1 s; the cloud reports that the machine is off",
      });
    }
  });

  it("of a holder is confirmed by the cloud, where else a renewed Lease contradicts the replicas of the operator", () => {
    const contested = { standby: "unreached", lease: lease({ renewedAt: 101_000 }), now: 103_000 } as const;
    expect(nodeHealth(input(contested))).to.include({ is: "failed", isContested: true });
    expect(nodeHealth(input({ ...contested, offAt: 102_000 }))).not.to.have.property("isContested");
  });

  it("of a holder goes by the Lease where its kubelet renews it after the cloud was asked", () => {
    const renewed = lease({ renewedAt: 102_000 });
    expect(nodeHealth(input({ lease: renewed, offAt: 101_000, now: 103_000 }))).to.include({ doubt: "LeaseRenewed" });
  });

  it("is not decided by the cloud where the operator does not reach the API server, or the probes succeed", () => {
    expect(nodeHealth(input({ controlFailed: true, offAt: 101_000 }))).to.include({ doubt: "ControlProbeFailed" });
    const well: ProbeState = { verdict: "passed", run: { ok: true, count: 2, since: 99_000 }, failedAt: [] };
    expect(nodeHealth(input({ state: well, offAt: 101_000 })).is).to.equal("well");
  });

  it("is in doubt for every node when the operator does not reach the API server", () => {
    for (const held of [true, false]) {
      const health = nodeHealth(input({ held, controlFailed: true, now: 95_000 + SILENT }));
      expect(health).to.include({ is: "doubted", doubt: "ControlProbeFailed" });
    }
  });

  it("of a candidate that failed repeatedly is bad until it has stayed well, and that of a holder is not", () => {
    const run = { ok: true, count: 3, since: 100_000 };
    const state: ProbeState = { verdict: "passed", run, failedAt: [50_000, 90_000] };
    expect(nodeHealth(input({ state, held: false }))).to.deep.equal({
      is: "failed",
      detail: "TCP 10.0.0.3:80: healthy again after 2 failures within 10 min; it must stay healthy for 30 s",
      isDamped: true,
    });
    expect(nodeHealth(input({ state })).is).to.equal("well");
    expect(nodeHealth(input({ state, held: false, now: 100_000 + FLAP_FIRST_WAIT_MS })).is).to.equal("well");
  });

  it("gives the time at which its result changes without an event", () => {
    expect(healthDueAt(input())).to.equal(95_000 + SILENT);
    expect(healthDueAt(input({ now: 95_000 + SILENT }))).to.equal(undefined);
    expect(healthDueAt(input({ held: false }))).to.equal(undefined);
    expect(healthDueAt(input({ lease: { silentMs: SILENT } }))).to.equal(100_000 + SILENT);
  });
});
