import { expect } from "chai";
import { EVERY_FAULT } from "flipop-sandbox/http";
import { cloudflareOpenApi } from "flipop-sandbox/testing/cloudflare-openapi";
import { describe, it } from "mocha";
import { ASKER, closing } from "../conformance/benches.js";
import { dnsContract } from "../conformance/dns-contract.js";
import { dnsFaultCases } from "../conformance/dns-faults.js";
import { faultContract } from "../conformance/fault-contract.js";
import { operationsContract } from "../conformance/operations-contract.js";
import { type CloudflareBench, startDnsBench } from "./dns-bench.js";
import { BATCH_OPERATION, CLOUDFLARE_OPERATIONS } from "./operations.js";

// Once the zone, one read, one batch for each 200 records.
dnsContract("Cloudflare", startDnsBench, { budget: (records) => 2 + Math.ceil(records / 200) });
faultContract<CloudflareBench>("Cloudflare's DNS", startDnsBench, Object.keys(EVERY_FAULT), dnsFaultCases);

describe("Cloudflare's zones", () => {
  const start = closing(startDnsBench);

  it("may be named by their id", async () => {
    const bench = await start();
    bench.addRecord("www", "A", "203.0.113.1", 120);
    const { id: zone } = bench.simulator.zone(bench.zone);

    const set = await bench.drive(bench.provider.read(ASKER, { zone, name: "www", types: ["A"] }));

    expect(set).to.deep.include({ zone, fqdn: `www.${bench.zone}` });
    expect(set.records.map(({ value }) => value)).to.deep.equal(["203.0.113.1"]);
  });
});

operationsContract("Cloudflare", {
  used: CLOUDFLARE_OPERATIONS,
  // The batch is younger than the description: a schema of our own stands in for it.
  described: () => {
    const operations = cloudflareOpenApi()?.operations.map(({ key }) => key);
    return operations && [...operations, BATCH_OPERATION];
  },
});
