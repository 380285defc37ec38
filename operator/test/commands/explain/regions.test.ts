import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { regionsFor } from "../../../src/commands/explain/regions.js";
import { NodeDirectory } from "../../../src/match/node-directory.js";
import { cells, ExplainedCluster } from "./explained-cluster.js";

describe("flipop explain, where the addresses of a region go,", () => {
  let cluster: ExplainedCluster;

  before(async () => {
    cluster = await ExplainedCluster.start();
  });

  after(() => cluster.close());

  it("looks in the region of the address that a node holds, whatever spec.region says about new ones", async () => {
    cluster.pool("held", { region: "ams3", ips: ["203.0.113.20"] }, onNode("203.0.113.20"));
    const { out } = await cluster.flipop.run("explain", "pool/held", "-n", "ingress");
    expect(cells(out).get("node-2")?.[1]).to.equal("occupied");
    expect(cells(out).get("far")?.[3]).to.equal("WrongRegion: the node is in region fra1, the addresses are in nyc3");
  });

  it("calls no node a candidate that none of the addresses can go to, also without spec.region", async () => {
    cluster.pool("listed", { ips: ["203.0.113.21"] }, onNode("203.0.113.21"));
    const { out } = await cluster.flipop.run("explain", "pool/listed", "-n", "ingress");
    expect(cells(out).get("far")?.slice(1)).to.deep.equal([
      ...["no", "-"],
      "WrongRegion: the node is in region fra1, the addresses are in nyc3",
    ]);
  });

  it("shows an address on the node that stands for the machine, and on no other node of it", async () => {
    const twin = { apiVersion: "v1", kind: "Node", name: "node-1-old" };
    cluster.node("node-1-old", { providerID: "digitalocean://1" });
    const { out } = await cluster.flipop.run("explain", "pool/web", "-n", "ingress", "--all");
    cluster.kubernetes.delete(twin);
    expect(cells(out).get("node-1")?.slice(1, 3)).to.deep.equal(["holds", "203.0.113.1"]);
    expect(cells(out).get("node-1-old")?.slice(1, 3)).to.deep.equal(["no", "-"]);
  });

  function onNode(ip: string) {
    return { [ip]: { state: "active", nodeName: "node-3" } };
  }
});

describe("the regions that flipop explain looks for nodes in", () => {
  const nodes = new NodeDirectory();
  const none = { account: [], heldBy: new Map(), nodes };
  const account = [{ ip: "203.0.113.1", region: "nyc3", family: "IPv4" as const }];

  it("are any where nothing names one", () => {
    expect(regionsFor({ ips: [], creates: false, region: "" }, none)).to.equal(undefined);
    expect(regionsFor({ ips: [], creates: true, region: "" }, none)).to.equal(undefined);
    expect(regionsFor({ ips: ["203.0.113.9"], creates: false, region: "" }, none)).to.equal(undefined);
  });

  it("are that of the spec where addresses are to be created, or the region of one is unknown", () => {
    expect([...(regionsFor({ ips: [], creates: true, region: "ams3" }, none) ?? [])]).to.deep.equal(["ams3"]);
    const unplaced = regionsFor({ ips: ["203.0.113.9"], creates: false, region: "ams3" }, none);
    expect([...(unplaced ?? [])]).to.deep.equal(["ams3"]);
  });

  it("are those of the account's addresses, and with creations also that of the spec", () => {
    const asked = { ips: ["203.0.113.1"], region: "ams3" };
    expect([...(regionsFor({ ...asked, creates: false }, { ...none, account }) ?? [])]).to.deep.equal(["nyc3"]);
    const both = regionsFor({ ...asked, creates: true }, { ...none, account });
    expect([...(both ?? [])]).to.deep.equal(["nyc3", "ams3"]);
  });
});
