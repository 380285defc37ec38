import { expect } from "chai";
import { describe, it } from "mocha";
import { DONE } from "../../src/addresses/call-outcomes.js";
import { failedEvent } from "../../src/messages/events.js";
import { OBJECT, rigOfEachTest } from "./engine-rig.js";
import { type Move, move, refused, sequence } from "./moving-kind.js";

const A = "192.0.2.1";
const B = "192.0.2.2";

describe("the engine", () => {
  const rig = rigOfEachTest();

  it("starts no change on a dry run, and reserves nothing for one", async () => {
    const reserved: string[] = [];
    rig.moving.more = { reserve: (_state, _snapshot, { lockKey }) => void reserved.push(lockKey) };
    rig.moving.wanted = () => [sequence(move(A)), sequence({ ...move(B), do: "poll" })];
    rig.world.dryRun = true;
    await rig.start();
    expect(rig.moving.begun).to.deep.equal([`poll ${B}`]);
    expect(reserved).to.deep.equal([`address ${B}`]);
  });

  it("reports what a deleted resource leaves behind, if this replica leads", async () => {
    const { type, reason, action } = failedEvent(["ReleaseFailed", "Release"], { reason: "Invalid", message: "" });
    rig.moving.more = { retained: () => [{ type, reason, action, note: "its address stays" }] };
    await rig.start();
    const goes = () => {
      rig.world.put({ ...OBJECT, metadata: { ...OBJECT.metadata, deletionTimestamp: "2025-01-01T00:00:00Z" } });
      return rig.world.events.map(({ note }) => note);
    };
    rig.world.leads = false;
    expect(goes()).to.deep.equal([]);
    rig.world.put(OBJECT);
    rig.world.leads = true;
    expect(goes()).to.deep.equal(["its address stays"]);
  });

  it("reads old data anew before the move that stands on it", async () => {
    let fresh = false;
    const read = { do: "read", ip: A, why: "it is about to move" } as const;
    rig.moving.wanted = () => [sequence(move(A), fresh ? {} : { confirmFirst: read })];
    rig.moving.run = async (action) => {
      fresh ||= action.do === "read";
      return DONE;
    };
    await rig.start();
    expect(rig.moving.begun).to.deep.equal([`read ${A}`, `move ${A}`]);
  });

  it("does not move on old data that cannot be read anew", async () => {
    rig.moving.wanted = () => [sequence(move(A), { confirmFirst: { do: "read", ip: A, why: "it is about to move" } })];
    rig.moving.run = async () => refused({ kind: "Terminal" });
    await rig.start();
    await rig.world.clock.advance(30_000);
    expect(rig.moving.begun).to.deep.equal([`read ${A}`]);
  });

  it("runs the steps of a sequence in order, and skips those that rely on one that failed", async () => {
    const steps = [
      { name: "rules", actions: [move("rules")] },
      { name: "node", reliesOn: ["rules"], actions: [move("node")] },
      { name: "taint", actions: [move("taint")] },
      { name: "assign", reliesOn: ["node"], actions: [move("assign")] },
    ];
    rig.moving.wanted = () => [{ lockKey: "update", steps: steps.map((step) => ({ ...step, retryKey: step.name })) }];
    rig.moving.run = async ({ ip }) => (ip === "rules" ? refused() : DONE);
    await rig.start();
    expect(rig.moving.begun.slice(0, 2)).to.deep.equal(["move rules", "move taint"]);
    expect(rig.moving.begun).to.not.include("move assign");
    expect(rig.moving.state?.retries.get("rules")?.failures).to.equal(1);
    expect(rig.moving.state?.retries.get("taint")).to.equal(undefined);
  });

  it("lets a call ask, when it may be sent, whether a plan made now still wants it", async () => {
    const answers: (string | undefined)[] = [];
    let wanted = true;
    rig.moving.wanted = () => (wanted ? [sequence(move(A))] : []);
    rig.moving.run = async (_action, { context }) => {
      answers.push(context.recheck?.());
      wanted = false;
      answers.push(context.recheck?.());
      return { is: "superseded", because: answers[1] ?? "" };
    };
    await rig.start();
    expect(answers).to.deep.equal([undefined, "the plan has changed since the decision"]);
    expect(rig.moving.state?.retries.get(`address ${A}`)).to.equal(undefined);
  });

  it("checks the facts of the decision where the kind takes them", async () => {
    let fit = true;
    const taken: string[] = [];
    const recheckOf = (_state: unknown, { ip }: Move) => {
      taken.push(ip);
      expect(rig.moving.begun, "in the turn of the decision").to.deep.equal([]);
      return () => (fit ? undefined : "the node has changed");
    };
    rig.moving.more = { recheckOf, priorityOf: () => "records" };
    rig.moving.wanted = () => [sequence(move(A))];
    const seen: unknown[] = [];
    rig.moving.run = async (_action, { context: { recheck, priority } }) => {
      fit = false;
      seen.push(recheck?.(), priority);
      return DONE;
    };
    await rig.start();
    expect(taken).to.deep.equal([A]);
    expect(seen).to.deep.equal(["the node has changed", "records"]);
  });

  it("does not run a resource that may not run yet", async () => {
    let may = false;
    rig.moving.more = { mayRun: () => may };
    rig.moving.wanted = () => [sequence(move(A))];
    await rig.start();
    expect([rig.moving.begun, rig.world.patches]).to.deep.equal([[], []]);
    may = true;
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    expect(rig.moving.begun).to.deep.equal([`move ${A}`]);
  });

  it("does not run again and again for data that is due while they are being read", async () => {
    let runs = 0;
    rig.moving.more = { prepare: () => new Promise(() => undefined), readAgainMs: () => 0, mayRun: () => ++runs > 0 };
    await rig.start();
    await rig.world.clock.advance(600_000);
    expect(runs).to.be.below(3);
  });

  it("forgets another resource that bore the same name", async () => {
    rig.moving.wanted = () => [sequence(move(A))];
    await rig.start();
    expect(rig.moving.begun).to.have.length(1);
    rig.world.put({ ...OBJECT, metadata: { ...OBJECT.metadata, uid: "v" } });
    await rig.world.clock.flush();
    expect(rig.moving.begun).to.have.length(2);
    expect(rig.moving.state?.ref.uid).to.equal("v");
  });
});
