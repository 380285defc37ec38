import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { busyText } from "../../../src/messages/nodes/busy-nodes.js";
import { cells, explainedCluster } from "./explained-cluster.js";

const UNFULFILLED = {
  type: "Fulfilled",
  status: "False",
  reason: "TooFewCandidates",
  lastTransitionTime: "2026-01-31T12:00:00Z",
};
const FIRST = { kind: "RoutedIP", namespace: "voice", name: "first" };

describe("flipop explain, for addresses that take room or stay,", () => {
  const shared = explainedCluster();

  it("shows which addresses are disabled, why, and that one that is still on a node takes its place", async () => {
    const state = "disabled";
    const left = { state, providerID: "digitalocean://3", nodeName: "node-3" };
    shared.cluster.pool(
      "fewer",
      { ips: ["203.0.113.8", "203.0.113.9"], desiredIPs: 1 },
      { "203.0.113.8": { state }, "203.0.113.9": left },
    );
    const own = await shared.flipop.run("explain", "pool/fewer", "-n", "ingress");
    const other = await shared.flipop.run("explain", "pool/web", "-n", "ingress");
    shared.kubernetes.delete({
      apiVersion: GROUP_VERSION,
      kind: "FloatingIPPool",
      namespace: "ingress",
      name: "fewer",
    });
    const why = "desiredIPs is 1, and other addresses come first: raise it to use this one";
    expect(own.out).to.include(
      `  disabled 203.0.113.9: ${why}; it is still on node-3, until another address of the pool needs that node\n`,
    );
    expect(own.out).to.include(`  disabled 203.0.113.8: ${why}\n`);
    expect(cells(own.out).get("node-3")?.slice(1, 3)).to.deep.equal(["candidate", "203.0.113.9 (disabled)"]);
    expect(cells(other.out).get("node-3")?.slice(1)).to.deep.equal([
      ...["occupied", "203.0.113.9 (disabled)"],
      "Occupied: it already holds 203.0.113.9 of FloatingIPPool ingress/fewer, which no longer asks for it; the limit is 1",
    ]);
    expect(other.out).to.match(
      /Occupied +Release the disabled address \(flipop explain of its resource shows how\), or unassign it at the provider/,
    );
  });

  it("says for which resource the operator keeps a node", async () => {
    const busy = busyText({ shown: [{ node: "node-3", first: { ...FIRST, uid: "u" } }], more: 0 });
    const message = `0 of 1 addresses are active: 1 node is needed; no node that matches is free: ${busy}`;
    const ref = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "waits" };
    shared.cluster.pool("waits", { ips: ["203.0.113.60"] }, { "203.0.113.60": { state: "unassigned" } });
    shared.kubernetes.change(
      ref,
      (object) => ({
        ...object,
        status: { ...(object["status"] as object), conditions: [{ ...UNFULFILLED, message }] },
      }),
      "status",
    );
    const { out } = await shared.flipop.run("explain", "pool/waits", "-n", "ingress");
    shared.kubernetes.delete(ref);
    expect(cells(out).get("node-3")?.slice(1)).to.deep.equal([
      ...["occupied", "-"],
      "Kept: the operator keeps it for RoutedIP voice/first, which comes first",
    ]);
  });

  it("says whether an address that a node holds is active", async () => {
    const holder = { providerID: "digitalocean://7", nodeName: "node-7" };
    shared.cluster.pool(
      "lost",
      { ips: ["203.0.113.70"] },
      { "203.0.113.70": { state: "no-match", since: "2026-01-31T12:00:00Z", ...holder } },
    );
    const all = await shared.flipop.run("explain", "pool/lost", "-n", "ingress");
    const one = await shared.flipop.run("explain", "pool/lost", "node-7", "-n", "ingress");
    const active = await shared.flipop.run("explain", "pool/web", "node-1", "-n", "ingress");
    shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "lost" });
    expect(cells(all.out).get("node-7")?.slice(1, 3)).to.deep.equal(["holds", "203.0.113.70 (no-match)"]);
    expect(cells(all.out).get("node-1")?.[2]).to.equal("203.0.113.1");
    expect(one.out).to.match(/ {2}room +ok +holds 203\.0\.113\.70 \(no-match since 2026-01-31T12:00:00Z\)\n/);
    expect(active.out).to.match(/ {2}room +ok +holds 203\.0\.113\.1 \(active\)\n/);
  });

  it("names the resource that waits for a disabled address, and how it gets the address", async () => {
    const [listed, created, kept] = ["203.0.113.80", "203.0.113.81", "203.0.113.82"];
    const ips = { [listed]: { state: "disabled" }, [created]: { state: "disabled" } };
    const createdIPs = [{ ip: created, createdTime: "2026-01-31T12:00:00Z" }];
    const spec = { ips: ["203.0.113.8", listed], desiredIPs: 1 };
    shared.cluster.pool("gateway", { ...spec, reclaimPolicy: "Delete" }, ips, createdIPs);
    shared.cluster.pool("keeper", { ips: ["203.0.113.8"], desiredIPs: 1 }, { [kept]: { state: "disabled" } }, [
      { ip: kept, createdTime: "2026-01-31T12:00:00Z" },
    ]);
    const routed = (name: string, routedIP: string) => ({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name, namespace: "ingress" } },
      spec: { className: "public", serviceRef: { serviceName: "web" }, routedIP },
    });
    const others = [routed("a", listed), routed("b", created), routed("c", kept)];
    for (const one of others) shared.kubernetes.create(one);
    const own = await shared.flipop.run("explain", "pool/gateway", "-n", "ingress");
    const retained = await shared.flipop.run("explain", "pool/keeper", "-n", "ingress");
    for (const { kind, metadata } of others) shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind, ...metadata });
    for (const name of ["gateway", "keeper"])
      shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name });
    const use = "to use this one; RoutedIP ingress";
    expect(own.out).to.include(`${use}/a waits for it: to give it up, remove it from ips\n`);
    expect(own.out).to.include(
      "; the operator releases it (reclaimPolicy is Delete), unless RoutedIP ingress/b may have it\n",
    );
    expect(retained.out).to.include(`${use}/c waits for it\n`);
  });

  it("shows the nodes whose machines lately refused an address", async () => {
    shared.cluster.pool("refused", { ips: ["203.0.113.68"] }, { "203.0.113.68": { state: "error" } });
    const refused = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", name: "refused", namespace: "ingress" };
    const status = (object: object) => ({ ...(object as { readonly status?: object }).status, nodeErrors: ["node-3"] });
    shared.kubernetes.change(refused, (object) => ({ ...object, status: status(object) }), "status");
    const { out } = await shared.flipop.run("explain", "pool/refused", "-n", "ingress");
    shared.kubernetes.delete(refused);
    expect(cells(out).get("node-3")).to.deep.equal([
      ...["node-3", "no", "-"],
      "Refused: the provider lately refused to assign an address to its machine",
    ]);
    expect(out).to.match(/Refused +The operator tries again by itself/);
  });

  it("says when the operator releases an address that it created", async () => {
    const less = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", name: "less", namespace: "ingress" };
    const retryAt = "2026-01-31T12:00:00Z";
    const ips = { "203.0.113.66": { state: "disabled", retryAt }, "203.0.113.67": { state: "disabled" } } as const;
    shared.cluster.pool("less", { desiredIPs: 1, reclaimPolicy: "Delete" }, ips);
    const createdIPs = [{ ip: "203.0.113.66", createdTime: retryAt }];
    const status = (object: object) => ({ ...(object as { readonly status?: object }).status, createdIPs });
    shared.kubernetes.change(less, (object) => ({ ...object, status: status(object) }), "status");
    const { out } = await shared.flipop.run("explain", "pool/less", "-n", "ingress");
    const dnsRecordSet = { zone: "example.com", recordName: "less" };
    shared.kubernetes.change(less, (object) => ({ ...object, spec: { ...(object["spec"] as object), dnsRecordSet } }));
    const { out: named } = await shared.flipop.run("explain", "pool/less", "-n", "ingress");
    shared.kubernetes.delete(less);
    expect(out).to.include(`to use this one; the operator releases it at ${retryAt} (reclaimPolicy is Delete)\n`);
    expect(named).to.include(
      `releases it at ${retryAt}, when no resolver returns it any more (reclaimPolicy is Delete)\n`,
    );
    expect(out).to.match(/disabled 203\.0\.113\.67: .*to use this one\n/);
  });

  it("advises to wait for a resource that is being deleted, instead of changing it", async () => {
    shared.cluster.pool(
      "leaving",
      { ips: ["203.0.113.77"] },
      { "203.0.113.77": { state: "disabled", nodeName: "node-3" } },
    );
    const leaving = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", name: "leaving", namespace: "ingress" };
    const finalizers = (list: readonly string[]) =>
      shared.kubernetes.change(leaving, (object) => ({
        ...object,
        metadata: { ...(object["metadata"] as object), finalizers: list },
      }));
    finalizers(["example.com/wait"]);
    shared.kubernetes.delete(leaving);
    const { out } = await shared.flipop.run("explain", "pool/web", "-n", "ingress");
    const own = await shared.flipop.run("explain", "pool/leaving", "-n", "ingress");
    finalizers([]);
    expect(cells(own.out).get("node-3")?.slice(1, 3)).to.deep.equal(["holds", "203.0.113.77 (disabled)"]);
    expect(out).to.include("203.0.113.77 of FloatingIPPool ingress/leaving, which is being deleted");
    expect(out).to.include("Wait until the resource is gone").and.not.include("ask for it again");
  });

  it("names the command that releases a created address that the pool no longer asks for", async () => {
    const [gone, listed] = ["203.0.113.83", "203.0.113.84"];
    const createdIPs = [gone, listed].map((ip) => ({ ip, createdTime: "2026-01-31T12:00:00Z" }));
    const ips = { [gone]: { state: "disabled", nodeName: "node-7" }, [listed]: { state: "disabled" } };
    shared.cluster.pool("surplus", { ips: ["203.0.113.8", listed], desiredIPs: 1 }, ips, createdIPs);
    const { out } = await shared.flipop.run("explain", "pool/surplus", "-n", "ingress");
    shared.kubernetes.delete({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool" },
      ...{ namespace: "ingress", name: "surplus" },
    });
    expect(out).to.include(
      `; it is still on node-7, until another address of the pool needs that node; if nothing needs it, flipop orphans --release ${gone} --unassign\n`,
    );
    expect(out).to.include(`; if nothing needs it, remove it from ips, then flipop orphans --release ${listed}\n`);
  });

  it("does not advise the release of a created address that the DNS name still holds", async () => {
    const [standIn, listed] = ["203.0.113.83", "203.0.113.84"];
    const createdIPs = [{ ip: standIn, createdTime: "2026-01-31T12:00:00Z" }];
    const ips = { [standIn]: { state: "disabled", nodeName: "node-7" }, [listed]: { state: "error" } };
    shared.cluster.pool("short", { ips: [listed], desiredIPs: 1 }, ips, createdIPs);
    const short = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "short" };
    const dns = { provider: "digitalocean", zone: "example.com", recordName: "www", types: ["A"], values: [standIn] };
    shared.kubernetes.change(
      short,
      (object) => ({ ...object, status: { ...(object["status"] as object), dns } }),
      "status",
    );
    const { out } = await shared.flipop.run("explain", "pool/short", "-n", "ingress");
    shared.kubernetes.delete(short);
    expect(out).to.include("; www.example.com still holds it\n");
    expect(out).to.not.include(`--release ${standIn}`);
  });

  it("shows that the pool serves an address that it created, although a person removed it from ips", async () => {
    const active = { state: "active" };
    const created = { inSpec: true, createdTime: "2026-01-31T12:00:00Z" };
    const createdIPs = ["203.0.113.8", "203.0.113.9"].map((ip) => ({ ip, ...created }));
    const spec = { ips: ["203.0.113.9"], desiredIPs: 2 };
    shared.cluster.pool("edited", spec, { "203.0.113.8": active, "203.0.113.9": active }, createdIPs);
    const { out } = await shared.flipop.run("explain", "pool/edited", "-n", "ingress");
    shared.kubernetes.delete({
      apiVersion: GROUP_VERSION,
      kind: "FloatingIPPool",
      namespace: "ingress",
      name: "edited",
    });
    expect(out.match(/^ {2}ips does not .*$/gm)).to.deep.equal([
      "  ips does not list 203.0.113.8, which the operator created: it serves, because desiredIPs is 2; to give it up, also set desiredIPs to 1: the pool then stops using it, and the account keeps it until somebody releases it (reclaimPolicy is Retain)",
    ]);
  });
});
