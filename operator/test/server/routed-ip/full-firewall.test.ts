import { ReclaimPolicy } from "cdk8s-flipop";
import type { RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakeNode } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { issuer, routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

/** Machines that one firewall of the provider takes. */
const PER_FIREWALL = 10;
const NAMES = Array.from({ length: PER_FIREWALL + 1 }, (_, index) => `web${index}`);

describe("a full firewall on a real API server", function () {
  this.timeout(300_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  const nodes: FakeNode[] = [];

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    rig = await RoutedRig.create(plane);
    await rig.addService();
    for (const _ of NAMES) {
      const node = await rig.addNode();
      nodes.push(node);
      await rig.addPod(node);
    }
    await rig.start();
    await rig.add(issuer(rig.names.team, "do", { firewallName: "ingress", reclaimPolicy: ReclaimPolicy.DELETE }));
    for (const name of NAMES) await rig.add(routedIP(rig.names.team, name, { issuer: "do" }));
    for (const name of NAMES) await rig.ready(name);
  });

  after(() => rig?.close());

  const droplets = (firewall: string) => rig.cloud.state.firewalls.byName(firewall)?.config.dropletIds ?? [];

  const additional = async () => {
    const { body } = await rig.client.get<{ status?: RoutedIPIssuerStatus }>(rig.pathOf("RoutedIPIssuer", "do"));
    return (body.status?.additionalFirewalls ?? []).map(({ name }) => name);
  };

  it("gets an additional one with the same ports, which the issuer has on record", async () => {
    expect([droplets("ingress").length, droplets("ingress-2").length]).to.deep.equal([PER_FIREWALL, 1]);
    expect(rig.openPorts("ingress-2")).to.deep.equal(rig.openPorts("ingress"));
    expect(await additional()).to.deep.equal(["ingress-2"]);
  });

  it("lets an address fail over to a new node after a restart, while all ports stay as they are", async () => {
    await rig.stop();
    await rig.start();
    const fresh = await rig.addNode();
    await rig.addPod(fresh);
    const { assignedNode } = await rig.status("web0");
    const failed = nodes.find(({ name }) => name === assignedNode);
    if (failed === undefined) throw new Error(`no node ${assignedNode}`);
    await failed.setReady(false);
    await rig.until("the address has moved", async () => (await rig.status("web0")).assignedNode === fresh.name);
    for (const name of NAMES) await rig.ready(name);
    const id = await rig.dropletOf(fresh);
    expect([...droplets("ingress"), ...droplets("ingress-2")]).to.include(id);
    expect(await additional()).to.deep.equal(["ingress-2"]);
  });

  it("loses the additional one with the issuer", async () => {
    await rig.delete("RoutedIPIssuer", "do");
    for (const name of NAMES) await rig.delete("RoutedIP", name);
    await rig.isGone("RoutedIPIssuer", "do");
    expect([rig.openPorts("ingress"), rig.openPorts("ingress-2")]).to.deep.equal([undefined, undefined]);
  });
});
