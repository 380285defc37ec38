import { expect } from "chai";
import { describe, it } from "mocha";
import { isRepeatedlyUndone } from "../../src/addresses/undone-writes.js";
import { planRecordChanges } from "../../src/providers/diff.js";
import { DryRunError } from "../../src/providers/errors.js";
import { NotLeaderError } from "../../src/runtime/fence.js";
import { SECOND_READ_SECONDS, SETTLE_SECONDS } from "../../src/timings.js";
import { ASKER, providerError } from "./fake-dns.js";
import { FQDN, facts, MINUTE, RECORDS_MAX_AGE_MS, rig } from "./record-set-rig.js";

describe("a record set that others change, too", () => {
  it("notices that somebody else undoes its changes, and looks more often until one has lasted", async () => {
    const { set, read, write, clock, dns } = rig();
    for (let fight = 0; fight < 3; fight++) {
      await read();
      await write("192.0.2.1");
      dns.set(FQDN, ["198.51.100.9"]);
      await clock.advance(2 * MINUTE);
    }
    await read();
    expect(isRepeatedlyUndone(set.view().reverts)).to.equal(true);
    await write("192.0.2.1");
    await clock.advance(SETTLE_SECONDS * 1000);
    await read();
    expect(set.view().readAgainAt).to.equal(clock.now() + 2 * MINUTE);
    await clock.advance(10 * MINUTE);
    await read();
    expect(set.view().reverts).to.deep.equal([]);
    expect(set.view().readAgainAt).to.equal(clock.now() + RECORDS_MAX_AGE_MS);
  });

  it("is read again soon after a repair, also with other values: the reading that showed the dispute may have been late", async () => {
    const { set, read, write, clock, dns } = rig();
    await read();
    await write("192.0.2.1");
    dns.set(FQDN, ["198.51.100.9"]);
    await clock.advance(MINUTE);
    await read();
    await write("192.0.2.2");
    expect(set.view().readAgainAt).to.equal(clock.now() + SETTLE_SECONDS * 1000);
    await clock.advance(MINUTE);
    await read();
    await write("192.0.2.3");
    expect(set.view().readAgainAt, "nothing contradicted it").to.equal(clock.now() + 2 * MINUTE);
  });

  it("notices a dispute also after many single changes of others", async () => {
    const { set, read, write, clock, dns } = rig();
    const undo = async (minutes: number) => {
      await write("192.0.2.1");
      dns.set(FQDN, ["198.51.100.9"]);
      await clock.advance(minutes * MINUTE);
      await read();
    };
    await read();
    for (let change = 0; change < 12; change++) await undo(6);
    expect(isRepeatedlyUndone(set.view().reverts)).to.equal(false);
    for (let change = 0; change < 3; change++) await undo(2);
    expect(isRepeatedlyUndone(set.view().reverts)).to.equal(true);
  });

  for (const [what, repair] of [
    ["its own change, though the answer was lost", "own"],
    ["the other party's second thought", "other"],
  ] as const) {
    it(`looks as rarely as before once ${what} has lasted`, async () => {
      const { set, read, write, clock, dns } = rig();
      await read();
      await write("192.0.2.1");
      dns.set(FQDN, ["198.51.100.9"]);
      await clock.advance(RECORDS_MAX_AGE_MS);
      await read();
      expect(set.view().reverts).to.have.length(1);
      dns.fault = () => ({ error: providerError("Unauthorized", { outcome: "unknown" }), lost: true });
      if (repair === "own") await write("192.0.2.1");
      else dns.set(FQDN, ["192.0.2.1"]);
      dns.fault = () => undefined;
      expect(dns.values(FQDN)).to.deep.equal(["192.0.2.1"]);
      for (let minutes = 0; minutes <= 10; minutes += 2) {
        await clock.advance(2 * MINUTE);
        await read();
      }
      expect(set.view().reverts).to.deep.equal([]);
      expect(set.view().readAgainAt).to.equal(clock.now() + RECORDS_MAX_AGE_MS);
    });
  }

  it("does not take what the other party left for its own change that has lasted", async () => {
    const { set, read, write, clock, dns } = rig();
    await read();
    await write("192.0.2.1");
    dns.set(FQDN, ["198.51.100.9"]);
    for (let minutes = 0; minutes <= 20; minutes += 2) {
      await clock.advance(2 * MINUTE);
      await read();
    }
    expect(set.view().reverts).to.have.length(1);
  });

  it("attributes to no other writer a TTL that is not its own, nor what its own failed change left", async () => {
    const { set, read, write, clock, dns, fail } = rig();
    await read();
    await write("192.0.2.1");
    dns.set(FQDN, ["192.0.2.1"], 300);
    await clock.advance(RECORDS_MAX_AGE_MS);
    await read();
    fail("create", 1);
    await write("192.0.2.2", "192.0.2.3");
    await read();
    expect(set.view().reverts).to.deep.equal([]);
  });
});

