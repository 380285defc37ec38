import { getEventListeners } from "node:events";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type SlimPod, slimPods } from "../../../src/kube/cache/slim-objects.js";
import { Store } from "../../../src/kube/cache/store.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { Reflector } from "../../../src/kube/watch/reflector.js";
import { FaultProxy } from "../../support/fault-proxy.js";
import { heapUsed } from "../../support/heap.js";
import { FakeApi } from "../../support/kube/fake-api.js";
import { plainConfig, ReflectorRig } from "../../support/kube/reflector-rig.js";
import { scaledClock } from "../../support/time/scaled-clock.js";
import { StepClient } from "../../support/time/step-client.js";
import { until } from "../../support/time/until.js";

/** More than a run of the scenario has, so that the last ones stop a reflector that is at rest. */
const STEPS = 26;

/** Sync, an event, a lost connection, a refused resume, a probe, a resume: aborted at the `stopAt`-th step. */
async function scenario(stopAt: number, watchList: boolean) {
  const api = await FakeApi.start();
  const proxy = await FaultProxy.start(api.url);
  const clock = scaledClock(200);
  const transport = new Transport({ config: plainConfig(proxy.url), clock, env: {} });
  const controller = new AbortController();
  let steps = 0;
  const client = new StepClient(transport, () => {
    steps++;
    if (steps === stopAt) controller.abort(new Error("stop"));
  });
  const store = new Store<SlimPod>();
  let late = 0;
  store.listen(() => {
    if (controller.signal.aborted) late++;
  });
  api.watchListEnabled = watchList;
  for (let i = 0; i < 3; i++) api.collection.put(`pod-${i}`);
  const target = { name: "pods", path: "/api/v1/pods" };
  const reflector = new Reflector<SlimPod>({ client, target, transform: slimPods(), sink: store, clock });
  const running = reflector.run(controller.signal);
  const reached = (condition: () => boolean) => until("the next part", () => controller.signal.aborted || condition());
  await reached(() => reflector.state.connected);
  api.collection.put("one");
  await reached(() => store.get("default/one") !== undefined);
  proxy.inject({ kind: "status", code: 500 }, 1);
  proxy.resetAll();
  api.collection.put("two");
  await reached(() => store.get("default/two") !== undefined);
  controller.abort(new Error("stop"));
  await running;
  const left = {
    timers: clock.pendingTimers,
    streams: client.openStreams,
    listeners: getEventListeners(controller.signal, "abort").length,
  };
  await transport.close();
  api.collection.put("three");
  await until("no socket is left", () => proxy.openSockets === 0);
  await proxy.close();
  await api.stop();
  return { steps, late, ...left };
}

describe("reflector that is stopped", () => {
  for (const watchList of [true, false]) {
    it(`leaves nothing behind wherever it was waiting, with ${watchList ? "watch lists" : "pages"}`, async function () {
      this.timeout(120_000);
      for (let stopAt = 1; stopAt <= STEPS; stopAt++) {
        const { steps, ...left } = await scenario(stopAt, watchList);
        expect(left, `stopped at step ${stopAt} of ${steps}`).to.deep.equal({
          late: 0,
          timers: 0,
          streams: 0,
          listeners: 0,
        });
      }
    });
  }

  it("does not start when its signal has aborted before", async () => {
    const rig = await ReflectorRig.create();
    await rig.stop();
    rig.start();
    await rig.stop();
    expect(rig.api.seen).to.have.length(0);
    await rig.close();
  });

  it("keeps memory, timers and listeners flat over 1,000 reconnects", async function () {
    this.timeout(300_000);
    const rig = await ReflectorRig.create();
    await rig.synced();
    const reconnect = async (times: number) => {
      for (let i = 0; i < times; i++) {
        rig.api.seen.length = 0;
        rig.proxy.requests.length = 0;
        rig.warnings.length = 0;
        rig.api.collection.put("a", { labels: { iteration: String(i % 10) } });
        await rig.equal();
        rig.events.length = 0;
        rig.api.collection.history = [];
        rig.proxy.resetAll();
        await until(
          "it watches again",
          () => rig.api.seen.some((seen) => seen.kind === "watch") && rig.api.openWatches === 1,
        );
      }
    };
    await reconnect(200);
    const before = heapUsed();
    const timers = rig.clock.pendingTimers;
    await reconnect(800);
    expect((heapUsed() - before) / 1024, "KiB").to.be.lessThan(1024);
    expect(rig.clock.pendingTimers).to.be.at.most(timers + 1);
    expect(rig.proxy.openSockets).to.be.at.most(3);
    await rig.close();
  });
});
