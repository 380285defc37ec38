import { ReclaimPolicy } from "cdk8s-flipop";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakeNode, type FakePod } from "flipop-testbed";
import { afterEach, before, beforeEach, describe, it } from "mocha";
import { seededRandom } from "../../support/seeded-random.js";
import { issuer, jobClass, routedIP, SECRET } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

/** `FLIPOP_SEED=123` repeats a run. */
const SEED = Number(process.env["FLIPOP_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const ORDERS = 2;

describe("what is deleted on a real control plane", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let nodes: readonly FakeNode[];
  let pods: FakePod[];

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
  });

  /** Two RoutedIPs by an issuer with one firewall, one by Jobs; each on a node of its own. */
  beforeEach(async () => {
    rig = await RoutedRig.create(plane, { everywhere: true });
    const { team } = rig.names;
    nodes = [await rig.addNode(), await rig.addNode(), await rig.addNode()];
    await rig.addService();
    pods = [];
    for (const node of nodes) pods.push(await rig.addPod(node));
    await rig.start();
    await rig.add(issuer(team, "do", { firewallName: "ingress", reclaimPolicy: ReclaimPolicy.DELETE }));
    await rig.add(jobClass(`rack-${team}`));
    await rig.add(routedIP(team, "a", { issuer: "do" }));
    await rig.add(routedIP(team, "b", { issuer: "do" }));
    for (const name of ["a", "b"]) await rig.ready(name);
    await rig.add(routedIP(team, "c", { clusterClass: `rack-${team}` }));
    await rig.ready("c");
    expect(await rig.tainted()).to.have.length(3);
    expect(rig.cloud.state.firewalls.byName("ingress")?.config.dropletIds).to.have.length(2);
  });

  afterEach(() => rig?.close());

  /** Only what a class with Jobs never releases is left. */
  const nothingIsLeft = async () => {
    await rig.until("no taint is left", async () => (await rig.tainted()).length === 0);
    await rig.until("the firewall of the issuer is gone", () => rig.openPorts("ingress") === undefined);
    const own = rig.cloud.state.firewalls.byName(`rack-${rig.names.team}`)?.config;
    expect([own?.inbound, own?.dropletIds]).to.deep.equal([[], []]);
    expect(rig.cloud.state.addresses(), "the address of the Jobs").to.have.length(1);
    expect(rig.log.filter((line) => line.startsWith("error")).join("\n")).to.equal("");
  };

  it("a whole namespace goes, and nothing of it stays behind", async () => {
    const path = `/api/v1/namespaces/${rig.names.team}`;
    await rig.client.must.delete(path);
    // No kubelet confirms the end of pods.
    for (const pod of pods) await pod.delete(0).catch(() => undefined);
    await rig.until("the namespace is gone", async () => (await rig.client.get(path)).status === 404);
    await nothingIsLeft();
    await rig.delete("ClusterRoutedIPClass", `rack-${rig.names.team}`);
    await rig.isGone("ClusterRoutedIPClass", `rack-${rig.names.team}`);
  });

  for (let round = 0; round < ORDERS; round++) {
    const seed = SEED + round;
    it(`RoutedIPs, issuer, class, Secret and Service go in any order (seed ${seed})`, async () => {
      const { team } = rig.names;
      const random = seededRandom(seed);
      const objects: readonly (readonly [string, string])[] = [
        ["RoutedIP", rig.pathOf("RoutedIP", "a")],
        ["RoutedIP", rig.pathOf("RoutedIP", "b")],
        ["RoutedIP", rig.pathOf("RoutedIP", "c")],
        ["RoutedIPIssuer", rig.pathOf("RoutedIPIssuer", "do")],
        ["ClusterRoutedIPClass", rig.pathOf("ClusterRoutedIPClass", `rack-${team}`)],
        ["Secret", `/api/v1/namespaces/${team}/secrets/${SECRET}`],
        ["Service", `/api/v1/namespaces/${team}/services/web`],
      ];
      const order = objects.map((object) => ({ object, at: random() })).sort((a, b) => a.at - b.at);
      for (const { object } of order) {
        await rig.client.must.delete(object[1]);
      }
      for (const { object } of order) {
        await rig.until(`${object[0]} is gone (order ${order.map((one) => one.object[0]).join()})`, async () => {
          return (await rig.client.get(object[1])).status === 404;
        });
      }
      await nothingIsLeft();
    });
  }
});
