import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { afterEach, beforeEach, describe, it } from "mocha";
import { CLEANUP_DEADLINE_MS, FORGET_AFTER_MS } from "../../../src/timings.js";
import { definitionsWithout } from "../process/older-definitions.js";
import { type Running, World } from "../world.js";

const OTHER_TOKEN = "dop_v1_of_another_team";
const DNS = { dnsRecordSet: { zone: "example.com", recordName: "www" } };
const MINUTE = 60_000;

/** One whose nodes, zone and token work as well as those of the world's account. */
async function anotherAccount({ clock, digitalocean }: World): Promise<DigitalOceanSimulator> {
  const tokens = [{ name: "other", secret: OTHER_TOKEN }];
  const other = await startDigitalOceanSimulator({ clock, seed: 2, tokens, account: { reservedIpLimit: 9 } });
  other.journal.subscribe(() => clock.traffic());
  other.state.dns.addDomain("example.com");
  other.state.addAddress();
  for (const { id, name } of digitalocean.state.listDroplets()) other.state.addDroplet({ id, name });
  return other;
}

describe("operator in process: a pool whose operator starts again with a token of another account", function () {
  this.timeout(240_000);
  let world: World;
  let other: DigitalOceanSimulator;
  let running: Running;

  beforeEach(() => create());

  afterEach(async () => {
    await world.close();
    await other.close();
  });

  async function create(options: Parameters<typeof World.create>[0] = {}): Promise<void> {
    world = await World.create({ nodes: 3, ...options });
    other = await anotherAccount(world);
  }

  async function begin(spec: Parameters<World["addPool"]>[1]): Promise<void> {
    world.addPool("web", { ...DNS, ...spec });
    running = world.start();
    await world.fulfilled("web");
    await world.rest();
    await running.stop();
  }

  const startWithOther = () => {
    const env = { DIGITALOCEAN_ACCESS_TOKEN: OTHER_TOKEN, DIGITALOCEAN_API_URL: other.url };
    running = world.start({}, { env });
  };
  const startAgain = () => {
    running = world.start();
  };
  const onRecord = () => ({ ips: world.status("web").ips, createdIPs: world.status("web").createdIPs });
  const says = () => world.condition("web", "Accepted")?.reason === "Unauthorized";
  const changes = (cloud: DigitalOceanSimulator) =>
    cloud.journal.calls({ mutating: true }).map(({ method, path }) => `${method} ${path}`);
  const records = () =>
    world.digitalocean.state.dns.records("example.com").flatMap(({ type, data }) => (type === "A" ? [data] : []));

  it("keeps what is on record, changes nothing there, and goes on with the right token without a move", async () => {
    await begin({ desiredIPs: 2 });
    const { uuid } = world.digitalocean.state.account;
    expect(world.status("web").account).to.equal(uuid);
    const [before, named] = [onRecord(), records()];
    world.edit("web", { desiredIPs: 3 });
    startWithOther();
    await world.until("it says so", says);
    const { message = "" } = world.condition("web", "Accepted") ?? {};
    for (const part of [uuid, other.state.account.uuid, ...Object.keys(before.ips ?? {})]) {
      expect(message).to.include(part);
    }
    expect(world.condition("web", "ProviderReachable")).to.include({ status: "False", reason: "Unauthorized" });
    world.edit("web", { desiredIPs: 1 });
    await world.clock.sleep(2 * FORGET_AFTER_MS);
    world.edit("web", { desiredIPs: 3 });
    await world.rest();
    expect(changes(other), "changes in the other account").to.deep.equal([]);
    expect(onRecord()).to.deep.equal(before);
    expect(world.status("web").account).to.equal(uuid);
    await running.stop();
    const made = changes(world.digitalocean).length;
    startAgain();
    await world.fulfilled("web");
    await world.rest();
    const moved = changes(world.digitalocean)
      .slice(made)
      .filter((call) => Object.keys(before.ips ?? {}).some((ip) => call.includes(ip)));
    expect(moved).to.deep.equal([]);
    expect(world.status("web").createdIPs).to.have.length(3);
    expect(records()).to.include.members([...named]);
  });

  it("names what stays if the pool is deleted, as with an account that cannot be read", async () => {
    await begin({ desiredIPs: 1, reclaimPolicy: "Delete" });
    const [ip = ""] = Object.keys(world.status("web").ips ?? {});
    startWithOther();
    await world.until("it says so", says);
    world.kubernetes.delete(world.refTo("web"));
    await world.clock.sleep(CLEANUP_DEADLINE_MS - 5 * MINUTE);
    expect(world.kubernetes.get(world.refTo("web"))).to.not.equal(undefined);
    await world.until("the end of the pool", () => world.kubernetes.get(world.refTo("web")) === undefined);
    await world.until("an Event", () => world.events("CleanupAbandoned").length > 0);
    expect(JSON.stringify(world.events("CleanupAbandoned"))).to.include(ip);
    expect(changes(other)).to.deep.equal([]);
  });

  it("releases what it created if the right token comes while the pool is being deleted", async () => {
    await begin({ desiredIPs: 1, reclaimPolicy: "Delete" });
    startWithOther();
    await world.until("it says so", says);
    world.kubernetes.delete(world.refTo("web"));
    await world.clock.sleep(2 * FORGET_AFTER_MS);
    await running.stop();
    startAgain();
    await world.until("the end of the pool", () => world.kubernetes.get(world.refTo("web")) === undefined);
    expect(world.digitalocean.state.addresses()).to.deep.equal([]);
    expect(changes(other)).to.deep.equal([]);
  });

  it("serves in the other account once the pool is deleted and created again", async () => {
    await begin({ desiredIPs: 1 });
    startWithOther();
    await world.until("it says so", says);
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the end of the pool", () => world.kubernetes.get(world.refTo("web")) === undefined);
    world.addPool("web", { ...DNS, desiredIPs: 1 });
    await world.fulfilled("web");
    await world.until("it is on record", () => world.status("web").account === other.state.account.uuid);
    expect(world.digitalocean.state.addresses()).to.have.length(1);
  });

  it("serves addresses of the other account once the list names no other", async () => {
    const ips = world.addAddresses(1);
    await begin({ ips });
    expect(world.status("web").account).to.equal(world.digitalocean.state.account.uuid);
    startWithOther();
    await world.until("it says so", says);
    expect(changes(other)).to.deep.equal([]);
    expect(records()).to.deep.equal(ips);
    world.edit("web", { ips: [other.state.addAddress().ip] });
    await world.fulfilled("web");
    await world.until("it is on record", () => world.status("web").account === other.state.account.uuid);
  });

  it("records the account of a pool of an earlier release, and changes nothing else", async () => {
    await begin({ desiredIPs: 1, reclaimPolicy: "Delete" });
    const { account: _account, ...status } = world.status("web");
    world.kubernetes.change(world.refTo("web"), (pool) => ({ ...pool, status }), "status");
    const [made, { conditions }] = [changes(world.digitalocean).length, world.status("web")];
    startAgain();
    await world.until("it is on record", () => world.status("web").account !== undefined);
    await world.rest();
    expect(changes(world.digitalocean)).to.have.length(made);
    expect(world.status("web").conditions).to.deep.equal(conditions);
  });

  it("works as before under a CRD that drops the field, and does not send it again and again", async () => {
    await world.close();
    await other.close();
    await create({ definitions: definitionsWithout("account") });
    let patches = 0;
    world.kubernetes.setFaults(({ method, path }) => {
      if (method === "PATCH" && path.includes("/floatingippools/")) patches += 1;
      return undefined;
    });
    world.addPool("web", { ...DNS, desiredIPs: 2 });
    world.start();
    await world.fulfilled("web");
    await world.rest();
    patches = 0;
    await world.clock.sleep(25 * MINUTE);
    expect(patches, "one for each probe").to.be.at.most(3);
    expect(world.status("web")).to.not.have.property("account");
    expect(world.events("CRDTooOld")).to.deep.equal([]);
  });
});
