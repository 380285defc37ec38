import { expect } from "chai";
import { describe, it } from "mocha";
import { READ_PAUSE_MS } from "../../src/bounds.js";
import { ReadGate } from "../../src/inventory/read-gate.js";
import { FakeClock } from "../support/fake-clock.js";

describe("a read gate", () => {
  function start() {
    const clock = new FakeClock();
    const gate = new ReadGate<number>(clock);
    let sent = 0;
    const read = (key = "a") => gate.read(key, async () => ++sent).value;
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

  it("repeats a failure, too: it is not tried in a loop", async () => {
    const clock = new FakeClock();
    const gate = new ReadGate<number>(clock);
    let sent = 0;
    const failing = () => gate.read("a", () => Promise.reject(new Error(`failure ${++sent}`))).value;
    const texts = [];
    for (let each = 0; each < 3; each++) texts.push(await failing().catch(String));
    expect(texts).to.deep.equal(Array(3).fill("Error: failure 1"));
  });
});
