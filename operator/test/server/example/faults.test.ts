import { expect } from "chai";
import { ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, afterEach, before, describe, it } from "mocha";
import type { ElectionTimings } from "../../../src/runtime/lease-candidate.js";
import { AnnotatorRig } from "../../support/kube/annotator-rig.js";
import { seededRandom } from "../../support/seeded-random.js";
import { sliceOf } from "../../support/time/long.js";
import { until } from "../../support/time/until.js";

/** Longer than any fault here: whatever happens, the same process must live through it. */
const PATIENT = { leaseMs: 900_000, renewDeadlineMs: 600_000, retryMs: 2_000 };
const USUAL = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
/** `FLIPOP_SEED=123` repeats a run; `FLIPOP_LONG=1` makes it a long one. */
const KILLS = sliceOf(200, 5);
const KILL_SECONDS = 15;
const SEED = Number(process.env["FLIPOP_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

const CLEAN = { timers: 0, listeners: 0, flows: 0 };

interface Fault {
  readonly name: string;
  /** How many times as fast as real time the controller waits. @default as the rig has it */
  readonly speed?: number;
  readonly strike: (rig: AnnotatorRig, plane: ControlPlane) => Promise<void> | void;
  /** After the cluster has changed. @default nothing */
  readonly heal?: (rig: AnnotatorRig) => Promise<void>;
}

const refusals = (code: number, times: number, retryAfterSeconds?: number) => (rig: AnnotatorRig) => {
  rig.proxy.inject({ kind: "status", code, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }, times);
  rig.proxy.resetAll();
};

const FAULTS: readonly Fault[] = [
  { name: "RST", strike: (rig) => rig.proxy.resetAll() },
  { name: "FIN", strike: (rig) => rig.proxy.finAll() },
  { name: "a cut in mid-line", strike: (rig) => rig.proxy.cutAll('{"type":"MODIFIED","object":{"metadata":{"na') },
  {
    name: "a half-open link that heals",
    speed: 20,
    strike: (rig) => rig.proxy.freeze(),
    heal: async (rig) => {
      await until("the dead connections are given up", () => rig.proxy.openFlows === 0, 60_000);
      rig.proxy.thaw();
    },
  },
  { name: "429 with Retry-After", strike: refusals(429, 5, 2) },
  { name: "a storm of 500s", strike: refusals(500, 20) },
  { name: "401", strike: refusals(401, 8) },
  { name: "403", strike: refusals(403, 8) },
  { name: "kill -9 and restart of kube-apiserver", strike: (_rig, plane) => plane.apiserver.restart() },
  { name: "kill -9 and restart of etcd", strike: (_rig, plane) => plane.etcd.restart() },
];

describe("example controller on a real API server", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: AnnotatorRig;

  before(async function () {
    // Only to skip where there are no binaries; what is killed here must not be shared.
    const { binaries } = await controlPlaneOrSkip(this);
    plane = await ControlPlane.start({ binaries });
  });
  after(() => plane?.stop());
  afterEach(() => rig?.close());

  const runActions = async ({
    timings = PATIENT,
    speed,
  }: {
    timings?: ElectionTimings;
    speed?: number | undefined;
  } = {}) => {
    rig = await AnnotatorRig.create(plane, timings, speed);
    for (const [index, name] of ["a", "b", "c"].entries()) await rig.nodes.put(name, `192.0.2.${index}`);
  };

  const change = async () => {
    await rig.nodes.put("a", "198.51.100.1");
    await rig.nodes.remove("b");
    await rig.nodes.put("d", "198.51.100.2");
  };
  const stopsClean = async () => {
    await rig.stop();
    expect(rig.overlaps, "nodes handled twice at once").to.deep.equal([]);
    expect(rig.exits).to.deep.equal([{ code: 0, left: CLEAN }]);
    expect(await rig.ready(), "the health server is gone").to.equal(undefined);
  };

  for (const { name, speed, strike, heal } of FAULTS) {
    it(`survives ${name}`, async () => {
      await runActions({ speed });
      await rig.start(plane);
      await rig.settled();
      await strike(rig, plane);
      await change();
      await heal?.(rig);
      await rig.settled();
      await stopsClean();
    });
  }

  it("goes back with the server after a restore of etcd to an older state", async () => {
    await runActions();
    await rig.start(plane);
    await rig.settled();
    const state = await plane.etcd.saveState();
    await change();
    await rig.settled();
    await plane.apiserver.kill("SIGKILL");
    await plane.etcd.restoreState(state);
    await plane.apiserver.start();
    await rig.settled();
    expect((await rig.nodes.list()).map(({ name }) => name.at(-1))).to.deep.equal(["a", "b", "c"]);
    await stopsClean();
  });

  it("waits for an API server that is down at start, and says so when asked whether it is ready", async () => {
    await runActions();
    await plane.apiserver.kill("SIGKILL");
    await rig.start(plane);
    await until("it says why", async () => /nodes \(.+\)/.test((await rig.ready())?.text ?? ""));
    expect(await rig.ready()).to.have.property("status", 500);
    await plane.apiserver.start();
    await rig.settled();
    expect(await rig.ready()).to.have.property("status", 200);
    await stopsClean();
  });

  it("mends an annotation that somebody else has changed", async () => {
    await runActions();
    await rig.start(plane);
    await rig.settled();
    const [node] = await rig.nodes.list();
    const body = { metadata: { annotations: { "annotator.example.com/address": "wrong" } } };
    await rig.admin.request({ method: "PATCH", path: `/api/v1/nodes/${node?.name}`, body });
    await rig.settled();
    await stopsClean();
  });

  it(`is right again after each of ${KILLS} kills and cuts (seed ${SEED})`, async function () {
    this.timeout(120_000 + KILLS * KILL_SECONDS * 1000);
    const random = seededRandom(SEED);
    const pick = (count: number) => Math.floor(random() * count);
    const strikes = [
      () => plane.apiserver.restart(),
      () => plane.etcd.restart(),
      () => rig.proxy.resetAll(),
      () => rig.proxy.inject({ kind: "status", code: 500 }, pick(5)),
    ];
    await runActions({ timings: USUAL });
    await rig.start(plane);
    await rig.settled();
    for (let kill = 0; kill < KILLS; kill++) {
      const change = rig.nodes.put(`n${pick(4)}`, `192.0.2.${pick(250)}`).catch(() => {});
      await Promise.resolve(strikes[pick(strikes.length)]?.());
      await change;
      await rig.nodes.remove(`n${pick(4)}`);
      await rig.settled();
    }
    expect(rig.overlaps).to.deep.equal([]);
    await rig.stop();
    for (const { left } of rig.exits) expect(left).to.deep.equal(CLEAN);
  });

  it("ends when an outage outlasts its lease, leaves nothing behind, and is right again once restarted", async () => {
    await runActions({ timings: USUAL });
    await rig.start(plane);
    await rig.settled();
    await plane.apiserver.kill("SIGKILL");
    await until("the lease is lost", () => rig.exits.length === 1, 60_000);
    expect(rig.exits).to.deep.equal([{ code: 3, left: CLEAN }]);
    await plane.apiserver.start();
    await rig.nodes.put("a", "192.0.2.9");
    await rig.settled();
    expect(rig.overlaps).to.deep.equal([]);
    await rig.stop();
    expect(rig.exits.at(-1)).to.deep.equal({ code: 0, left: CLEAN });
  });
});
