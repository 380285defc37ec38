import { expect } from "chai";
import { describe, it } from "mocha";
import { Freshness } from "../../../src/kube/watch/freshness.js";
import { STALE_AFTER_MS, WATCH_BACKOFF_MS } from "../../../src/timings.js";
import { ReflectorRig } from "../../support/kube/reflector-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { until } from "../../support/time/until.js";

describe("freshness of a set", () => {
  it("lasts while a watch follows it, and for a bound after its end", async () => {
    const clock = new FakeClock();
    const freshness = new Freshness(clock);
    await clock.advance(10 * STALE_AFTER_MS);
    expect(freshness.stale, "before the first set").to.equal(undefined);
    freshness.noteSet();
    freshness.follow();
    await clock.advance(10 * STALE_AFTER_MS);
    freshness.end();
    const since = clock.now();
    await clock.advance(STALE_AFTER_MS - 1);
    expect(freshness.stale).to.equal(undefined);
    await clock.advance(1);
    expect(freshness.stale).to.deep.equal({ since, ms: STALE_AFTER_MS });
  });

  it("is not renewed by rounds without a set or a watch of it", async () => {
    const clock = new FakeClock();
    const freshness = new Freshness(clock);
    freshness.noteSet();
    for (let round = 0; round < 3; round++) {
      freshness.end();
      await clock.advance(STALE_AFTER_MS);
    }
    expect(freshness.stale?.ms).to.equal(3 * STALE_AFTER_MS);
    freshness.noteSet();
    expect(freshness.stale).to.equal(undefined);
  });

  it("outlasts two refused tries", () => {
    expect(STALE_AFTER_MS).to.be.at.least(2 * WATCH_BACKOFF_MS.slow.longestMs);
  });
});

describe("a reflector", () => {
  for (const watchList of [true, false]) {
    it(`is fresh for as long as its watch lasts, after ${watchList ? "a watch list" : "pages"}`, async () => {
      const rig = await ReflectorRig.create({ speed: 500 });
      try {
        rig.api.watchListEnabled = watchList;
        await rig.synced();
        await rig.watching();
        // Less than the silence that ends a watch.
        await rig.clock.sleep(STALE_AFTER_MS + 5_000);
        expect(rig.reflector.state).to.include({ connected: true, stale: undefined });
      } finally {
        await rig.close();
      }
    });
  }
});

describe("a reflector that the server refuses", () => {
  it("is stale after the bound, says why, and is fresh with the next set", async () => {
    const rig = await ReflectorRig.create({ speed: 500 });
    try {
      await rig.synced();
      await rig.watching();
      expect(rig.reflector.state.stale).to.equal(undefined);
      rig.api.forbidden = true;
      rig.api.endWatches();
      await until("it is stale", () => rig.reflector.state.stale !== undefined);
      expect(rig.reflector.state).to.include({ synced: true, connected: false, lastCode: 403 });
      expect(rig.reflector.state.stale?.ms).to.be.at.least(STALE_AFTER_MS);
      rig.api.forbidden = false;
      await until("it is fresh", () => rig.reflector.state.stale === undefined);
      await rig.equal();
    } finally {
      await rig.close();
    }
  });
});
