/** An address that its provider keeps locked on a node that is lost does not stay in the name beside others. */

import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

const NEVER_MS = 1_000_000_000;
const NODES = ["node-1", "node-2"];

describe("operator in process: names of addresses that the provider keeps locked", function () {
  this.timeout(240_000);
  let world: World;
  let ips: readonly string[];

  beforeEach(async () => {
    world = await World.create();
    for (const name of NODES) world.addNode(name);
    ips = NODES.map(() => world.digitalocean.state.addAddress().ip).sort();
    world.addPool("web", { ips, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    world.start();
    await world.fulfilled("web");
    await world.until("the name", () => published().length === 2);
    await world.rest();
    world.digitalocean.state.settings.durations.assign = NEVER_MS;
    world.digitalocean.state.settings.durations.unassign = NEVER_MS;
  });

  afterEach(() => world.close());

  const published = (): readonly string[] =>
    world.digitalocean.state.dns
      .records("example.com", "www")
      .map(({ data }) => data)
      .sort();

  const holderOf = (ip: string) => {
    const nodes = NODES.filter((name) => world.droplet(name).id === world.digitalocean.state.address(ip).dropletId);
    return nodes[0] ?? "";
  };

  const othersThan = (ip: string) => ips.filter((other) => other !== ip);

  it("lose the address after the deadline of the operator's own action, and get it back once it is active", async () => {
    const [ip = ""] = ips;
    world.addNode("node-3");
    world.setReady(holderOf(ip), false);
    await world.until("the action to run", () => world.digitalocean.state.runningActions.length === 1);
    await world.clock.sleep(60_000);
    expect(published(), "within the deadline").to.deep.equal(ips);
    await world.until("it to be locked", () => world.condition("web", "Fulfilled")?.reason === "AddressLocked");
    await world.until("it to leave the name", () => `${published()}` === `${othersThan(ip)}`);
    expect(world.condition("web", "Fulfilled")?.reason).to.equal("AddressLocked");
    world.digitalocean.state.settings.durations.assign = 4_000;
    world.digitalocean.state.abortActions(ip);
    await world.until("it to be back", () => published().length === 2);
  });

  it("keep the address during a call of the operator that takes long", async () => {
    const [ip = ""] = ips;
    world.addNode("node-3");
    world.digitalocean.state.settings.durations.assign = 1_000;
    world.digitalocean.faults.inject({ kind: "delay", ms: 9_000 }, { on: /^POST .*\/actions$/, times: 1 });
    const from = world.digitalocean.journal.mark;
    world.setReady(holderOf(ip), false);
    const goal = () => world.droplet("node-3").id;
    await world.until("the move", () => world.digitalocean.state.address(ip).dropletId === goal());
    await world.until("the pool", () => world.condition("web", "Fulfilled")?.status === "True");
    expect(world.digitalocean.journal.calls({ on: /\/records/, mutating: true, after: from })).to.deep.equal([]);
  });

  it("keep the address of a healthy node that another party has locked, and lose it once its node is lost", async () => {
    const [ip = ""] = ips;
    const { url, token } = world.digitalocean;
    const answer = await fetch(`${url}/v2/reserved_ips/${ip}/actions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ type: "unassign" }),
    });
    expect(answer.status).to.equal(201);
    await world.clock.sleep(600_000);
    expect(published()).to.deep.equal(ips);
    world.setReady(holderOf(ip), false);
    await world.until("it to leave the name", () => `${published()}` === `${othersThan(ip)}`);
  });
});
