import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakeNode, type FakePod, Kubelet } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { RoutedRig } from "./rig.js";

const USER = "flipop-routed-ip";
const TAINT = "flipop.digitalocean.com/routed-ip";

interface NodeObject {
  readonly spec: { readonly providerID?: string; readonly taints?: readonly { readonly key: string }[] };
}

describe("RoutedIP on a real control plane, under the operator's own role", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let kubelet: Kubelet;
  let nodes: readonly FakeNode[];
  let pods: readonly FakePod[];

  before(async function () {
    plane = await controlPlaneOrSkip(this, { controllerManager: true, identities: [{ name: USER }] });
    rig = await RoutedRig.create(plane, USER);
    kubelet = await Kubelet.start(plane, { namespace: rig.names.jobs, retryMs: 200 });
    nodes = [await rig.addNode(), await rig.addNode()];
    await rig.addService();
    pods = [await rig.addPod(nodes[0] as FakeNode)];
    await rig.addSecret(rig.names.team);
    await rig.addSecret(rig.names.jobs);
    await rig.start();
  });

  after(async () => {
    await kubelet?.stop();
    await rig?.close();
  });

  const machineOf = async (node: FakeNode | undefined) => {
    const { body } = await rig.client.get<NodeObject>(`/api/v1/nodes/${node?.name}`);
    return body.spec.providerID;
  };

  const taints = async (node: FakeNode | undefined) => {
    const { body } = await rig.client.get<NodeObject>(`/api/v1/nodes/${node?.name}`);
    return (body.spec.taints ?? []).map(({ key }) => key).filter((key) => key === TAINT);
  };

  it("follows real EndpointSlices, with the token of the issuer's Secret", async () => {
    const spec = {
      provider: "digitalocean",
      region: "nyc3",
      credentialsSecretRef: { name: "cloud" },
      routedIPFirewallName: "ingress",
      routedIPReclaimPolicy: "Delete",
    };
    await rig.add("routedipissuers", "RoutedIPIssuer", "do", spec);
    await rig.add("routedips", "RoutedIP", "built-in", {
      issuerRef: { name: "do" },
      serviceRef: { serviceName: "web" },
    });
    await rig.ready("built-in");
    const { assignedNode, created } = await rig.status("built-in");
    expect([assignedNode, created]).to.deep.equal([nodes[0]?.name, true]);
    expect(await taints(nodes[0])).to.deep.equal([TAINT]);
    expect(rig.cloud.state.firewalls.byName("ingress")?.config.inbound.map(({ ports }) => ports)).to.deep.equal([
      "443",
    ]);
  });

  it("moves in a drain while the former holder still answers", async () => {
    const [holder, spare] = nodes;
    pods = [...pods, await rig.addPod(spare as FakeNode)];
    await rig.client.must.patch(`/api/v1/nodes/${holder?.name}`, { spec: { unschedulable: true } });
    await pods[0]?.delete(30);
    await rig.until("on the spare node", async () => (await rig.status("built-in")).assignedNode === spare?.name);
    await rig.ready("built-in");
    await rig.until("taints", async () => (await taints(holder)).length === 0 && (await taints(spare)).length === 1);
    // No kubelet confirms the end: the pod has answered all the time.
    await pods[0]?.delete(0);
    await rig.client.must.patch(`/api/v1/nodes/${holder?.name}`, { spec: { unschedulable: null } });
  });

  it("leaves nothing behind when Secret, Service, issuer and RoutedIP go at once", async () => {
    const { team } = rig.names;
    await rig.client.delete(`/api/v1/namespaces/${team}/secrets/cloud`);
    await rig.client.delete(rig.pathOf("routedipissuers", "do"));
    await rig.client.delete(rig.pathOf("routedips", "built-in"));
    await rig.until("all gone", async () => {
      const left = await rig.client.get<{ items: readonly unknown[] }>(rig.pathOf("routedipissuers"));
      return left.body.items.length === 0;
    });
    expect(rig.cloud.state.addresses()).to.be.empty;
    expect(rig.cloud.state.firewalls.byName("ingress")).to.equal(undefined);
    expect(await taints(nodes[1])).to.be.empty;
  });

  it("runs the Jobs of the example: creates an address, assigns it, then opens the firewall", async () => {
    await rig.addJobClass("jobs");
    await rig.add("routedips", "RoutedIP", "by-jobs", { className: "jobs", serviceRef: { serviceName: "web" } });
    await rig.ready("by-jobs");
    const { routedIP = "", assignedNode, created } = await rig.status("by-jobs");
    expect([assignedNode, created]).to.deep.equal([nodes[1]?.name, true]);
    expect(`digitalocean://${rig.cloud.state.address(routedIP).dropletId}`).to.equal(await machineOf(nodes[1]));
    const firewall = rig.cloud.state.firewalls.byName("routed-ip-jobs");
    expect(firewall?.config.inbound.map(({ ports }) => ports)).to.deep.equal(["443"]);
    const jobs = await rig.client.get<{ items: readonly unknown[] }>(
      `/apis/batch/v1/namespaces/${rig.names.jobs}/jobs`,
    );
    expect(jobs.body.items, "Jobs are cleaned up").to.be.empty;
  });

  it("takes the rules of a deleted RoutedIP out of the firewall, and lets its class go", async () => {
    await rig.client.delete(rig.pathOf("clusterroutedipclasses", "jobs"));
    await rig.client.delete(rig.pathOf("routedips", "by-jobs"));
    await rig.until("class gone", async () => {
      const { body } = await rig.client.get<{ items: readonly unknown[] }>(rig.pathOf("clusterroutedipclasses"));
      return body.items.length === 0;
    });
    expect(rig.cloud.state.firewalls.byName("routed-ip-jobs")?.config.inbound).to.be.empty;
    expect(await taints(nodes[1])).to.be.empty;
  });

  it("was refused nothing that it asked for", () => {
    expect(rig.log.filter((line) => /forbidden/i.test(line))).to.be.empty;
  });
});
