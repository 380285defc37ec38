import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { cells, explainedCluster } from "./explained-cluster.js";

describe("flipop explain of a record set", () => {
  const shared = explainedCluster();

  it("explains a record set by the address that it publishes of a node", async () => {
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
      metadata: { name: "nodes", namespace: "default" },
      spec: {
        dnsRecordSet: { zone: "example.com", recordName: "n" },
        match: { nodeLabel: "pool=work" },
        ipFamilies: ["IPv6"],
      },
    });
    const { out } = await shared.flipop.run("explain", "recordset/nodes");
    expect(cells(out).get("node-1")?.[3]).to.equal("NoAddress: it has no IPv6 address in ExternalIP");
    expect(out).to.match(/NoAddress +Add IPv4 to spec.ipFamilies, or give the node such an address\./);
  });

  it("shows what the DNS name of a resource holds, and the published address of each node", async () => {
    const condition = { status: "True", reason: "Observed", lastTransitionTime: "2025-01-01T00:00:00Z" };
    const message = "A records of n.example.com hold 1 address; left out: 1 Cordoned (node-4: it is cordoned)";
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
      metadata: { name: "well", namespace: "default" },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "n" }, match: { nodeLabel: "pool=work" } },
      status: {
        addresses: [{ address: "198.51.100.1", nodeName: "node-1" }],
        conditions: [{ ...condition, type: "DNSReady", message }],
      },
    });
    const { out } = await shared.flipop.run("explain", "recordset/well");
    expect(out).to.include(`\n  ${message}\n`);
    expect(cells(out).get("node-1")?.slice(1, 3)).to.deep.equal(["published", "198.51.100.1"]);
  });

  it("says whose name servers the zone of a DNS name that is in place needs", async () => {
    const explained = async (dns: object, status = "True") => {
      const condition = { type: "DNSReady", status, reason: status === "True" ? "Observed" : "NameConflict" };
      shared.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
        metadata: { name: "served", namespace: "default" },
        spec: { dnsRecordSet: { zone: "example.com", recordName: "n" } },
        status: {
          conditions: [{ ...condition, message: "", lastTransitionTime: "2025-01-01T00:00:00Z" }],
          dns: { provider: "digitalocean", zone: "example.com", recordName: "n", types: ["A"], values: [], ...dns },
        },
      });
      const { out } = await shared.flipop.run("explain", "recordset/served");
      shared.kubernetes.delete({
        ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "served" },
      });
      return out;
    };
    const note = (provider: string, zone: string, ask: string) =>
      `\n  clients resolve the name only if the name servers of ${zone} are those of ${provider}, where the operator writes its records (${ask}): dnsRecordSet.provider can name another provider\n`;
    expect(await explained({})).to.include(note("DigitalOcean", "example.com", "dig NS example.com shows them"));
    expect(await explained({ provider: "cloudflare", zone: "023e105f4ecef8ad9ca31a8372d0c353" })).to.include(
      note("Cloudflare", "zone 023e105f4ecef8ad9ca31a8372d0c353", "dig NS DOMAIN shows them"),
    );
    expect(await explained({ provider: "external-dns" }), "external-dns knows the provider").not.to.include("dig NS");
    expect(await explained({}, "False"), "the condition says why").not.to.include("dig NS");
  });

  it("shows what clients of a DNS name may not expect, although its records are in place", async () => {
    const seen = "A records of n.example.com hold 1 address; the name is proxied at Cloudflare";
    const condition = { status: "True", reason: "Proxied", lastTransitionTime: "2025-01-01T00:00:00Z" };
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
      metadata: { name: "proxied", namespace: "default" },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "n" }, match: { nodeLabel: "pool=work" } },
      status: { conditions: [{ ...condition, type: "DNSReady", message: `${seen}; fix: set DNS only` }] },
    });
    const { out } = await shared.flipop.run("explain", "recordset/proxied");
    expect(out).to.include(`DNSReady=True Proxied: ${seen}\n    fix: set DNS only\n`);
  });
});
