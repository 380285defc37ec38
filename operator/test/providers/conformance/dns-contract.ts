import { expect } from "chai";
import { describe, it } from "mocha";
import { type DesiredRecord, planRecordChanges, planRemoval, recordsAfter } from "../../../src/providers/diff.js";
import type { RecordFacts, RecordSetFacts, RecordType } from "../../../src/providers/types.js";
import { NotLeaderError } from "../../../src/runtime/fence.js";
import { errorOf } from "../../support/http-rig.js";
import { ASKER, closing, type DnsBench } from "./benches.js";
import { commonContract } from "./common-contract.js";

/** Allowed by every provider. */
const TTL = 120;

export interface DnsContractOptions {
  /** Requests that a change of `records` records may cost, the read included. A re-pointed record is one. */
  budget(records: number): number;
}

/** Every DnsProvider must pass this. */
export function dnsContract(name: string, startBench: () => Promise<DnsBench>, options: DnsContractOptions): void {
  describe(`${name} keeps the contract of a DnsProvider`, () => {
    const start = closing(startBench);
    nameContract(start);
    delegationContract(start);
    changeContract(start, options);
    refusalContract(start);
    commonContract(start, (bench, context) => bench.provider.read(context, nameOf(bench, "www")));
  });
}

function nameContract(start: () => Promise<DnsBench>): void {
  it("takes relative and full names, with and without the final dot, and the zone itself", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", TTL);
    bench.addRecord("@", "A", "203.0.113.2", TTL);
    const { zone } = bench;

    for (const name of ["www", `www.${zone}`, `WWW.${zone}.`]) {
      expect(await read(bench, name)).to.deep.include({ fqdn: `www.${zone}` });
      expect(valuesOf(await read(bench, name))).to.deep.equal(["203.0.113.1"]);
      expect(await bench.drive(bench.provider.fqdn(ASKER, nameOf(bench, name)))).to.equal(`www.${zone}`);
    }
    for (const name of ["@", zone]) expect(valuesOf(await read(bench, name))).to.deep.equal(["203.0.113.2"]);
  });

  it("refuses a full name, with its final dot, that is not in the zone", async () => {
    const bench = await start();
    const error = await errorOf(bench.drive(bench.provider.read(ASKER, nameOf(bench, "www.example.net."))));
    const seen = `the final dot makes it a full name, which is not in zone ${bench.zone}`;
    expect(error).to.deep.include({ kind: "Terminal", outcome: "not-sent", seen });
  });

  it("refuses a name that is too long, before any call, and names the length", async () => {
    const bench = await start();
    const refusal = (name: string) => errorOf(bench.drive(bench.provider.read(ASKER, nameOf(bench, name))));
    const length = 254;
    const relative = "a."
      .repeat(126)
      .slice(0, length - bench.zone.length - 1)
      .replace(/\.$/, "b");
    const seen = `they have ${length} characters together: a DNS name has at most 253`;
    expect(await refusal(relative)).to.deep.include({ kind: "Terminal", outcome: "not-sent", seen });
    expect(await refusal("a".repeat(64))).to.deep.include({ kind: "Terminal", outcome: "not-sent" });
  });

  it("reads the records of that name and those types only", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", TTL);
    bench.addRecord("www", "AAAA", "2001:db8::1", TTL);
    bench.addRecord("other.www", "A", "203.0.113.9", TTL);
    for (let index = 0; index < 20; index++) bench.addRecord(`noise-${index}`, "A", "203.0.113.10", TTL);

    expect(valuesOf(await read(bench, "www", ["A"]))).to.deep.equal(["203.0.113.1"]);
    expect(valuesOf(await read(bench, "www", ["AAAA"]))).to.deep.equal(["2001:db8::1"]);
    expect(valuesOf(await read(bench, "www", ["A", "AAAA"]))).to.have.length(2);
    expect(valuesOf(await read(bench, "none"))).to.deep.equal([]);
  });

  it("says NotFound for a zone that the account does not have", async () => {
    const bench = await start();
    const request = { zone: "absent.invalid", name: "www", types: ["A"] } as const;

    expect(await errorOf(bench.drive(bench.provider.read(ASKER, request)))).to.deep.include({ kind: "NotFound" });
  });
}

