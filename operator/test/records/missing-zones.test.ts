import { expect } from "chai";
import { describe, it } from "mocha";
import { lostPlace } from "../../src/records/snapshot-parts.js";
import { ASKER, providerError } from "./fake-dns.js";
import { MINUTE, type Rig, rig } from "./record-set-rig.js";

describe("the wait for a missing zone", () => {
  async function missing({ dns, registry, clock }: Rig, ...names: readonly string[]): Promise<number> {
    dns.fault = () => ({ error: providerError("NotFound") });
    const sets = names.map((name) => registry.of(dns, { zone: "none.example", name, types: ["A"] }));
    for (const set of sets) await set.read({ provider: dns, context: ASKER }).catch(() => undefined);
    return (sets.at(-1)?.view().retryAt ?? 0) - clock.now();
  }
  const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

  it("counts no record set that no resource has asked for in two hours", async () => {
    const made = rig();
    expect(await missing(made, ...many(100))).to.equal(100 * 6_000);
    await made.clock.advance(131 * MINUTE);
    expect(await missing(made, "last")).to.equal(MINUTE);
  });

  it("is not longer for the many names of another zone", async () => {
    const made = rig();
    await missing(made, ...many(100));
    const alone = made.registry.of(made.dns, { zone: "other.example", name: "www", types: ["A"] });
    await alone.read({ provider: made.dns, context: ASKER }).catch(() => undefined);
    expect((alone.view().retryAt ?? 0) - made.clock.now()).to.equal(MINUTE);
  });

  it("ends for all names of the zone, with what it said, once a call for one of them finds it", async () => {
    const made = rig();
    await missing(made, ...many(3));
    const of = (zone: string, name: string) => made.registry.of(made.dns, { zone, name, types: ["A"] });
    const other = of("other.example", "www");
    await other.read({ provider: made.dns, context: ASKER }).catch(() => undefined);
    made.dns.fault = () => undefined;
    await of("None.example.", "new").read({ provider: made.dns, context: ASKER });
    for (const name of many(3)) {
      expect(of("none.example", name).view(), name).to.not.have.any.keys("failure", "retryAt");
    }
    expect(other.view().failure?.kind).to.equal("NotFound");
    expect(made.zonesFound()).to.equal(1);
  });

  it("ends with another token", async () => {
    const made = rig();
    await missing(made, "www");
    made.registry.accounts.noteCredentials(made.dns);
    expect(made.registry.of(made.dns, { zone: "none.example", name: "www", types: ["A"] }).view()).to.not.have.any.keys(
      "failure",
      "retryAt",
    );
  });

  it("does not end each time for a name that fails while its zone is there", async () => {
    const made = rig();
    await missing(made, "bad");
    const read = (name: string) =>
      made.registry
        .of(made.dns, { zone: "none.example", name, types: ["A"] })
        .read({ provider: made.dns, context: ASKER })
        .catch(() => undefined);
    made.dns.fault = () => undefined;
    await read("good");
    await missing(made, "bad");
    made.dns.fault = () => undefined;
    await read("good");
    const bad = made.registry.of(made.dns, { zone: "none.example", name: "bad", types: ["A"] });
    expect(bad.view().failure?.kind).to.equal("NotFound");
    await made.clock.advance(10_000);
    await read("good");
    expect(bad.view().failure).to.equal(undefined);
  });

  it("lets the zone count as gone only after an hour in which no answer has shown it", async () => {
    const { dns, set, clock, read } = rig();
    const answer = async (isMissing: boolean) => {
      dns.fault = () => (isMissing ? { error: providerError("NotFound") } : undefined);
      await read();
      return lostPlace({}, set.view());
    };
    expect(await answer(true)).to.equal("zone");
    for (let minute = 1; minute < 60; minute++) {
      await clock.advance(MINUTE);
      expect(await answer(true)).to.equal("zone");
    }
    await clock.advance(MINUTE);
    expect(lostPlace({}, set.view()), "no answer since").to.equal("zone");
    expect(await answer(true)).to.equal("zone for long");
    expect(await answer(false)).to.equal(undefined);
    expect(await answer(true), "an answer has shown it meanwhile").to.equal("zone");
  });

  it("is at most one hour: a longer one would count as a clock that was set back", async () => {
    expect(await missing(rig(), ...many(1_300))).to.equal(60 * MINUTE);
  });
});
