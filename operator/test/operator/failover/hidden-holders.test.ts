import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { HidingProxy } from "../../support/cloud/hiding-proxy.js";
import { World } from "../world.js";

const LISTED_MS = 310_000;
const CHANGE = /^(POST|DELETE) .*\/reserved_ips/;

describe("operator in process: an API that shows addresses without their droplets", function () {
  this.timeout(120_000);
  let world: World;
  let proxy: HidingProxy;

  afterEach(async () => {
    await world.close();
    proxy.close();
  });

  async function start() {
    world = await World.create({ speed: 60, nodes: 3 });
    proxy = await HidingProxy.to(world.digitalocean.url);
    const ips = world.addAddresses(3);
    world.addPool("web", { ips });
    const first = run();
    await world.fulfilled("web");
    await world.rest();
    return { ips, first };
  }

  function run() {
    const token = { DIGITALOCEAN_ACCESS_TOKEN: world.digitalocean.token, DIGITALOCEAN_API_URL: proxy.url };
    return world.start({}, { env: token });
  }

  for (const [what, mayReadDroplets, reason] of [
    ["and whose token may not read droplets", false, "Unauthorized"],
    ["though its droplets have them", true, "ProviderUnavailable"],
  ] as const) {
    it(`${what}, is reported and assigns nothing, also for a new process`, async () => {
      const { first } = await start();
      const { journal } = world.digitalocean;
      const after = journal.mark;
      proxy.hides = { droplets: !mayReadDroplets };
      const reported = () => world.condition("web", "ProviderReachable")?.reason === reason;
      await world.until("it is reported", reported, 30_000);
      await world.clock.sleep(2 * LISTED_MS);
      await first.stop();
      run();
      await world.clock.sleep(LISTED_MS);
      expect(journal.calls({ on: CHANGE, after })).to.deep.equal([]);
      proxy.hides = undefined;
      await world.until("it is over", () => world.condition("web", "ProviderReachable")?.status === "True", 30_000);
      await world.fulfilled("web");
      expect(journal.calls({ on: CHANGE, after })).to.deep.equal([]);
    });
  }

  it("though a person took them off, assigns them again", async () => {
    const { ips } = await start();
    for (const ip of ips) world.digitalocean.state.setHolder(ip, null);
    await world.until("they are back", () => ips.every((ip) => world.holder(ip) !== undefined));
  });
});

describe("operator in process: a list that lacks an address, and a read that does not find it", function () {
  this.timeout(120_000);
  let world: World;
  let proxy: HidingProxy;

  afterEach(async () => {
    await world.close();
    proxy.close();
  });

  const env = () => ({ DIGITALOCEAN_ACCESS_TOKEN: world.digitalocean.token, DIGITALOCEAN_API_URL: proxy.url });
  const deletions = () => world.digitalocean.journal.count({ on: /^(DELETE|PUT) .*\/records/ });

  for (const who of ["a new process", "a process that did not assign it"])
    it(`once: ${who} leaves the address in DNS; after a second such read it goes`, async () => {
      world = await World.create({ nodes: 2 });
      proxy = await HidingProxy.to(world.digitalocean.url);
      const ips = world.addAddresses(2);
      const [ip = ""] = ips;
      world.addPool("web", { ips, dnsRecordSet: { zone: "example.com", recordName: "web" } });
      const first = world.start({}, { env: env() });
      const records = () => world.digitalocean.state.dns.records("example.com", "web").map(({ data }) => data);
      await world.until("its records", () => records().length === 2, 10_000);
      await world.rest();
      await first.stop();
      const lack = () => (proxy.lacks = { ip, reads: 1 });
      if (who === "a new process") lack();
      world.start({}, { env: env() });
      if (who !== "a new process") {
        await world.clock.sleep(LISTED_MS / 2);
        lack();
      }
      await world.until("a read does not find it", () => proxy.lacks?.reads === 0, 10_000);
      await world.clock.sleep(60_000);
      expect([records().sort(), deletions()]).to.deep.equal([[...ips].sort(), 0]);
      expect(world.status("web").ips?.[ip]?.state).to.equal("active");
      proxy.lacks = { ip, reads: Number.POSITIVE_INFINITY };
      await world.until("it is out of DNS", () => !records().includes(ip), 10_000);
    });
});
