/** The Go operator's defects around addresses: each would come back where its fix is taken out. */

import { Annotation, Finalizer } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

/** The shortest wait of the slow schedule, and the longest that a test waits for anything. */
const SLOW_MS = 60_000;
const LEASE = ["--leader-elect-lease-duration=6", "--leader-elect-renew-deadline=5", "--leader-elect-retry-period=0.3"];

describe("defects of the Go operator: addresses", function () {
  this.timeout(240_000);
  const worlds = useWorlds();

  const acts = (world: World) => world.clouds.digitalocean.journal.calls({ on: ROUTES.act });
  const addresses = (world: World) => world.clouds.digitalocean.state.addresses();

  it("defect 1: a failed assignment is tried again and strands no node", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    const ip = spareOne(world);
    world.clouds.digitalocean.faults.inject({ kind: "status", status: 503 }, { on: ROUTES.act, times: 3 });
    const pool = await world.pool("web", { ips: [ip] });
    await world.start();
    await pool.is("Fulfilled", "True");
    expect(world.fleet.holderOf(ip)).to.equal(machine);
    const statuses = acts(world).map(({ status }) => status);
    expect(statuses).to.deep.equal([503, 503, 503, 201]);
  });

  it("defect 2: nodes and droplets without addresses crash nothing", async () => {
    const world = await worlds.create();
    await world.fleet.add("bare", { addresses: [] });
    await world.fleet.add("strange", { droplet: false, providerID: "digitalocean://" });
    const machine = await world.fleet.add("whole");
    const set = await world.recordSet("nodes", {
      dnsRecordSet: { provider: "digitalocean", zone: DOMAIN, recordName: "nodes" },
    });
    const pool = await world.pool("web", { ips: spare(world, 3) });
    const operator = await world.start(["--resync=1"]);
    await set.is("DNSReady", "True");
    await pool.says("two on droplets", ({ counts }) => counts?.active === 2);
    await world.rounds();
    expect(world.clouds.published("nodes")).to.deep.equal([machine.publicIp]);
    expect(operator.exit).to.equal(undefined);
    expect(await operator.metric("controller_runtime_reconcile_panics_total")).to.equal(0);
  });

  it("defect 3: a 429 waits as long as it asks for, and no longer; 5xx take the fast schedule", async () => {
    const world = await worlds.create();
    await world.fleet.add("a");
    const { faults, journal } = world.clouds.digitalocean;
    faults.inject({ kind: "status", status: 429, retryAfterSeconds: 3 }, { on: ROUTES.act });
    faults.inject({ kind: "status", status: 502 }, { on: ROUTES.act, nth: 2 });
    const pool = await world.pool("web", { ips: [spareOne(world)] });
    await world.start();
    await pool.is("Fulfilled", "True");
    expect(acts(world).map(({ status }) => status)).to.deep.equal([429, 502, 201]);
    const [{ at = 0, sequence = 0 } = {}, { at: again = 0 } = {}] = acts(world);
    const between = journal.calls({ after: sequence }).filter((call) => call.at < at + 2_900);
    expect(between, "calls while the API asked to wait").to.deep.equal([]);
    expect(again - at).to.be.lessThan(SLOW_MS);
  });

  it("defect 4: killed between create and record, it leaks no address and creates no second one", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    world.clouds.digitalocean.faults.inject({ kind: "delay", ms: 5_000 }, { on: ROUTES.create });
    const pool = await world.pool("web", { desiredIPs: 2 });
    await world.start(LEASE);
    await world.until("the creation", () => addresses(world).length === 1);
    await world.kill();
    expect((await pool.status()).createdIPs ?? [], "not recorded yet").to.deep.equal([]);
    await world.start(LEASE);
    await pool.is("Fulfilled", "True");
    const made = addresses(world).map(({ ip }) => ip);
    expect(made).to.have.length(2);
    expect((await pool.status()).createdIPs?.map(({ ip }) => ip)).to.have.members(made);
    await pool.until("spec.ips to list them", async () => (await pool.get()).spec.ips?.length === 2);
  });

  it("defect 4: an answer that is lost is found again", async () => {
    const world = await worlds.create();
    world.clouds.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on: ROUTES.create });
    const pool = await world.pool("web", { desiredIPs: 1 });
    await world.start();
    await pool.is("Fulfilled", "False CreationUnsettled");
    await world.fleet.add("a");
    await pool.is("Fulfilled", "True");
    const made = addresses(world).map(({ ip }) => ip);
    expect(made).to.have.length(1);
    expect((await pool.status()).createdIPs?.map(({ ip }) => ip)).to.deep.equal(made);
    expect((await pool.status()).pendingCreation).to.equal(undefined);
  });

  it("defect 4: without the right to write the pool it creates nothing, and with it what is wanted, once", async () => {
    const world = await worlds.create({ mayBeRefused: true });
    await world.fleet.addAll(["a", "b", "c"]);
    const giveBack = await withoutRight(world, "floatingippools");
    const pool = await world.pool("web", { desiredIPs: 2 });
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "False APIServerRefused");
    await world.rounds(5);
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.create })).to.equal(0);
    expect((await pool.status()).pendingCreation).to.equal(undefined);
    expect((await world.operator.readyz())?.body).to.match(/role too old: .*floatingippools/);
    await giveBack();
    await pool.is("Fulfilled", "True");
    await pool.until("spec.ips to list them", async () => (await pool.get()).spec.ips?.length === 2);
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.create })).to.equal(2);
  });

  it("without the right to take an address out of ips it releases none, and uses it again when the pool grows", async () => {
    const world = await worlds.create({ mayBeRefused: true });
    await world.fleet.addAll(["a", "b"]);
    const pool = await world.pool("web", { desiredIPs: 2, reclaimPolicy: "Delete" });
    await world.start(["--resync=1"]);
    await pool.until("spec.ips to list them", async () => (await pool.get()).spec.ips?.length === 2);
    const made = addresses(world).map(({ ip }) => ip);
    const giveBack = await withoutRight(world, "floatingippools");
    await pool.edit({ desiredIPs: 1 });
    await pool.until("a refused write", async () => (await pool.events("SpecNotWritten")).length > 0);
    expect(addresses(world).map(({ ip }) => ip)).to.have.members(made);
    await pool.edit({ desiredIPs: 2 });
    await pool.is("Fulfilled", "True");
    await pool.edit({ desiredIPs: 1 });
    await giveBack();
    await pool.until("one of them to go", async () => addresses(world).length === 1);
    expect((await pool.get()).spec.ips).to.deep.equal(addresses(world).map(({ ip }) => ip));
  });

  it("defect 4: without the right to write its status it creates nothing", async () => {
    const world = await worlds.create({ mayBeRefused: true });
    await world.fleet.add("a");
    await withoutRight(world, "floatingippools/status");
    await world.pool("web", { desiredIPs: 1 });
    await world.start(["--resync=1"]);
    await world.rounds(5);
    expect(addresses(world)).to.deep.equal([]);
    expect((await world.operator.readyz())?.body).to.match(/role too old: .*floatingippools\/status/);
  });

  it("defect 5: an action that ends errored has not assigned anything", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    world.clouds.digitalocean.state.failActions();
    const pool = await world.pool("web", { ips: [spareOne(world)] });
    await world.start();
    await pool.says("the error", ({ ips }) => Object.values(ips ?? {}).some(({ state }) => state === "error"));
    expect(world.clouds.holders()).not.to.contain(machine.dropletId);
    await pool.is("Fulfilled", "True");
    expect(acts(world)).to.have.length(2);
  });

  it("defect 6: a deleted pool leaves no annotation, and keeps addresses and records by default", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    const pool = await world.pool("web", { desiredIPs: 1, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    await world.start();
    await pool.is("DNSReady", "True");
    const value = Annotation.reservedIpv4;
    await world.until("the annotation", async () => (await world.annotations(machine))[value] !== undefined);
    await pool.delete();
    await pool.isGone();
    await world.until("no annotation", async () => (await world.annotations(machine))[value] === undefined);
    expect(await world.annotations(machine)).not.to.have.property(Annotation.reservedIpv4Owner);
    expect(addresses(world)).to.have.length(1);
    expect(world.clouds.published("www")).to.have.length(1);
  });

  it("defect 6: a deleted pool takes its addresses and records along where the policies say Delete", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    const listed = spareOne(world);
    world.clouds.digitalocean.state.dns.addRecord(DOMAIN, { type: "A", name: "other", data: "192.0.2.1" });
    const pool = await world.pool("web", {
      ...{ ips: [listed], desiredIPs: 2, reclaimPolicy: "Delete" },
      dnsRecordSet: { zone: DOMAIN, recordName: "www", ttl: 30, deletionPolicy: "Delete" },
    });
    await world.fleet.add("b");
    await world.start();
    await pool.is("DNSReady", "True");
    await pool.is("Fulfilled", "True");
    expect((await pool.get()).metadata.finalizers).to.deep.equal([Finalizer.cleanup]);
    await pool.delete();
    await pool.isGone();
    expect(
      addresses(world).map(({ ip }) => ip),
      "what it created is gone, what was listed is not",
    ).to.deep.equal([listed]);
    expect(world.clouds.published("www")).to.deep.equal([]);
    expect(world.clouds.published("other")).to.have.length(1);
    expect(await world.annotations(machine)).not.to.have.property(Annotation.reservedIpv4);
  });

  it("defect 10: a node that comes back as another machine is another node", async () => {
    const world = await worlds.create();
    const first = await world.fleet.add("a");
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip] });
    await world.start();
    await pool.is("Fulfilled", "True");
    await world.fleet.remove(first);
    const second = await world.fleet.add("a");
    expect(second.name).to.equal(first.name);
    await world.until("the new machine to get the address", () => world.fleet.holderOf(ip) === second);
    await pool.says("its provider id", ({ ips }) => ips?.[ip]?.providerID === `digitalocean://${second.dropletId}`);
  });

  it("defect 13: its own role lets it annotate nodes, and nothing else of them", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    await machine.node.patch({ metadata: { annotations: { "example.com/mine": "1" } } });
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip] });
    const operator = await world.start();
    await pool.is("Fulfilled", "True");
    await world.until("the annotation", async () => (await world.annotations(machine))[Annotation.reservedIpv4] === ip);
    expect(await world.annotations(machine)).to.include({ "example.com/mine": "1" });
    expect(await operator.metric("rest_client_requests_total", 'code="403"')).to.equal(0);
  });

  it("defect 14: of two pools that list one address the older has it, and the other says so", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const [shared = "", own = ""] = spare(world, 2);
    const first = await world.pool("first", { ips: [shared] });
    await world.start(["--resync=1"]);
    await first.is("Fulfilled", "True");
    const second = await world.pool("second", { ips: [shared, own] });
    await second.is("Conflict", "True ClaimedByOther");
    await second.says("its own", ({ ips }) => ips?.[own]?.state === "active" && ips[shared]?.state === "error");
    expect((await second.conditionOf("Conflict"))?.message)
      .to.include("first")
      .and.to.include(shared);
    await world.rounds();
    expect(acts(world), "one assignment for each address").to.have.length(2);
    await first.delete();
    await second.is("Fulfilled", "True");
  });

  it("defect 18: pools whose matches overlap share the nodes", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(Array.from({ length: 12 }, (_, index) => `n${index}`));
    const pools = await Promise.all(["p1", "p2", "p3"].map((name) => world.pool(name, { ips: spare(world, 4) })));
    await world.start();
    for (const pool of pools) await pool.is("Fulfilled", "True");
    expect(world.clouds.digitalocean.journal.count({ status: 422 }), world.clouds.text()).to.equal(0);
    expect(new Set(world.clouds.holders().values()).size).to.equal(12);
    expect(acts(world)).to.have.length(12);
  });
});

/** Takes the right to patch a resource away from the operator. Returns the function that gives it back. */
async function withoutRight({ client, install }: World, resource: string): Promise<() => Promise<unknown>> {
  interface Role {
    readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
  }
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/flipop-${install.namespace}`;
  const { rules } = await client.must.get<Role & { apiVersion: string; kind: string; metadata: never }>(path);
  const without = rules.map((rule) =>
    rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== "patch") } : rule,
  );
  await client.must.patch(path, { rules: without.filter(({ verbs }) => verbs.length > 0) });
  return () => client.must.patch(path, { rules });
}
