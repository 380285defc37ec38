import { expect } from "chai";
import { describe, it } from "mocha";
import { Coalesced, lostAnswer, ReadGate } from "../../src/inventory/shared-reads.js";
import { Urgency } from "../../src/providers/call.js";
import { READ_PAUSE_MS, SHARED_READ_SECONDS } from "../../src/timings.js";
import { providerError } from "../records/fake-dns.js";
import { errorOf } from "../support/http-rig.js";
import { FakeClock } from "../support/time/fake-clock.js";

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

  it("reports its failure to every caller, and reads again for the next", async () => {
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

const CHECK = new Urgency("check");

describe("a read gate", () => {
  function start() {
    const clock = new FakeClock();
    const gate = new ReadGate<number>(clock);
    let sent = 0;
    const read = (key = "a") => gate.read(key, async () => ++sent, CHECK).value;
    return { clock, gate, read, sent: () => sent };
  }

  it("answers from the last read until the pause is over", async () => {
    const { clock, gate, read } = start();
    expect([await read(), await read()]).to.deep.equal([1, 1]);
    expect(gate.nextAt("a")).to.equal(clock.monotonic() + READ_PAUSE_MS);
    await clock.advance(READ_PAUSE_MS - 1);
    expect(await read()).to.equal(1);
    await clock.advance(1);
    expect(await read()).to.equal(2);
  });

  it("reads again at once where something has changed, and for another key", async () => {
    const { gate, read } = start();
    await read();
    gate.changed("a");
    expect([gate.nextAt("a"), await read(), await read("b")]).to.deep.equal([undefined, 2, 3]);
  });

  it("sends no second read while one waits, however long", async () => {
    const { clock, gate, read, sent } = start();
    let answer: (value: number) => void = () => undefined;
    const waiting = gate.read("b", () => new Promise<number>((resolve) => (answer = resolve)), CHECK).value;
    await clock.advance(10 * READ_PAUSE_MS);
    const joined = read("b");
    expect(gate.nextAt("b")).to.equal(clock.monotonic() + READ_PAUSE_MS);
    answer(7);
    expect([await waiting, await joined, sent()]).to.deep.equal([7, 7, 0]);
    // A move needs younger data than a read that waited for so long.
    expect(await read("b")).to.equal(1);
  });

  it("raises the class of a read that waits to the class of its most urgent caller", () => {
    const { gate } = start();
    const urgency = new Urgency("check");
    const never = () => new Promise<number>(() => undefined);
    gate.read("a", never, urgency);
    gate.read("a", never, new Urgency("assignment"));
    expect(urgency.priority).to.equal("assignment");
  });

  it("does not keep the answer of a read that waited while something changed", async () => {
    const { gate, read } = start();
    let answer: (value: number) => void = () => undefined;
    const old = gate.read("a", () => new Promise<number>((resolve) => (answer = resolve)), CHECK).value;
    gate.changed("a");
    answer(7);
    expect([await old, await read()]).to.deep.equal([7, 1]);
  });

  it("repeats a failure, too: it is not tried in a loop", async () => {
    const clock = new FakeClock();
    const gate = new ReadGate<number>(clock);
    let sent = 0;
    const failing = () => gate.read("a", () => Promise.reject(new Error(`failure ${++sent}`)), CHECK).value;
    const texts = [];
    for (let each = 0; each < 3; each++) texts.push(await failing().catch(String));
    expect(texts).to.deep.equal(Array(3).fill("Error: failure 1"));
  });
});

describe("a lost answer to a creation", () => {
  it("is an outcome, and any other error stays an error", () => {
    const lost = providerError("Unavailable", { outcome: "unknown" });
    expect(lostAnswer(lost)).to.deep.equal({ kind: "unknown", error: lost });
    const refused = providerError("Unavailable", { outcome: "refused" });
    for (const error of [refused, new Error("other")]) expect(() => lostAnswer(error)).to.throw(error.message);
  });
});
