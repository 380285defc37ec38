/** Two replicas: one acts, the other takes over. */

import { LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { ROUTES } from "./support/clouds.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

/** Short, and still long enough for a busy machine to renew it in time. */
const SHORT = ["--leader-elect-lease-duration=6", "--leader-elect-renew-deadline=5", "--leader-elect-retry-period=0.3"];
const LEASE_LOST = 3;

describe("two replicas", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  const leaseHolder = async ({ client, install }: World) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${install.namespace}/leases/${LEASE_NAME}`;
    return (
      await client.must.get<
        { spec: { holderIdentity?: string } } & { apiVersion: string; kind: string; metadata: never }
      >(path)
    ).spec.holderIdentity;
  };

  it("the standby takes over from a leader that is killed, and finishes what it began", async () => {
    const world = await worlds.create({ digitalocean: { durations: { assign: 3_000 } } });
    await world.fleet.addAll(["a", "b", "c"]);
    const ips = spare(world, 2);
    const pool = await world.pool("web", { ips });
    const leader = await world.start(SHORT);
    const standby = await world.launch(SHORT);
    await standby.until("it to stand by", async () => (await standby.lines("standing by")).length > 0);
    await world.until("the moves to run", () => world.clouds.digitalocean.state.runningActions.length === 2);
    await world.kill(leader);
    await pool.is("Fulfilled", "True");
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.act }), "no move is made twice").to.equal(2);
    expect(await standby.metric("leader_election_master_status")).to.equal(1);
  });

  it("the standby acts at once when the leader gets SIGTERM", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip] });
    // With the usual Lease of 15 s: it is given back, not waited for.
    const leader = await world.start();
    await pool.is("Fulfilled", "True");
    const standby = await world.launch();
    await standby.until("it to stand by", async () => (await standby.lines("standing by")).length > 0);
    const before = await leaseHolder(world);
    await world.stop(leader);
    await standby.leads();
    expect(await leaseHolder(world)).not.to.be.oneOf([before, "", undefined]);
    const first = world.fleet.holderOf(ip);
    await first?.node.setReady(false);
    await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
  });

  it("a leader that was stalled writes nothing when it wakes up, and ends", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b", "c"]);
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip] });
    const leader = await world.start(SHORT);
    world.mayFail(leader);
    await pool.is("Fulfilled", "True");
    const standby = await world.launch(SHORT);
    await standby.until("it to stand by", async () => (await standby.lines("standing by")).length > 0);
    await leader.signal("SIGSTOP");
    const first = world.fleet.holderOf(ip);
    await first?.node.setReady(false);
    await world.until("the move by the standby", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
    await pool.is("Fulfilled", "True");
    const mark = world.clouds.mark();
    await leader.signal("SIGCONT");
    expect((await leader.exited).code).to.equal(LEASE_LOST);
    expect(world.changes(mark)).to.deep.equal([]);
    expect(await standby.metric("leader_election_master_status")).to.equal(1);
  });
});
