import { expect } from "chai";
import { describe, it } from "mocha";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { cluster, fulfilled } from "./support/fulfilled.js";
import { ModelCloud } from "./support/model-cloud.js";

const [A, B] = ["203.0.113.7", "203.0.113.8"];
const REGION = "topology.kubernetes.io/region";

/** All addresses of the account are in this region. */
function withAddressesIn(region: string, cloud: ModelCloud) {
  const snapshot = cloud.snapshot("web");
  const get = (ip: string) => {
    const facts = snapshot.inventory.get(ip);
    return facts && { ...facts, region };
  };
  return fulfilled(plan({ ...snapshot, inventory: { ...snapshot.inventory, get } }));
}

describe("what keeps a pool from being fulfilled, by regions", () => {
  it("notes that no node that matches is in the region in which the pool creates addresses", () => {
    const of = (region: string, ...nodes: readonly (string | undefined)[]) => {
      const cloud = new ModelCloud();
      for (const [index, own] of nodes.entries()) {
        cloud.addNode(`node-${index}`, { labels: own === undefined ? {} : { [REGION]: own } });
      }
      cloud.addPool("web", { ips: [A], region });
      cloud.addresses.set(A, "digitalocean://node-0");
      return fulfilled(cloud.plan("web"));
    };
    expect(of("fra1", "ams3", "ams3")).to.deep.equal({
      is: "True/NoNodeInRegion",
      message:
        "1 of 1 addresses are active; region is fra1, and all nodes that match are in ams3, by their label topology.kubernetes.io/region, so a new address could be on none of them; fix: set region to ams3",
    });
    expect(of("fra1", "ams3", "fra1").is).to.equal("True/Observed");
    expect(of("fra1", "ams3", undefined).is, "a node without the label may be there").to.equal("True/Observed");
  });

  it("is what keeps the nodes of the address's region from matching, not the region alone", () => {
    const cloud = new ModelCloud();
    cloud.addNode("node-1", { labels: { [REGION]: "fra1" } });
    cloud.addNode("node-2", { labels: { [REGION]: "fra1" }, unschedulable: true });
    cloud.addNode("node-3", { labels: { [REGION]: "ams3" } });
    cloud.addPool("web", { ips: [A, B] });
    cloud.addresses.set(A, "digitalocean://node-1");
    const { is, message } = withAddressesIn("fra1", cloud);
    expect(is).to.equal("False/TooFewCandidates");
    expect(message).to.include(
      "each node that matches there has an address of this resource (1 of 2 nodes match; 1 Cordoned",
    );
    expect(message.indexOf("kubectl uncordon node-2")).to.be.within(
      0,
      message.indexOf("use an address of region ams3"),
    );
  });

  it("is the region of an address that the pool created, with the steps that replace it", () => {
    const cloud = cluster("node-1");
    cloud.addNode("node-2", { labels: { [REGION]: "ams3" } });
    cloud.addPool("web", { desiredIPs: 1 });
    const createdIPs = [{ ip: A, createdTime: "2025-01-01T00:00:00Z" }];
    cloud.edit("web", { status: { createdIPs } });
    cloud.addresses.set(A, undefined);
    cloud.nodes.delete("node-1");
    const { is, message } = withAddressesIn("fra1", cloud);
    expect(is).to.equal("False/WrongRegion");
    expect(message).to.include(`replace ${A}: set region to ams3 and reclaimPolicy to Delete, remove it from ips`);
  });

  it("is the region of the address, with those of the nodes that match", () => {
    const cloud = new ModelCloud();
    cloud.addNode("node-1", { labels: { [REGION]: "ams3" } });
    cloud.addPool("web", { ips: [A] });
    const { is, message } = withAddressesIn("fra1", cloud);
    expect(is).to.equal("False/WrongRegion");
    expect(message).to.include(`${A} is in region fra1`).and.to.include("ams3");
  });

  it("is the region of the address, whatever holds nodes of other regions", () => {
    const cloud = new ModelCloud();
    for (const name of ["node-1", "node-2"]) cloud.addNode(name, { labels: { [REGION]: "ams3" } });
    cloud.addPool("second", { ips: [B] });
    cloud.addresses.set(B, "digitalocean://node-1");
    cloud.addPool("web", { ips: [A] });
    const { is, message } = withAddressesIn("fra1", cloud);
    expect(is).to.equal("False/WrongRegion");
    expect(message).not.to.include("node-1");
  });
});
