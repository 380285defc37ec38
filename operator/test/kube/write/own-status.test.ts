import { expect } from "chai";
import { describe, it } from "mocha";
import { DONE } from "../../../src/addresses/call-outcomes.js";
import type { KubeObject } from "../../../src/kube/objects.js";
import { OwnStatus } from "../../../src/kube/write/own-status.js";
import { statusPatch } from "../../../src/kube/write/patch.js";
import { conditionEvents, no } from "../../../src/reconcile/conditions.js";
import { OVERWRITTEN_KEPT_MS, SECOND_MS } from "../../../src/timings.js";
import { rigOfEachTest } from "../../reconcile/engine-rig.js";
import { move, sequence } from "../../reconcile/moving-kind.js";

const A = "192.0.2.1";
const THEIRS = { moved: ["theirs"] };
const LONGEST_MS = 3_600_000;

describe("a status that others overwrite", () => {
  const rig = rigOfEachTest();

  /** Another writer overwrites ours. @returns how many seconds later it is as we want it again. */
  async function overwrittenForSeconds(): Promise<number> {
    const { clock } = rig.world;
    const since = clock.monotonic();
    rig.world.overwrite(THEIRS);
    await clock.advance(1);
    while (isTheirs()) {
      expect(clock.monotonic() - since).to.be.lessThan(LONGEST_MS);
      await clock.advance(SECOND_MS);
    }
    return Math.round((clock.monotonic() - since) / SECOND_MS);
  }

  function isTheirs(): boolean {
    return JSON.stringify(rig.world.status()["moved"]) === JSON.stringify(THEIRS.moved);
  }

  async function overwriteTimes(times: number): Promise<readonly number[]> {
    const seconds: number[] = [];
    for (let time = 0; time < times; time++) seconds.push(await overwrittenForSeconds());
    return seconds;
  }

  it("is written again at once, then after ever longer waits, and at once again after a quiet hour", async () => {
    await rig.start();
    expect(await overwriteTimes(7)).to.deep.equal([0, 0, 60, 120, 300, 600, 600]);
    await rig.world.clock.advance(OVERWRITTEN_KEPT_MS + 1);
    expect(await overwriteTimes(3)).to.deep.equal([0, 0, 60]);
  });

  it("waits no longer because of runs, and of what others write meanwhile", async () => {
    await rig.start();
    await overwriteTimes(2);
    rig.world.overwrite(THEIRS);
    const { length } = rig.world.patches;
    for (let time = 0; time < 5; time++) {
      await rig.world.clock.advance(10 * SECOND_MS);
      rig.world.overwrite({ ...THEIRS, more: time });
      rig.controller.enqueueAll();
    }
    await rig.world.clock.advance(9 * SECOND_MS);
    expect(rig.world.patches).to.have.length(length);
    await rig.world.clock.advance(2 * SECOND_MS);
    expect(isTheirs()).to.equal(false);
  });

  it("does not count where others write other fields and conditions", async () => {
    await rig.start();
    const { conditions } = rig.world.status();
    for (let time = 0; time < 10; time++) {
      const theirs = { type: "Theirs", status: "True", reason: "Other", message: `${time}` };
      rig.moving.wanted = () => [sequence(move(`192.0.2.${time}`))];
      rig.world.overwrite({ conditions: [...(conditions as readonly object[]), theirs], foreign: time });
      await rig.world.clock.advance(1);
      expect(rig.world.status()["moved"]).to.have.length(time + 1);
    }
  });

  it("does not count what an action of this process writes", async () => {
    await rig.start();
    rig.moving.run = async (_action, { state }) => {
      const patch = (object: KubeObject) => statusPatch(object, { moved: ["by an action"] });
      await state.write({ patch, subresource: "status" });
      return DONE;
    };
    for (let time = 0; time < 10; time++) {
      rig.moving.wanted = () => [sequence(move(`192.0.2.${time}`))];
      rig.controller.enqueueAll();
      await rig.world.clock.advance(1);
      expect(rig.world.status()["moved"]).to.have.length(time + 1);
    }
  });

  it("does not count a write of this process whose answer got lost", async () => {
    await rig.start();
    for (let time = 0; time < 10; time += 2) {
      const [first, second] = [`192.0.2.${time}`, `192.0.2.${time + 1}`];
      rig.world.answersToLose = 1;
      rig.moving.wanted = ({ moved = [] }) => [
        sequence(move((moved as readonly string[]).includes(`address ${first}`) ? second : first)),
      ];
      rig.controller.enqueueAll();
      await rig.world.clock.advance(SECOND_MS);
      expect(rig.world.status()["moved"]).to.have.length(time + 2);
    }
  });

  it("counts also where the others were faster than a write of this process", async () => {
    await rig.start();
    await overwriteTimes(2);
    rig.world.lagging = true;
    rig.world.overwrite(THEIRS);
    rig.moving.fields = { phase: "next" };
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    rig.world.catchUp();
    await rig.world.clock.advance(59 * SECOND_MS);
    expect(isTheirs()).to.equal(true);
    await rig.world.clock.advance(2 * SECOND_MS);
    expect(rig.world.status()).to.include({ phase: "next" });
    expect(isTheirs()).to.equal(false);
  });

  it("does not wait where something is pending that must not get lost", async () => {
    await rig.start();
    await overwriteTimes(2);
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async (_action, { state }) => {
      state.pendingStatus.set(["phase"], "begun");
      return DONE;
    };
    expect(await overwrittenForSeconds()).to.equal(0);
  });

  it("is reported by Events, each once, though it is written later", async () => {
    const ports: unknown[] = [];
    const statusChanges = (_state: unknown, _before: unknown, written: Readonly<Record<string, unknown>>) => {
      ports.push(written["moved"]);
      return [];
    };
    rig.moving.more = { statusEvents: conditionEvents, statusChanges };
    await rig.start();
    await overwriteTimes(2);
    rig.world.overwrite(THEIRS);
    await rig.world.clock.advance(1);
    ports.splice(0);
    rig.moving.conditions = [no("Accepted", { reason: "Invalid", message: "spec.size is no number" })];
    for (let run = 0; run < 3; run++) {
      rig.controller.enqueueAll();
      await rig.world.clock.advance(SECOND_MS);
    }
    expect(rig.world.condition("Accepted")).to.equal(undefined);
    expect(rig.world.events.map(({ note }) => note)).to.deep.equal(["spec.size is no number"]);
    expect(ports, "nothing is written yet").to.deep.equal([]);
    await rig.world.clock.advance(60 * SECOND_MS);
    expect(rig.world.condition("Accepted")).to.equal("False/Invalid");
    expect(rig.world.events).to.have.length(1);
    expect(ports).not.to.deep.equal([]);
  });

  it("is not compared where it is the very object that the last run left", () => {
    const reads: string[] = [];
    const condition = { type: "Ready", status: "True" };
    const counted = new Proxy([condition], {
      get: (list, key, receiver) => {
        reads.push(String(key));
        return Reflect.get(list, key, receiver) as unknown;
      },
    });
    const [wanted, own] = [{ moved: [A], conditions: [condition] }, new OwnStatus()];
    const stored = { moved: [A], conditions: counted };
    own.settled(wanted, stored);
    expect(own.isOverwritten(wanted, stored)).to.equal(false);
    expect(reads).to.deep.equal([]);
    const copy = structuredClone({ ...stored, conditions: [condition] });
    expect(own.isOverwritten(wanted, copy), "a copy").to.equal(false);
    expect(own.isOverwritten(wanted, stored), "compared with the copy").to.equal(false);
    expect(reads.splice(0)).to.not.deep.equal([]);
    expect(own.isOverwritten(wanted, stored), "which it has replaced").to.equal(false);
    expect(reads).to.deep.equal([]);
    expect(own.isOverwritten(wanted, { ...stored, conditions: [] }), "overwritten").to.equal(true);
  });
});
