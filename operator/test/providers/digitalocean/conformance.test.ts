import { expect } from "chai";
import { digitalOceanOpenApi } from "flipop-sandbox/testing/digitalocean-openapi";
import { describe, it } from "mocha";
import { addressContract } from "../conformance/address-contract.js";
import { ASKER, closing } from "../conformance/benches.js";
import { dnsContract } from "../conformance/dns-contract.js";
import { firewallContract } from "../conformance/firewall-contract.js";
import { operationsContract } from "../conformance/operations-contract.js";
import { startAddressBench } from "./address-bench.js";
import { startDnsBench } from "./dns-bench.js";
import { startFirewallBench } from "./firewall-bench.js";
import { DIGITALOCEAN_OPERATIONS } from "./operations.js";

addressContract("DigitalOcean", ["IPv4", "IPv6"], startAddressBench);
// One call for each record, and one read.
dnsContract("DigitalOcean", startDnsBench, { budget: (records) => records + 1 });
firewallContract("DigitalOcean", startFirewallBench, "k8s-0123-worker");

describe("DigitalOcean's borrowed addresses", () => {
  const start = closing(startAddressBench);

  it("are listed with their holders where a resource names them", async () => {
    const bench = await start();
    const node = bench.addNode();
    bench.simulator.state.addByoipPrefix("198.51.100.0/24");
    const [held, free] = ["198.51.100.7", "198.51.100.8"];
    const action = await bench.drive(bench.provider.assign(ASKER, { ip: held, node }));
    await bench.pass(5_000);
    expect((await bench.drive(bench.provider.action(ASKER, action, node))).state).to.equal("completed");

    const listed = await bench.drive(bench.provider.list(ASKER, { family: "IPv4", named: [held, free] }));

    const facts = { family: "IPv4", region: "nyc3", borrowed: true };
    expect(listed).to.have.deep.members([
      { ip: held, holder: node, ...facts },
      { ip: free, ...facts },
    ]);
  });
});

operationsContract("DigitalOcean", {
  used: DIGITALOCEAN_OPERATIONS,
  described: () => digitalOceanOpenApi()?.operations.map(({ key }) => key),
});
