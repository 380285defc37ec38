import { expect } from "chai";
import { describe, it } from "mocha";
import { sharedRead } from "../../../src/providers/call.js";
import { ASKER, closing } from "../conformance/benches.js";
import { startAddressBench } from "./address-bench.js";

describe("a storm of 500 assignments at DigitalOcean's real limits", () => {
  const start = closing(startAddressBench);

  it("ends without one 429, assignments ahead of checks", async function () {
    this.timeout(60_000);
    const bench = await start();
    const { clock, provider, simulator } = bench;
    const moves = Array.from({ length: 500 }, () => ({ ip: bench.addAddress("IPv4"), node: bench.addNode() }));
    const checked = Array.from({ length: 400 }, () => bench.addAddress("IPv4"));
    const done: string[] = [];

    const checks = checked.map((ip) =>
      withPatience(() => provider.get(sharedRead("a check"), ip)).then(() => done.push("check")),
    );
    const assignments = moves.map(async (wish, index) => {
      const context = { ...ASKER, asker: { ...ASKER.asker, name: `pool-${index % 40}` } };
      await withPatience(() => provider.assign(context, wish));
      done.push("assignment");
    });
    await bench.drive(Promise.all([...checks, ...assignments]));

    expect(simulator.journal.count({ status: 429 })).to.equal(0);
    // The checks came first and use their share of the first minute up; then they wait for all assignments.
    expect(done.slice(0, 250).filter((what) => what === "check")).to.have.length(200);
    expect(done.slice(250, 700).filter((what) => what === "check").length).to.be.below(10);
    await clock.advance(60_000);
    expect(moves.every(({ ip, node }) => bench.addresses().get(ip) === node)).to.equal(true);
  });
});

/** As the operator does: a call that waited for too long is made again in another run. */
async function withPatience<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 20; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === 19) throw error;
    }
  }
  throw new Error("unreachable");
}
