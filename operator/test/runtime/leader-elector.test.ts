import { expect } from "chai";
import { describe, it } from "mocha";
import type { KubeRequest } from "../../src/kube/client.js";
import { LeaseLock } from "../../src/kube/write/lease.js";
import { silentLogger } from "../../src/logging.js";
import { LeaderElector, noElection } from "../../src/runtime/leader-elector.js";
import { status } from "../support/kube/memory-kube.js";
import { contend, heldBy, PATH, spec, world } from "./leader-rig.js";

describe("leader elector", () => {
  it("creates the lease as client-go does, with six digits of a second", async () => {
    const w = world();
    const { state, elector } = contend(w);
    await w.clock.flush();

    expect(state.leading).to.equal(true);
    expect(elector.leader).to.equal("a");
    expect(spec(w.kube)).to.deep.equal({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2025-01-01T00:00:00.000000Z",
      renewTime: "2025-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    expect(await w.registry.text()).to.include('leader_election_master_status{name="lock"} 1');
  });

  it("renews every 2 s with one write from memory and keeps unknown fields", async () => {
    const w = world();
    contend(w);
    await w.clock.flush();
    w.kube.apply({ method: "PATCH", path: PATH, body: { spec: { ...spec(w.kube), strategy: "Oldest" } } });
    await w.clock.advance(10_000);
    const before = w.kube.requests.length;
    await w.clock.advance(10_000);

    expect(w.kube.requests.slice(before).map(({ method }) => method)).to.deep.equal(Array(5).fill("PUT"));
    expect(spec(w.kube)).to.include({ renewTime: "2025-01-01T00:00:20.000000Z", strategy: "Oldest" });
  });

  it("waits a whole lease after it saw the holder's last sign of life, whatever the holder's clock says", async () => {
    const w = world();
    heldBy(w.kube, "b", "1999-01-01T00:00:00.000000Z");
    const { state } = contend(w);
    await w.clock.advance(14_000);
    heldBy(w.kube, "b", "2099-01-01T00:00:00.000000Z");
    await w.clock.advance(14_900);
    expect(state.leading).to.equal(false);

    await w.clock.advance(4_000);

    expect(state.leading).to.equal(true);
    expect(spec(w.kube)).to.include({ holderIdentity: "a", leaseTransitions: 1 });
  });

  it("takes a lease in the moment in which it runs out, between two looks", async () => {
    const w = world();
    heldBy(w.kube, "b", "2025-01-01T00:00:00.000000Z");
    const { state } = contend(w);
    await w.clock.advance(14_999);
    expect(state.leading).to.equal(false);
    await w.clock.advance(1);
    expect(state.leading).to.equal(true);
  });

  it("loses one of two who take at the same moment", async () => {
    const w = world();
    const one = contend(w, "a");
    const two = contend(w, "b");
    await w.clock.advance(60_000);

    expect([one.state.leading, two.state.leading].filter(Boolean)).to.have.length(1);
  });

  it("loses the lease 10 s after the last renewal that was sent, and the fence shuts 2 s before", async () => {
    const w = world();
    const { state, elector, ended } = contend(w);
    await w.clock.flush();
    w.kube.fault = () => {
      throw status(500, "InternalError");
    };
    await w.clock.advance(7_999);
    elector.fence.assertHeld();
    await w.clock.advance(1);
    expect(() => elector.fence.assertHeld()).to.throw();
    expect(state.lost).to.equal(false);

    await w.clock.advance(2_000);
    await ended;

    expect(state).to.include({ lost: true, outcome: "lost" });
    expect(spec(w.kube)?.holderIdentity).to.equal("a");
    expect(await w.registry.text()).to.include('leader_election_master_status{name="lock"} 0');
    expect(w.clock.pendingTimers).to.equal(0);
  });

  it("rides out an outage shorter than the deadline", async () => {
    const w = world();
    const { state } = contend(w);
    await w.clock.flush();
    w.kube.fault = () => {
      throw new Error("connection refused");
    };
    await w.clock.advance(7_000);
    w.kube.fault = () => undefined;
    await w.clock.advance(60_000);

    expect(state).to.include({ lost: false, outcome: "" });
  });

  it("loses the lease at once where another holder is seen", async () => {
    const w = world();
    const { state } = contend(w);
    await w.clock.flush();
    heldBy(w.kube, "b", "2025-01-01T00:00:01.000000Z");
    await w.clock.advance(2_000);

    expect(state).to.include({ lost: true, outcome: "lost" });
  });

  it("finds its own renewal whose answer was lost, on the slow path", async () => {
    const w = world();
    const { state } = contend(w);
    await w.clock.flush();
    w.kube.lose = ({ method }) => {
      if (method === "PUT") throw new Error("connection reset");
    };
    await w.clock.advance(2_000);
    w.kube.lose = () => undefined;
    await w.clock.advance(60_000);

    expect(state.lost).to.equal(false);
    expect(await w.registry.text()).to.include('leader_election_slowpath_total{name="lock"} 1');
  });

  it("does not open the fence for a win whose answer comes 20 s late", async () => {
    const w = world();
    const answers: (() => void)[] = [];
    const request = w.kube.request.bind(w.kube);
    w.kube.request = async <T>(sent: KubeRequest) => {
      const answer = await request<T>(sent);
      if (sent.method === "POST") await new Promise<void>((resolve) => answers.push(resolve));
      return answer;
    };
    const { state, elector } = contend(w);
    await w.clock.flush();
    await w.clock.stall(20_000);
    answers[0]?.();
    await w.clock.flush();
    expect(() => elector.fence.assertHeld()).to.throw();
    expect(state.leading).to.equal(false);

    await w.clock.advance(2_000);

    expect(state.leading, "renewed, so it may lead now").to.equal(true);
  });

  it("keeps the fence shut when a renewal is confirmed after the lease was lost", async () => {
    const { clock, kube } = world();
    const elector = new LeaderElector({
      lock: new LeaseLock(kube, "flipop", "lock"),
      identity: "a",
      clock,
      logger: silentLogger,
    });
    const deaf = elector.run(new AbortController().signal, () => new Promise(() => undefined));
    await clock.flush();
    kube.fault = () => {
      throw status(500, "InternalError");
    };
    await clock.advance(7_000);
    kube.fault = () => undefined;
    const confirm: (() => void)[] = [];
    const request = kube.request.bind(kube);
    kube.request = async <T>(sent: KubeRequest) => {
      const answer = await request<T>(sent);
      await new Promise<void>((resolve) => confirm.push(resolve));
      return answer;
    };
    // Sent at 8 s, lost at 10 s, confirmed at 11 s: enough to write until 16 s, had it not been lost.
    await clock.advance(4_000);
    confirm[0]?.();
    await clock.flush();

    expect(elector.fence.remainingMs()).to.equal(0);
    void deaf;
  });

  it("shuts the fence before it gives the lease up", async () => {
    const w = world();
    const { finish, ended, elector } = contend(w);
    await w.clock.flush();
    const open: boolean[] = [];
    w.kube.fault = () => void open.push(elector.fence.remainingMs() > 0);
    finish(true);
    await ended;

    expect(open).to.deep.equal([false]);
  });

  it("leads at once without election", async () => {
    const outcome = await noElection.run(new AbortController().signal, async () => ({ release: true }));
    expect(outcome).to.equal("finished");
  });
});
