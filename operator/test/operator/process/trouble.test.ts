import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const CREATE = /^POST \/v2\/reserved_ips$/;

describe("operator in process: trouble", function () {
  this.timeout(240_000);
  let world: World;

  const warnings = () => {
    const events = world.kubernetes.list("events.k8s.io/v1", "Event").filter(({ type }) => type === "Warning");
    return events.map(({ reason, message }) => `${reason}: ${message}`);
  };
  const count = (on: RegExp) => world.digitalocean.journal.count({ on });

  afterEach(() => world.close());

  for (const when of ["before", "after"] as const) {
    it(`creates nothing twice when the answer to a creation is lost ${when} it was processed`, async () => {
      world = await World.create({ nodes: 1 });
      world.digitalocean.faults.inject({ kind: "reset", when }, { on: CREATE });
      world.addPool("web", { desiredIPs: 1 });
      world.start();
      await world.fulfilled("web");
      expect(world.digitalocean.state.addresses()).to.have.length(1);
      expect(count(CREATE)).to.equal(when === "before" ? 2 : 1);
      expect(world.status("web")).not.to.have.property("pendingCreation");
    });
  }

  it("creates nothing twice in a region, where only the lists can tell", async () => {
    world = await World.create();
    world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on: CREATE });
    world.addPool("web", { desiredIPs: 2 });
    world.start();
    await world.until("both are known", () => world.status("web").createdIPs?.length === 2);
    await world.rest();
    expect(world.digitalocean.state.addresses()).to.have.length(2);
  });

  it("tries again after an outage, and moves the others meanwhile", async () => {
    world = await World.create({ nodes: 3 });
    const [stuck = "", free = ""] = world.addAddresses(2);
    const broken = new RegExp(`^POST /v2/reserved_ips/${stuck}/actions$`);
    const fault = world.digitalocean.faults.inject({ kind: "status", status: 503 }, { on: broken, times: Infinity });
    world.addPool("web", { ips: [stuck, free] });
    world.start();
    await world.until("the other one is up", () => world.status("web").ips?.[free]?.state === "active");
    await world.until("the status reports an error", () => world.status("web").ips?.[stuck]?.state === "error");
    expect(world.condition("web", "Accepted")).to.include({ status: "False", reason: "ProviderUnavailable" });
    fault.cancel();
    await world.fulfilled("web");
    await world.until("well", () => world.condition("web", "Accepted")?.status === "True");
    expect(world.status("web").ips?.[stuck]).not.to.have.property("error");
  });

  it("goes to another node at once when one can't hold an address", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.digitalocean.state.startEvent(world.droplet("node-1").id, "power_cycle", 3_600_000);
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    world.start();
    await world.fulfilled("web");
    expect(world.status("web").ips?.[ip]?.nodeName).to.equal("node-2");
    expect(world.status("web").nodeErrors).to.deep.equal(["node-1"]);
  });

  it("does not take an action that ended errored for one that is done", async () => {
    world = await World.create({ nodes: 1 });
    const [ip = ""] = world.addAddresses(1);
    world.digitalocean.state.failActions();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("the status reports the error", () => world.status("web").ips?.[ip]?.state === "error");
    expect(world.holder(ip)).to.equal(undefined);
    expect(world.annotations("node-1")).to.deep.equal({});
    await world.fulfilled("web");
    expect(count(ASSIGN)).to.equal(2);
    await world.until("an Event", () => warnings().some((text) => text.includes("provider's action failed")));
  });

  it("waits longer and longer while each action on an address ends errored", async () => {
    world = await World.create({ nodes: 1 });
    const [ip = ""] = world.addAddresses(1);
    world.digitalocean.state.failActions({ times: 1_000 });
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("the status reports the error", () => world.status("web").ips?.[ip]?.state === "error");
    await world.clock.sleep(240_000);
    expect(count(ASSIGN)).to.be.within(5, 12);
  });

  it("gives the address to another node where actions for one node end errored", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.digitalocean.state.failActions({ dropletId: world.droplet("node-1").id, times: 1_000 });
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    world.start();
    await world.fulfilled("web");
    expect(world.status("web").ips?.[ip]?.nodeName).to.equal("node-2");
    expect(world.status("web").nodeErrors).to.deep.equal(["node-1"]);
    expect(count(ASSIGN)).to.equal(2);
  });

  for (const status of [409, 422, 500, 503])
    it(`gives the address to another node soon where assignments to one node are answered with ${status}`, async () => {
      world = await World.create({ nodes: 2 });
      const [ip = ""] = world.addAddresses(1);
      const { id } = world.droplet("node-1");
      const on = ({ path, body }: { readonly path: string; readonly body?: unknown }) =>
        path.endsWith("/actions") && JSON.stringify(body).includes(`${id}`);
      world.digitalocean.faults.inject({ kind: "status", status }, { on, times: Infinity });
      world.addPool("web", { ips: [ip], nodePreference: "Name" });
      const startedAt = world.clock.now();
      world.start();
      await world.fulfilled("web");
      expect(world.status("web").ips?.[ip]?.nodeName).to.equal("node-2");
      expect(world.clock.now() - startedAt).to.be.below(30_000);
    });

  it("forgets a refused move once the holder is well again: the next move begins at once", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    world.start();
    await world.fulfilled("web");
    const fault = world.digitalocean.faults.inject({ kind: "status", status: 422 }, { on: ASSIGN, times: Infinity });
    world.setReady("node-1", false);
    await world.until("the move is refused", () => world.status("web").ips?.[ip]?.state === "error");
    fault.cancel();
    world.setReady("node-1", true);
    await world.fulfilled("web");
    const before = count(ASSIGN);
    world.setReady("node-1", false);
    const failedAt = world.clock.now();
    await world.until("it moves", () => count(ASSIGN) > before);
    expect(world.clock.now() - failedAt).to.be.below(20_000);
    await world.fulfilled("web");
  });

  it("keeps a node to which a former process moves an address from other pools", async () => {
    // So slow that the move lasts until the next process decides.
    world = await World.create({ nodes: 2, speed: 2 });
    const [moving = "", next = ""] = world.addAddresses(2);
    world.addPool("web", { ips: [moving], nodePreference: "Name" });
    const previous = world.start();
    await world.until("it moves", () => world.status("web").ips?.[moving]?.actionID !== undefined);
    await previous.kill();
    world.addPool("other", { ips: [next], nodePreference: "Name" });
    world.start();
    for (const pool of ["other", "web"]) await world.fulfilled(pool);
    expect(world.digitalocean.journal.calls({ on: ASSIGN }).map(({ status }) => status)).to.deep.equal([201, 201]);
  });

  it("says that the token is refused, and goes on with the next good one", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.fulfilled("web");
    const before = world.holder(ip);
    world.digitalocean.tokens.revoke(world.digitalocean.token);
    world.setReady(world.status("web").ips?.[ip]?.nodeName ?? "", false);
    await world.until(
      "ProviderReachable reports it",
      () => world.condition("web", "ProviderReachable")?.reason === "Unauthorized",
    );
    expect(world.condition("web", "Accepted")?.status).to.equal("False");
    world.digitalocean.tokens.add({ name: "default", secret: world.digitalocean.token });
    await world.until("moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    await world.until("reachable", () => world.condition("web", "ProviderReachable")?.status === "True");
  });

  it("steps back when somebody else takes its address away again and again", async () => {
    world = await World.create({ nodes: 1 });
    const [ip = ""] = world.addAddresses(1);
    const other = world.digitalocean.state.addDroplet({ name: "elsewhere" });
    world.addPool("web", { ips: [ip] });
    world.start();
    let assigned = 0;
    for (let times = 0; times < 3; times++) {
      await world.until("assigned", () => world.holder(ip) !== undefined && world.holder(ip) !== idOf(other.id));
      await world.until("the status shows it", () => world.status("web").ips?.[ip]?.state === "active");
      assigned = count(ASSIGN);
      await world.clock.sleep(40_000);
      world.digitalocean.state.setHolder(ip, other.id);
      if (times < 2) await world.until("seen", () => count(ASSIGN) > assigned);
    }
    await world.until("contested", () => world.condition("web", "Conflict")?.reason === "ForeignWriter");
    await world.clock.sleep(4 * 60_000);
    expect(count(ASSIGN)).to.equal(assigned);
  });

  it("waits for the account, not for each address, when nothing is answered", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.fulfilled("web");
    const outage = { kind: "status", status: 503 } as const;
    const fault = world.digitalocean.faults.inject(outage, { on: /./, times: Infinity });
    const holder = world.status("web").ips?.[ip]?.nodeName ?? "";
    world.setReady(holder, false);
    await world.until(
      "ProviderReachable reports it",
      () => world.condition("web", "ProviderReachable")?.status === "False",
    );
    await world.clock.sleep(120_000);
    const assigned = count(ASSIGN);
    const { revision } = world.kubernetes;
    await world.clock.sleep(60_000);
    expect(count(ASSIGN), "no move is tried meanwhile").to.equal(assigned);
    expect(world.kubernetes.revision, "nothing new is written").to.equal(revision);
    expect(world.status("web").ips?.[ip]).not.to.have.property("retryAt");
    expect(warnings(), `one outage is one Event: ${warnings().join("; ")}`).to.have.length(1);
    fault.cancel();
    await world.until("moved", () => ![holder, undefined].includes(world.status("web").ips?.[ip]?.nodeName));
    await world.until("well", () => world.condition("web", "Accepted")?.status === "True");
  });

  it("says that a node stands for no machine, where an address does not get there", async () => {
    world = await World.create();
    const [ip = ""] = world.addAddresses(1);
    const machine = world.addNode("ghost");
    world.digitalocean.state.deleteDroplet(world.droplet("ghost").id);
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("the status reports the error", () => world.status("web").ips?.[ip]?.state === "error");
    const entry = world.status("web").ips?.[ip];
    expect(entry?.reason).to.equal("NoCandidate");
    expect(entry?.error).to.include("ghost").and.include(machine).and.include("correct the node's providerID");
    await world.until("an Event", () => warnings().length > 0);
    await world.clock.sleep(120_000);
    expect(warnings(), "one Event, and the address is not blamed").to.have.length(1);
    expect(warnings()[0]).to.match(/^NoCandidate: .*node ghost/);
  });

  it("says why a node gets no new address, and who can correct that", async () => {
    world = await World.create();
    const machine = world.addNode("ghost");
    world.digitalocean.state.deleteDroplet(world.droplet("ghost").id);
    world.addPool("web", { desiredIPs: 1 });
    world.start();
    const said = () => world.condition("web", "Fulfilled")?.message ?? "";
    await world.until("it names the node", () => said().includes("ghost could not take an address"));
    expect(said()).to.include(`the provider has no machine ${machine}`).and.include("correct the node's providerID");
  });
});

function idOf(droplet: number): string {
  return `digitalocean://${droplet}`;
}
