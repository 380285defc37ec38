import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const SPEED = { speed: 30 };
const ASSIGN = /^POST .*\/reserved_ips\/[^/]+\/actions/;
const WRITE_RECORDS = /^POST .*\/records$/;
const LONG = { kind: "status", status: 429, retryAfterSeconds: 7_200 } as const;
const RECORDS = { zone: "example.com", recordName: "www" };
const MINUTE_MS = 60_000;
/** A minute, and what the move itself takes. */
const MOVED_MS = 75_000;

describe("operator in process: a cloud that asks for a pause of two hours", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  async function start(): Promise<string> {
    world = await World.create(SPEED);
    for (const name of ["n1", "n2"]) world.addNode(name);
    world.start();
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    await world.fulfilled("web");
    return ip;
  }

  /** ms of the clock until a node other than the holder has the address. */
  async function leaves(ip: string): Promise<number> {
    const [holder, began] = [world.holder(ip), world.clock.now()];
    for (const name of ["n1", "n2"])
      world.setReady(name, world.holder(ip) !== `digitalocean://${world.droplet(name)?.id}`);
    await world.until("moved", () => ![undefined, holder].includes(world.holder(ip)));
    return world.clock.now() - began;
  }

  const refused = (on: RegExp) => world.digitalocean.journal.calls({ on, status: 429 }).length;

  it("once for a record moves an address within about a minute, and writes the record", async () => {
    const ip = await start();
    world.digitalocean.faults.inject(LONG, { on: WRITE_RECORDS, times: 1 });
    world.edit("web", { dnsRecordSet: RECORDS });
    await world.until("refused", () => refused(WRITE_RECORDS) === 1);
    expect(await leaves(ip)).to.be.below(MOVED_MS);
    await world.until("written", () => world.condition("web", "DNSReady")?.status === "True");
  });

  it("for each write of a record moves addresses at once as soon as other calls have been answered", async () => {
    const ip = await start();
    world.digitalocean.faults.inject(LONG, { on: WRITE_RECORDS, times: Number.POSITIVE_INFINITY });
    world.edit("web", { dnsRecordSet: RECORDS });
    await world.until("refused", () => refused(WRITE_RECORDS) === 1);
    await leaves(ip);
    await world.until("refused again", () => refused(WRITE_RECORDS) >= 3);
    expect(await leaves(ip)).to.be.below(15_000);
    const before = refused(WRITE_RECORDS);
    await world.clock.sleep(5 * MINUTE_MS);
    expect(refused(WRITE_RECORDS) - before).to.be.within(1, 6);
    expect(world.condition("web", "DNSReady")?.message).to.match(/the provider's rate limit holds such calls until 2/);
  });

  it("for all calls gets one a minute, says until when, and does not write the status again", async () => {
    const ip = await start();
    const outage = world.digitalocean.faults.inject(LONG, { on: /./, times: Number.POSITIVE_INFINITY });
    const holder = world.holder(ip);
    world.setReady("n1", false);
    await world.until("refused", () => refused(/./) > 0);
    await world.clock.sleep(3 * MINUTE_MS);
    expect(world.condition("web", "Ready")?.message).to.match(/holds the account's calls until 2/);
    const [calls, { resourceVersion }] = [refused(/./), world.pool("web").metadata];
    await world.clock.sleep(6 * MINUTE_MS);
    expect(refused(/./) - calls).to.be.within(4, 7);
    expect(world.pool("web").metadata.resourceVersion, "no write of the status").to.equal(resourceVersion);
    const end = world.clock.now();
    outage.cancel();
    await world.until("moved", () => ![undefined, holder].includes(world.holder(ip)));
    expect(world.clock.now() - end).to.be.below(MOVED_MS);
  });

  it("once moves the address of a RoutedIP within about a minute", async () => {
    const made = await RoutedWorld.create(["n1", "n2"], SPEED);
    world = made.world;
    await made.readyOnFirst();
    world.digitalocean.faults.inject(LONG, { on: /./, times: 1 });
    const began = world.clock.now();
    made.serve({ node: "n2" });
    await made.settledOn("n2");
    expect(world.digitalocean.journal.calls({ on: ASSIGN }).length).to.be.at.least(2);
    expect(world.clock.now() - began).to.be.below(MOVED_MS + 15_000);
  });
});
