import { expect } from "chai";
import { describe, it } from "mocha";
import { StandbyLease } from "../../../src/health/standby/standby-lease.js";
import { type Lease, LeaseLock } from "../../../src/kube/write/lease.js";
import { silentLogger } from "../../../src/logging.js";
import { STANDBY_TIMINGS } from "../../../src/timings.js";
import { MemoryKube } from "../../support/kube/memory-kube.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const PATH = "/apis/coordination.k8s.io/v1/namespaces/flipop/leases/standby";

describe("the Lease of the standby replica", () => {
  function start() {
    const [clock, kube, stop] = [new FakeClock(), new MemoryKube(), new AbortController()];
    const own = { standsBy: true };
    const lease = new StandbyLease({
      ...{ clock, logger: silentLogger, identity: "b", standsBy: () => own.standsBy },
      lock: new LeaseLock(kube, "flipop", "standby"),
    });
    const ended = lease.run(stop.signal);
    const holder = () => (kube.objects.get(PATH) as Lease | undefined)?.spec?.holderIdentity;
    return { clock, stop, own, ended, holder };
  }

  it("names the replica while it stands by, and no replica afterwards", async () => {
    const { clock, own, holder, stop, ended } = start();
    await clock.advance(STANDBY_TIMINGS.retryMs);
    expect(holder()).to.equal("b");
    own.standsBy = false;
    await clock.advance(STANDBY_TIMINGS.retryMs * 2);
    expect(holder()).to.equal("");
    stop.abort();
    await ended;
  });

  it("names no replica after the end of the process, so that the leader asks none", async () => {
    const { clock, holder, stop, ended } = start();
    await clock.advance(STANDBY_TIMINGS.retryMs);
    stop.abort();
    await ended;
    expect(holder()).to.equal("");
  });
});
