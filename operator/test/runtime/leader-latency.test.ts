import { expect } from "chai";
import { describe, it } from "mocha";
import type { KubeRequest } from "../../src/kube/client.js";
import { DeadlineError } from "../../src/kube/transport/failures.js";
import { contend, heldBy, spec, world } from "./leader-rig.js";

/** A world whose API server answers each call this late; `ms` may change. A call ends at its deadline, and takes effect. */
function slowWorld(latency: { ms: number }) {
  const w = world();
  const request = w.kube.request.bind(w.kube);
  w.kube.request = async <T>(sent: KubeRequest) => {
    const { ms } = latency;
    const deadlineMs = (sent.deadlineSeconds ?? 0) * 1000;
    const late = ms >= deadlineMs;
    const half = Math.min(ms, deadlineMs) / 2;
    await w.clock.sleep(half);
    const answer = request<T>(sent);
    await Promise.all([w.clock.sleep(half), answer.catch(() => undefined)]);
    if (late) throw new DeadlineError(sent.path);
    return answer;
  };
  return w;
}

const RAISED = { leaseMs: 45_000, renewDeadlineMs: 30_000, retryMs: 2_000 };

describe("leader elector of an API server that answers late", () => {
  for (const [ms, timings] of [
    [4_000, undefined],
    [4_900, undefined],
    [5_200, RAISED],
    [14_000, RAISED],
  ] as const)
    it(`leads and keeps the lease with ${ms} ms for each call and ${timings ? "raised" : "the usual"} times`, async () => {
      const w = slowWorld({ ms });
      const { state } = contend(w, "a", timings);
      await w.clock.advance(600_000);

      expect(state).to.deep.equal({ leading: true, lost: false, outcome: "" });
    });

  for (const ms of [5_000, 5_200, 29_000])
    it(`does not begin with the usual times what it could not keep up: ${ms} ms for each call`, async () => {
      const latency = { ms };
      const w = slowWorld(latency);
      const { state, elector } = contend(w);
      await w.clock.advance(120_000);

      expect(state.leading).to.equal(false);
      expect(w.kube.of("POST"), "no write").to.be.empty;
      expect(elector.tooSlow()).to.equal(
        `the API server takes ${(ms / 1000).toFixed(1)} s to answer for the Lease, and a leader needs answers within 5 s; ` +
          "fix: look for its load and for a slow proxy or network in between; or raise --leader-elect-renew-deadline " +
          `above ${2 * Math.ceil(ms / 1000)} s, and --leader-elect-lease-duration above that`,
      );

      latency.ms = 1_000;
      await w.clock.advance(40_000);

      expect(state.leading, "once it answers faster").to.equal(true);
      expect(elector.tooSlow()).to.equal(undefined);
    });

  it("says so where no answer comes at all, and asks again within the usual time after a fast failure", async () => {
    const latency = { ms: 60_000 };
    const w = slowWorld(latency);
    const { state, elector } = contend(w);
    await w.clock.advance(150_000);
    expect(elector.tooSlow()).to.include("takes more than 30.0 s to answer");
    w.kube.fault = () => {
      throw new Error("connection refused");
    };
    latency.ms = 10;
    await w.clock.advance(40_000);
    expect(elector.tooSlow()).to.equal(undefined);
    w.kube.fault = () => undefined;
    await w.clock.advance(3_000);

    expect(state.leading).to.equal(true);
  });

  it("leaves a lease alone that another one renews, however late it is seen", async () => {
    const w = slowWorld({ ms: 4_500 });
    heldBy(w.kube, "b", "2025-01-01T00:00:00.000000Z");
    const { state } = contend(w);
    for (let second = 5; second < 120; second += 5) {
      await w.clock.advance(5_000);
      heldBy(w.kube, "b", `2025-01-01T00:00:00.0000${String(second).padStart(2, "0")}Z`);
    }
    expect(state.leading).to.equal(false);
    expect(spec(w.kube)?.holderIdentity).to.equal("b");
  });
});
