import { expect } from "chai";
import { describe, it } from "mocha";
import { SHARED_READ_SECONDS } from "../../src/bounds.js";
import { Coalesced } from "../../src/inventory/coalesced.js";
import { FakeClock } from "../support/fake-clock.js";
import { errorOf } from "../support/http-rig.js";

describe("a coalesced read", () => {
  function rig(fails = false) {
    const clock = new FakeClock();
    let reads = 0;
    const coalesced = new Coalesced(clock, async () => {
      reads++;
      await clock.sleep(10);
      if (fails) throw new Error("no answer");
    });
    return { clock, coalesced, reads: () => reads };
  }

  it("ends at its bound where the read never ends, and the next caller starts another", async () => {
    const clock = new FakeClock();
    let reads = 0;
    const coalesced = new Coalesced(clock, () => (++reads === 1 ? new Promise<void>(() => {}) : Promise.resolve()));
    const error = errorOf(coalesced.run(0));
    await clock.advance(SHARED_READ_SECONDS * 1000);
    expect(await error).to.include({ kind: "Unavailable" });
    await coalesced.run(0);
    expect(reads).to.equal(2);
  });

  it("serves all who can do with the one that runs", async () => {
    const { clock, coalesced, reads } = rig();
    const all = [coalesced.run(0), coalesced.run(0), coalesced.run(0)];
    await clock.advance(10);
    await Promise.all(all);

    expect(reads()).to.equal(1);
  });

  it("does not serve those who need a younger one: they share the next", async () => {
    const { clock, coalesced, reads } = rig();
    const first = coalesced.run(0);
    await clock.advance(5);
    const later = [coalesced.run(5), coalesced.run(5)];
    await clock.advance(20);
    await Promise.all([first, ...later]);

    expect(reads()).to.equal(2);
  });

  it("serves those with the next one who come while the second runs and need a younger one", async () => {
    const { clock, coalesced, reads } = rig();
    const first = coalesced.run(0);
    await clock.advance(5);
    const second = coalesced.run(5);
    await clock.advance(7);
    const third = coalesced.run(12);
    await clock.advance(30);
    await Promise.all([first, second, third]);

    expect(reads()).to.equal(3);
  });

  it("does not hold a caller who has given up before", async () => {
    const { clock, coalesced } = rig();
    const gone = errorOf(coalesced.run(0, AbortSignal.abort(new Error("enough"))));
    await clock.advance(0);
    expect(String(await gone)).to.include("enough");
    await clock.advance(10);
  });

  it("tells everybody of its failure, and reads again for the next", async () => {
    const { clock, coalesced, reads } = rig(true);
    const both = [errorOf(coalesced.run(0)), errorOf(coalesced.run(0))];
    await clock.advance(10);
    expect((await Promise.all(both)).map(String)).to.deep.equal(["Error: no answer", "Error: no answer"]);
    const again = errorOf(coalesced.run(0));
    await clock.advance(10);
    await again;

    expect(reads()).to.equal(2);
  });
});
