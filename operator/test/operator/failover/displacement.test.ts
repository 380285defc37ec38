import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { Killer, type Moment } from "../killer.js";
import { World } from "../world.js";

const ACTIONS = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const DNS = { zone: "example.com", recordName: "www", ttl: 60 };

describe("operator in process: an address that its pool no longer asks for is on the last node", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  const names = () => world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);
  const nodeOf = (ip: string) => {
    const nodes = world.kubernetes.list("v1", "Node") as readonly { metadata: { name: string }; spec?: object }[];
    return nodes.find(({ spec }) => JSON.stringify(spec).includes(`"${world.holder(ip)}"`))?.metadata.name;
  };
  const moves = () => world.digitalocean.journal.calls({ mutating: true, on: ACTIONS }).map(({ body }) => body);

  /** The first address serves on a node, and the second one is disabled on the other. */
  async function shrunk(): Promise<readonly [string, string]> {
    world = await World.create({ nodes: 2 });
    const [active = "", spare = ""] = world.addAddresses(2);
    world.addPool("web", { ips: [active, spare], dnsRecordSet: DNS });
    const running = world.start();
    await world.fulfilled("web");
    world.edit("web", { desiredIPs: 1 });
    await world.until("disabled", () => world.status("web").ips?.[spare]?.state === "disabled");
    await world.rest();
    await running.stop();
    return [active, spare];
  }

  for (const end of ["fails", "is deleted"] as const) {
    it(`the active one gets the node when its own ${end}`, async () => {
      const [active, spare] = await shrunk();
      world.start();
      await world.fulfilled("web");
      const [lost = "", left] = [nodeOf(active), nodeOf(spare)];
      if (end === "fails") world.setReady(lost, false);
      else world.removeNode(lost);
      await world.until("moved", () => nodeOf(active) === left);
      await world.fulfilled("web");
      await world.rest();
      expect([world.holder(spare), names()]).to.deep.equal([undefined, [active]]);
      expect(world.status("web").ips?.[spare]?.state).to.equal("disabled");
    });
  }

  it("the active one gets the node also if the first assignment is refused", async () => {
    const [active, spare] = await shrunk();
    world.start();
    await world.fulfilled("web");
    const left = nodeOf(spare);
    const before = moves().length;
    world.digitalocean.faults.inject({ kind: "status", status: 503 }, { on: ACTIONS, nth: 2, times: 3 });
    world.setReady(nodeOf(active) ?? "", false);
    await world.until("moved", () => nodeOf(active) === left);
    await world.rest();
    expect(moves().length - before).to.be.at.least(2);
    expect(names()).to.deep.equal([active]);
  });

  for (const moment of ["before", "after"] as Moment[]) {
    for (const at of [1, 2, 3]) {
      it(`the next process ends what one began that was killed ${moment} its change ${at}`, async () => {
        const [active, spare] = await shrunk();
        const left = nodeOf(spare);
        const killer = new Killer(world, "doomed", at, moment);
        const doomed = world.start({}, killer.identity);
        await world.until("it knows the pool", () => world.condition("web", "Fulfilled")?.status === "True");
        await world.rest();
        killer.watch(doomed);
        world.setReady(nodeOf(active) ?? "", false);
        await world.until("the kill", () => killer.killed !== undefined);
        await killer.killed;
        world.kubernetes.setFaults(undefined);
        world.digitalocean.faults.clear();
        world.start();
        await world.until("moved", () => nodeOf(active) === left);
        await world.fulfilled("web");
        expect([world.holder(spare), names()]).to.deep.equal([undefined, [active]]);
      });
    }
  }

  /** Three addresses with a long TTL, of which the pool asks for two. */
  async function longTtl(): Promise<readonly [string, string, string]> {
    world = await World.create({ nodes: 3 });
    const [a = "", b = "", c = ""] = world.addAddresses(3);
    world.addPool("web", { ips: [a, b, c], dnsRecordSet: { ...DNS, ttl: 3600 } });
    world.start();
    await world.fulfilled("web");
    await world.until("published", () => names().length === 3);
    world.edit("web", { desiredIPs: 2 });
    await world.until("it left DNS", () => !names().includes(c));
    return [a, b, c];
  }

  it("one that has left DNS just now waits for its own TTL, which a later change of the other one does not prolong", async () => {
    const [a, , c] = await longTtl();
    const left = world.clock.now();
    await world.clock.sleep(1_800_000);
    world.setReady(nodeOf(a) ?? "", false);
    await world.until("moved", () => world.holder(c) === undefined);
    expect(world.clock.now() - left).to.be.within(3_590_000, 3_720_000);
  });

  it("one that somebody else put back into DNS meanwhile waits again", async () => {
    const [a, , c] = await longTtl();
    await world.clock.sleep(3_700_000);
    world.digitalocean.state.dns.addRecord("example.com", { type: "A", name: "www", data: c, ttl: 3600 });
    await world.until("the operator has corrected it", () => !names().includes(c));
    const since = world.clock.now();
    world.setReady(nodeOf(a) ?? "", false);
    await world.until("moved", () => world.holder(c) === undefined);
    expect(world.clock.now() - since).to.be.above(3_500_000);
  });

  it("one that serves leaves DNS before its node, and a name is never empty", async () => {
    world = await World.create({ nodes: 2 });
    const [a = "", b = "", c = ""] = world.addAddresses(3);
    world.addPool("web", { ips: [a, b, c], desiredIPs: 2, dnsRecordSet: DNS });
    world.start();
    await world.fulfilled("web");
    await world.until("published", () => names().length === 2);
    world.edit("web", { ips: [c, a, b] });
    await world.until("it left DNS", () => names().length === 1);
    expect(nodeOf(b)).to.not.equal(undefined);
    await world.fulfilled("web");
    await world.until("published", () => names().length === 2);
    expect([nodeOf(b), names().sort()]).to.deep.equal([undefined, [a, c].sort()]);
  });
});
