import { expect } from "chai";
import { describe, it } from "mocha";
import { isRepeatedlyUndone } from "../../src/addresses/undone-writes.js";
import { SETTLE_SECONDS } from "../../src/timings.js";
import { providerError } from "./fake-dns.js";
import { FQDN, MINUTE, RECORDS_MAX_AGE_MS, rig } from "./record-set-rig.js";

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
