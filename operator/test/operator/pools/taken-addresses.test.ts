import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: a person takes an address off a healthy node", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  it("the Event of the move back says that somebody else took it, from which node and when", async () => {
    world = await World.create();
    world.addNode("node-1");
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("active", () => world.status("web").ips?.[ip]?.state === "active");
    await world.rest();
    expect(JSON.stringify(world.events("Moving")), "the first assignment has no such cause").not.to.contain("somebody");
    await unassign(ip);
    await world.until("it is seen", () => world.status("web").ips?.[ip]?.state !== "active");
    await world.until("it is back", () => world.status("web").ips?.[ip]?.state === "active");
    await world.until("the Event", () => {
      const events = JSON.stringify(world.events("Moving"));
      return /goes to node-1 \(the only candidate\): at [^"]+ it was no longer on node-1: somebody else took it off, or destroyed the machine/.test(
        events,
      );
    });
  });

  it("no Event blames somebody else for the operator's own unassign, when a pool needs the address again meanwhile", async () => {
    world = await World.create({ nodes: 2, speed: 120 });
    world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete" });
    world.start();
    await world.fulfilled("web");
    await world.rest();
    const off = () => world.digitalocean.journal.calls({ mutating: true }).filter(({ body }) => isUnassign(body));
    world.edit("web", { desiredIPs: 1 });
    await world.until("the unassign", () => off().length === 1);
    world.edit("web", { desiredIPs: 2 });
    await world.rest();
    expect(world.status("web").counts?.active).to.equal(2);
    expect(JSON.stringify(world.events("Moving"))).not.to.contain("somebody else");
  });

  const isUnassign = (body: unknown) => JSON.stringify(body)?.includes('"unassign"') === true;

  it("a pool takes what it lists from a machine that is no node, and says so", async () => {
    world = await World.create({ nodes: 1 });
    const { state } = world.digitalocean;
    const { id } = state.addDroplet({ name: "by-hand", region: "nyc3" });
    const { ip } = state.addAddress({ dropletId: id });
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.fulfilled("web");
    await world.until("the Event", () => world.events("TakenOver").length === 1);
    expect(JSON.stringify(world.events("TakenOver")))
      .to.contain(`${ip} moves from digitalocean://${id} (no node of this cluster)`)
      .and.contain(
        `; fix: if that machine needs ${ip}, remove it from ips, then have the owner of the account assign it to that machine`,
      )
      .and.contain("Warning");
  });

  it("no Event blames the machine of a node that is gone, though a read shows it again as the holder", async () => {
    world = await World.create({ nodes: 1 });
    world.addPool("web", { desiredIPs: 1 });
    world.start();
    await world.fulfilled("web");
    const [ip = ""] = Object.keys(world.status("web").ips ?? {});
    const former = Number(world.status("web").ips?.[ip]?.providerID?.split("//")[1]);
    world.addNode("node-2");
    world.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "node-1" });
    const on = () => world.status("web").ips?.[ip]?.state === "active" && world.status("web").ips?.[ip]?.nodeName;
    await world.until("it moves", () => on() === "node-2");
    await world.rest();
    await act(ip, { type: "assign", droplet_id: former });
    const moves = () => world.digitalocean.journal.calls({ mutating: true }).length;
    const before = moves();
    await world.until("it moves back", () => moves() > before && on() === "node-2");
    await world.rest();
    expect(JSON.stringify(world.events("Moving"))).to.contain(`moves from digitalocean://${former}`);
    expect(world.events("TakenOver")).to.deep.equal([]);
  });

  const unassign = (ip: string) => act(ip, { type: "unassign" });

  async function act(ip: string, change: object): Promise<void> {
    const { url, token } = world.digitalocean;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify(change);
    const answer = await fetch(`${url}/v2/reserved_ips/${ip}/actions`, { method: "POST", headers, body });
    expect(answer.status).to.equal(201);
  }
});
