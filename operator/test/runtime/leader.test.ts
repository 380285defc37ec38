import { expect } from "chai";
import { describe, it } from "mocha";
import type { KubeRequest } from "../../src/kube/client.js";
import { type Lease, LeaseLock } from "../../src/kube/write/lease.js";
import { silentLogger } from "../../src/logging.js";
import { leaderMetrics } from "../../src/metrics/leader.js";
import { MetricsRegistry } from "../../src/metrics/registry.js";
import { LeaderElector, noElection } from "../../src/runtime/leader.js";
import { FakeClock } from "../support/fake-clock.js";
import { MemoryKube, status } from "../support/memory-kube.js";

const PATH = "/apis/coordination.k8s.io/v1/namespaces/flipop/leases/lock";

function world() {
  return { clock: new FakeClock(), kube: new MemoryKube(), registry: new MetricsRegistry() };
}

/** An elector that leads until `finish`, and what became of it. */
function contend({ clock, kube, registry }: ReturnType<typeof world>, identity = "a") {
  const stop = new AbortController();
  const state = { leading: false, lost: false, outcome: "" };
  let finish: (release: boolean) => void = () => undefined;
  const elector = new LeaderElector({
    lock: new LeaseLock(kube, "flipop", "lock"),
    identity,
    clock,
    logger: silentLogger,
    random: () => 0,
    metrics: leaderMetrics(identity === "a" ? registry : new MetricsRegistry(), "lock"),
  });
  const ended = elector
    .run(stop.signal, (lost) => {
      state.leading = true;
      return new Promise((resolve) => {
        finish = (release) => resolve({ release });
        lost.addEventListener("abort", () => {
          state.lost = true;
          resolve({ release: false });
        });
      });
    })
    .then((outcome) => {
      state.outcome = outcome;
    });
  return { elector, state, stop, ended, finish: (release: boolean) => finish(release) };
}

function spec(kube: MemoryKube) {
  return (kube.objects.get(PATH) as Lease | undefined)?.spec;
}

/** The lease as somebody else would leave it. */
function heldBy(kube: MemoryKube, holder: string, renewTime: string) {
  const path = PATH.slice(0, PATH.lastIndexOf("/"));
  const lease = { metadata: { name: "lock" }, spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime } };
  if (kube.objects.has(PATH)) kube.apply({ method: "PATCH", path: PATH, body: lease });
  else kube.apply({ method: "POST", path, body: lease });
}

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

  it("does not open the fence for a win that it hears of 20 s late", async () => {
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

  it("gives up at once a lease that it won in the moment it was told to stop", async () => {
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
