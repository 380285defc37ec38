import { expect } from "chai";
import fc from "fast-check";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { afterEach, before, beforeEach, describe, it } from "mocha";
import { ServerRig } from "../../support/kube/server-rig.js";
import { until } from "../../support/time/until.js";

describe("reflector on a real API server", function () {
  this.timeout(120_000);
  let plane: ControlPlane;
  let rig: ServerRig;
  before(async function () {
    plane = await controlPlaneOrSkip(this);
  });
  beforeEach(async () => {
    rig = await ServerRig.create(plane);
    for (const name of ["a", "b", "c"]) await rig.put(name, "0");
  });
  afterEach(() => rig?.close());

  const change = async () => {
    await rig.put("a", String(rig.events.length));
    await rig.remove("b");
    await rig.put("d", "1");
    await rig.equal();
  };
  const requested = (pattern: RegExp) => rig.proxy.requests.filter((request) => pattern.test(request.url)).length;

  it("syncs by one watch list and follows creations, changes and deletions", async () => {
    await rig.synced();
    await rig.equal();
    await change();
    expect(requested(/./)).to.equal(1);
    expect(rig.events.slice(3)).to.deep.equal(["updated a", "deleted b", "added d"]);
  });

  it("takes an object out when its label no longer matches the selector", async () => {
    await rig.synced();
    await rig.admin.request({ method: "PATCH", path: rig.path("a"), body: { metadata: { labels: { flipop: "no" } } } });
    await rig.equal();
    expect(rig.events.at(-1)).to.equal("deleted a");
  });

  for (const [name, fault] of [
    ["RST", () => rig.proxy.resetAll()],
    ["FIN", () => rig.proxy.finAll()],
    ["a cut in mid-line", () => rig.proxy.cutAll('{"type":"ADDED","object":{"metadata":{"name":"gh')],
  ] as const) {
    it(`resumes after ${name} with a probe, not with a list`, async () => {
      await rig.synced();
      fault();
      await change();
      expect(requested(/limit=1&|limit=1$/)).to.be.greaterThan(0);
      expect(requested(/sendInitialEvents|limit=500/)).to.equal(1);
      expect(rig.events.slice(3).sort()).to.deep.equal(["added d", "deleted b", "updated a"]);
    });
  }

  it("notices a half-open link and resumes", async () => {
    const fast = 30;
    await rig.close();
    rig = await ServerRig.create(plane, fast);
    await rig.synced();
    rig.proxy.freeze();
    await rig.put("late", "1");
    await until("the dead connection is given up", () => rig.proxy.openFlows === 0, 30_000);
    rig.proxy.thaw();
    await change();
    expect(rig.notes.join()).to.include("no event for 75 s");
  });

  it("outlives refusals of every kind", async () => {
    for (const code of [500, 503, 403, 401]) rig.proxy.inject({ kind: "status", code });
    rig.proxy.inject({ kind: "status", code: 429, retryAfterSeconds: 2 });
    await rig.synced();
    rig.proxy.inject({ kind: "reset" }, 3);
    rig.proxy.resetAll();
    await change();
  });

  it("ends equal to the server after random changes and faults", async () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e");
    const step = fc.oneof(
      fc.tuple(name, fc.nat(9)).map(
        ([object, value]) =>
          () =>
            rig.put(object, String(value)),
      ),
      name.map((object) => () => rig.remove(object)),
      fc
        .constantFrom("resetAll" as const, "finAll" as const, "freeze" as const, "thaw" as const)
        .map((fault) => () => rig.proxy[fault]()),
      fc.constantFrom(429, 500, 401, 410).map((code) => () => rig.proxy.inject({ kind: "status", code })),
    );
    await rig.synced();
    const { seed } = fc.readConfigureGlobal();
    for (const run of fc.sample(step, { numRuns: 80, ...(seed === undefined ? {} : { seed }) })) await run();
    rig.proxy.heal();
    await rig.equal();
  });
});
