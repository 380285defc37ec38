import { allProviders, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { addressCapabilities } from "../../src/providers/capabilities.js";
import { Flipop } from "./flipop.js";

interface NodeSpec {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly unschedulable?: boolean;
  readonly ready?: string;
}

describe("flipop explain", () => {
  let kubernetes: Emulator;
  let flipop: Flipop;
  let machine = 0;

  function node(name: string, { labels = { pool: "work" }, taints, unschedulable, ready = "True" }: NodeSpec = {}) {
    machine += 1;
    const spec = { providerID: `digitalocean://${machine}`, taints, unschedulable };
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Node" },
      metadata: { name, labels: { "topology.kubernetes.io/region": "nyc3", ...labels } },
      spec,
      status: {
        conditions: [{ type: "Ready", status: ready, reason: "Tested" }],
        addresses: [{ type: "ExternalIP", address: `198.51.100.${machine}` }],
      },
    });
    // A new node has the taint of one that is not ready.
    kubernetes.change({ apiVersion: "v1", kind: "Node", name }, (object) => ({ ...object, spec }));
  }

  function pod(nodeName: string, ready = "True") {
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: `web-${nodeName}`, namespace: "ingress", labels: { app: "web" } },
      spec: { nodeName, containers: [{ name: "web", image: "web" }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] },
    });
  }

  function pool(name: string, spec: object, ips: object, createdIPs?: readonly object[]) {
    const match = { nodeLabel: "pool=work", podNamespace: "ingress", podLabel: "app=web" };
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool" },
      metadata: { name, namespace: "ingress" },
      spec: { provider: "digitalocean", match, ...spec },
      status: { ips, ...(createdIPs && { createdIPs }) },
    });
  }

  before(async () => {
    kubernetes = await startEmulator();
    flipop = new Flipop(kubernetes.kubeconfig());
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "ingress" } });
    for (const name of ["node-1", "node-2", "node-3"]) node(name);
    node("node-4", { unschedulable: true });
    node("node-5", { taints: [{ key: "dedicated", value: "db", effect: "NoSchedule" }] });
    node("node-6", { ready: "Unknown" });
    node("node-7");
    node("far", { labels: { pool: "work", "topology.kubernetes.io/region": "fra1" } });
    node("db-1", { labels: { pool: "db" } });
    for (const name of ["node-1", "node-2", "node-3", "node-4", "node-5", "node-6", "far"]) pod(name);
    pod("node-7", "False");
    pool("web", { region: "nyc3", ips: ["203.0.113.1"] }, { "203.0.113.1": { state: "active", nodeName: "node-1" } });
    pool(
      "second",
      { ips: ["203.0.113.2"] },
      { "203.0.113.2": { state: "active", providerID: "digitalocean://2", nodeName: "node-2" } },
    );
    pool(
      "sixth",
      { ips: ["2001:db8::3"] },
      { "2001:db8::3": { state: "active", providerID: "digitalocean://3", nodeName: "node-3" } },
    );
  });

  after(async () => {
    flipop.close();
    await kubernetes.close();
  });

  const cells = (out: string) =>
    new Map(out.split("\n").map((line) => [line.split(" ")[0] ?? "", line.split(/ {3,}/)]));

  it("says of each node what keeps it back, and what would make it a candidate", async () => {
    const { code, out, err } = await flipop.run("explain", "pool/web", "-n", "ingress");
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    const rows = cells(out);
    expect(rows.get("node-1")?.slice(1)).to.deep.equal(["holds", "203.0.113.1"]);
    expect(rows.get("node-2")?.slice(1)).to.deep.equal([
      ...["occupied", "203.0.113.2"],
      "Occupied: it already holds 203.0.113.2 of FloatingIPPool ingress/second; the limit is 1",
    ]);
    expect(rows.get("node-3")?.slice(1), "an IPv6 address takes no room").to.deep.equal(["candidate", "-"]);
    expect(rows.get("node-4")?.[3]).to.match(/^Cordoned: it is cordoned/);
    expect(rows.get("node-5")?.[3]).to.equal("Tainted: it has taint dedicated=db:NoSchedule, not tolerated");
    expect(rows.get("node-6")?.[3]).to.equal("NodeNotReady: Ready is Unknown (Tested)");
    expect(rows.get("node-7")?.[3]).to.equal("PodNotReady: pod ingress/web-node-7 is not ready");
    expect(rows.get("far")?.[3]).to.equal("WrongRegion: the node is in region fra1, the addresses are in nyc3");
    expect(rows.has("db-1")).to.equal(false);
    expect(out).to.include("1 more node lacks what is asked for: --all shows it\n");
    expect(out).to.include("  asks for nodes with pool=work that run a ready pod of namespace ingress with app=web\n");
    expect(out).to.match(/Cordoned +Uncordon the node, or, where the resource has match, tolerate/);
  });

  it("shows also the nodes that are not meant under --all, and each check in a column under -o wide", async () => {
    const { out } = await flipop.run("explain", "fip/web", "-n", "ingress", "--all", "-o", "wide");
    expect(
      out
        .split("\n")
        .find((line) => line.startsWith("NODE"))
        ?.split(/ {2,}/),
    ).to.deep.equal([
      ...["NODE", "RESULT", "HOLDS", "LABELS", "DELETION", "PROVIDERID", "CLOUD", "MACHINE", "CORDON", "TAINTS"],
      ...["READY", "HEALTH", "WORKLOAD", "WORKLOAD READY", "PROBES", "REGION", "ROOM"],
    ]);
    const db = cells(out).get("db-1") ?? [];
    expect(db[3]).to.equal('NO: its label pool is "db", nodeLabel asks for pool In work');
    expect(db[5]).to.equal("digitalocean://9");
  });

  it("shows the last error of a node whose probes fail", async () => {
    const error = "TCP 10.0.0.1:80: connection refused; the kubelet no longer renews its Lease";
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool" },
      metadata: { name: "probed", namespace: "ingress" },
      spec: { provider: "digitalocean", ips: ["203.0.113.77"], healthCheck: { type: "TCP", port: 80 } },
      status: { failedProbes: [{ nodeName: "node-1", error }] },
    });
    const { out } = await flipop.run("explain", "fip/probed", "node-1", "-n", "ingress");
    kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "probed" });
    expect(out)
      .to.include(error)
      .and.to.match(/ {2}probes +NO +TCP/);
  });

  it("shows which nodes the health check does not probe", async () => {
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
      metadata: { name: "unprobed", namespace: "default" },
      spec: {
        dnsRecordSet: { zone: "example.com", recordName: "n" },
        match: { nodeLabel: "pool=db" },
        healthCheck: { type: "TCP", port: 80, address: "InternalIP" },
      },
    });
    const { out } = await flipop.run("explain", "recordset/unprobed");
    const one = await flipop.run("explain", "recordset/unprobed", "db-1");
    kubernetes.delete({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      namespace: "default",
      name: "unprobed",
    });
    expect(out).to.include("  healthCheck does not probe db-1, without such an address: correct healthCheck.address\n");
    expect(one.out).to.match(/ {2}probes +ok +not probed: the node has no InternalIP\n/);
  });

  it("shows where the holder label is, and the taint of nodes that wait", async () => {
    const holderLabel = "flipop.digitalocean.com/holder-of-fip.ingress.web";
    const ref = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "web" };
    const before = kubernetes.get(ref)?.["status"] as object;
    const line = async () => {
      const { out } = await flipop.run("explain", "pool/web", "-n", "ingress");
      return out.split("\n").find((text) => /^ {2}(no node has )?label /.test(text));
    };
    kubernetes.change(ref, (object) => ({ ...object, status: { ...before, holderLabel } }), "status");
    expect(await line()).to.equal(`  no node has label ${holderLabel}`);
    kubernetes.change({ apiVersion: "v1", kind: "Node", name: "node-1" }, (object) => {
      const metadata = object["metadata"] as { readonly labels: object };
      return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [holderLabel]: "true" } } };
    });
    expect(await line()).to.equal(`  label ${holderLabel} is on node-1`);
    const untilAssignedTaint = "flipop.digitalocean.com/until-assigned-fip.ingress.web";
    kubernetes.change(ref, (object) => ({ ...object, status: { ...before, untilAssignedTaint } }), "status");
    const { out } = await flipop.run("explain", "pool/web", "-n", "ingress");
    expect(out).to.include(`\n  no node has taint ${untilAssignedTaint}\n`);
    kubernetes.change(ref, (object) => ({ ...object, status: before }), "status");
    expect(await line()).to.equal(undefined);
  });

  it("shows which addresses are disabled, why, and that one that is still on a node takes its place", async () => {
    const state = "disabled";
    const left = { state, providerID: "digitalocean://3", nodeName: "node-3" };
    pool(
      "fewer",
      { ips: ["203.0.113.8", "203.0.113.9"], desiredIPs: 1 },
      { "203.0.113.8": { state }, "203.0.113.9": left },
    );
    const own = await flipop.run("explain", "pool/fewer", "-n", "ingress");
    const other = await flipop.run("explain", "pool/web", "-n", "ingress");
    kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "fewer" });
    const why = "desiredIPs is 1, and other addresses come first: raise it to use this one";
    expect(own.out).to.include(`  disabled 203.0.113.9: ${why}; it is still on node-3\n`);
    expect(own.out).to.include(`  disabled 203.0.113.8: ${why}\n`);
    for (const { out } of [own, other]) {
      expect(cells(out).get("node-3")?.slice(1)).to.deep.equal([
        ...["occupied", "203.0.113.9"],
        "Occupied: it already holds 203.0.113.9 of FloatingIPPool ingress/fewer, which no longer asks for it; the limit is 1",
      ]);
    }
    expect(other.out).to.match(/Occupied +Unassign the disabled address at the provider/);
  });

  it("advises to wait for a resource that is being deleted, instead of changing it", async () => {
    pool("leaving", { ips: ["203.0.113.77"] }, { "203.0.113.77": { state: "disabled", nodeName: "node-3" } });
    const leaving = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", name: "leaving", namespace: "ingress" };
    const finalizers = (list: readonly string[]) =>
      kubernetes.change(leaving, (object) => ({
        ...object,
        metadata: { ...(object["metadata"] as object), finalizers: list },
      }));
    finalizers(["example.com/wait"]);
    kubernetes.delete(leaving);
    const { out } = await flipop.run("explain", "pool/web", "-n", "ingress");
    finalizers([]);
    expect(out).to.include("203.0.113.77 of FloatingIPPool ingress/leaving, which is being deleted");
    expect(out).to.include("Wait until the resource is gone").and.not.include("ask for it again");
  });

  it("shows that the pool serves an address that it created, although a person removed it from ips", async () => {
    const active = { state: "active" };
    const created = { inSpec: true, createdTime: "2026-01-31T12:00:00Z" };
    const createdIPs = ["203.0.113.8", "203.0.113.9"].map((ip) => ({ ip, ...created }));
    const spec = { ips: ["203.0.113.9"], desiredIPs: 2 };
    pool("edited", spec, { "203.0.113.8": active, "203.0.113.9": active }, createdIPs);
    const { out } = await flipop.run("explain", "pool/edited", "-n", "ingress");
    kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "edited" });
    expect(out.match(/^ {2}serves .*$/gm)).to.deep.equal([
      "  serves 203.0.113.8: ips does not list it, but this pool created it: to give it up, also lower desiredIPs (2)",
    ]);
  });

  it("shows every check of one node with its value", async () => {
    const { out } = await flipop.run("explain", "pool/web", "node-5", "-n", "ingress");
    expect(out.split("\n")[0]).to.equal("FloatingIPPool ingress/web, node node-5: it is no candidate");
    expect(out).to.match(/ {2}labels +ok +pool=work\n/);
    expect(out).to.match(/ {2}taints +NO +it has taint dedicated=db:NoSchedule, not tolerated\n/);
    expect(out).to.match(/ {2}ready +ok +Ready is True\n/);
    expect(out).to.match(/ {2}workload +ok +serving\n/);
    expect(out).to.match(/ {2}room +ok +holds no address\n/);
  });

  it("prints the same facts as JSON", async () => {
    const { out } = await flipop.run("explain", "pool/web", "node-2", "-n", "ingress", "-o", "json");
    const { nodes, tally } = JSON.parse(out);
    expect(nodes).to.have.length(1);
    expect(nodes[0]).to.deep.include({ node: "node-2", result: "occupied", meant: true });
    expect(tally).to.include({ nodes: 9, candidates: 4 });
  });

  it("explains a record set by the address that it publishes of a node", async () => {
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
      metadata: { name: "nodes", namespace: "default" },
      spec: {
        dnsRecordSet: { zone: "example.com", recordName: "n" },
        match: { nodeLabel: "pool=work" },
        ipFamilies: ["IPv6"],
      },
    });
    const { out } = await flipop.run("explain", "recordset/nodes");
    expect(cells(out).get("node-1")?.[3]).to.equal("NoAddress: it has no IPv6 address in ExternalIP");
  });

  it("explains a RoutedIP by the endpoints of its Service, and says why no node can serve it", async () => {
    const metadata = { name: "game", namespace: "games" };
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "games" } });
    kubernetes.create({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": "game" } },
      endpoints: [{ addresses: ["10.0.0.1"], nodeName: "node-3", conditions: { ready: true } }],
    });
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata },
      spec: { className: "fast", serviceRef: { serviceName: "game" } },
    });
    const { out, err } = await flipop.run("explain", "routedip/game", "-n", "games");
    expect(err).to.equal("");
    expect(out).to.include("no node can serve it: ").and.to.include("fast");
    expect(out).to.match(/no node can serve it: .*Service.*games\/game/);
    expect(cells(out).get("node-3")?.[1]).to.equal("candidate");
    expect(cells(out).has("node-7")).to.equal(false);
  });

  const mistakes: readonly (readonly [string[], string])[] = [
    [
      ["pool/web"],
      'there is no FloatingIPPool "web" in namespace default; there is one in namespace ingress: add -n ingress',
    ],
    [["pool/secon", "-n", "ingress"], 'there is no FloatingIPPool "secon" in namespace ingress: did you mean second?'],
    [["web"], '"web" names no resource: write it as pool/NAME, recordset/NAME, routedip/NAME; -n names the namespace'],
    [
      ["ripissuer/main"],
      '"ripissuer/main" is a RoutedIPIssuer, and this command takes pool/NAME, recordset/NAME, routedip/NAME: flipop status shows the conditions of all kinds',
    ],
    [["pool/web", "node-33", "-n", "ingress"], 'there is no node "node-33": did you mean node-3?'],
  ];
  for (const [args, message] of mistakes) {
    it(`refuses ${args.join(" ")} with the remedy`, async () => {
      const { code, out, err } = await flipop.run("explain", ...args);
      expect({ code, out, err }).to.deep.equal({ code: 1, out: "", err: `flipop: ${message}\n` });
    });
  }

  it("knows the capabilities of every provider with addresses", () => {
    for (const { name, services } of allProviders()) {
      expect(addressCapabilities(name) !== undefined, name).to.equal(services.includes("addresses"));
    }
  });
});
