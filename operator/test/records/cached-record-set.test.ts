import { expect } from "chai";
import { planRecordChanges, planRemoval } from "../../src/providers/diff.js";
import { isSuperseded } from "../../src/providers/errors.js";
import type { RecordSet } from "../../src/records/cached-record-set.js";
import { ACCOUNT_PROBE_MS, RECORDS_SURE_MS } from "../../src/timings.js";
import { ASKER, providerError } from "./fake-dns.js";
import { FQDN, facts, MINUTE, NAME, RECORDS_MAX_AGE_MS, rig } from "./record-set-rig.js";

describe("a record set of the book", () => {
  it("may be read at once when its account answers another one again", async () => {
    const { registry, set, clock, dns } = rig();
    const other = registry.of(dns, { ...NAME, name: "other" });
    const caller = { provider: dns, context: ASKER };
    const attempt = (one: RecordSet) => one.read(caller).catch(() => undefined);
    let away = true;
    dns.fault = () => (away ? { error: providerError("Unauthorized") } : undefined);
    await attempt(set);
    await clock.advance(5_000);
    await attempt(other);
    const later = other.view().retryAt ?? 0;
    expect(later).to.be.greaterThan(clock.now());
    away = false;
    const runs: string[] = [];
    registry.accounts.recoveryOf(dns).onRecovery("other", () => runs.push("other"));
    await attempt(set);
    expect(runs).to.deep.equal(["other"]);
    expect(other.view().retryAt).to.equal(undefined);
  });

  it("is read again soon while its account is down, however often it has failed, and one set at a time", async () => {
    const { registry, set, clock, dns } = rig();
    const other = registry.of(dns, { ...NAME, name: "other" });
    const attempt = (one: RecordSet) => one.read({ provider: dns, context: ASKER }).catch(() => undefined);
    const waitOf = (one: RecordSet) => (one.view().retryAt ?? 0) - clock.now();
    dns.fault = () => ({ error: providerError("Unavailable") });
    for (let failures = 0; failures < 20; failures++) {
      await attempt(set);
      await attempt(other);
      expect(Math.max(waitOf(set), waitOf(other)), `after ${failures} failures`).to.be.within(
        1,
        ACCOUNT_PROBE_MS.Unavailable,
      );
      await clock.advance(ACCOUNT_PROBE_MS.Unavailable);
    }
    expect([waitOf(set), waitOf(other)]).to.deep.equal([0, 0]);
    let end = () => {};
    dns.duringRead = () => new Promise<void>((resolve) => (end = resolve));
    dns.fault = () => undefined;
    const probe = attempt(set);
    await Promise.resolve();
    expect(waitOf(other), "while the first one looks").to.equal(ACCOUNT_PROBE_MS.Unavailable);
    end();
    await probe;
    expect(other.view().retryAt).to.equal(undefined);
  });

  it("is unknown until it is read, and again after the drift period", async () => {
    const { set, read, known, clock, dns } = rig();
    dns.set(FQDN, ["192.0.2.1"]);
    expect(known()).to.equal("unknown");
    await read();
    expect([known(), set.view().readAgainAt]).to.deep.equal([["192.0.2.1"], clock.now() + RECORDS_MAX_AGE_MS]);
    await clock.advance(RECORDS_MAX_AGE_MS - 1);
    expect(known()).to.deep.equal(["192.0.2.1"]);
    await clock.advance(1);
    expect([known(), set.view().readAgainAt]).to.deep.equal(["unknown", undefined]);
  });

  it("knows what its last change left, also one that ended half-way", async () => {
    const { read, write, set, fail, dns, clock } = rig();
    dns.set(FQDN, ["192.0.2.1"]);
    await read();
    expect(set.view()).not.to.have.property("isOurs");
    await write("192.0.2.2");
    expect(set.view()).to.include({ isOurs: true }).and.not.to.have.property("halfDone");
    fail("create", 1);
    await write("192.0.2.3", "192.0.2.4");
    await read();
    expect(dns.values(FQDN)).to.deep.equal(["192.0.2.3"]);
    expect(set.view()).to.deep.include({ isOurs: true, halfDone: ["192.0.2.2"] });
    dns.set(FQDN, ["198.51.100.9"]);
    await clock.advance(RECORDS_MAX_AGE_MS);
    await read();
    expect(set.view(), "somebody else changed it").not.to.have.property("isOurs");
    await write("192.0.2.5");
    expect(set.view()).to.include({ isOurs: true }).and.not.to.have.property("halfDone");
  });

  it("is read once for all who ask at a time", async () => {
    const { read, dns } = rig();
    await Promise.all([read(), read(), read()]);
    expect(dns.calls).to.deep.equal(["read www.example.com A"]);
  });

  it("shows a change without another read", async () => {
    const { read, write, known, dns } = rig();
    dns.set(FQDN, ["192.0.2.1", "192.0.2.2"]);
    await read();
    await write("192.0.2.3", "192.0.2.4", "192.0.2.5");
    expect(known()).to.deep.equal(["192.0.2.3", "192.0.2.4", "192.0.2.5"]);
    await write("192.0.2.5");
    expect(known()).to.deep.equal(dns.values(FQDN));
    expect(dns.calls.filter((call) => call.startsWith("read"))).to.have.length(1);
  });

  it("is changed by one resource at a time: another one, which has the name now, plans again afterwards", async () => {
    const { set, read, dns, known } = rig();
    dns.set(FQDN, ["192.0.2.1"]);
    await read();
    const caller = { provider: dns, context: ASKER };
    const [first, second] = ["192.0.2.2", "192.0.2.3"].map((value) =>
      set.apply(caller, planRecordChanges(facts(set), { values: [value], ttl: 60 })),
    );
    const refused = await second?.catch((error: unknown) => error);
    await first;
    expect(isSuperseded(refused)).to.equal(true);
    expect([known(), dns.values(FQDN)]).to.deep.equal([["192.0.2.2"], ["192.0.2.2"]]);
  });

  it("is read again before a deletion, and keeps the value that would be its last", async () => {
    const { read, write, known, dns, clock } = rig();
    dns.set(FQDN, ["192.0.2.1", "192.0.2.2"]);
    await read();
    await clock.advance(RECORDS_SURE_MS + 1);
    dns.set(FQDN, ["192.0.2.1"]);
    await write("192.0.2.2");
    expect([known(), dns.values(FQDN)]).to.deep.equal([["192.0.2.1"], ["192.0.2.1"]]);
    expect(dns.calls).to.deep.equal(["read www.example.com A", "read www.example.com A"]);
    await write("192.0.2.2");
    expect([known(), dns.values(FQDN)]).to.deep.equal([["192.0.2.2"], ["192.0.2.2"]]);
  });

  it("is not read again before a change that writes values, too: it counts on none that stay", async () => {
    const { read, write, dns, clock } = rig();
    dns.set(FQDN, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    await read();
    await clock.advance(RECORDS_SURE_MS + 1);
    dns.calls.length = 0;
    await write("192.0.2.3", "192.0.2.4");
    expect(dns.values(FQDN)).to.deep.equal(["192.0.2.3", "192.0.2.4"]);
    expect(dns.calls.map((call) => call.split(" ")[0]).sort()).to.deep.equal(["delete", "update"]);
  });

  it("is planned again where somebody has replaced its records with the same ones before a deletion", async () => {
    const { set, read, write, clock, dns } = rig();
    await read();
    await write("192.0.2.1");
    const removal = () => set.apply({ provider: dns, context: ASKER }, planRemoval(facts(set)));
    dns.set(FQDN, ["192.0.2.1"]);
    await clock.advance(RECORDS_SURE_MS + 1);
    const error = await removal().catch((thrown: unknown) => thrown);
    expect([isSuperseded(error), dns.values(FQDN)]).to.deep.equal([true, ["192.0.2.1"]]);
    await removal();
    expect(dns.values(FQDN)).to.deep.equal([]);
  });

  it("is not written if the read before a deletion fails", async () => {
    const { set, read, write, dns, clock, fail } = rig();
    dns.set(FQDN, ["192.0.2.1", "192.0.2.2"]);
    await read();
    await clock.advance(RECORDS_SURE_MS + 1);
    fail("read", 1);
    await write("192.0.2.2");
    expect(dns.values(FQDN)).to.deep.equal(["192.0.2.1", "192.0.2.2"]);
    expect(set.view()).to.include({ records: "unknown" }).and.have.property("retryAt");
  });

  it("is unknown after a failed change, whatever came of it", async () => {
    const { read, write, known, dns, fail } = rig();
    dns.set(FQDN, ["192.0.2.1"]);
    await read();
    fail("create", 1);
    await write("192.0.2.2", "192.0.2.3");
    expect([known(), dns.values(FQDN)]).to.deep.equal(["unknown", ["192.0.2.2"]]);
  });

  it("is read again where the answers do not tell what it holds", async () => {
    const { read, set, known, dns } = rig();
    await read();
    dns.apply = () => Promise.resolve([]);
    const changes = planRecordChanges(facts(set), { values: ["192.0.2.1"], ttl: 60 });
    await set.apply({ provider: dns, context: ASKER }, changes);
    expect(known()).to.equal("unknown");
  });

  it("takes no read that began before a change ended", async () => {
    const { read, write, known, dns, clock } = rig();
    dns.set(FQDN, ["192.0.2.1"]);
    await read();
    dns.duringRead = async () => {
      await clock.advance(1);
      await write("192.0.2.2");
      await clock.advance(1);
    };
    await read();
    expect(known()).to.deep.equal(["192.0.2.2"]);
  });

  it("waits longer after each failure in a row, though reads between them succeed", async () => {
    const { set, read, write, fail, clock } = rig();
    const waits: number[] = [];
    fail("create", 5);
    for (let attempt = 0; attempt < 5; attempt++) {
      await read();
      await write("192.0.2.1");
      const wait = (set.view().retryAt ?? 0) - clock.now();
      waits.push(wait / 1000);
      await clock.advance(wait);
    }
    expect(waits).to.deep.equal([1, 1, 5, 5, 10]);
    await read();
    await write("192.0.2.1");
    expect(set.view()).to.not.have.any.keys("retryAt", "failure");
  });

  it("keeps no failure of a read once one succeeds", async () => {
    const { set, read, fail } = rig();
    fail("read", 1);
    await read();
    expect(set.view().failure?.kind).to.equal("Unavailable");
    await read();
    expect(set.view()).to.not.have.any.keys("retryAt", "failure");
  });

  it("counts a failure long after the last one as the first", async () => {
    const { set, read, write, fail, clock } = rig();
    fail("create", 4);
    for (let attempt = 0; attempt < 3; attempt++) {
      await read();
      await write("192.0.2.1");
    }
    await clock.advance(20 * MINUTE);
    await read();
    await write("192.0.2.1");
    expect((set.view().retryAt ?? 0) - clock.now()).to.equal(1000);
  });

  it("sends nothing of its own: a retry is a time, not a timer", async () => {
    const { read, fail, clock, dns } = rig();
    fail("read", 1);
    await read();
    await clock.advance(60 * MINUTE);
    expect([clock.pendingTimers, dns.calls.length]).to.deep.equal([0, 1]);
  });

  it("is one object for all spellings of its name, and another one for other types", () => {
    const { registry, dns, set } = rig();
    expect(registry.of(dns, { ...NAME, name: "WWW.Example.com." })).to.equal(set);
    expect(registry.of(dns, { ...NAME, types: ["AAAA"] })).to.not.equal(set);
    expect(registry.of({ name: "cloudflare" }, NAME)).to.not.equal(set);
  });
});
