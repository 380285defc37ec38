import { ReclaimPolicy } from "cdk8s-flipop";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakeNode, type FakePod } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { EndpointHistory } from "./endpoint-history.js";
import { issuer, routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

const GRACE_SECONDS = 30;

describe("a rolling update and drains with real EndpointSlices", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let history: EndpointHistory;
  const nodes: FakeNode[] = [];
  const pods = new Map<string, FakePod>();

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    rig = await RoutedRig.create(plane);
    history = new EndpointHistory(rig.client, rig.names.team);
    for (let index = 0; index < 3; index++) nodes.push(await rig.addNode());
    await rig.addService();
    for (const node of nodes) pods.set(node.name, await rig.addPod(node));
    await rig.start();
    await rig.add(issuer(rig.names.team, "do", { firewallName: "ingress", reclaimPolicy: ReclaimPolicy.DELETE }));
    await rig.add(routedIP(rig.names.team, "web", { issuer: "do" }));
    await rig.ready("web");
  });

  after(async () => {
    await history?.stop();
    await rig?.close();
  });

  const holder = async () => (await rig.status("web")).assignedNode ?? "";

  /** The node has a pod that gets ready again before the next one is replaced. */
  const replacePod = async (node: FakeNode, meanwhile: () => Promise<void>) => {
    const old = pods.get(node.name);
    await old?.delete(GRACE_SECONDS);
    await meanwhile();
    // It has answered until here, as its grace period allows.
    await old?.delete(0);
    const made = await rig.addPod(node);
    pods.set(node.name, made);
    await history.until(`${node.name} is ready`, (now) => now.get(node.name) === "ready");
  };

  /** From the journal of the cloud: each assignment went to a node that was ready, and behind an open firewall. */
  const checkMoves = async (since: number) => {
    const moves = rig.cloud.journal.calls({ on: "POST /v2/reserved_ips/{reserved_ip}/actions", after: since });
    const names = new Map<number, string>();
    for (const node of nodes) names.set(await rig.dropletOf(node), node.name);
    for (const { at, body } of moves) {
      const target = names.get((body as { readonly droplet_id: number }).droplet_id) ?? "";
      expect(history.at(target, at), `${target} when it got the address`).to.equal("ready");
    }
    return moves.length;
  };

  it("an update of the ingress, node by node, never leaves the address where nothing answers", async () => {
    const { mark } = rig.cloud.journal;
    for (const node of nodes) {
      await replacePod(node, async () => {
        await history.until(`${node.name} ends`, (now) => now.get(node.name) === "terminating");
        await rig.until("the address is elsewhere, or was", async () => (await holder()) !== node.name);
      });
      await rig.ready("web");
    }
    expect(await checkMoves(mark)).to.be.at.least(1);
    await rig.until("one taint", async () => (await rig.tainted()).join() === (await holder()));
  });

  it("drains of every node in turn move it each time, and the firewall with it", async () => {
    for (let iteration = 0; iteration < nodes.length; iteration++) {
      const { mark } = rig.cloud.journal;
      const name = await holder();
      const node = nodes.find((one) => one.name === name) as FakeNode;
      await node.cordon();
      await replacePod(node, () => rig.until("it has moved", async () => (await holder()) !== name));
      await node.uncordon();
      await rig.ready("web");
      expect(await checkMoves(mark)).to.be.at.least(1);
      const now = await holder();
      const behind = await rig.dropletOf(nodes.find((one) => one.name === now) as FakeNode);
      expect(rig.cloud.state.firewalls.byName("ingress")?.config.dropletIds).to.include(behind);
      expect(rig.openPorts("ingress")).to.deep.equal(["443"]);
    }
  });

  it("at no moment did the address point at a node without a serving endpoint", async () => {
    const { routedIP: ip = "" } = await rig.status("web");
    const path = `/v2/reserved_ips/${ip}/actions`;
    const moves = rig.cloud.journal.calls({ mutating: true }).filter((entry) => entry.path === path);
    const names = new Map<number, string>();
    for (const node of nodes) names.set(await rig.dropletOf(node), node.name);
    const stays = moves.map(({ at, body }, index) => {
      const node = names.get((body as { readonly droplet_id: number }).droplet_id) ?? "";
      return { node, from: at, to: moves[index + 1]?.at ?? Date.now() };
    });
    expect(stays.length).to.be.at.least(3);
    const gaps = stays.flatMap(({ node, from, to }) => history.silences(node, from, to));
    expect(gaps).to.deep.equal([]);
  });
});
