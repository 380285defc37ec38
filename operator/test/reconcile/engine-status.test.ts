import { expect } from "chai";
import { describe, it } from "mocha";
import { DONE, type Outcome, skipped } from "../../src/addresses/call-outcomes.js";
import type { KubeObject } from "../../src/kube/objects.js";
import { eventMessages } from "../../src/messages/events.js";
import { candidateMessages } from "../../src/messages/nodes/candidates.js";
import type { LimitWait } from "../../src/providers/layers/limiter.js";
import { no, unknown, yes } from "../../src/reconcile/conditions.js";
import {
  CLOUD_CALL_SECONDS,
  CRD_PROBE_MS,
  CRD_ROLLOUT_PROBE_MS,
  OWN_WRITE_MS,
  RIGHTS_PROBE_MS,
  SECOND_MS,
} from "../../src/timings.js";
import { OBJECT, rigOfEachTest } from "./engine-rig.js";
import { move, refused, sequence } from "./moving-kind.js";

const A = "192.0.2.1";
const B = "192.0.2.2";

function isWide(object: KubeObject | undefined): boolean {
  return (object?.spec as { readonly wide?: boolean } | undefined)?.wide === true;
}

describe("what the engine writes and reports", () => {
  const rig = rigOfEachTest();

  /** Ends when the test says so. */
  const slowly = () => {
    let end: (outcome: Outcome) => void = () => undefined;
    const ended = new Promise<Outcome>((resolve) => {
      end = resolve;
    });
    return { ended, end };
  };

  it("lets a slow call go on in the background, and writes the status meanwhile", async () => {
    const { ended, end } = slowly();
    rig.moving.wanted = () => [sequence(move(A)), sequence(move(B))];
    rig.moving.run = ({ ip }) => (ip === A ? ended : Promise.resolve(DONE));
    await rig.start();
    await rig.world.clock.advance(1_100);
    expect(rig.world.status()["moved"]).to.deep.equal([`address ${B}`]);
    rig.controller.enqueueAll();
    await rig.world.clock.advance(2_000);
    expect(rig.moving.begun, "it is not begun twice").to.deep.equal([`move ${A}`, `move ${B}`]);
    end(DONE);
    await rig.world.clock.advance(100);
    expect(rig.world.status()["moved"]).to.deep.equal([`address ${B}`, `address ${A}`]);
  });

  it("looks again at the time that a wait for the limits of the account names, and soon where it names none", async () => {
    const shown = () => (rig.world.status()["conditions"] as readonly { readonly message: string }[])[0]?.message;
    const waits = (wait: LimitWait) => {
      const condition = unknown("Fulfilled", candidateMessages.waitForLimit({ active: 1, desired: 2, ...wait }));
      rig.moving.conditions = [condition];
      return condition.message;
    };
    const first = waits({ calls: 1, until: rig.world.clock.now() + 20_000 });
    await rig.start();
    expect(shown()).to.equal(first);
    const second = waits({ calls: 1 });
    await rig.world.clock.advance(20_100);
    expect(shown()).to.equal(second);
    rig.moving.conditions = [yes("Fulfilled", { reason: "Observed", message: "fine" })];
    await rig.world.clock.advance(2_100);
    expect(shown()).to.equal("fine");
  });

  it("goes on showing a failure while the action runs again, as long as a call may take", async () => {
    const failure = { reason: "WrongRegion", message: "it is elsewhere" } as const;
    const { ended, end } = slowly();
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => {
      if (rig.moving.begun.length > 1) return ended;
      rig.moving.conditions = [no("Accepted", failure)];
      return refused({ problem: failure });
    };
    await rig.start();
    rig.moving.conditions = [yes("Accepted", { reason: "Observed", message: "fine" })];
    await rig.world.clock.advance(10_000);
    expect([rig.moving.begun.length, rig.world.condition("Accepted")]).to.deep.equal([2, "False/WrongRegion"]);
    await rig.world.clock.advance(2 * CLOUD_CALL_SECONDS * SECOND_MS);
    expect(rig.world.condition("Accepted")).to.equal("True/Observed");
    end(DONE);
  });

  it("plans again while a slow call goes on, with ever longer pauses, so that the status says what it waits for", async () => {
    const { ended, end } = slowly();
    const plans: number[] = [];
    const { clock } = rig.world;
    rig.moving.wanted = () => {
      plans.push(Math.round(clock.monotonic() / 1000));
      return [sequence(move(A))];
    };
    rig.moving.run = () => ended;
    await rig.start();
    await clock.advance(90_000);
    const first = plans[0] ?? 0;
    const runs = [...new Set(plans.map((at) => at - first))];
    end(DONE);
    expect(runs).to.deep.equal([0, 1, 6, 11, 21, 41, 81]);
  });

  it("sees its own writes before the cache does", async () => {
    rig.moving.wanted = (status) => (status["seen"] === "yes" ? [] : [sequence(move(A)), sequence(move(B))]);
    rig.moving.run = async (_action, { state }) => {
      await state.write({
        patch: ({ metadata: { resourceVersion } }) => ({
          contentType: "application/merge-patch+json",
          body: { metadata: { resourceVersion }, status: { seen: "yes" } },
        }),
        subresource: "status",
      });
      return DONE;
    };
    rig.world.source.listen(() => {
      rig.world.lagging = true;
    });
    await rig.start();
    expect(rig.moving.begun).to.deep.equal([`move ${A}`, `move ${B}`]);
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    expect(rig.moving.begun, "the cache still shows the old version").to.have.length(2);
  });

  it("notices within the bound that a missing right has been granted, though it has nothing to write", async () => {
    rig.moving.more = { pendingWarnings: { forbidden: "role too old" } };
    await rig.start();
    expect(rig.controller.degradedReason()).to.equal(undefined);
    rig.world.forbids = true;
    rig.moving.wanted = () => [sequence(move(A))];
    rig.controller.enqueueAll();
    await rig.world.clock.advance(1);
    expect(rig.controller.degradedReason()).to.equal("role too old");
    rig.moving.wanted = () => [];
    if (rig.moving.state !== undefined) rig.moving.state.memory.moved = [];
    await rig.world.clock.advance(2 * RIGHTS_PROBE_MS);
    expect(rig.controller.degradedReason(), "the right is still missing").to.equal("role too old");
    rig.world.forbids = false;
    const writes = rig.world.patches.length;
    await rig.world.clock.advance(RIGHTS_PROBE_MS);
    expect(rig.controller.degradedReason()).to.equal(undefined);
    expect(rig.world.patches.slice(writes)).to.deep.equal([{ metadata: { uid: "u" } }]);
    await rig.world.clock.advance(2 * RIGHTS_PROBE_MS);
    expect(rig.world.patches, "one empty patch is enough").to.have.length(writes + 1);
  });

  it("relies on the cache again when it does not catch up with an own write within the bound", async () => {
    rig.moving.wanted = () => [sequence(move(isWide(rig.moving.state?.object()) ? A : B))];
    rig.moving.run = async () => {
      rig.world.lagging = true;
      return DONE;
    };
    await rig.start();
    expect(rig.world.object?.metadata.resourceVersion, "the cache has not seen the status").to.equal("2");
    rig.world.restore({ ...OBJECT, spec: { wide: true } });
    await rig.world.clock.advance(OWN_WRITE_MS - 1_000);
    expect(rig.moving.begun).to.deep.equal([`move ${B}`]);
    await rig.world.clock.advance(2_000);
    expect(rig.moving.begun).to.deep.equal([`move ${B}`, `move ${A}`]);
  });

  it("plans on what waits for the next status patch", async () => {
    const seen: unknown[] = [];
    rig.moving.wanted = (status) => {
      seen.push(status["phase"]);
      return status["phase"] === "begun" ? [] : [sequence(move(A))];
    };
    rig.moving.run = async (_action, { state }) => {
      state.pendingStatus.set(["phase"], "begun");
      return skipped("it goes on elsewhere");
    };
    await rig.start();
    expect(seen[0]).to.equal(undefined);
    expect(seen.at(-1)).to.equal("begun");
  });

  it("keeps what an older CRD drops, and does not send it again and again", async () => {
    rig.world.dropped = ["conditions", "moved"];
    rig.moving.wanted = () => [sequence(move(A))];
    await rig.start();
    const { length } = rig.world.patches;
    expect(rig.moving.state?.pendingStatus.over({})["moved"]).to.deep.equal([`address ${A}`]);
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    expect(rig.world.patches).to.have.length(length);
  });

  it("remembers a fact that an older CRD drops, and sends it again now and then, and when the cache is read anew", async () => {
    rig.world.dropped = ["fact"];
    rig.moving.wanted = ({ fact }) => (fact === undefined ? [sequence(move(A))] : []);
    rig.moving.run = async (_action, { state }) => {
      await state.keep(() => ({ fact: "x" }));
      return skipped("it goes on elsewhere");
    };
    await rig.start();
    const sent = () => rig.world.patches.filter((body) => JSON.stringify(body).includes("fact")).length;
    expect(rig.moving.state?.read()?.status).to.include({ fact: "x" });
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    expect(rig.moving.begun).to.have.length(1);
    expect(sent()).to.equal(1);
    await rig.world.clock.advance(CRD_PROBE_MS + 1);
    expect(sent()).to.equal(2);
    rig.world.dropped = [];
    rig.world.relist();
    await rig.world.clock.advance(1);
    expect(rig.world.status()["fact"]).to.equal("x");
    await rig.moving.state?.keep(() => ({ fact: "y" }));
    expect(rig.moving.state?.read()?.status).to.include({ fact: "y" });
    await rig.world.clock.advance(3 * CRD_PROBE_MS);
    expect(sent(), "the server has it").to.equal(4);
  });

  it("sends what an older CRD dropped as soon as the cache is read anew, and again while other servers may lag", async () => {
    rig.moving.more = { pendingWarnings: { forbidden: "", olderCrd: "CRD too old" } };
    rig.world.dropped = ["conditions", "moved"];
    await rig.start();
    rig.world.relist();
    await rig.world.clock.advance(1);
    expect(rig.controller.degradedReason()).to.equal("CRD too old");
    rig.world.dropped = [];
    await rig.world.clock.advance(CRD_ROLLOUT_PROBE_MS);
    expect(rig.world.condition("Ready")).to.equal("True/Observed");
    expect(rig.controller.degradedReason()).to.equal(undefined);
  });

  it("names what an older CRD drops of a field, and sends the rest of the field alone", async () => {
    rig.moving.more = { statusRules: { newFields: ["dns"], olderCrdEvent: eventMessages.statusDropped } };
    rig.world.dropped = ["dns.policy", "extra"];
    rig.moving.fields = { dns: { name: "a", policy: "Keep" }, extra: "x" };
    await rig.start();
    expect(rig.world.events.map(({ note }) => note)).to.have.length(1);
    expect(rig.world.events[0]?.note).to.contain(": dns.policy, extra;");
    const { length } = rig.world.patches;
    rig.moving.fields = { dns: { name: "b", policy: "Keep" }, extra: "y" };
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    const sent = rig.world.patches.slice(length).map((body) => (body as KubeObject).status);
    expect(sent).to.deep.equal([{ dns: { name: "b" } }]);
    expect(rig.moving.state?.read()?.status).to.deep.include({ dns: { name: "b", policy: "Keep" } });
    rig.world.dropped = [];
    await rig.world.clock.advance(1);
    rig.world.relist();
    await rig.world.clock.advance(1);
    expect(rig.world.status()).to.deep.include({ dns: { name: "b", policy: "Keep" }, extra: "y" });
  });

  it("names the fields that a new CRD brings where an older one drops parts of entries of a list", async () => {
    rig.moving.more = { statusRules: { newFields: ["list"], olderCrdEvent: eventMessages.statusDropped } };
    rig.world.dropped = ["list.policy"];
    rig.moving.fields = { list: [{ name: "a", policy: "Keep" }] };
    await rig.start();
    expect(rig.world.events.map(({ note }) => note?.split(";")[0])).to.deep.equal([
      "the API server drops fields of the status: list",
    ]);
  });

  it("writes nothing while another process leads", async () => {
    rig.world.leads = false;
    await rig.start();
    expect(rig.world.patches).to.deep.equal([]);
  });

  it("gives the kind the time since it sent a status, and not since it compared one", async () => {
    const since: number[] = [];
    const holdMs = (_seen: unknown, _fields: unknown, sinceLastMs: number) => {
      since.push(sinceLastMs);
      return undefined;
    };
    rig.moving.more = { statusRules: { holdMs } };
    await rig.start();
    for (let run = 0; run < 2; run++) {
      await rig.world.clock.advance(5_000);
      rig.controller.enqueueAll();
      await rig.world.clock.flush();
    }
    expect(rig.world.patches).to.have.length(1);
    expect(since.at(-1)).to.equal(10_000);
  });

  it("names as the reason of a degraded process what the kind alone notices", async () => {
    rig.moving.more = { pendingWarningOf: () => "role too old: nodes" };
    await rig.start();
    expect(rig.controller.degradedReason()).to.equal("role too old: nodes");
  });
});
