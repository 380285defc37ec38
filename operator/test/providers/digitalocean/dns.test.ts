import { expect } from "chai";
import { describe, it } from "mocha";
import { planRecordChanges, planRemoval } from "../../../src/providers/diff.js";
import { errorOf } from "../../support/http-rig.js";
import { ASKER, closing } from "../conformance/benches.js";
import { change, read } from "../conformance/dns-contract.js";
import { startDnsBench } from "./dns-bench.js";

const DELETE = "DELETE /v2/domains/{domain_name}/records/{domain_record_id}";

describe("DigitalOcean's records", () => {
  const start = closing(startDnsBench);

  it("are read by name, never as a whole zone, with the addresses of the other type in the same call", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", 120);
    bench.addRecord("www", "AAAA", "2001:db8::1", 120);
    const { records, others = [] } = await read(bench, "www");
    expect(bench.simulator.journal.entries.map(({ query }) => query.get("name"))).to.deep.equal(["www.example.com"]);
    const values = [records, others].map((each) => each.map(({ value }) => value));
    expect(values).to.deep.equal([["203.0.113.1"], ["2001:db8::1"]]);
  });

  it("are deleted for good although the answer was lost", async () => {
    const bench = await start();
    for (const value of ["203.0.113.1", "203.0.113.2"]) bench.addRecord("www", "A", value, 120);
    bench.simulator.faults.inject({ kind: "reset", when: "after" }, { on: DELETE });

    await change(bench, ["203.0.113.1"]);

    expect(bench.records("www", "A")).to.deep.equal(["203.0.113.1 120"]);
    expect(bench.simulator.journal.count({ on: DELETE })).to.equal(2);
  });

  it("count as deleted only where the account still has their domain", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", 120);
    const changes = planRemoval(await read(bench, "www"));
    bench.simulator.faults.inject({ kind: "status", status: 404 }, { on: /\/domains\/example\.com/, times: Infinity });

    const error = await errorOf(bench.drive(bench.provider.apply(ASKER, changes)));

    expect(error).to.deep.include({ kind: "NotFound", outcome: "refused" });
    expect(String(error)).to.include('the account has no domain "example.com"');
  });

  it("have a TTL of 30 s at least", async () => {
    const bench = await start();
    expect([1, 30, 300].map(bench.provider.capabilities.ttl)).to.deep.equal([30, 30, 300]);
    const changes = planRecordChanges(await read(bench, "www"), { values: ["203.0.113.1"], ttl: 10 });

    const error = await errorOf(bench.drive(bench.provider.apply(ASKER, changes)));

    expect(error).to.deep.include({ kind: "Terminal", outcome: "refused" });
    expect(String(error)).to.include("dnsRecordSet");
  });
});
