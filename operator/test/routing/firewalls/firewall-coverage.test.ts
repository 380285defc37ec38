import { expect } from "chai";
import { describe, it } from "mocha";
import type { ProviderId } from "../../../src/providers/types.js";
import { FirewallCoverage } from "../../../src/routing/firewalls/firewall-coverage.js";
import { FIREWALL_MAX_AGE_SECONDS } from "../../../src/timings.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const HOUR_MS = 3_600_000;

function machine(id: number): ProviderId {
  return `digitalocean://${id}` as ProviderId;
}

describe("what covers the machines that may join a firewall", () => {
  const [A, B] = [machine(1), machine(2)];

  function read(by: Readonly<Record<ProviderId, readonly string[]>>, gone: readonly ProviderId[] = []) {
    const clock = new FakeClock();
    const coverage = new FirewallCoverage(clock);
    const take = (next: typeof by, missing: readonly ProviderId[] = [], asked?: readonly ProviderId[]) => {
      const coveredBy = new Map(Object.entries(next) as [ProviderId, readonly string[]][]);
      coverage.take({ coveredBy, gone: new Set(missing) }, asked ?? [...coveredBy.keys()], clock.monotonic());
    };
    take(by, gone);
    return { clock, coverage, take };
  }

  it("is known for a while; that a machine is uncovered counts until it is read again", async () => {
    const { clock, coverage, take } = read({ [A]: [], [B]: ["base"] });
    expect([...coverage.view().coveredBy.keys()]).to.deep.equal([A, B]);
    await clock.advance(FIREWALL_MAX_AGE_SECONDS * 1000);
    expect([...coverage.view().coveredBy.keys()]).to.deep.equal([]);
    expect([...coverage.view().uncovered]).to.deep.equal([A]);
    take({ [A]: ["base"] });
    expect([...coverage.view().uncovered]).to.deep.equal([]);
  });

  it("is read of some uncovered machines more, and only beside an uncovered one", async () => {
    const all = Array.from({ length: 8 }, (_, index) => machine(index + 1));
    const { clock, coverage } = read(Object.fromEntries(all.map((each) => [each, []])));
    expect(coverage.withUncovered([A]), "all are known").to.deep.equal([A]);
    await clock.advance(FIREWALL_MAX_AGE_SECONDS * 1000);
    expect(coverage.withUncovered([A])).to.deep.equal(all.slice(0, 6));
    expect(coverage.withUncovered([machine(99)])).to.deep.equal([machine(99)]);
  });

  it("is forgotten of machines that are gone, and an hour after the last reading", async () => {
    const { clock, coverage, take } = read({ [A]: [], [B]: [] }, [A]);
    expect([...coverage.view().gone]).to.deep.equal([A]);
    await clock.advance(FIREWALL_MAX_AGE_SECONDS * 1000);
    take({ [A]: [], [B]: [] }, [A], [B]);
    expect([...coverage.view().uncovered]).to.deep.equal([B]);
    await clock.advance(HOUR_MS);
    take({});
    expect([...coverage.view().uncovered]).to.deep.equal([]);
  });
});
