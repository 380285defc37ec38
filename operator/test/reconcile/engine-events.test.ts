import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { DONE, type Outcome } from "../../src/addresses/call-outcomes.js";
import { conditionEvents, no } from "../../src/reconcile/conditions.js";
import { CALLS_PATIENCE_MS } from "../../src/timings.js";
import { rigOfEachTest } from "./engine-rig.js";
import { move, refused, sequence } from "./moving-kind.js";

const A = "192.0.2.1";

describe("the Events of the engine", () => {
  const rig = rigOfEachTest();

  it("reports what failed though the API server refuses the status, and once", async () => {
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => refused({ kind: "Terminal" });
    rig.world.forbids = true;
    await rig.start();
    expect(rig.world.events.map(({ note }) => note)).to.deep.equal(["no"]);
    rig.controller.enqueueAll();
    await rig.world.clock.advance(1_000);
    expect(rig.world.events).to.have.length(1);
  });

  it("reports what is wrong though the API server refuses the status, once, and not again when it takes it", async () => {
    rig.moving.more = { statusEvents: conditionEvents };
    rig.moving.conditions = [no("Accepted", { reason: "Invalid", message: "spec.size is no number" })];
    rig.world.forbids = true;
    await rig.start();
    rig.controller.enqueueAll();
    await rig.world.clock.advance(1_000);
    const notes = ["spec.size is no number"];
    expect(rig.world.events.map(({ note }) => note)).to.deep.equal(notes);
    rig.world.forbids = false;
    await rig.world.clock.advance(600_000);
    expect(rig.world.condition("Accepted")).to.equal("False/Invalid");
    expect(rig.world.events.map(({ note }) => note)).to.deep.equal(notes);
  });

  it("hands the failure of a deferred Event to the kind, and no further", async () => {
    const failures: unknown[] = [];
    rig.moving.more = {
      statusEvents: (_before, _planned, deferred) => {
        failures.push(...deferred.map(({ failure }) => failure?.kind));
        return deferred;
      },
    };
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => refused({ kind: "Terminal" });
    await rig.start();
    expect(failures).to.deep.equal(["Terminal"]);
    expect(rig.world.events[0]).to.have.all.keys("regarding", "type", "reason", "action", "note");
  });

  it("reports what fails while a status is written with the next status, which knows of it", async () => {
    let end: (outcome: Outcome) => void = () => undefined;
    const ended = new Promise<Outcome>((resolve) => {
      end = resolve;
    });
    const reported: (readonly unknown[])[] = [];
    rig.moving.more = {
      statusEvents: (_before, planned, deferred) => {
        reported.push([...planned.map(({ reason }) => reason), deferred.length]);
        return [];
      },
    };
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = () => ended;
    rig.world.whilePatching = async () => {
      rig.world.whilePatching = () => Promise.resolve();
      rig.moving.conditions = [no("Ready", { reason: "ProviderUnavailable", message: "no" })];
      end(refused({ kind: "Terminal" }));
      await rig.world.clock.flush();
    };
    await rig.start();
    await rig.world.clock.advance(2_000);
    expect(reported.slice(0, 2)).to.deep.equal([
      ["Observed", 0],
      ["ProviderUnavailable", 1],
    ]);
  });

  describe("of an action that failed while a status was written, and that runs again before the next one", () => {
    const deferredPerStatus: number[] = [];
    let end: (outcome: Outcome) => void;
    let taken: () => void;

    /** Ends while the second try runs and the status that follows it is written. */
    beforeEach(async () => {
      deferredPerStatus.length = 0;
      rig.moving.more = {
        statusEvents: (_before, _planned, deferred) => {
          deferredPerStatus.push(deferred.length);
          return deferred;
        },
      };
      rig.moving.wanted = () => [sequence(move(A))];
      rig.moving.succeeds = { type: "Normal", reason: "Assigned", action: "Assign", note: "yes" };
      rig.moving.run = () =>
        new Promise((resolve) => {
          end = resolve;
        });
      rig.world.whilePatching = () =>
        new Promise((resolve) => {
          taken = resolve;
        });
      await rig.start();
      await rig.world.clock.advance(CALLS_PATIENCE_MS);
      end(refused());
      await rig.world.clock.advance(60_000);
      rig.world.whilePatching = () => Promise.resolve();
      taken();
      await rig.world.clock.advance(2 * CALLS_PATIENCE_MS);
      expect(rig.moving.begun).to.have.length(2);
    });

    it("waits for a status that can tell how that ends", async () => {
      expect(deferredPerStatus).to.deep.equal([0, 0]);
      rig.moving.run = async () => refused();
      end(refused());
      await rig.world.clock.advance(CALLS_PATIENCE_MS);
      expect(deferredPerStatus.slice(0, 3)).to.deep.equal([0, 0, 2]);
    });

    it("waits for the status although another action of the sequence succeeds", async () => {
      const read = { ...move(A), do: "read" } as const;
      rig.moving.wanted = () => [sequence(read, { steps: [{ retryKey: "read", actions: [read] }] })];
      rig.moving.run = async () => DONE;
      end(refused());
      await rig.world.clock.advance(CALLS_PATIENCE_MS);
      expect(rig.moving.begun.at(-1)).to.match(/^read/);
      expect(rig.world.events[0]?.note).to.equal("yes");
      expect(deferredPerStatus.slice(0, 3)).to.deep.equal([0, 0, 2]);
    });

    it("comes before the success that follows it", async () => {
      end(DONE);
      await rig.world.clock.advance(CALLS_PATIENCE_MS);
      expect(rig.world.events.map(({ note }) => note)).to.deep.equal(["no", "yes"]);
    });
  });
});
