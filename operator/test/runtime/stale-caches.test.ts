import { expect } from "chai";
import { describe, it } from "mocha";
import type { CacheState } from "../../src/kube/cache/cache.js";
import { silentLogger } from "../../src/logging.js";
import { StaleCaches } from "../../src/runtime/stale-caches.js";
import { STALE_POLL_MS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

const SINCE = Date.UTC(2026, 0, 1);
const REFUSED = { lastCode: 403, lastError: 'nodes is forbidden: User "flipop" cannot list resource "nodes"' };
const fresh = (name: string): CacheState => ({
  ...{ name, synced: true, connected: true, lastError: undefined, lastCode: undefined },
});
const stale = (name: string, { age = 60_000, ...more }: Partial<CacheState> & { readonly age?: number } = {}) => {
  return { ...fresh(name), connected: false, stale: { since: SINCE - age, ms: age }, ...more };
};

function setUp() {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`);
  const cluster: { states: readonly CacheState[] } = { states: [fresh("nodes"), fresh("pods")] };
  const caches = new StaleCaches(() => cluster.states, { clock, logger: { ...silentLogger, error: log, info: log } });
  return { clock, lines, cluster, caches };
}

describe("stale caches", () => {
  it("fail /readyz, with the kind, since when, the error, and the right to grant", () => {
    const { cluster, caches } = setUp();
    expect(caches.check()).to.equal(undefined);
    cluster.states = [stale("nodes", REFUSED), fresh("pods")];
    expect(caches.check()).to.equal(
      `stale: nodes since 2025-12-31T23:59:00Z (${REFUSED.lastError}; grant list and watch of nodes)`,
    );
    cluster.states = [stale("nodes")];
    expect(caches.check()).to.include("(no list succeeds, and no watch lasts)");
  });

  it("are in the gauge by kind, the oldest of several of one kind; fresh ones are 0", () => {
    const { cluster, caches } = setUp();
    cluster.states = [
      ...[fresh("nodes"), fresh("pods"), { ...fresh("routedips"), synced: false }],
      ...[stale("pods", { age: 61_000 }), stale("pods default/app=web", { age: 90_000 })],
    ];
    expect([...caches.seconds()]).to.deep.equal([
      ["nodes", 0],
      ["pods", 90],
    ]);
  });

  it("are reported once when they turn stale, and once when all are fresh again", async () => {
    const { clock, lines, cluster, caches } = setUp();
    const stop = new AbortController();
    const running = caches.run(stop.signal);
    await clock.advance(10 * STALE_POLL_MS);
    expect(lines).to.deep.equal([]);
    cluster.states = [stale("nodes", REFUSED), fresh("pods")];
    await clock.advance(10 * STALE_POLL_MS);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include("Caches are stale").and.include("cannot list");
    cluster.states = [fresh("nodes"), fresh("pods")];
    await clock.advance(10 * STALE_POLL_MS);
    expect(lines.slice(1)).to.deep.equal(["All caches are fresh again {}"]);
    stop.abort();
    await running;
  });
});
