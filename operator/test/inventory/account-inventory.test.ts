import { expect } from "chai";
import { describe, it } from "mocha";
import { AccountInventory } from "../../src/inventory/account-inventory.js";
import { Inventories } from "../../src/inventory/inventories.js";
import { digitalOcean } from "../../src/providers/digitalocean/index.js";
import { ASKER, closing } from "../providers/conformance/benches.js";
import { startAddressBench } from "../providers/digitalocean/address-bench.js";
import { startProviderStack } from "../support/cloud/provider-stack.js";
import { errorOf } from "../support/http-rig.js";

const WEB = { kind: "FloatingIPPool", namespace: "apps", name: "web", uid: "1" };
const MAIL = { ...WEB, name: "mail", uid: "2" };
const LIST = "GET /v2/reserved_ips";
const ITEM = "GET /v2/reserved_ips/{reserved_ip}";

describe("the inventory of an account", () => {
  const startBench = closing(startAddressBench);

  async function start() {
    const bench = await startBench();
    const inventory = new AccountInventory(bench.provider, "IPv4", bench.clock);
    const ensure = (maxAgeSeconds = 300) => bench.drive(inventory.ensure({ maxAgeSeconds }));
    const count = (on: string) => bench.simulator.journal.count({ on });
    return { bench, inventory, ensure, count };
  }

  it("is not complete before the first whole list, and stays so when the list fails", async () => {
    const { bench, inventory, ensure } = await start();
    expect(inventory.view().complete).to.equal(false);
    bench.simulator.faults.inject({ kind: "status", status: 500 }, { times: 100 });

    expect(await errorOf(ensure())).to.include({ kind: "Unavailable" });
    expect(inventory.view()).to.include({ complete: false, ageSeconds: Number.POSITIVE_INFINITY });
  });

  it("shows holders and free addresses, and never changes a view that was given out", async () => {
    const { bench, inventory, ensure } = await start();
    const node = bench.addNode();
    const [held, free] = [bench.addAddress("IPv4", node), bench.addAddress("IPv4")];
    await ensure();
    const view = inventory.view();
    bench.simulator.state.removeAddress(free);
    await bench.pass(1_001);
    await ensure(0);

    expect(view.heldBy(node).map(({ ip }) => ip)).to.deep.equal([held]);
    expect(view.get(free)?.holder).to.equal(undefined);
    expect(view.addresses.size).to.equal(2);
    expect(inventory.view().addresses.size).to.equal(1);
  });

  it("reads one list for all callers at the same time, on behalf of no resource, and none while it is young", async () => {
    const { bench, inventory, count } = await start();
    const asks = Array.from({ length: 50 }, () => inventory.ensure({ maxAgeSeconds: 300 }));
    await bench.drive(Promise.all(asks));
    await bench.pass(299_000);
    await bench.drive(inventory.ensure({ maxAgeSeconds: 300 }));
    expect(count(LIST)).to.equal(1);
    await bench.pass(2_000);
    await bench.drive(inventory.ensure({ maxAgeSeconds: 300 }));

    expect(count(LIST)).to.equal(2);
  });

  it("goes on reading for the others when one caller gives up", async () => {
    const { bench, inventory } = await start();
    const controller = new AbortController();
    const quitter = inventory.ensure({ maxAgeSeconds: 300, signal: controller.signal });
    const patient = inventory.ensure({ maxAgeSeconds: 300 });
    controller.abort(new Error("enough"));

    expect(String(await errorOf(quitter))).to.include("enough");
    await bench.drive(patient);
    expect(inventory.view().complete).to.equal(true);
  });

  it("reads an address alone that the list lacks, and again before it counts as gone", async () => {
    const { bench, inventory, ensure, count } = await start();
    bench.simulator.state.addByoipPrefix("198.51.100.0/24");
    bench.simulator.tokens.add({
      name: "d",
      secret: bench.simulator.token,
      scopes: ["reserved_ip:read", "droplet:read"],
    });
    inventory.want(WEB, ["198.51.100.9", "203.0.113.99"]);
    await ensure();

    expect(inventory.view().get("198.51.100.9")).to.include({ region: "nyc3" });
    expect(inventory.view().isGone("198.51.100.9")).to.equal(false);
    expect(inventory.view().isGone("203.0.113.99"), "after one read").to.equal(false);
    expect(count(ITEM)).to.equal(2);
  });

  it("shows an assignment at once, and its end after a look at the action", async () => {
    const { bench, inventory, ensure } = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4");
    await ensure();

    const action = await bench.drive(inventory.assign(bench.provider, ASKER, { ip, node }));
    expect(inventory.view().get(ip)?.action).to.deep.equal({ id: action.id });
    await bench.pass(5_000);
    const end = await bench.drive(inventory.poll(bench.provider, ASKER, { ...action, expected: node }));

    expect(end.state).to.equal("completed");
    expect(
      inventory
        .view()
        .heldBy(node)
        .map((held) => held.ip),
    ).to.deep.equal([ip]);
  });

  it("is not misled for 30 s by a list that shows the time before an action", async () => {
    const { bench, inventory, ensure, count } = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4");
    await ensure();
    const action = await bench.drive(inventory.assign(bench.provider, ASKER, { ip, node }));
    await bench.pass(5_000);
    await bench.drive(inventory.poll(bench.provider, ASKER, { ...action, expected: node }));
    bench.simulator.state.setHolder(ip, null);
    await bench.pass(20_000);
    await ensure(0);

    expect(count(LIST)).to.equal(2);
    expect(inventory.view().get(ip)).to.include({ holder: node, unconfirmed: false });
  });

  it("believes a person who takes an address away, after two looks", async () => {
    const { bench, inventory, ensure } = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4");
    await ensure();
    const action = await bench.drive(inventory.assign(bench.provider, ASKER, { ip, node }));
    await bench.pass(5_000);
    await bench.drive(inventory.poll(bench.provider, ASKER, { ...action, expected: node }));
    bench.simulator.state.setHolder(ip, null);
    await bench.pass(31_000);
    await ensure(0);

    expect(inventory.view().get(ip)).to.include({ holder: node, unconfirmed: true });
    expect(inventory.view().rereadSeconds).to.be.closeTo(5, 0.1);
    await bench.pass(5_000);
    await bench.drive(inventory.read(ASKER, ip));
    expect(inventory.view().get(ip)?.holder).to.equal(undefined);
  });

  it("reads an address again when an assignment is refused", async () => {
    const { bench, inventory, ensure } = await start();
    const [node, other] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress("IPv4");
    bench.addAddress("IPv4", node);
    await ensure();
    bench.simulator.state.setHolder(ip, Number(other.slice("digitalocean://".length)));

    const work = bench.drive(inventory.assign(bench.provider, ASKER, { ip, node }));

    expect(await errorOf(work)).to.include({ reason: "NodeOccupied" });
    expect(inventory.view().get(ip)?.holder).to.equal(other);
  });

  it("lists again after a node refused an address because it holds another one", async () => {
    const { bench, inventory, ensure, count } = await start();
    const node = bench.addNode();
    const [ip, moved] = [bench.addAddress("IPv4"), bench.addAddress("IPv4")];
    await ensure();
    // A person assigns it, and no list has shown that yet.
    await bench.clock.advance(1);
    bench.simulator.state.setHolder(moved, Number(node.slice("digitalocean://".length)));
    const work = bench.drive(inventory.assign(bench.provider, ASKER, { ip, node }));
    expect(await errorOf(work)).to.include({ reason: "NodeOccupied" });
    await ensure();
    expect(count(LIST), "lists").to.equal(2);
    expect(inventory.view().get(moved)?.holder).to.equal(node);
  });

  it("confirms old data with one call before a move, and young data without", async () => {
    const { bench, inventory, ensure, count } = await start();
    const ip = bench.addAddress("IPv4");
    await ensure();
    expect(await bench.drive(inventory.confirm(ASKER, ip))).to.equal("holds");
    expect(count(ITEM)).to.equal(0);
    await bench.pass(16_000);
    expect(await bench.drive(inventory.confirm(ASKER, ip))).to.equal("holds");
    expect(count(ITEM)).to.equal(1);
    await bench.pass(16_000);
    bench.simulator.state.setHolder(ip, Number(bench.addNode().slice("digitalocean://".length)));

    expect(await bench.drive(inventory.confirm(ASKER, ip))).to.equal("changed");
  });

  it("knows a created address at once, and is old after an unknown outcome", async () => {
    const { bench, inventory, ensure, count } = await start();
    await ensure();
    const region = bench.regions[0];
    const first = await bench.drive(inventory.create(bench.provider, ASKER, { family: "IPv4", region }));
    expect(first.kind).to.equal("created");
    expect(inventory.view().addresses.size).to.equal(1);
    bench.simulator.faults.inject({ kind: "reset", when: "after" });
    const second = await bench.drive(inventory.create(bench.provider, ASKER, { family: "IPv4", region }));

    expect(second.kind).to.equal("unknown");
    expect(inventory.view().complete).to.equal(false);
    await ensure();
    expect(inventory.view().addresses.size).to.equal(2);
    expect(count(LIST)).to.equal(2);
  });

  it("does not take a list for complete that began before a creation whose answer was lost", async () => {
    const { bench, inventory, ensure } = await start();
    bench.simulator.faults.inject({ kind: "delay", ms: 5_000 }, { on: LIST });
    const early = inventory.ensure({ maxAgeSeconds: 300 });
    await bench.pass(1);
    bench.simulator.faults.inject({ kind: "reset", when: "after" }, { on: "POST /v2/reserved_ips" });
    const created = inventory.create(bench.provider, ASKER, { family: "IPv4", region: bench.regions[0] });
    expect((await bench.drive(created)).kind).to.equal("unknown");
    await bench.drive(early);
    expect(inventory.view().complete).to.equal(false);

    await ensure();
    expect(inventory.view()).to.include({ complete: true });
    expect(inventory.view().addresses.size).to.equal(1);
  });

  it("forgets a released address", async () => {
    const { bench, inventory, ensure } = await start();
    const ip = bench.addAddress("IPv4");
    await ensure();
    await bench.drive(inventory.release(bench.provider, ASKER, ip));

    expect(inventory.view().get(ip)).to.equal(undefined);
    expect(inventory.view().isGone(ip)).to.equal(true);
  });

  it("gives a node to one move at a time", async () => {
    const { inventory } = await start();
    const reservation = inventory.reserve("digitalocean://1", WEB);

    expect(inventory.reserve("digitalocean://1", MAIL)).to.equal(undefined);
    expect(inventory.view().reservedFor("digitalocean://1")).to.equal(WEB);
    reservation?.release();
    expect(inventory.reserve("digitalocean://1", MAIL)).not.to.equal(undefined);
    inventory.forget(MAIL);
    expect(inventory.view().reservedFor("digitalocean://1")).to.equal(undefined);
  });

  it("notes room on a node when a move to it ends elsewhere, not when its address came", async () => {
    const { bench } = await start();
    const rooms: string[] = [];
    const room = { noteRoom: (family: string) => rooms.push(family) };
    const inventory = new AccountInventory(bench.provider, "IPv4", bench.clock, { room });
    const node = bench.addNode();
    inventory.reserve(node, WEB)?.release();
    expect(rooms).to.deep.equal(["IPv4"]);
    bench.addAddress("IPv4", node);
    await bench.drive(inventory.ensure({ maxAgeSeconds: 0 }));
    inventory.reserve(node, WEB)?.release();
    expect(rooms).to.deep.equal(["IPv4"]);
  });

  it("goes on with another token of the account when one is withdrawn, and is forgotten with the last", async () => {
    const { bench } = await start();
    const ip = bench.addAddress("IPv4");
    const { simulator, clock } = bench;
    simulator.tokens.add({ name: "issuer", secret: "dop_v1_issuer" });
    const stack = startProviderStack({ kind: digitalOcean, clock, baseUrl: simulator.url, token: "dop_v1_issuer" });
    const issued = stack.set.addresses;
    if (issued === undefined) throw new Error("DigitalOcean has addresses");
    const inventories = new Inventories(bench.clock);
    const inventory = await bench.drive(inventories.for(ASKER, issued, "IPv4"));
    expect(await bench.drive(inventories.for(ASKER, bench.provider, "IPv4"))).to.equal(inventory);

    inventories.leave(issued);
    await stack.set.close();
    await bench.drive(inventory.ensure({ maxAgeSeconds: 0 }));
    expect(inventory.view().get(ip)).to.include({ ip });
    expect(await bench.drive(inventories.for(ASKER, bench.provider, "IPv4"))).to.equal(inventory);

    inventories.leave(bench.provider);
    expect(await bench.drive(inventories.for(ASKER, bench.provider, "IPv4"))).to.not.equal(inventory);
  });

  it("is one for all tokens of an account, by family", async () => {
    const { bench } = await start();
    const inventories = new Inventories(bench.clock);
    const first = await bench.drive(inventories.for(ASKER, bench.provider, "IPv4"));
    const second = await bench.drive(
      inventories.for(ASKER, { ...bench.provider, accountKey: (call) => bench.provider.accountKey(call) }, "IPv4"),
    );
    const other = await bench.drive(inventories.for(ASKER, bench.provider, "IPv6"));

    expect(second).to.equal(first);
    expect(other).not.to.equal(first);
  });
});
