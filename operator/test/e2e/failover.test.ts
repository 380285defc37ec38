import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import type { Machine } from "./support/fleet.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const SECOND_MS = 1000;

describe("failover", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  /** Addresses of the account that no droplet holds. */
  const spare = (world: World, count: number) =>
    Array.from({ length: count }, () => world.clouds.digitalocean.state.addAddress().ip).sort();

  const holder = (world: World, ip: string): Machine => {
    const machine = world.fleet.holderOf(ip);
    if (machine === undefined) throw new Error(`${ip} is on no node\n${world.clouds.text()}`);
    return machine;
  };
  const assigns = (world: World) => world.clouds.digitalocean.journal.calls({ on: ROUTES.act });

  it("moves the address of a node that is not ready, once, and its annotation with it", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b", "c"]);
    const [one = "", two = ""] = spare(world, 2);
    const pool = await world.pool("web", { ips: [one, two], dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    await world.start();
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
    const [first, other] = [holder(world, one), holder(world, two)];
    const mark = world.clouds.mark();

    await first.node.setReady(false);
    await world.until("the move", () => world.fleet.holderOf(one) !== first);
    await pool.is("Fulfilled", "True");
    const next = holder(world, one);
    expect(holder(world, two), "a healthy holder is not disturbed").to.equal(other);
    expect(world.changes(mark), "one call, and none for DNS").to.deep.equal([`POST /v2/reserved_ips/${one}/actions`]);
    expect(world.clouds.published("www")).to.deep.equal([one, two]);
    const value = Annotation.reservedIpv4;
    await world.until("the annotation", async () => (await world.annotations(next))[value] === one);
    await world.until("no annotation", async () => (await world.annotations(first))[value] === undefined);
    await pool.says("the place", ({ ips }) => ips?.[one]?.nodeName === next.name && ips[one]?.state === "active");
  });

  it("keeps an address where it is while no other node waits, and makes no call when the node is back", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    const [ip = ""] = spare(world, 1);
    const pool = await world.pool("web", { ips: [ip], dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    await world.start();
    await pool.is("DNSReady", "True");
    const mark = world.clouds.mark();
    await machine.node.setReady("Unknown");
    await pool.says("no-match", ({ ips }) => ips?.[ip]?.state === "no-match");
    await pool.is("Fulfilled", "False NoCandidate");
    await pool.is("DNSReady", "False KeptLastKnown");
    await machine.node.setReady(true);
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
    expect(world.changes(mark)).to.deep.equal([]);
    expect(world.clouds.published("www")).to.deep.equal([ip]);
  });

  it("follows the pods of the workload", async () => {
    const world = await worlds.create();
    const [a, b] = await world.fleet.addAll(["a", "b"]);
    if (a === undefined || b === undefined) throw new Error("no machines");
    const labels = { app: "ingress" };
    const pod = await world.fleet.runPod(a, world.namespace, labels);
    const match = { nodeLabel: world.fleet.nodeLabel, podNamespace: world.namespace, podLabel: "app=ingress" };
    const [ip = ""] = spare(world, 1);
    const pool = await world.pool("web", { ips: [ip], match });
    await world.start();
    await pool.is("Fulfilled", "True");
    expect(holder(world, ip)).to.equal(a);
    const second = await world.fleet.runPod(b, world.namespace, labels);
    await pool.says("b waits", ({ assignableNodes }) => assignableNodes?.includes(b.name) === true);
    await pod.setReady(false);
    await world.until("the move to b", () => world.fleet.holderOf(ip) === b);
    await pool.is("Fulfilled", "True");
    await pod.setReady(true);
    await second.delete();
    await world.until("the move back to a", () => world.fleet.holderOf(ip) === a);
  });

  it("gives a holder its grace period, and ends it at once for one that is cordoned", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const [ip = ""] = spare(world, 1);
    const pool = await world.pool("web", { ips: [ip], gracePeriodSeconds: 600 });
    await world.start();
    await pool.is("Fulfilled", "True");
    const first = holder(world, ip);
    await first.node.setReady(false);
    await pool.says("grace", ({ ips }) => ips?.[ip]?.reason === "InGrace" && ips[ip]?.state === "active");
    expect(assigns(world)).to.have.length(1);
    const since = (await pool.status()).ips?.[ip]?.graceSince;
    await world.stop();
    await world.start();
    await pool.says("grace goes on", ({ ips }) => ips?.[ip]?.graceSince === since && since !== undefined);
    expect(assigns(world)).to.have.length(1);
    await first.node.cordon();
    await world.until("the move", () => world.fleet.holderOf(ip) !== first);
  });

  it("finds a node for an address whose droplet is gone", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const [ip = ""] = spare(world, 1);
    const pool = await world.pool("web", { ips: [ip] });
    await world.start();
    await pool.is("Fulfilled", "True");
    const first = holder(world, ip);
    await world.fleet.remove(first);
    await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
    await pool.is("Fulfilled", "True");
  });

  it("moves by the cool-off of the pool, and all at once without one", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b", "c"]);
    const ips = spare(world, 3);
    const pool = await world.pool("web", { ips, assignmentCoolOffSeconds: 2 });
    await world.start();
    await pool.is("Fulfilled", "True");
    const times = assigns(world).map(({ at }) => at);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).to.have.length(2);
    // The time is kept in whole seconds.
    for (const gap of gaps) expect(gap, "ms between two assignments").to.be.at.least(SECOND_MS);
  });

  it("does not hold up the others of a pool when one move fails", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b", "c"]);
    const [bad = "", ...good] = spare(world, 3);
    const stuck = new RegExp(`^POST /v2/reserved_ips/${bad.replaceAll(".", "\\.")}/actions$`);
    world.clouds.digitalocean.faults.inject(
      { kind: "status", status: 500 },
      { on: stuck, times: Number.POSITIVE_INFINITY },
    );
    const pool = await world.pool("web", { ips: [bad, ...good] });
    await world.start();
    await pool.says("two of three", ({ counts }) => counts?.active === 2);
    await pool.says(
      "the third in error",
      ({ ips }) => ips?.[bad]?.state === "error" && ips[bad]?.reason === "ProviderUnavailable",
    );
    await pool.is("Fulfilled", "False ProviderUnavailable");
    world.clouds.digitalocean.faults.clear();
    await pool.is("Fulfilled", "True");
  });
});
