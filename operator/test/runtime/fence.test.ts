import { FAST_LEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { callMarginMs, fenced, LeaseFence, NotLeaderError, openFence } from "../../src/runtime/fence.js";
import { checkTimings, leaseCallMs } from "../../src/runtime/lease-candidate.js";
import { CALL_MARGIN_MS, ELECTION_TIMINGS, SECOND_MS } from "../../src/timings.js";
import { MemoryKube } from "../support/kube/memory-kube.js";
import { FakeClock } from "../support/time/fake-clock.js";

describe("fence", () => {
  it("is shut until the lease is won", () => {
    const fence = new LeaseFence(new FakeClock());

    expect(() => fence.assertHeld()).to.throw(NotLeaderError, "does not hold the lease");
    expect(fence.remainingMs()).to.equal(0);
  });

  it("ends a call 2 s before the renew deadline, and refuses one from then on", async () => {
    const clock = new FakeClock();
    const fence = new LeaseFence(clock);
    fence.extendTo(10_000);
    await clock.advance(3_000);
    expect(fence.remainingMs()).to.equal(5_000);
    await clock.advance(4_999);
    fence.assertHeld();

    await clock.advance(1);

    expect(() => fence.assertHeld()).to.throw("not renewed in time");
    expect(fence.untilDeadlineMs()).to.equal(2_000);
  });

  it("is shut after a stall although no timer has run yet", () => {
    const clock = new FakeClock();
    const fence = new LeaseFence(clock);
    fence.extendTo(10_000);
    void clock.stall(20_000);

    expect(() => fence.assertHeld()).to.throw(NotLeaderError);
  });

  it("says when a late renewal opens it again, and neither when the lease is won nor when it is renewed in time", async () => {
    const clock = new FakeClock();
    const fence = new LeaseFence(clock);
    let opened = 0;
    fence.onReopen(() => {
      opened += 1;
    });
    fence.extendTo(10_000);
    await clock.advance(7_000);
    fence.extendTo(17_000);
    expect(opened).to.equal(0);
    await clock.advance(8_500);
    fence.extendTo(25_500);
    expect(opened).to.equal(1);
  });

  it("does not care for steps of the wall clock", () => {
    const clock = new FakeClock();
    const fence = new LeaseFence(clock);
    fence.extendTo(10_000);
    clock.skew(3_600_000);

    fence.assertHeld();
  });

  it("is no obstacle without leader election", () => {
    openFence.assertHeld();
    expect(openFence.remainingMs()).to.equal(Number.POSITIVE_INFINITY);
  });
});

describe("fenced client", () => {
  async function refusal(attempt: Promise<unknown>): Promise<unknown> {
    return attempt.then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  it("lets reads pass and stops every write before it is sent", async () => {
    const kube = new MemoryKube();
    const client = fenced(kube, new LeaseFence(new FakeClock()));
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      expect(await refusal(client.request({ method, path: "/x" })), method).to.be.instanceOf(NotLeaderError);
    }
    expect(kube.requests).to.deep.equal([]);
    await refusal(client.request({ method: "GET", path: "/x" }));

    expect(kube.requests).to.have.length(1);
  });

  it("cuts a write's deadline to what the lease allows", async () => {
    const kube = new MemoryKube();
    const fence = new LeaseFence(new FakeClock());
    fence.extendTo(10_000);
    const client = fenced(kube, fence);
    await client.request({ method: "POST", path: "/x", body: { metadata: { name: "a" } } });
    await client.request({ method: "POST", path: "/x", body: { metadata: { name: "b" } }, deadlineSeconds: 3 });

    expect(kube.requests.map((request) => request.deadlineSeconds)).to.deep.equal([8, 3]);
  });

  it("keeps a client's own default without leader election", async () => {
    const kube = new MemoryKube();
    await fenced(kube, openFence).request({ method: "POST", path: "/x", body: { metadata: { name: "a" } } });

    expect(kube.requests[0]?.deadlineSeconds).to.equal(30);
  });
});

describe("the fence of the fast profile of the Lease", () => {
  const msOf = (flag: keyof typeof FAST_LEASE) => Number(FAST_LEASE[flag]) * SECOND_MS;
  const leaseMs = msOf("leader-elect-lease-duration");
  const renewDeadlineMs = msOf("leader-elect-renew-deadline");
  const retryMs = msOf("leader-elect-retry-period");

  it("never shuts while the lease is renewed at each period, however long its jitter", async () => {
    const clock = new FakeClock();
    const fence = new LeaseFence(clock, renewDeadlineMs);
    fence.extendTo(clock.monotonic() + renewDeadlineMs);
    await clock.advance(2 * retryMs);
    fence.assertHeld();
    expect(fence.remainingMs()).to.be.greaterThan(0);
  });

  it("ends the last write before another replica can take the lease", () => {
    expect(callMarginMs(renewDeadlineMs)).to.be.greaterThan(0);
    expect(leaseMs - renewDeadlineMs + callMarginMs(renewDeadlineMs)).to.be.at.least(CALL_MARGIN_MS);
    expect(callMarginMs(ELECTION_TIMINGS.renewDeadlineMs), "of the usual profile").to.equal(CALL_MARGIN_MS);
    expect(() => checkTimings({ leaseMs, renewDeadlineMs, retryMs })).not.to.throw();
  });

  it("leaves room for two tries to renew it", () => {
    expect(2 * leaseCallMs(renewDeadlineMs)).to.be.at.most(renewDeadlineMs);
  });
});
