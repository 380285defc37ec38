import { JOB_VARIABLES } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { assignVariables, firewallOrders, firewallVariables } from "../../src/jobs/variables.js";
import { ASSIGN, NODE } from "./made-jobs.js";

describe("what a Job is told", () => {
  it("is the variables that JOB_VARIABLES lists, and no other", () => {
    expect([...Object.keys(ASSIGN), ...Object.keys(firewallVariables([]))]).to.have.members([...JOB_VARIABLES]);
  });

  it("is where the address has been", () => {
    const previous = { name: "n0", providerID: "cloud://0" };
    expect(assignVariables({ namespace: "default", name: "a", node: NODE, previous, region: "" })).to.include({
      PREVIOUS_NODE_NAME: "n0",
      PREVIOUS_NODE_PROVIDER_ID: "cloud://0",
    });
  });

  it("is the full set of the class's rules, each port with its nodes", () => {
    const other = { name: "n2", providerID: "cloud://2" };
    const needs = [
      { ports: [{ protocol: "TCP" as const, port: 443 }], nodes: [other] },
      {
        ports: [
          { protocol: "UDP" as const, port: 53 },
          { protocol: "TCP" as const, port: 443 },
        ],
        nodes: [NODE],
      },
      { ports: [{ protocol: "TCP" as const, port: 80 }], nodes: [] },
    ];
    expect(firewallOrders(needs)).to.deep.equal([
      { protocol: "udp", port: 53, nodes: [NODE] },
      { protocol: "tcp", port: 443, nodes: [NODE, other] },
    ]);
    expect(firewallOrders([...needs].reverse())).to.deep.equal(firewallOrders(needs));
    const third = { name: "n3", providerID: "cloud://3" };
    const twice = [
      { ports: [{ protocol: "TCP" as const, port: 53 }], nodes: [third, NODE] },
      { ports: (["TCP", "UDP"] as const).map((protocol) => ({ protocol, port: 53 })), nodes: [NODE] },
      { ports: [{ protocol: "UDP" as const, port: 53 }], nodes: [other, NODE] },
    ];
    expect(firewallOrders(twice), "one node of one machine, protocols apart").to.deep.equal([
      { protocol: "tcp", port: 53, nodes: [NODE, third] },
      { protocol: "udp", port: 53, nodes: [NODE, other] },
    ]);
  });
});
