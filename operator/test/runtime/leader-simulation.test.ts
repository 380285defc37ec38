import { expect } from "chai";
import { describe, it } from "mocha";
import { ElectionWorld } from "../support/election-world.js";
import { sliceOf } from "../support/time/long.js";

const HOUR_MS = 3_600_000;
/** Lease 15 s, retry 2 s x 2.2, two calls of 5 s, a restart of 5 s. */
const NEW_LEADER_MS = 35_000;
const SIMULATION_TIMEOUT_MS = 60_000;

const RUNS = sliceOf(40, 2);

/** `FLIPOP_SEED=123 npx mocha test/runtime/leader-simulation.test.ts` replays one. */
const seed = Number(process.env["FLIPOP_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe("leader election under faults, 10 simulated hours", () => {
  for (let run = 0; run < RUNS; run++) {
    const electors = 2 + (run % 2);
    it(`never has two writers among ${electors} (seed ${seed + run})`, async function () {
      this.timeout(SIMULATION_TIMEOUT_MS);
      const world = new ElectionWorld({ seed: seed + run, electors });

      await world.chaos(10 * HOUR_MS);

      expect(world.violations).to.deep.equal([]);
      expect(world.writers.length, "leaders that wrote: the faults do bite").to.be.greaterThan(50);
      expect(world.writes).to.be.greaterThan(5_000);
    });
  }

  it(`has a leader again soon after each storm (seed ${seed})`, async function () {
    this.timeout(SIMULATION_TIMEOUT_MS);
    const world = new ElectionWorld({ seed, electors: 2 });
    for (let storm = 0; storm < 30; storm++) {
      await world.chaos(120_000);
      // The longest block may still last.
      await world.calm(30_000);
      const before = world.writes;

      await world.calm(NEW_LEADER_MS);

      expect(world.writes, `writes after storm ${storm}`).to.be.greaterThan(before);
    }
    expect(world.violations).to.deep.equal([]);
  });

  it("would notice two writers: it does where the fence is left out", async function () {
    this.timeout(SIMULATION_TIMEOUT_MS);
    const world = new ElectionWorld({ seed: 1, electors: 2, unfenced: true });

    await world.chaos(2 * HOUR_MS);

    expect(world.violations).not.to.be.empty;
  });

  it("repeats itself for the same seed", async () => {
    const [first, second] = [1, 2].map(() => new ElectionWorld({ seed: 7, electors: 2 }));
    await first?.chaos(HOUR_MS / 4);
    await second?.chaos(HOUR_MS / 4);

    expect(first?.writers).to.deep.equal(second?.writers);
    expect(first?.lastWriteMs).to.equal(second?.lastWriteMs);
  });
});
