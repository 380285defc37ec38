import { getEventListeners } from "node:events";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { type WholeObject, wholeObjects } from "../../../src/kube/cache/slim-objects.js";
import { Store } from "../../../src/kube/cache/store.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { Reflector } from "../../../src/kube/watch/reflector.js";
import { FaultProxy } from "../../support/fault-proxy.js";
import { heapUsed } from "../../support/heap.js";
import { ServerRig } from "../../support/kube/server-rig.js";
import { sliceOf } from "../../support/time/long.js";
import { scaledClock } from "../../support/time/scaled-clock.js";
import { StepClient } from "../../support/time/step-client.js";
import { until } from "../../support/time/until.js";

const RECONNECTS = sliceOf(1_000, 400);
/** The first ones fill caches and compile code. */
const WARM_UP = 100;
const BURST = sliceOf(10_000, 3_200);
const WRITERS = 32;
const FAST = 30;
/** More than a run of the scenario has, so that the last ones stop a reflector at rest. */
const MOST_STEPS = 100;

describe("reflector in the long run on a real API server", function () {
  this.timeout(600_000);
  let plane: ControlPlane;
  let rig: ServerRig;
  before(async function () {
    plane = await controlPlaneOrSkip(this);
    rig = await ServerRig.create(plane, FAST);
    for (const name of ["a", "b"]) await rig.put(name, "0");
  });
  after(() => rig?.close());

  it(`takes a burst of ${BURST.toLocaleString("en")} events that come at once after an outage`, async () => {
    await rig.synced();
    rig.proxy.freeze();
    const write = async (writer: number) => {
      const body = (value: number) => ({ data: { value: String(value) } });
      await rig.put(`burst-${writer}`, "");
      for (let i = 0; i < BURST / WRITERS; i++) {
        await rig.admin.request({ method: "PATCH", path: rig.path(`burst-${writer}`), body: body(i) });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    rig.proxy.thaw();
    await rig.equal();
  });

  it(`keeps its heap flat over ${RECONNECTS.toLocaleString("en")} reconnects`, async () => {
    const connected = () => rig.reflector.state.connected && rig.proxy.openFlows === 1;
    let iteration = 0;
    const reconnect = async (times: number) => {
      for (let i = 0; i < times; i++) {
        for (const list of [rig.proxy.requests, rig.warnings, rig.events]) list.length = 0;
        await rig.put("a", `turn ${++iteration}`);
        await until("the event is there", () => rig.events.length > 0);
        rig.proxy.resetAll();
        await until("it watches again", () => rig.proxy.requests.length > 0 && connected());
      }
    };
    const sizes: string[] = [];
    const note = () => {
      const heap = heapUsed();
      sizes.push(`${(heap / 2 ** 20).toFixed(1)}/${(process.memoryUsage().rss / 2 ** 20).toFixed(0)}`);
      return heap;
    };
    await reconnect(WARM_UP);
    const before = note();
    const timers = rig.clock.pendingTimers;
    for (let done = WARM_UP; done < RECONNECTS; done += WARM_UP) {
      await reconnect(WARM_UP);
      note();
    }
    console.log(`      heap/RSS in MiB after each ${WARM_UP} reconnects: ${sizes.join(" ")}`);
    expect((heapUsed() - before) / 1024, "KiB").to.be.lessThan(1024);
    expect(rig.clock.pendingTimers).to.be.at.most(timers + 1);
    await rig.equal();
  });

  it("leaves nothing behind wherever it is stopped", async () => {
    // How many steps a whole run has depends on the chunks that the socket delivers.
    let ended = false;
    for (let stopAt = 1; !ended && stopAt <= MOST_STEPS; stopAt++) {
      const { steps, ...left } = await stopped(plane, rig, stopAt);
      expect(left, `stopped at step ${stopAt}`).to.deep.equal(CLEAN);
      ended = steps < stopAt;
    }
    expect(ended, `a run has at most ${MOST_STEPS} steps`).to.equal(true);
  });
});

const CLEAN = { late: 0, timers: 0, streams: 0, listeners: 0, sockets: 0 };

/** Sync, an event, a lost connection, a refused resume, a probe, a resume: aborted at the `stopAt`-th step. */
async function stopped(plane: ControlPlane, rig: ServerRig, stopAt: number) {
  const clock = scaledClock(20);
  const proxy = await FaultProxy.start(plane.url, plane.caData);
  const { ca: _ca, ...config } = loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} });
  const transport = new Transport({ config: { ...config, server: proxy.url }, clock, env: {} });
  const controller = new AbortController();
  let steps = 0;
  const client = new StepClient(transport, () => {
    if (++steps === stopAt) controller.abort(new Error("stop"));
  });
  const store = new Store<WholeObject>();
  let late = 0;
  store.listen(() => {
    if (controller.signal.aborted) late++;
  });
  const target = { name: "configmaps", path: rig.path(), labelSelector: "flipop=yes" };
  const reflector = new Reflector({ client, target, transform: wholeObjects(), sink: store, clock });
  const running = reflector.run(controller.signal);
  const reached = (condition: () => boolean) => until("the next part", () => controller.signal.aborted || condition());
  const changed = async (name: string) => {
    await rig.put(name, `${stopAt}`);
    const key = `${rig.namespace}/${name}`;
    const value = () => (store.get(key)?.object as { data?: { value?: string } } | undefined)?.data?.value;
    await reached(() => value() === `${stopAt}`);
  };
  await reached(() => reflector.state.connected && store.size > 0);
  await changed("a");
  proxy.inject({ kind: "status", code: 500 }, 1);
  proxy.resetAll();
  await changed("b");
  controller.abort(new Error("stop"));
  await running;
  const timers = clock.pendingTimers;
  const listeners = getEventListeners(controller.signal, "abort").length;
  await transport.close();
  await until("no socket is left", () => proxy.openSockets === 0).catch(() => {});
  const sockets = proxy.openSockets;
  await proxy.close();
  return { steps, late, timers, streams: client.openStreams, listeners, sockets };
}