const [A, B, C] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

/** A set with two addresses, and a change that adds a third one and deletes the first. */
async function changing() {
  const world = rig();
  const { set, read, write, clock, dns } = world;
  await read();
  await write(A, B);
  await clock.advance(MINUTE);
  const changes = planRecordChanges(facts(set), { values: [B, C, "192.0.2.4"], ttl: 60 });
  const failure = (context = ASKER) => set.apply({ provider: dns, context }, changes).catch((error: unknown) => error);
  let steps = 0;
  const endAt = (step: number, error: Error) => {
    dns.beforeStep = () => (steps++ < step ? Promise.resolve() : Promise.reject(error));
  };
  return { ...world, failure, endAt };
}

describe("a change of records that is withheld", () => {
  for (const error of [new DryRunError("dry run"), new NotLeaderError("the lease is over")]) {
    it(`before its first step leaves nothing behind: ${error.name}`, async () => {
      const { set, read, known, failure, endAt } = await changing();
      endAt(0, error);
      expect(await failure()).to.equal(error);
      expect([known(), set.view().held, set.view().halfDone]).to.deep.equal([[A, B], undefined, undefined]);
      await read();
      expect(set.view()).to.not.have.any.keys("held", "halfDone");
    });
  }

  it("after a step is half-done: it is read again, and the read shows what the set holds", async () => {
    const { set, read, known, dns, failure, endAt } = await changing();
    const error = new NotLeaderError("the lease is over");
    endAt(1, error);
    expect(await failure()).to.equal(error);
    const there = [...dns.values(FQDN)];
    expect([known(), set.view().halfDone]).to.deep.equal(["unknown", [A, B]]);
    expect([...(set.view().held ?? [])].sort()).to.deep.equal(there);
    await read();
    expect([known(), set.view().held]).to.deep.equal([there, undefined]);
  });

  it("before its first step leaves nothing behind, also after a change that failed half-way", async () => {
    const { set, read, known, dns, failure, endAt } = await changing();
    endAt(1, providerError("Unavailable"));
    await failure();
    await read();
    const there = [...dns.values(FQDN)];
    endAt(0, new NotLeaderError("the lease is over"));
    await failure();
    expect([known(), set.view().held]).to.deep.equal([there, undefined]);
  });

  it("shows no part of a set whose content is unknown", async () => {
    const { set, fail, read, failure, dns, endAt } = await changing();
    fail("read", 1);
    await read();
    dns.fault = () => undefined;
    endAt(1, providerError("Unavailable"));
    await failure();
    expect(set.view().held).to.equal(undefined);
  });
});

describe("a reading of records", () => {
  it("during a change of ours is no change by others", async () => {
    const { set, read, known, dns, failure } = await changing();
    const admits: (() => void)[] = [];
    dns.beforeStep = () => new Promise((resolve) => admits.push(resolve));
    const end = failure();
    while (admits.length === 0) await Promise.resolve();
    admits.shift()?.();
    while (admits.length === 0) await Promise.resolve();
    await read();
    dns.beforeStep = () => Promise.resolve();
    admits.shift()?.();
    expect(await end).to.equal(undefined);
    expect([set.view().reverts, known()]).to.deep.equal([[], [B, C, "192.0.2.4"]]);
  });

  it("that is empty and late asks for no second one: what the operator has written counts", async () => {
    const { set, read, write, known, clock, dns } = await changing();
    await write(C);
    await clock.advance(1000);
    dns.shown = () => [];
    await read();
    expect(known()).to.deep.equal([C]);
    expect(set.view().emptyUntil).to.equal(undefined);
    dns.shown = (fqdn) => dns.of(fqdn);
  });

  it("that is empty, and not late, asks for a second one", async () => {
    const { set, read, clock, dns } = await changing();
    dns.set(FQDN, []);
    await read();
    expect(set.view().emptyUntil).to.equal(clock.now() + SECOND_READ_SECONDS * 1000);
  });
});