function delegationContract(start: () => Promise<DnsBench>): void {
  it("says of a name below the zone whether the zone has NS records of it, in one call, if it can", async () => {
    const bench = await start();
    const { provider, zone } = bench;
    bench.addRecord("eu", "NS", "ns1.example.net", TTL);
    bench.addRecord("us", "A", "203.0.113.1", TTL);
    bench.addRecord("api.us", "NS", "ns1.example.net", TTL);
    const from = bench.calls();
    const answers: (boolean | undefined)[] = [];
    for (const label of ["eu", "us", "none"]) {
      const name = `${label}.${zone}`;
      answers.push(await bench.drive(Promise.resolve(provider.isDelegated?.(ASKER, { zone, name }))));
    }
    if (provider.isDelegated === undefined) return;
    expect(answers).to.deep.equal([true, false, false]);
    // One more for a zone that was never seen.
    expect(bench.calls() - from).to.be.at.most(answers.length + 1);
  });
}

function changeContract(start: () => Promise<DnsBench>, { budget }: DnsContractOptions): void {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["creates a set", [], ["203.0.113.1", "203.0.113.2"]],
    ["replaces one address", ["203.0.113.1", "203.0.113.2"], ["203.0.113.1", "203.0.113.3"]],
    ["replaces all", ["203.0.113.1", "203.0.113.2"], ["203.0.113.3", "203.0.113.4"]],
    ["replaces the only one", ["203.0.113.1"], ["203.0.113.2"]],
    ["grows", ["203.0.113.1"], ["203.0.113.1", "203.0.113.2", "203.0.113.3"]],
    ["shrinks", ["203.0.113.1", "203.0.113.2", "203.0.113.3"], ["203.0.113.2"]],
    ["shrinks to another", ["203.0.113.1", "203.0.113.2", "203.0.113.3"], ["203.0.113.4"]],
    ["holds many", many(1, 30), many(16, 45)],
  ];
  for (const [what, before, after] of cases) {
    it(`${what}: never empty, no stranger in between, within the budget, nothing to do afterwards`, async () => {
      const bench = await start();
      for (const value of before) bench.addRecord("www", "A", value, TTL);
      const bad = watchStates(bench, before, after);
      const from = bench.calls();

      const set = await change(bench, after);

      const added = after.filter((value) => !before.includes(value)).length;
      const removed = before.filter((value) => !after.includes(value)).length;
      const changed = Math.max(added, removed);
      expect(bench.calls() - from).to.be.at.most(budget(changed));
      expect(bad).to.deep.equal([]);
      expect(bench.records("www", "A")).to.deep.equal([...after].sort().map((value) => `${value} ${TTL}`));
      const again = planRecordChanges(await read(bench, "www"), { values: after, ttl: TTL });
      expect(again.steps).to.deep.equal([]);
      expect(set.fqdn).to.equal(`www.${bench.zone}`);
    });
  }

  it("returns with its answers what the set holds after a change, without another read", async () => {
    const cases: readonly (readonly string[])[] = [["203.0.113.3"], ["203.0.113.1", "203.0.113.4", "203.0.113.5"]];
    for (const after of cases) {
      const bench = await start();
      for (const value of ["203.0.113.1", "203.0.113.2"]) bench.addRecord("www", "A", value, 300);
      const set = await read(bench, "www");
      const changes = planRecordChanges(set, { values: after, ttl: TTL });

      const written = await bench.drive(bench.provider.apply(ASKER, changes));

      const derived = [...(recordsAfter(set, changes, written)?.records ?? [])].sort(byId);
      expect(derived).to.deep.equal([...(await read(bench, "www")).records].sort(byId));
      expect(derived).to.have.length(after.length);
    }
  });

  it("corrects a wrong TTL, and keeps it where asked", async () => {
    const bench = await start();
    for (const value of ["203.0.113.1", "203.0.113.2"]) bench.addRecord("www", "A", value, 300);

    await change(bench, ["203.0.113.1", "203.0.113.2"], "keep");
    expect(bench.records("www", "A")).to.deep.equal(["203.0.113.1 300", "203.0.113.2 300"]);

    await change(bench, ["203.0.113.1", "203.0.113.2"]);
    expect(bench.records("www", "A")).to.deep.equal([`203.0.113.1 ${TTL}`, `203.0.113.2 ${TTL}`]);
  });

  it("changes A and AAAA of one name, and leaves a family without wishes alone", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", TTL);
    bench.addRecord("www", "AAAA", "2001:db8::1", TTL);

    await change(bench, ["203.0.113.2"], TTL, ["A", "AAAA"]);

    expect(bench.records("www", "A")).to.deep.equal([`203.0.113.2 ${TTL}`]);
    expect(bench.records("www", "AAAA")).to.deep.equal([`2001:db8::1 ${TTL}`]);
  });

  it("removes a whole set on request, and nothing else", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", TTL);
    bench.addRecord("other", "A", "203.0.113.2", TTL);

    await bench.drive(bench.provider.apply(ASKER, planRemoval(await read(bench, "www"))));

    expect(bench.records("www", "A")).to.deep.equal([]);
    expect(bench.records("other", "A")).to.deep.equal([`203.0.113.2 ${TTL}`]);
  });
}

