/**
 * `--watch-namespaces`: the operator's rights in a namespace are a Role there, and a namespace that goes takes its Roles
 * with it, whether or not the operator has cleaned up by then.
 */

import type { IncomingMessage } from "node:http";
import { Chart, Testing } from "cdk8s";
import { FloatingIPPool, NodeMatch, ReclaimPolicy } from "cdk8s-flipop";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakePod } from "flipop-testbed";
import { afterEach, before, beforeEach, describe, it } from "mocha";
import type { Manifest } from "../../e2e/support/install.js";
import { issuer, routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

const BINDINGS = "rbac.authorization.k8s.io/v1";

describe("a watched namespace that goes, on a real control plane", function () {
  this.timeout(300_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let pods: readonly FakePod[];
  let otherPod: FakePod;

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
  });

  /** Two RoutedIPs by an issuer, and a pool, in the namespace that goes; a RoutedIP in one that stays. */
  beforeEach(async () => {
    rig = await RoutedRig.create(plane, { full: true, proxied: true });
    const { team, other } = rig.names;
    await rig.start();
    await rig.addService();
    await rig.addService(other);
    pods = [await rig.addPod(await rig.addNode()), await rig.addPod(await rig.addNode())];
    otherPod = await rig.addPod(await rig.addNode(), true, other);
    await rig.addNode({ role: "game" });
    await rig.add(issuer(team, "do", { firewallName: "going", reclaimPolicy: ReclaimPolicy.DELETE }));
    await rig.add(issuer(other, "do", { firewallName: "staying", reclaimPolicy: ReclaimPolicy.DELETE }));
    await rig.add(routedIP(team, "a", { issuer: "do" }));
    await rig.add(routedIP(team, "b", { issuer: "do" }));
    await rig.add(routedIP(other, "c", { issuer: "do" }));
    await rig.add(pool(team, "game"));
    for (const key of ["a", "b", `${other}/c`]) await rig.ready(key);
    await rig.says("FloatingIPPool", "game", "Fulfilled=True");
    expect(rig.cloud.state.addresses()).to.have.length(4);
    expect(await rig.tainted()).to.have.length(3);
  });

  afterEach(() => rig?.close());

  async function runActions(): Promise<void> {
    await rig.client.must.delete(`/api/v1/namespaces/${rig.names.team}`);
    // No kubelet confirms the end of pods.
    for (const pod of pods) await pod.delete(0).catch(() => undefined);
  }

  async function isGone(): Promise<void> {
    const path = `/api/v1/namespaces/${rig.names.team}`;
    await rig.until("the namespace is gone", async () => (await rig.client.get(path)).status === 404);
    await rig.until("the firewall of the issuer is gone", () => rig.openPorts("going") === undefined);
    await rig.until("no taint is left", async () => (await rig.tainted()).length === 1);
    expect(rig.openPorts("staying")).to.deep.equal(["443"]);
    expect(rig.cloud.state.addresses(), "that of the other namespace").to.have.length(1);
  }

  /** The RoutedIP of the namespace that stays, and a new pool. */
  async function othersAreServed(): Promise<void> {
    const { other } = rig.names;
    await otherPod.delete();
    const node = await rig.addNode();
    otherPod = await rig.addPod(node, true, other);
    const key = `${other}/c`;
    await rig.until("the address has moved", async () => (await rig.status(key)).assignedNode === node.name);
    await rig.add(pool(other, "game"));
    await rig.says("FloatingIPPool", `${other}/game`, "Fulfilled=True");
  }

  const errors = () => rig.log.filter((line) => line.startsWith("error")).join("\n");

  it("vanishes, and nothing of it stays behind", async () => {
    await runActions();
    await isGone();
    expect(errors()).to.equal("");
  });

  it("keeps no other from being served, neither at once nor after a restart", async () => {
    await runActions();
    await isGone();
    await othersAreServed();
    expect(errors()).to.equal("");
    expect(rig.readiness).to.equal("ok");
    await rig.stop();
    await rig.delete("FloatingIPPool", `${rig.names.other}/game`);
    await rig.start();
    await rig.isGone("FloatingIPPool", `${rig.names.other}/game`);
    await othersAreServed();
    expect(rig.readiness).to.equal("ok");
    expect(errors()).to.equal("");
  });

  it("vanishes though its Roles and all watches end before the cleanup", async () => {
    const { team } = rig.names;
    const writes = ({ method, url = "" }: Pick<IncomingMessage, "method" | "url">) =>
      method === "PATCH" && url.includes(`/namespaces/${team}/`);
    rig.proxy.inject({ kind: "status", code: 503 }, Number.POSITIVE_INFINITY, writes);
    const before = rig.proxy.requests.length;
    const tried = (name: string) =>
      rig.proxy.requests.slice(before).some((one) => writes(one) && one.url.includes(name));
    const mine = ["/routedips/a", "/routedips/b", "/floatingippools/game"];
    for (const [kind, name] of [
      ["RoutedIP", "a"],
      ["RoutedIP", "b"],
      ["FloatingIPPool", "game"],
    ] as const)
      await rig.delete(kind, name);
    await rig.until("the operator has seen the deletions", () => mine.every(tried));
    await rig.client.must.delete(`/apis/${BINDINGS}/namespaces/${team}/rolebindings`);
    rig.proxy.finAll();
    const refused = (plural: string) => rig.log.some((line) => line.includes(`/namespaces/${team}/${plural}: 403`));
    const watched = ["routedips", "routedipissuers", "floatingippools", "services", "secrets"];
    await rig.until("nothing can be read there any more", () => watched.every(refused));
    await runActions();
    rig.proxy.heal();
    await isGone();
    await othersAreServed();
  });
});

function pool(namespace: string, name: string): readonly Manifest[] {
  const chart = new Chart(Testing.app(), "pool", { namespace });
  new FloatingIPPool(chart, name, {
    metadata: { name },
    ...{ region: "nyc3", desiredIps: 1, reclaimPolicy: ReclaimPolicy.DELETE },
    nodes: NodeMatch.labels({ role: "game" }),
  });
  return Testing.synth(chart) as readonly Manifest[];
}
