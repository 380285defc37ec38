import { expect } from "chai";
import { describe, it } from "mocha";
import { SLICE_MS } from "../../src/bounds.js";
import { Pacer } from "../../src/kube/pacer.js";
import { FakeClock } from "../support/fake-clock.js";

describe("pacer", () => {
  it("is due after its slice, and not after a turn", async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(clock);
    expect(pacer.due).to.equal(false);
    await clock.advance(SLICE_MS);
    expect(pacer.due).to.equal(true);
    await pacer.iteration();
    expect(pacer.due).to.equal(false);
  });

  it("lets others run in its turn", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("other"));
    await new Pacer(new FakeClock()).iteration();
    order.push("pacer");
    expect(order).to.deep.equal(["other", "pacer"]);
  });
});
