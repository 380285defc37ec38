import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { explainedCluster } from "./explained-cluster.js";

describe("flipop explain node", () => {
  const shared = explainedCluster();
  /** Cells by the name of the resource. */
  const rowsOf = (out: string) =>
    new Map(out.split("\n").map((line) => [line.split(/ {3,}/)[1] ?? "", line.split(/ {3,}/)]));
  const explained = (...args: readonly string[]) => shared.flipop.run("explain", ...args);

  before(() => {
    const metadata = { name: "nodes", namespace: "ingress" };
    const dnsRecordSet = { zone: "example.com", recordName: "n" };
    const record = (name: string, match: object) =>
      shared.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { ...metadata, name } },
        spec: { dnsRecordSet, match },
        status: name === "nodes" ? { addresses: [{ address: "198.51.100.1", nodeName: "node-1" }] } : {},
      });
    record("nodes", { nodeLabel: "pool=work" });
    record("others", { nodeLabel: "pool=db" });
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name: "game", namespace: "ingress" } },
      spec: { className: "fast", serviceRef: { serviceName: "game" } },
    });
  });

  it("shows in one line for each resource whether the node is a candidate, and why not", async () => {
    const { code, out, err } = await explained("node/node-1");
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    expect(out.split("\n")[0]).to.match(/^Node node-1: it serves 2 of \d resources, and is a candidate for \d more$/);
    const rows = rowsOf(out);
    expect(rows.get("pool/web")).to.deep.equal([
      ...["ingress", "pool/web", "holds", "203.0.113.1", "(ingress/web-node-1 is ready)"],
    ]);
    expect(rows.get("pool/second")?.[4]).to.equal(
      "Occupied: it already holds 203.0.113.1 of FloatingIPPool ingress/web; the limit is 1",
    );
    expect(rows.get("recordset/nodes")?.slice(2)).to.deep.equal(["published", "198.51.100.1"]);
    expect(rows.has("recordset/others"), "it lacks the label").to.equal(false);
    expect(out).to.match(/\n\d more resources? asks? for other nodes: --all shows (it|them)\n/);
    expect(out).to.match(/\nWhat to do:\n {2}Occupied +/);
  });

  it("names what keeps it from all resources, also what no node can serve", async () => {
    const rows = rowsOf((await explained("node/node-7", "--all")).out);
    expect(rows.get("pool/web")?.slice(2)).to.deep.equal([
      ...["no", "-", "PodNotReady: pod ingress/web-node-7 is not ready"],
    ]);
    expect(rows.get("recordset/others")?.[4]).to.match(/^LabelsDiffer: its label pool is "work"/);
    expect(rows.get("routedip/game")?.[4]).to.match(/^no node can serve it: .*fast/);
  });

  it("shows the resources of one namespace, and the same facts as JSON", async () => {
    const { out } = await explained("node/node-1", "-n", "default");
    expect(out).to.equal("Node node-1: there is no resource that needs nodes in namespace default\n");
    const json = JSON.parse((await explained("node/node-1", "-o", "json")).out);
    expect(json.node).to.equal("node-1");
    const [first] = json.resources;
    expect(first).to.deep.include({ kind: "FloatingIPPool", namespace: "ingress", name: "web", result: "holds" });
  });

  it("refuses a node that is not there, and a second node", async () => {
    expect((await explained("node/node-33")).err).to.equal(
      'flipop: there is no node "node-33": did you mean node-3?\n',
    );
    expect((await explained("node/node-1", "node-2")).err).to.equal(
      "flipop: node/node-1 is a node already: omit node-2\n",
    );
  });
});
