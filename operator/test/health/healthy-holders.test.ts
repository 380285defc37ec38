import { expect } from "chai";
import { describe, it } from "mocha";
import { sliceOf } from "../support/time/long.js";
import { HoldersWorld } from "./holders-world.js";

/** Simulated hours of each run. */
const HOURS = 10;
const RUNS = sliceOf(200, 1);
const RUN_TIMEOUT_MS = 120_000;

/** `FLIPOP_SEED=123 npx mocha test/health/healthy-holders.test.ts` replays one. */
const seed = Number(process.env["FLIPOP_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe("healthy holders, with lost packets and outages of the API server", () => {
  for (let run = 0; run < RUNS; run++) {
    it(`keep their addresses for ${HOURS} simulated hours (seed ${seed + run})`, async function () {
      this.timeout(RUN_TIMEOUT_MS);
      const world = new HoldersWorld(seed + run);
      await world.run(HOURS);
      await world.close();
      expect(world.moves).to.deep.equal([]);
      expect(world.suspicions, "the packet loss does bite").to.be.greaterThan(10);
      expect(world.outages, "and so do the outages").to.be.greaterThan(3);
      expect(world.asked.standby, "the standby replica is asked").to.be.greaterThan(10);
      expect(world.asked.cloud, "and so is the cloud").to.be.greaterThan(3);
    });
  }
});
