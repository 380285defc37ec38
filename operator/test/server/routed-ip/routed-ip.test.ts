import { ReclaimPolicy } from "cdk8s-flipop";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakeNode, type FakePod } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { issuer, jobClass, routedIP, SECRET } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

describe("RoutedIP on a real control plane, installed as the library says", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let holder: FakeNode;
  let spare: FakeNode;
  let pod: FakePod;

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    rig = await RoutedRig.create(plane);
    [holder, spare] = [await rig.addNode(), await rig.addNode()];
    await rig.addService();
    pod = await rig.addPod(holder);
    await rig.start();
  });

  after(() => rig?.close());

  it("follows real EndpointSlices, with the token of the issuer's Secret", async () => {
    const { team } = rig.names;
    await rig.add(issuer(team, "do", { firewallName: "ingress", reclaimPolicy: ReclaimPolicy.DELETE }));
    await rig.add(routedIP(team, "built-in", { issuer: "do" }));
    await rig.ready("built-in");
    const { assignedNode, created } = await rig.status("built-in");
    expect([assignedNode, created]).to.deep.equal([holder.name, true]);
    expect(await rig.tainted()).to.deep.equal([holder.name]);
    expect(rig.openPorts("ingress")).to.deep.equal(["443"]);
  });

  it("moves in a drain while the former holder still answers", async () => {
    await rig.addPod(spare);
    await holder.cordon();
    await pod.delete(30);
    await rig.until("on the spare node", async () => (await rig.status("built-in")).assignedNode === spare.name);
    await rig.ready("built-in");
    await rig.until("taints", async () => (await rig.tainted()).join() === spare.name);
    // No kubelet confirms the end: the pod has answered all the time.
    await pod.delete(0);
    await holder.uncordon();
  });

  it("leaves nothing behind when Secret, issuer and RoutedIP go at once", async () => {
    await rig.client.must.delete(`/api/v1/namespaces/${rig.names.team}/secrets/${SECRET}`);
    await rig.delete("RoutedIPIssuer", "do");
    await rig.delete("RoutedIP", "built-in");
    await rig.isGone("RoutedIPIssuer", "do");
    expect(rig.cloud.state.addresses()).to.be.empty;
    expect(rig.openPorts("ingress")).to.equal(undefined);
    expect(await rig.tainted()).to.be.empty;
  });

  it("runs the sample Jobs: they create an address, assign it, then open the firewall", async () => {
    await rig.add(jobClass("jobs"));
    await rig.add(routedIP(rig.names.team, "by-jobs", { clusterClass: "jobs" }));
    await rig.ready("by-jobs");
    const { routedIP: ip = "", assignedNode, created } = await rig.status("by-jobs");
    expect([assignedNode, created]).to.deep.equal([spare.name, true]);
    expect(rig.cloud.state.address(ip).dropletId).to.equal(await rig.dropletOf(spare));
    expect(rig.openPorts("jobs")).to.deep.equal(["443"]);
    await rig.until("Jobs are cleaned up", async () => (await rig.jobs()).length === 0);
  });

  it("takes the rules of a deleted RoutedIP out of the firewall, and lets its class go", async () => {
    const { routedIP: ip = "" } = await rig.status("by-jobs");
    await rig.delete("ClusterRoutedIPClass", "jobs");
    await rig.delete("RoutedIP", "by-jobs");
    await rig.isGone("ClusterRoutedIPClass", "jobs");
    expect(rig.openPorts("jobs")).to.be.empty;
    expect(await rig.tainted()).to.be.empty;
    await rig.reports("by-jobs", "CleanupAbandoned", `address ${ip}, which a class with Jobs never releases`);
  });

  it("was refused nothing that it asked for", () => {
    expect(rig.log.filter((line) => /forbidden/i.test(line))).to.be.empty;
  });
});
