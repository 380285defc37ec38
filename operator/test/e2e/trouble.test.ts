/** Bad input and bad days: each has a condition, an Event and words that help. */

import type { ConditionType, Reason } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES, ZONE } from "./support/clouds.js";
import type { AnyStatus, Resource } from "./support/resource.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const PODS = 10_000;
const AT_ONCE = 50;
const MEGABYTE = 2 ** 20;

/** Said by the condition, and by the metric that alerts are made of. */
async function isBad<Status extends AnyStatus>(
  { operator, namespace }: World,
  resource: Resource<Status>,
  type: ConditionType,
  reason: Reason,
): Promise<void> {
  await resource.is(type, `False ${reason}`);
  const labels = `kind="${resource.kind}",namespace="${namespace}",name="${resource.name}",type="${type}"`;
  const line = `flipop_resource_condition{${labels}} 0`;
  await operator.until(line, async () => (await operator.metrics()).split("\n").includes(line));
}

describe("trouble", function () {
  this.timeout(240_000);
  const worlds = useWorlds();

  it("a token that expires in mid-run: said at once, not used again and again, and over with a new one", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    await world.start(["--resync=1"]);
    await pool.is("DNSReady", "True");
    const { tokens, token, journal } = world.clouds.digitalocean;
    tokens.revoke(token);
    // An address that no list has shown has to be read.
    const other = await world.pool("other", { ips: ["203.0.113.99"] });
    for (const one of [pool, other]) {
      await isBad(world, one, "ProviderReachable", "Unauthorized");
      await isBad(world, one, "Accepted", "Unauthorized");
      await one.reports("Unauthorized");
    }
    const first = world.fleet.holderOf(ip);
    const refused = journal.count({ status: 401 });
    await world.rounds(10);
    expect(journal.count({ status: 401 }) - refused, "calls with a dead token").to.be.at.most(3);
    expect(world.fleet.holderOf(ip)).to.equal(first);
    expect(world.clouds.published("www")).to.deep.equal([ip]);
    tokens.add({ name: "renewed", secret: token });
    await world.stop();
    await first?.node.setReady(false);
    await world.start();
    await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
    await pool.is("Accepted", "True");
  });

  it("a zone that is missing", async () => {
    const world = await worlds.create();
    await world.fleet.add("a");
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], dnsRecordSet: { zone: "example.net", recordName: "www" } });
    const set = await world.recordSet("nodes", {
      dnsRecordSet: { provider: "cloudflare", zone: "example.net", recordName: "nodes.example.net" },
    });
    await world.start();
    await isBad(world, pool, "DNSReady", "ZoneNotFound");
    await isBad(world, set, "DNSReady", "ZoneNotFound");
    expect((await pool.conditionOf("DNSReady"))?.message).to.include("example.net");
    await pool.reports("ZoneNotFound");
    await set.reports("ZoneNotFound");
    expect(await pool.events("RecordsFailed"), "one cause, one Event").to.be.empty;
    await pool.is("Fulfilled", "True");
    await set.edit({ dnsRecordSet: { zone: ZONE, recordName: `nodes.${ZONE}` } });
    await set.is("DNSReady", "True");
  });

  it("a region that does not exist", async () => {
    const world = await worlds.create();
    const pool = await world.pool("web", { desiredIPs: 1, region: "atlantis" });
    await world.start();
    await isBad(world, pool, "Fulfilled", "Invalid");
    await isBad(world, pool, "Accepted", "Invalid");
    expect((await pool.conditionOf("Fulfilled"))?.message).to.match(/region/i);
    await pool.reports(/region/i);
    await pool.edit({ region: "nyc3" });
    await pool.says("the creation", ({ createdIPs }) => createdIPs?.length === 1);
  });

  it("an address that the account does not own", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: ["203.0.113.200", ip] });
    await world.start();
    await isBad(world, pool, "Accepted", "AddressNotFound");
    await pool.says(
      "each state",
      ({ ips }) => ips?.[ip]?.state === "active" && ips["203.0.113.200"]?.state === "error",
    );
    await pool.reports("203.0.113.200");
    await pool.edit({ ips: [ip] });
    await pool.is("Accepted", "True");
  });

  it("an account that may not have more addresses", async () => {
    const world = await worlds.create({ digitalocean: { account: { reservedIpLimit: 1 } } });
    await world.fleet.addAll(["a", "b"]);
    const pool = await world.pool("web", { desiredIPs: 2 });
    await world.start();
    await isBad(world, pool, "Fulfilled", "QuotaExceeded");
    await pool.reports("QuotaExceeded");
    expect(world.clouds.digitalocean.state.addresses()).to.have.length(1);
    await pool.says("the other one is served", ({ counts }) => counts?.active === 1);
  });

  it("nodes of another region", async () => {
    const world = await worlds.create();
    await world.fleet.add("far", { region: "fra1" });
    const pool = await world.pool("web", { ips: [spareOne(world)] });
    await world.start();
    await isBad(world, pool, "Fulfilled", "WrongRegion");
    expect(world.changes()).to.deep.equal([]);
    await world.fleet.add("near", { region: "nyc3" });
    await pool.is("Fulfilled", "True");
  });

  it("nodes without a provider id, of another cloud, and two of one machine", async () => {
    const world = await worlds.create();
    const twin = await world.fleet.add("first");
    await world.fleet.add("none", { droplet: false });
    await world.fleet.add("foreign", { droplet: false, providerID: "aws:///eu-central-1a/i-0123456789abcdef0" });
    await world.fleet.add("invalid", { droplet: false, providerID: "digitalocean://abc" });
    await world.fleet.add("second", { droplet: false, providerID: `digitalocean://${twin.dropletId}` });
    const ips = spare(world, 3);
    const pool = await world.pool("web", { ips });
    const operator = await world.start(["--resync=1"]);
    await isBad(world, pool, "Fulfilled", "TooFewCandidates");
    const message = (await pool.conditionOf("Fulfilled"))?.message ?? "";
    for (const reason of ["NoProviderID", "ForeignProviderID", "InvalidProviderID", "DuplicateProviderID"])
      expect(message).to.include(reason);
    await pool.says("one on the machine", ({ ips: shown }) =>
      Object.values(shown ?? {}).some(({ state, nodeName }) => state === "active" && nodeName === twin.name),
    );
    expect(world.changes()).to.have.length(1);
    expect(operator.exit).to.equal(undefined);
  });

  it("droplets that are busy: it waits and looks again", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    await world.start();
    world.clouds.digitalocean.state.startEvent(machine.dropletId, "power_cycle", 5_000);
    const pool = await world.pool("web", { ips: [spareOne(world)] });
    await pool.is("Fulfilled", "True");
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.act, status: 422 })).to.be.within(1, 5);
  });

  it("nodes whose droplet does not exist: another node gets the address", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    await world.fleet.add("ghost", { droplet: false, providerID: "digitalocean://4242", kubeletVersion: "v1.99.0" });
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip] });
    await world.start();
    await world.until("the assignment", () => world.fleet.holderOf(ip) === machine);
    await pool.is("Fulfilled", "True");
    await pool.reports(/node \S*ghost: the provider has no machine digitalocean:\/\/4242/);
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.act })).to.equal(2);
  });

  it(`a selector that matches ${PODS} pods`, async () => {
    const world = await worlds.create();
    const machines = await world.fleet.addAll(Array.from({ length: 20 }, (_, index) => `n${index}`));
    const labels = { app: "many" };
    const names = Array.from({ length: PODS }, (_, index) => index);
    // Nearly all wait for their containers: it is their number that counts here.
    const create = async (index: number) => {
      const nodeName = machines[index % machines.length]?.name;
      const body = {
        metadata: { name: `p${index}`, labels },
        spec: { nodeName, containers: [{ name: "main", image: "example.invalid/none" }] },
      };
      await world.client.must.create(`/api/v1/namespaces/${world.namespace}/pods`, body);
    };
    while (names.length > 0) await Promise.all(names.splice(0, AT_ONCE).map(create));
    const ready = await Promise.all(
      machines.slice(0, 5).map((machine) => world.fleet.runPod(machine, world.namespace, labels)),
    );
    const match = { nodeLabel: world.fleet.nodeLabel, podNamespace: world.namespace, podLabel: "app=many" };
    const pool = await world.pool("web", { ips: spare(world, 3), match });
    const operator = await world.start();
    await pool.is("Fulfilled", "True");
    expect((await pool.status()).counts?.candidates).to.equal(5);
    const resident = await operator.metric("process_resident_memory_bytes");
    expect(resident / MEGABYTE, "MB of memory").to.be.within(1, 300);
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.act })).to.equal(3);
    for (const pod of ready) await pod.setReady(false);
    await isBad(world, pool, "Fulfilled", "NoCandidate");
  });
});
