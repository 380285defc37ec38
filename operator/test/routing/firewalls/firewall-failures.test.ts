import { expect } from "chai";
import { describe, it } from "mocha";
import { FirewallFailures } from "../../../src/routing/firewalls/firewall-failures.js";
import { providerError } from "../../records/fake-dns.js";
import { FakeClock } from "../../support/time/fake-clock.js";

describe("the failures of the calls to a firewall", () => {
  const rig = () => {
    const clock = new FakeClock();
    const failures = new FirewallFailures(clock, "FirewallNotFound");
    /** ms that the next try of a refused removal waits. */
    const refuse = () => {
      failures.note(providerError("Unavailable"), undefined, "removal");
      return (failures.view().retryAt ?? 0) - clock.now();
    };
    return { clock, failures, refuse };
  };

  it("let a change wait longer each time, though the reads between succeed", () => {
    const { failures, refuse } = rig();
    const waits = [1, 2, 3].map(() => {
      const wait = refuse();
      failures.clear("read");
      return wait;
    });
    expect(failures.view()).to.have.all.keys("ofChange");
    expect(waits[2]).to.be.greaterThan(waits[0] ?? 0);
  });

  it("begin again after a change that succeeds", () => {
    const { failures, refuse } = rig();
    const waits = [1, 2, 3].map(() => {
      const wait = refuse();
      failures.clear("removal");
      return wait;
    });
    expect(new Set(waits)).to.have.property("size", 1);
    expect(failures.view()).to.deep.equal({});
  });

  it("of an addition stay the reason after a removal that succeeds, until it succeeds or is tried no more", async () => {
    const { clock, failures } = rig();
    const isKnown = () => failures.view().ofChange !== undefined;
    for (const end of [async () => failures.clear("addition"), () => clock.advance(3_600_000)]) {
      failures.note(providerError("Unauthorized"), undefined, "addition");
      failures.clear("removal");
      expect(isKnown()).to.equal(true);
      await end();
      expect(isKnown()).to.equal(false);
    }
  });
});
