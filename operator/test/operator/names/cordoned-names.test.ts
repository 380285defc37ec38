import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

const NODES = ["node-1", "node-2", "node-3"];

describe("operator in process: names of nodes that are cordoned", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create();
    for (const name of NODES) world.addNode(name);
  });

  afterEach(() => world.close());

  const cordon = (name: string, unschedulable: boolean): void => {
    const ref = { apiVersion: "v1", kind: "Node", name };
    world.kubernetes.change(ref, (node) => ({ ...node, spec: { ...(node["spec"] as object), unschedulable } }));
  };

  const published = (record: string): readonly string[] =>
    world.digitalocean.state.dns
      .records("example.com", record)
      .map(({ data }) => data)
      .sort();

  it("keeps all addresses of a pool in its name when its last holder is cordoned, too", async () => {
    const ips = NODES.map(() => world.digitalocean.state.addAddress().ip).sort();
    world.addPool("web", { ips, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    world.start();
    await world.fulfilled("web");
    await world.until("the name", () => published("www").length === 3);

    cordon("node-1", true);
    await world.until("the cordoned holder to leave the name", () => published("www").length === 2);
    for (const name of NODES) cordon(name, true);
    await world.until("all to be back", () => published("www").length === 3);
    await world.rest();
    expect(published("www")).to.deep.equal(ips);
    expect(world.condition("web", "DNSReady")?.status).to.equal("True");

    cordon("node-2", false);
    await world.until("the better one to stay alone", () => published("www").length === 1);
  });

  it("keeps all nodes of a NodeDNSRecordSet when its last node is cordoned, too", async () => {
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "nodes" } },
    });
    world.start();
    await world.until("the name", () => published("nodes").length === 3);
    const all = published("nodes");

    cordon("node-1", true);
    await world.until("the cordoned node to leave the name", () => published("nodes").length === 2);
    for (const name of NODES) cordon(name, true);
    await world.until("all to be back", () => published("nodes").length === 3);
    await world.rest();
    expect(published("nodes")).to.deep.equal(all);

    world.setReady("node-3", false);
    await world.until("the one that does not run to leave", () => published("nodes").length === 2);
    cordon("node-2", false);
    await world.until("the better one to stay alone", () => published("nodes").length === 1);
  });
});
