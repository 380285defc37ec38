import { allProviders, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { addressCapabilities } from "../../../src/providers/address-capabilities.js";
import { cells, explainedCluster } from "./explained-cluster.js";

describe("flipop explain", () => {
  const shared = explainedCluster();

  it("says of each node what keeps it back, and what would make it a candidate", async () => {
    const { code, out, err } = await shared.flipop.run("explain", "pool/web", "-n", "ingress");
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    const rows = cells(out);
    expect(rows.get("node-1")?.slice(1)).to.deep.equal(["holds", "203.0.113.1", "(ingress/web-node-1 is ready)"]);
    expect(rows.get("node-2")?.slice(1)).to.deep.equal([
      ...["occupied", "203.0.113.2"],
      "Occupied: it already holds 203.0.113.2 of FloatingIPPool ingress/second; the limit is 1",
    ]);
    expect(rows.get("node-3")?.slice(1), "an IPv6 address takes no room").to.deep.equal([
      ...["candidate", "-", "(ingress/web-node-3 is ready)"],
    ]);
    expect(rows.get("node-4")?.[3]).to.match(/^Cordoned: it is cordoned/);
    expect(rows.get("node-5")?.[3]).to.equal("Tainted: it has taint dedicated=db:NoSchedule, not tolerated");
    expect(rows.get("node-6")?.[3]).to.equal("NodeNotReady: Ready is Unknown (Tested)");
    expect(rows.get("node-7")?.[3]).to.equal("PodNotReady: pod ingress/web-node-7 is not ready");
    expect(rows.get("far")?.[3]).to.equal("WrongRegion: the node is in region fra1, the addresses are in nyc3");
    expect(rows.has("db-1")).to.equal(false);
    expect(out).to.include("1 more node does not match: --all shows it\n");
    expect(out).to.include("  asks for nodes with pool=work that run a ready pod of namespace ingress with app=web\n");
    expect(out).to.include("  opens no firewall (only RoutedIPs do): those of the account must let clients through");
    expect(out).to.match(/Cordoned +Uncordon the node, or, where the resource has match, tolerate/);
  });

  it("names the namespaces whose pods count, where match names none", async () => {
    const pod = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "stray" };
    shared.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "stray", namespace: "default", labels: { app: "web" } },
      spec: { nodeName: "db-1", containers: [{ name: "web", image: "web" }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
    shared.cluster.pool("any", { desiredIPs: 1, match: { podLabel: "app=web" } }, {});
    const { out } = await shared.flipop.run("explain", "pool/any", "-n", "ingress");
    shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "any" });
    shared.kubernetes.delete(pod);
    expect(out).to.include(
      "; pods of namespaces default, ingress count: podNamespace of spec.match limits that to one",
    );
    expect(cells(out).get("db-1")?.at(-1)).to.equal("(default/stray is ready)");
  });

  it("shows a node that has the label and lacks only a pod", async () => {
    shared.cluster.node("bare", { labels: { pool: "work" } });
    const { out } = await shared.flipop.run("explain", "pool/web", "-n", "ingress");
    shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "bare" });
    expect(cells(out).get("bare")?.[3]).to.equal("NoPod: it runs no pod of namespace ingress with app=web");
    expect(out).to.match(
      /\n {2}NoPod +Let the workload run a pod on the node: more replicas, spread over the nodes \(.*\.\n/,
    );
    expect(out).to.include("1 more node does not match");
  });

  it("shows first, of nodes that all lack what is asked for, those that lack the least", async () => {
    for (let index = 1; index <= 12; index += 1) shared.cluster.node(`a-${index}`, { labels: { pool: "other" } });
    const match = { nodeLabel: "pool=work", podNamespace: "ingres", podLabel: "app=web" };
    shared.cluster.pool("typo", { desiredIPs: 1, match }, {});
    const { out } = await shared.flipop.run("explain", "pool/typo", "-n", "ingress");
    shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "typo" });
    for (let index = 1; index <= 12; index += 1)
      shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: `a-${index}` });
    expect(cells(out).get("node-3")?.[3]).to.equal("NoPod: it runs no pod of namespace ingres with app=web");
    expect(out).to.include("more nodes do not match");
  });

  it("shows text of others in the line that it belongs to, and no member that a label only seems to have", async () => {
    shared.cluster.node("node-8", { ready: "Unknown\nforged   holds   203.0.113.9\n" });
    const ref = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "web" };
    const spec = shared.kubernetes.get(ref)?.["spec"] as { readonly match: object };
    const match = { ...spec.match, nodeLabel: "pool=work,\n!constructor" };
    shared.kubernetes.change(ref, (object) => ({ ...object, spec: { ...spec, match } }));
    const { out } = await shared.flipop.run("explain", "pool/web", "-n", "ingress", "--all");
    const { out: node } = await shared.flipop.run("explain", "pool/web", "node-8", "-n", "ingress");
    shared.kubernetes.change(ref, (object) => ({ ...object, spec }));
    shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "node-8" });
    const [rows, checks] = [out, node].map((text) => text.split("\n").filter((line) => line.includes("forged")));
    expect(rows).to.have.length(1);
    expect(rows?.[0]).to.match(/^node-8 +no .*Unknown forged +holds/);
    expect(checks).to.have.length(1);
    expect(out).to.include("  asks for nodes with pool=work, !constructor");
    expect(node).to.match(/^ +labels +ok +pool=work,constructor=$/m);
  });

  it("shows also the nodes that are not meant under --all, and each check in a column under -o wide, or in a line below", async () => {
    const { out } = await shared.flipop.run("explain", "fip/web", "-n", "ingress", "--all", "-o", "wide");
    expect(
      out
        .split("\n")
        .find((line) => line.startsWith("NODE"))
        ?.split(/ {2,}/),
    ).to.deep.equal([
      ...["NODE", "RESULT", "HOLDS", "LABELS", "PROVIDERID", "MACHINE ID", "CORDON", "TAINTS", "READY"],
      ...["WORKLOAD", "WORKLOAD READY", "REGION", "ROOM"],
    ]);
    const common = out.split("\n").find((line) => line.startsWith("all "));
    expect(common).to.match(/^all \d+: deletion: not being deleted; cloud: .*; health: .*; probes: .*; assignment: /);
    const db = cells(out).get("db-1") ?? [];
    expect(db[3]).to.equal('NO: its label pool is "db", nodeLabel asks for pool=work');
    expect(db[4]).to.equal("digitalocean://9");
  });

  it("claims no success of a check of pods where match asks for none", async () => {
    shared.cluster.pool("podless", { desiredIPs: 1, match: { nodeLabel: "pool=work" } }, {});
    const { out } = await shared.flipop.run("explain", "pool/podless", "node-3", "-n", "ingress");
    shared.kubernetes.delete({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool" },
      ...{ namespace: "ingress", name: "podless" },
    });
    expect(out)
      .to.match(/\n {2}workload {2,}not checked: match asks for no pod\n/)
      .and.match(/\n {2}workload ready {2,}-\n/);
  });

  it("shows the last error of a node whose probes fail", async () => {
    const error = "TCP 10.0.0.1:80: connection refused; the kubelet no longer renews its Lease";
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool" },
      metadata: { name: "probed", namespace: "ingress" },
      spec: { provider: "digitalocean", ips: ["203.0.113.77"], healthCheck: { type: "TCP", port: 80 } },
      status: { failedProbes: [{ nodeName: "node-1", error }] },
    });
    const { out } = await shared.flipop.run("explain", "fip/probed", "node-1", "-n", "ingress");
    const all = await shared.flipop.run("explain", "fip/probed", "-n", "ingress");
    shared.kubernetes.delete({
      apiVersion: GROUP_VERSION,
      kind: "FloatingIPPool",
      namespace: "ingress",
      name: "probed",
    });
    expect(out)
      .to.include(error)
      .and.to.match(/ {2}probes +NO +TCP/);
    expect(all.out).to.match(/ nodes match; .*1 ProbeFailed \(node-1: TCP/);
    expect(cells(all.out).get("node-1")?.[1]).to.equal("no");
  });

  it("shows which nodes the health check does not probe", async () => {
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet" },
      metadata: { name: "unprobed", namespace: "default" },
      spec: {
        dnsRecordSet: { zone: "example.com", recordName: "n" },
        match: { nodeLabel: "pool=db" },
        healthCheck: { type: "TCP", port: 80, address: "InternalIP" },
      },
    });
    const { out } = await shared.flipop.run("explain", "recordset/unprobed");
    const one = await shared.flipop.run("explain", "recordset/unprobed", "db-1");
    shared.kubernetes.delete({
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
    const before = shared.kubernetes.get(ref)?.["status"] as object;
    const line = async () => {
      const { out } = await shared.flipop.run("explain", "pool/web", "-n", "ingress");
      return out.split("\n").find((text) => /^ {2}(no node has )?label /.test(text));
    };
    shared.kubernetes.change(ref, (object) => ({ ...object, status: { ...before, holderLabel } }), "status");
    expect(await line()).to.equal(`  no node has label ${holderLabel}`);
    shared.kubernetes.change({ apiVersion: "v1", kind: "Node", name: "node-1" }, (object) => {
      const metadata = object["metadata"] as { readonly labels: object };
      return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [holderLabel]: "true" } } };
    });
    expect(await line()).to.equal(`  label ${holderLabel} is on node-1`);
    const untilAssignedTaint = "flipop.digitalocean.com/until-assigned-fip.ingress.web";
    shared.kubernetes.change(ref, (object) => ({ ...object, status: { ...before, untilAssignedTaint } }), "status");
    const { out } = await shared.flipop.run("explain", "pool/web", "-n", "ingress");
    expect(out).to.include(`\n  no node has taint ${untilAssignedTaint}\n`);
    shared.cluster.node("node-9", { taints: [{ key: untilAssignedTaint, effect: "NoSchedule" }] });
    const waiting = await shared.flipop.run("explain", "pool/web", "-n", "ingress");
    shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "node-9" });
    expect(waiting.out).to.include(`\n  taint ${untilAssignedTaint} is on node-9\n`);
    expect(cells(waiting.out).get("node-9")?.[3], "shown without --all").to.match(/^NoPod/);
    shared.kubernetes.change(ref, (object) => ({ ...object, status: before }), "status");
    expect(await line()).to.equal(undefined);
  });

  it("shows every check of one node with its value", async () => {
    const { out } = await shared.flipop.run("explain", "pool/web", "node-5", "-n", "ingress");
    expect(out.split("\n")[0]).to.equal("FloatingIPPool ingress/web, node node-5: it is no candidate");
    expect(out).to.match(/ {2}labels +ok +pool=work\n/);
    expect(out).to.match(/ {2}taints +NO +it has taint dedicated=db:NoSchedule, not tolerated\n/);
    expect(out).to.match(/ {2}ready +ok +Ready is True\n/);
    expect(out).to.match(/ {2}workload +ok +ingress\/web-node-5 is ready\n/);
    expect(out).to.match(/ {2}room +ok +holds no address\n/);
  });

  it("prints the same facts as JSON", async () => {
    const { out } = await shared.flipop.run("explain", "pool/web", "node-2", "-n", "ingress", "-o", "json");
    const { nodes, tally } = JSON.parse(out);
    expect(nodes).to.have.length(1);
    expect(nodes[0]).to.deep.include({ node: "node-2", result: "occupied", meant: true });
    expect(tally).to.include({ nodes: 9, candidates: 4 });
  });

  const mistakes: readonly (readonly [string[], string])[] = [
    [
      ["pool/web"],
      'there is no FloatingIPPool "web" in namespace default; there is one in namespace ingress: add -n ingress',
    ],
    [["pool/secon", "-n", "ingress"], 'there is no FloatingIPPool "secon" in namespace ingress: did you mean second?'],
    [
      ["web"],
      '"web" names no resource: write it as pool/NAME, recordset/NAME, routedip/NAME, issuer/NAME, class/NAME, node/NAME; -n names the namespace',
    ],
    [["ripissuer/main"], 'there is no RoutedIPIssuer "main" in namespace default: flipop status lists all'],
    [["class/main"], 'there is no ClusterRoutedIPClass "main": flipop status lists all'],
    [["class/main", "node-1"], "class/main needs no nodes: omit node-1"],
    [["pool/web", "node-33", "-n", "ingress"], 'there is no node "node-33": did you mean node-3?'],
  ];
  for (const [args, message] of mistakes) {
    it(`refuses ${args.join(" ")} with the remedy`, async () => {
      const { code, out, err } = await shared.flipop.run("explain", ...args);
      const isUsage = /^"web" names|needs no nodes/.test(message);
      expect({ code, out, err }).to.deep.equal({ code: isUsage ? 2 : 1, out: "", err: `flipop: ${message}\n` });
    });
  }

  it("knows the capabilities of every provider with addresses", () => {
    for (const { name, services } of allProviders()) {
      expect(addressCapabilities(name) !== undefined, name).to.equal(services.includes("addresses"));
    }
  });
});
