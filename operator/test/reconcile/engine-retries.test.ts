import { expect } from "chai";
import { describe, it } from "mocha";
import { DONE, type Outcome } from "../../src/addresses/call-outcomes.js";
import { OBJECT, rigOfEachTest } from "./engine-rig.js";
import { move, refused, sequence } from "./moving-kind.js";

const A = "192.0.2.1";
const B = "192.0.2.2";

describe("the retries of the engine", () => {
  const rig = rigOfEachTest();

  it("retries at once what failed for the sake of an account that has recovered", async () => {
    let recover: () => void = () => undefined;
    const account = { recovered: 0, onRecovery: (_name: string, listener: () => void) => (recover = listener) };
    rig.moving.account = account;
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => (account.recovered === 0 ? refused({ kind: "Unauthorized", ofAccount: true }) : DONE);
    await rig.start();
    await rig.world.clock.advance(10_000);
    expect(rig.moving.begun).to.have.length(1);
    account.recovered += 1;
    recover();
    await rig.world.clock.flush();
    expect(rig.moving.begun).to.have.length(2);
    expect(rig.world.status()["moved"]).to.deep.equal([`address ${A}`]);
  });

  it("retries what failed for the sake of an account no later than at the next probe of the account", async () => {
    const { clock } = rig.world;
    rig.moving.account = { recovered: 0, probeAt: clock.now() + 10_000 };
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => refused({ kind: "Unauthorized", ofAccount: true });
    await rig.start();
    await clock.advance(9_000);
    expect(rig.moving.begun).to.have.length(1);
    await clock.advance(2_000);
    expect(rig.moving.begun.length).to.be.greaterThan(1);
  });

  it("says what a plan asks for that asks for the same again and again", async () => {
    const errors: string[] = [];
    rig.world.onError = ({ error }: { readonly error?: unknown }) => errors.push(String(error));
    rig.moving.wanted = () =>
      errors.length > 0 ? [] : [sequence(move(A), { lockKey: `again ${rig.moving.begun.length}` })];
    await rig.start();
    await rig.world.clock.advance(1_000);
    expect(errors[0]).to.match(/asks for more after \d+ runs: move, because 192\.0\.2\.1 should move$/);
  });

  it("retries after the schedule of the lock key, whatever else happens", async () => {
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => refused({ kind: "Terminal" });
    await rig.start();
    rig.controller.enqueueAll();
    await rig.world.clock.advance(59_000);
    expect(rig.moving.begun).to.have.length(1);
    await rig.world.clock.advance(2_000);
    expect(rig.moving.begun).to.have.length(2);
  });

  it("tries at once what only a person could mend, when the spec is edited", async () => {
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => refused({ kind: "Terminal" });
    await rig.start();
    rig.world.put({ ...OBJECT, spec: { edited: true } });
    await rig.world.clock.flush();
    expect(rig.moving.begun).to.have.length(2);
  });

  it("distinguishes a vanished machine from a vanished address", async () => {
    rig.moving.wanted = () => [sequence(move(A, "cloud://7"))];
    rig.moving.run = async () => refused({ kind: "NotFound" });
    await rig.start();
    const now = rig.world.clock.now();
    expect([...(rig.moving.state?.retries.machineRetryAt(now) ?? [])].map(([machine]) => machine)).to.deep.equal([
      "cloud://7",
    ]);
    expect(rig.moving.state?.retries.get(`address ${A}`)).to.equal(undefined);
    expect(rig.world.events.at(-1)?.note).to.contain("the provider has no machine cloud://7");
    rig.moving.hasAddress = false;
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    expect(rig.moving.state?.retries.get(`address ${A}`)?.failures).to.equal(1);
  });

  it("lets both wait where the machine or the address is the cause, and neither until a person has edited it", async () => {
    rig.moving.wanted = () => [sequence(move(A, "cloud://7"))];
    rig.moving.run = async () => refused({ kind: "Unavailable", ofEither: true });
    await rig.start();
    const { retries } = rig.moving.state ?? {};
    expect([...(retries?.machineRetryAt(rig.world.clock.now()) ?? [])].map(([machine]) => machine)).to.deep.equal([
      "cloud://7",
    ]);
    expect(retries?.get(`address ${A}`)?.failures).to.equal(1);
  });

  it("plans again at once after a call that was superseded, and keeps the failures before it", async () => {
    const outcomes: Outcome[] = [refused({ kind: "Conflict" }), { is: "superseded", because: "changed" }, DONE];
    rig.moving.wanted = () => [sequence(move(A))];
    rig.moving.run = async () => outcomes.shift() ?? DONE;
    await rig.start();
    await rig.world.clock.advance(1_000);
    expect(rig.moving.begun).to.have.length(3);
    expect(rig.world.status()["moved"]).to.deep.equal([`address ${A}`]);
  });

  it("runs a plan that does not come to rest with backoff", async () => {
    rig.moving.wanted = () => [sequence(move(`${rig.moving.begun.length}`))];
    rig.moving.showsMoves = false;
    await rig.start();
    await rig.world.clock.advance(10_000);
    // 8 iterations in a run; without a bound there would be a run each ms.
    expect(rig.moving.begun.length).to.be.within(8 * 5, 8 * 25);
  });

  it("does not take a plan for restless that goes on beside slow calls, however many runs it needs", async () => {
    const { clock } = rig.world;
    const stages = Array.from({ length: 10 }, (_, index) => [`quick ${index}`, `slow ${index}`] as const);
    rig.moving.wanted = () => {
      const ended = rig.moving.results.map(({ sequence: { lockKey } }) => lockKey);
      return (stages.find(([quick]) => !ended.includes(`address ${quick}`)) ?? []).map((ip) => sequence(move(ip)));
    };
    rig.moving.run = async ({ ip }) => {
      if (ip.startsWith("slow")) await clock.sleep(1_500);
      return DONE;
    };
    const failures: unknown[] = [];
    rig.world.onError = (fields) => failures.push(fields);
    await rig.start();
    await clock.advance(60_000);
    expect(rig.moving.results).to.have.length(20);
    expect(failures).to.deep.equal([]);
  });

  it("waits with a step whose failed predecessor waits, and asks for no run before that", async () => {
    let step = 0;
    const first = { name: "first", retryKey: "first", actions: [move(A)] };
    const second = { name: "second", reliesOn: ["first"], retryKey: "second", actions: [move(B)] };
    rig.moving.wanted = () => [{ lockKey: "both", steps: [first, second] }];
    rig.moving.run = async () => {
      step += 1;
      return refused({ kind: "Terminal" });
    };
    await rig.start();
    await rig.world.clock.advance(50_000);
    expect(step).to.equal(1);
    expect(rig.moving.results, "no run of the sequence ends without an action").to.have.length(1);
    await rig.world.clock.advance(15_000);
    expect(step).to.equal(2);
  });
});
