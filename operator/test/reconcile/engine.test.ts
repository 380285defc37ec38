import { expect } from "chai";
import { describe, it } from "mocha";
import { DONE } from "../../src/addresses/calls.js";
import { type EngineRig, eachWithRig, OBJECT } from "./engine-rig.js";
import { type Move, move, refused, sequence } from "./moving-kind.js";

const A = "192.0.2.1";
const B = "192.0.2.2";

describe("the engine", () => {
  let rig: EngineRig;
  let world: EngineRig["world"];
  let moving: EngineRig["moving"];
  eachWithRig((made) => {
    rig = made;
    ({ world, moving } = made);
  });

  it("starts no change on a dry run, and reserves nothing for one", async () => {
    const reserved: string[] = [];
    moving.more = { reserve: (_state, _snapshot, { lockKey }) => void reserved.push(lockKey) };
    moving.wanted = () => [sequence(move(A)), sequence({ ...move(B), do: "poll" })];
    world.dryRun = true;
    await rig.start();
    expect(moving.begun).to.deep.equal([`poll ${B}`]);
    expect(reserved).to.deep.equal([`address ${B}`]);
  });

  it("reads old data anew before the move that stands on it", async () => {
    let fresh = false;
    const read = { do: "read", ip: A, why: "it is about to move" } as const;
    moving.wanted = () => [sequence(move(A), fresh ? {} : { confirmFirst: read })];
    moving.run = async (action) => {
      fresh ||= action.do === "read";
      return DONE;
    };
    await rig.start();
    expect(moving.begun).to.deep.equal([`read ${A}`, `move ${A}`]);
  });

  it("does not move on old data that cannot be read anew", async () => {
    moving.wanted = () => [sequence(move(A), { confirmFirst: { do: "read", ip: A, why: "it is about to move" } })];
    moving.run = async () => refused({ kind: "Terminal" });
    await rig.start();
    await world.clock.advance(30_000);
    expect(moving.begun).to.deep.equal([`read ${A}`]);
  });

  it("runs the steps of a sequence in order, and skips those that rely on one that failed", async () => {
    const steps = [
      { name: "rules", actions: [move("rules")] },
      { name: "node", reliesOn: ["rules"], actions: [move("node")] },
      { name: "taint", actions: [move("taint")] },
      { name: "assign", reliesOn: ["node"], actions: [move("assign")] },
    ];
    moving.wanted = () => [{ lockKey: "update", steps: steps.map((step) => ({ ...step, retryKey: step.name })) }];
    moving.run = async ({ ip }) => (ip === "rules" ? refused() : DONE);
    await rig.start();
    expect(moving.begun.slice(0, 2)).to.deep.equal(["move rules", "move taint"]);
    expect(moving.begun).to.not.include("move assign");
    expect(moving.state?.retries.get("rules")?.failures).to.equal(1);
    expect(moving.state?.retries.get("taint")).to.equal(undefined);
  });

  it("lets a call ask, when it may be sent, whether a plan made now still wants it", async () => {
    const answers: (string | undefined)[] = [];
    let wanted = true;
    moving.wanted = () => (wanted ? [sequence(move(A))] : []);
    moving.run = async (_action, { context }) => {
      answers.push(context.recheck?.());
      wanted = false;
      answers.push(context.recheck?.());
      return { is: "superseded", because: answers[1] ?? "" };
    };
    await rig.start();
    expect(answers).to.deep.equal([undefined, "the plan has changed since the decision"]);
    expect(moving.state?.retries.get(`address ${A}`)).to.equal(undefined);
  });

  it("checks the facts of the decision where the kind takes them", async () => {
    let fit = true;
    const taken: string[] = [];
    const recheckOf = (_state: unknown, { ip }: Move) => {
      taken.push(ip);
      expect(moving.begun, "in the turn of the decision").to.deep.equal([]);
      return () => (fit ? undefined : "the node has changed");
    };
    moving.more = { recheckOf, priorityOf: () => "records" };
    moving.wanted = () => [sequence(move(A))];
    const seen: unknown[] = [];
    moving.run = async (_action, { context: { recheck, priority } }) => {
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
    moving.more = { mayRun: () => may };
    moving.wanted = () => [sequence(move(A))];
    await rig.start();
    expect([moving.begun, world.patches]).to.deep.equal([[], []]);
    may = true;
    rig.controller.enqueueAll();
    await world.clock.flush();
    expect(moving.begun).to.deep.equal([`move ${A}`]);
  });

  it("forgets another resource that bore the same name", async () => {
    moving.wanted = () => [sequence(move(A))];
    await rig.start();
    expect(moving.begun).to.have.length(1);
    world.put({ ...OBJECT, metadata: { ...OBJECT.metadata, uid: "v" } });
    await world.clock.flush();
    expect(moving.begun).to.have.length(2);
    expect(moving.state?.ref.uid).to.equal("v");
  });
});