function refusalContract(start: () => Promise<DnsBench>): void {
  it("says Conflict where a CNAME excludes the records", async () => {
    const bench = await start();
    bench.addRecord("www", "CNAME", `other.${bench.zone}`, TTL);

    expect(await read(bench, "www")).to.include({ hasCname: true });
    expect(await read(bench, "other")).not.to.have.property("hasCname");

    const error = await errorOf(change(bench, ["203.0.113.1"]));

    expect(error).to.deep.include({ kind: "Conflict", reason: "RecordExists" });
  });

  it("says Conflict where a record is gone by now", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", TTL);
    const stale = await read(bench, "www");
    await change(bench, ["203.0.113.5"]);
    await bench.drive(bench.provider.apply(ASKER, planRemoval(await read(bench, "www"))));

    const changes = planRecordChanges(stale, { values: ["203.0.113.2"], ttl: TTL });
    const error = await errorOf(bench.drive(bench.provider.apply(ASKER, changes)));

    expect(error).to.deep.include({ kind: "Conflict" });
  });

  it("writes nothing without the lease", async () => {
    const bench = await start();
    bench.loseLease();

    expect(await errorOf(change(bench, ["203.0.113.1"]))).to.be.instanceOf(NotLeaderError);
    expect(bench.records("www", "A")).to.deep.equal([]);
  });

  it("sends nothing for a change without steps, and records the others", async () => {
    const bench = await start();
    await change(bench, ["203.0.113.1"]);
    const from = bench.calls();
    await change(bench, ["203.0.113.1"]);

    expect(bench.calls() - from).to.equal(1);
    expect(bench.audit).to.have.length(1);
    expect(bench.audit[0]).to.deep.include({
      kind: "change-records",
      target: `www.${bench.zone}`,
      before: "",
      after: "203.0.113.1",
      outcome: "done",
    });
  });
}

/** Reads, plans and applies, as the operator does. */
export async function change(
  bench: DnsBench,
  values: readonly string[],
  ttl: DesiredRecord["ttl"] = TTL,
  types: readonly RecordType[] = ["A"],
): Promise<RecordSetFacts> {
  const set = await read(bench, "www", types);
  await bench.drive(bench.provider.apply(ASKER, planRecordChanges(set, { values, ttl })));
  return set;
}

/** Looks at the set after each request. Returns what was wrong. */
export function watchStates(bench: DnsBench, before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Set([...before, ...after]);
  const bad: string[] = [];
  bench.afterEach(() => {
    const values = bench.records("www", "A").map((record) => record.split(" ")[0] ?? "");
    if (values.length === 0 && before.length > 0) bad.push("empty");
    bad.push(...values.filter((value) => !known.has(value)).map((value) => `stranger ${value}`));
  });
  return bad;
}

export function read(bench: DnsBench, name: string, types: readonly RecordType[] = ["A"]): Promise<RecordSetFacts> {
  return bench.drive(bench.provider.read(ASKER, nameOf(bench, name, types)));
}

function byId(a: RecordFacts, b: RecordFacts): number {
  return a.id < b.id ? -1 : 1;
}

function nameOf({ zone }: DnsBench, name: string, types: readonly RecordType[] = ["A"]) {
  return { zone, name, types };
}

function valuesOf({ records }: RecordSetFacts): readonly string[] {
  return records.map(({ value }) => value).sort();
}

function many(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `203.0.113.${first + index}`);
}
