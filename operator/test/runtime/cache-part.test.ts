import { expect } from "chai";
import { describe, it } from "mocha";
import { cachePart } from "../../src/runtime/cache-part.js";

function setUp() {
  const cache = {
    state: { name: "pods", synced: false, lastError: "403 Forbidden" as string | undefined },
    stops: 0,
    stop: async () => {
      cache.stops += 1;
    },
  };
  return { cache, part: cachePart(cache) };
}

describe("cache as a part of the process", () => {
  it("tells whether it has synced, and if not, why", () => {
    const { cache, part } = setUp();
    expect([part.name, part.hasSynced(), part.degradedReason?.()]).to.deep.equal(["pods", false, "403 Forbidden"]);
    cache.state = { name: "pods", synced: true, lastError: undefined };

    expect([part.hasSynced(), part.degradedReason?.()]).to.deep.equal([true, undefined]);
  });

  it("stops when told to, and not before", async () => {
    const { cache, part } = setUp();
    const stop = new AbortController();
    const running = part.run(stop.signal);
    expect(cache.stops).to.equal(0);
    stop.abort();
    await running;
    await part.run(stop.signal);

    expect(cache.stops).to.equal(2);
  });
});
