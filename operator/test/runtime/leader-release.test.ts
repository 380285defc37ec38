import { expect } from "chai";
import { describe, it } from "mocha";
import { status } from "../support/kube/memory-kube.js";
import { contend, heldBy, PATH, spec, world } from "./leader-rig.js";

describe("leader elector: the end of its term", () => {
  it("gives up at once a lease that it won in the moment of its stop", async () => {
    const w = world();
    const { state, stop, ended, elector } = contend(w);
    stop.abort();
    await ended;

    expect(state).to.include({ leading: false, outcome: "stopped" });
    expect(spec(w.kube)?.holderIdentity).to.equal("");
    expect(elector.fence.remainingMs()).to.equal(0);
  });

  it("gives the lease up when its work has ended, so that the next one leads within a retry", async () => {
    const w = world();
    const one = contend(w, "a");
    await w.clock.flush();
    const two = contend(w, "b");
    await w.clock.advance(5_000);
    one.finish(true);
    await w.clock.flush();
    expect(spec(w.kube)).to.include({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(one.state.outcome).to.equal("finished");

    await w.clock.advance(2_000);

    expect(two.state.leading).to.equal(true);
  });

  it("keeps renewing until its work has ended, and keeps the lease where the work has not ended well", async () => {
    const w = world();
    const { elector, stop, finish, ended } = contend(w);
    await w.clock.flush();
    stop.abort();
    await w.clock.advance(4_000);
    expect(spec(w.kube)?.renewTime).to.equal("2025-01-01T00:00:04.000000Z");
    expect(elector.fence.remainingMs()).to.be.greaterThan(0);
    void elector.fence.track(new Promise(() => undefined));
    finish(false);
    await ended;

    expect(spec(w.kube)?.holderIdentity).to.equal("a");
    expect(elector.fence.remainingMs(), "what is left over of the work writes nothing").to.equal(0);
  });

  it("gives up a lease whose version has moved on (409)", async () => {
    const w = world();
    const { finish, ended } = contend(w);
    await w.clock.flush();
    w.kube.apply({ method: "PATCH", path: PATH, body: { metadata: {} } });
    finish(true);
    await ended;

    expect(spec(w.kube)?.holderIdentity).to.equal("");
    expect(w.clock.pendingTimers).to.equal(0);
  });

  it("gives the lease up although runs have not ended, since they can write nothing any more", async () => {
    const w = world();
    const { finish, ended, elector } = contend(w);
    await w.clock.flush();
    finish(false);
    await ended;
    expect(spec(w.kube)?.holderIdentity).to.equal("");
    expect(() => elector.fence.assertHeld()).to.throw("does not hold the lease");
  });

  it("keeps the lease while a write is under way, or was cut off: the server may still carry it out", async () => {
    const inFlight = world();
    const one = contend(inFlight);
    await inFlight.clock.flush();
    void one.elector.fence.track(new Promise(() => undefined));
    one.finish(false);
    await one.ended;
    expect(spec(inFlight.kube)?.holderIdentity).to.equal("a");

    const cutOff = world();
    const other = contend(cutOff);
    await cutOff.clock.flush();
    const aborted = AbortSignal.abort();
    await other.elector.fence.track(Promise.reject(new Error("aborted")), aborted).catch(() => undefined);
    other.finish(false);
    await other.ended;
    expect(spec(cutOff.kube)?.holderIdentity).to.equal("a");
  });

  it("forgets a write that was cut off long ago, and counts none that ended", async () => {
    const w = world();
    const { finish, ended, elector } = contend(w);
    await w.clock.flush();
    await elector.fence.track(Promise.reject(new Error("aborted")), AbortSignal.abort()).catch(() => undefined);
    await elector.fence.track(Promise.reject(new Error("refused"))).catch(() => undefined);
    await w.clock.advance(15_000);
    finish(false);
    await ended;
    expect(spec(w.kube)?.holderIdentity).to.equal("");
  });

  it("leaves a lease alone that another one took before the release (409)", async () => {
    const w = world();
    const { finish, ended } = contend(w);
    await w.clock.flush();
    heldBy(w.kube, "b", "2025-01-01T00:00:01.000000Z");
    finish(true);
    await ended;

    expect(spec(w.kube)?.holderIdentity).to.equal("b");
  });

  it("ends even where the release never gets through", async () => {
    const w = world();
    const { finish, ended, state } = contend(w);
    await w.clock.flush();
    w.kube.fault = ({ method }) => {
      if (method === "PUT") throw status(409, "Conflict");
    };
    finish(true);
    await ended;

    expect(state.outcome).to.equal("finished");
    expect(w.kube.of("PUT")).to.have.length(3);
  });

  it("stops while it waits", async () => {
    const w = world();
    heldBy(w.kube, "b", "2025-01-01T00:00:00.000000Z");
    const { stop, ended, state } = contend(w);
    await w.clock.advance(1_000);
    stop.abort();
    await ended;

    expect(state.outcome).to.equal("stopped");
    expect(w.clock.pendingTimers).to.equal(0);
  });
});
