import { expect } from "chai";
import { describe, it } from "mocha";
import { planRecordChanges } from "../../src/providers/diff.js";
import type { RecordSet } from "../../src/records/cached-record-set.js";
import { ACCOUNT_PROBE_MS } from "../../src/timings.js";
import { ASKER } from "./fake-dns.js";
import { facts, NAME, rig } from "./record-set-rig.js";

describe("a record set whose changes fail while reads are answered", () => {
  it("is changed again soon while its account refuses changes alone, and freed by another one's change", async () => {
    const { registry, set, read, write, fail, clock, dns } = rig();
    const other = registry.of(dns, { ...NAME, name: "other" });
    const caller = { provider: dns, context: ASKER };
    const waitOf = (one: RecordSet) => (one.view().retryAt ?? 0) - clock.now();
    fail("create", 20);
    for (let failures = 1; failures <= 20; failures++) {
      await read();
      await write("192.0.2.1");
      expect(waitOf(set), `after ${failures} failures`).to.be.within(1, ACCOUNT_PROBE_MS.Unavailable);
      await clock.advance(waitOf(set));
    }
    await read();
    fail("create", 1);
    await write("192.0.2.1");
    expect(waitOf(set)).to.equal(ACCOUNT_PROBE_MS.Unavailable);
    await other.read(caller);
    await other.apply(caller, planRecordChanges(facts(other), { values: ["192.0.2.2"], ttl: 60 }));
    expect(set.view().retryAt).to.equal(undefined);
  });

  it("stays due while a change of it runs: each call of the change asks again whether it is", async () => {
    const { set, read, write, fail, clock, dns } = rig();
    fail("create", 9);
    for (let failures = 0; failures < 9; failures++) {
      await read();
      await write("192.0.2.1");
    }
    await clock.advance(ACCOUNT_PROBE_MS.Unavailable);
    await read();
    let due: boolean | undefined;
    dns.fault = (call) => {
      if (call === "create") due = (set.view().retryAt ?? 0) <= clock.now();
      return undefined;
    };
    await write("192.0.2.1");
    expect(due).to.equal(true);
  });
});
