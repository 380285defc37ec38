import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { ReflectorRig } from "../../support/kube/reflector-rig.js";
import { until } from "../../support/time/until.js";

type Step = (rig: ReflectorRig) => Promise<void> | void;

const NAMES = ["a", "b", "c", "d", "e"];
const name = fc.constantFrom(...NAMES);
const step = (text: string, run: Step) => fc.constant(Object.assign(run, { toString: () => text }));

const change = fc.oneof(
  fc.tuple(name, fc.nat(3)).map(
    ([pod, iteration]): Step =>
      (rig) =>
        void rig.api.collection.put(pod, { labels: { iteration: String(iteration) } }),
  ),
  name.map(
    (pod): Step =>
      (rig) =>
        rig.api.collection.remove(pod),
  ),
);

const fault = fc.oneof(
  step("reset", (rig) => rig.proxy.resetAll()),
  step("fin", (rig) => rig.proxy.finAll()),
  step("cut", (rig) => rig.proxy.cutAll('{"type":"MODIFIED","obj')),
  step("freeze", (rig) => rig.proxy.freeze()),
  step("thaw", (rig) => rig.proxy.thaw()),
  step("end", (rig) => rig.api.endWatches()),
  step("bookmark", (rig) => rig.api.bookmark()),
  step("compact", (rig) => rig.api.collection.compact()),
  step("410", (rig) => rig.api.failWatches(410, "Expired")),
  step("500 event", (rig) => rig.api.failWatches(500, "InternalError")),
  step("no watch lists", (rig) => {
    rig.api.watchListEnabled = false;
  }),
  fc.constantFrom(410, 429, 500, 503, 401, 403).map(
    (code): Step =>
      (rig) =>
        rig.proxy.inject({ kind: "status", code }),
  ),
  step("refuse", (rig) => rig.proxy.inject({ kind: "reset" }, 2)),
  step("pause", () => new Promise((resolve) => setTimeout(resolve, 3))),
  step("restore", async (rig) => {
    const { api, proxy, reflector } = rig;
    proxy.heal();
    proxy.inject({ kind: "reset" }, Number.POSITIVE_INFINITY);
    proxy.resetAll();
    await until("no watch is open", () => api.openWatches === 0 && !reflector.state.connected);
    api.collection.restore(api.collection.version - 3, ["a", "b"]);
    const before = api.seen.length;
    proxy.heal();
    // Changes that reach the old version again before the reflector is back can't be distinguished from the lost ones.
    await until("it watches what the server has", () => watchesThePresent(rig, before));
    await rig.equal();
  }),
);

/** By the version that it asked for: a store that equals the server may do so by chance, long before a relist. */
function watchesThePresent({ api, reflector }: ReflectorRig, sinceRequest: number): boolean {
  const last = api.seen.slice(sinceRequest).findLast(({ kind }) => kind === "watch")?.query;
  const version = last?.get("sendInitialEvents") === "true" ? 0 : Number(last?.get("resourceVersion") ?? Number.NaN);
  return reflector.state.connected && api.openWatches === 1 && version <= api.collection.version;
}

/** What a listener that trusts every event would hold. */
function replay(events: readonly string[]): Set<string> {
  const held = new Set<string>();
  for (const event of events) {
    const [type = "", pod = ""] = event.split(" ");
    expect(held.has(pod), event).to.equal(type !== "added");
    if (type === "added") held.add(pod);
    if (type === "deleted") held.delete(pod);
  }
  return held;
}

describe("reflector under random events and faults", () => {
  it("ends with the store equal to the server, and with events that add up to it", async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.oneof({ arbitrary: change, weight: 2 }, fault), { minLength: 5, maxLength: 30 }),
        async (protobuf, steps) => {
          const rig = await ReflectorRig.create({ protobuf });
          rig.start();
          try {
            for (const run of steps) await run(rig);
            rig.proxy.heal();
            await rig.equal();
            expect([...replay(rig.events)].sort()).to.deep.equal([...rig.store.list()].map((pod) => pod.name).sort());
          } finally {
            await rig.close();
          }
          expect(rig.clock.pendingTimers).to.equal(0);
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
  });
});
