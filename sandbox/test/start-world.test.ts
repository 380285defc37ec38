import { expect } from "chai";
import { FakeClock } from "flipop-operator/testing/fake-clock";
import { afterEach, describe, it } from "mocha";
import type { ApiObject } from "../src/kubernetes/index.js";
import { addNode, removeNode } from "../src/nodes.js";
import { type SandboxWorld, startAll } from "../src/start-world.js";

interface Node extends ApiObject {
  readonly spec: { readonly providerID: string; readonly taints?: unknown };
  readonly status: { readonly addresses: readonly { readonly type: string; readonly address: string }[] };
}

describe("the sandbox's world", () => {
  const open: SandboxWorld[] = [];
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close();
  });

  async function start(clock = new FakeClock()) {
    const world = await startAll({ clock });
    open.push(world);
    const nodes = () => world.kubernetes.list("v1", "Node") as readonly Node[];
    return { world, clock, nodes };
  }

  it("has nodes that are droplets: same name, address and region", async () => {
    const { world, nodes } = await start();

    expect(nodes().map(({ metadata }) => metadata.name)).to.deep.equal(["node-1", "node-2", "node-3"]);
    for (const { metadata, spec, status } of nodes()) {
      const droplet = world.digitalocean.state.droplet(Number(spec.providerID.replace("digitalocean://", "")));
      expect(droplet).to.include({ name: metadata.name, status: "active" });
      expect(metadata.labels?.["topology.kubernetes.io/region"]).to.equal(droplet.region);
      const external = status.addresses.find(({ type }) => type === "ExternalIP");
      expect(external?.address).to.equal(droplet.publicIp);
      expect(spec.taints).to.equal(undefined);
    }
  });

  it("reports all that a kubelet reports of its machine, and when conditions changed", async () => {
    const { clock, nodes } = await start();
    const [{ status } = { status: {} }] = nodes() as readonly { status: Record<string, unknown> }[];
    const info = status["nodeInfo"] as Record<string, string>;
    for (const [name, value] of Object.entries(info))
      if (name !== "kubeProxyVersion") expect(value, name).to.not.equal("");
    expect(Object.keys(info)).to.have.length(10);
    const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const [ready] = status["conditions"] as readonly object[];
    expect(ready).to.include({ type: "Ready", lastHeartbeatTime: time, lastTransitionTime: time });
  });

  it("adds and removes a node on both sides", async () => {
    const { world, nodes } = await start();
    const providerID = addNode(world, { name: "spare", region: "ams3", labels: { pool: "web" } });
    const id = Number(providerID.replace("digitalocean://", ""));
    expect(world.digitalocean.state.droplet(id).region).to.equal("ams3");
    expect(nodes().find(({ spec }) => spec.providerID === providerID)?.metadata.labels).to.include({ pool: "web" });
    expect(() => addNode(world, { name: "spare" })).to.throw("there is a node spare already");

    removeNode(world, "spare");
    expect(() => world.digitalocean.state.droplet(id)).to.throw("there is no droplet");
    expect(nodes()).to.have.length(3);
    expect(() => removeNode(world, "spare")).to.throw("there is no node spare");
  });

  it("runs on one clock, and leaves no timer behind", async () => {
    const { world, clock, nodes } = await start();
    const { state } = world.digitalocean;
    const { ip } = state.addAddress();
    const id = Number(nodes()[0]?.spec.providerID.replace("digitalocean://", ""));
    const { url, token } = world.digitalocean;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ type: "assign", droplet_id: id });
    const answer = await fetch(`${url}/v2/reserved_ips/${ip}/actions`, { method: "POST", headers, body });
    expect(answer.status).to.equal(201);
    expect(state.address(ip).dropletId).to.equal(null);

    await clock.advance(5_000);
    expect(state.address(ip).dropletId).to.equal(id);
    expect(world.cloudflare.zone("example.com").createdAt).to.equal(new FakeClock().now());
    for (const one of open.splice(0)) await one.close();
    expect(clock.pendingTimers).to.equal(0);
  });
});
