/** Every part but the operator goes away and comes back. */

import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import { spare, spareOne } from "./support/spare.js";
import { useWorlds } from "./support/worlds.js";

/** A busy machine may take longer than the usual 10 s to start an API server; whether the Lease is lost is tested elsewhere. */
const LONG_LEASE = ["--leader-elect-lease-duration=120", "--leader-elect-renew-deadline=100"];

describe("outages", function () {
  this.timeout(240_000);

  describe("of the API server", () => {
    const worlds = useWorlds({ own: true });

    it("a holder that fails while it restarts is replaced when it is back", async () => {
      // A server that has just started knows no roles for a moment.
      const world = await worlds.create({ mayBeRefused: true });
      await world.fleet.addAll(["a", "b", "c"]);
      const ips = spare(world, 2);
      const pool = await world.pool("web", { ips, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
      const operator = await world.start(["--resync=1", ...LONG_LEASE]);
      await pool.is("Fulfilled", "True");
      await pool.is("DNSReady", "True");
      const mark = world.clouds.mark();
      const [ip = ""] = ips;
      const first = world.fleet.holderOf(ip);
      await first?.node.setReady(false);
      await worlds.plane.apiserver.restart();
      await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
      await pool.is("Fulfilled", "True");
      expect(world.clouds.digitalocean.journal.count({ on: ROUTES.act, after: mark.digitalocean })).to.equal(1);
      expect(operator.exit).to.equal(undefined);
    });

    it("it and etcd restart: nothing moves, nothing is written to a cloud", async () => {
      // A server that has just started knows no roles for a moment.
      const world = await worlds.create({ mayBeRefused: true });
      await world.fleet.addAll(["a", "b", "c"]);
      const ips = spare(world, 2);
      const pool = await world.pool("web", { ips, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
      await world.start(["--resync=1", ...LONG_LEASE]);
      await pool.is("Fulfilled", "True");
      await pool.is("DNSReady", "True");
      const before = world.clouds.holders();
      const mark = world.clouds.mark();
      await worlds.plane.apiserver.restart();
      await worlds.plane.etcd.restart();
      await pool.until("it to be read again", async () => (await pool.condition("Accepted")) === "True Observed");
      await world.rounds();
      expect(world.changes(mark)).to.deep.equal([]);
      expect(world.clouds.holders()).to.deep.equal(before);
      expect(world.clouds.published("www")).to.deep.equal([...ips].sort());
    });
  });

  describe("of the clouds", () => {
    const worlds = useWorlds();

    it("DigitalOcean away while a holder fails: said, nothing emptied, and caught up with", async () => {
      const world = await worlds.create();
      await world.fleet.addAll(["a", "b", "c"]);
      const ips = spare(world, 2);
      const pool = await world.pool("web", { ips, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
      const set = await world.recordSet("nodes", {
        dnsRecordSet: { provider: "cloudflare", zone: "example.org", recordName: "nodes.example.org" },
      });
      await world.start();
      await pool.is("Fulfilled", "True");
      await pool.is("DNSReady", "True");
      const { faults, journal } = world.clouds.digitalocean;
      faults.inject({ kind: "reset" }, { times: Number.POSITIVE_INFINITY });
      const [ip = ""] = ips;
      const first = world.fleet.holderOf(ip);
      await first?.node.setReady(false);
      await pool.is("ProviderReachable", "False ProviderUnavailable");
      await pool.reports("ProviderUnavailable");
      // One cloud's outage stops no pool of the other.
      await world.until(
        "the other cloud's records",
        () => world.clouds.publishedAtCloudflare("nodes.example.org").length === 2,
      );
      await set.is("DNSReady", "True");
      expect(world.clouds.published("www")).to.deep.equal([...ips].sort());
      faults.clear();
      const mark = journal.mark;
      await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)), 120_000);
      await pool.is("Accepted", "True");
      expect(journal.count({ on: ROUTES.act, after: mark })).to.equal(1);
    });

    it("DigitalOcean restarts while a holder fails: moved once, when it answers again", async () => {
      const world = await worlds.create();
      await world.fleet.addAll(["a", "b", "c"]);
      const ips = spare(world, 2);
      const pool = await world.pool("web", { ips });
      await world.start(["--resync=1"]);
      await pool.is("Fulfilled", "True");
      const [ip = ""] = ips;
      const first = world.fleet.holderOf(ip);
      const { digitalocean } = world.clouds;
      const { mark } = digitalocean.journal;
      await digitalocean.restart(async () => {
        await first?.node.setReady(false);
        await pool.is("ProviderReachable", "False ProviderUnavailable");
      });
      await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)), 120_000);
      await pool.is("ProviderReachable", "True");
      await pool.is("Fulfilled", "True");
      expect(digitalocean.journal.count({ on: ROUTES.act, after: mark })).to.equal(1);
    });

    it("DigitalOcean away at the start: nothing is written before it has been read", async () => {
      const world = await worlds.create();
      await world.fleet.addAll(["a", "b"]);
      const { faults } = world.clouds.digitalocean;
      faults.inject({ kind: "status", status: 503 }, { times: Number.POSITIVE_INFINITY });
      const pool = await world.pool("web", { ips: [spareOne(world)], desiredIPs: 2 });
      await world.start(["--resync=1"]);
      await pool.is("ProviderReachable", "False ProviderUnavailable");
      await world.rounds();
      expect(world.changes()).to.deep.equal([]);
      faults.clear();
      await pool.is("Fulfilled", "True");
      expect(world.clouds.digitalocean.state.addresses()).to.have.length(2);
    });

    it("stale reads after a move: nothing moves twice", async () => {
      const world = await worlds.create();
      await world.fleet.addAll(["a", "b", "c"]);
      const ip = spareOne(world);
      const pool = await world.pool("web", { ips: [ip] });
      await world.start(["--resync=1"]);
      await pool.is("Fulfilled", "True");
      const first = world.fleet.holderOf(ip);
      const mark = world.clouds.mark();
      world.clouds.digitalocean.faults.inject({ kind: "stale-reads", ms: 5_000 }, { on: ROUTES.act });
      await first?.node.setReady(false);
      await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
      await pool.is("Fulfilled", "True");
      await world.rounds(8);
      expect(world.changes(mark)).to.have.length(1);
    });
  });
});
