import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { CONTESTED_PAUSE_MS } from "../../../src/timings.js";
import { DnsWorld } from "./dns-world.js";

const NODES = ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"];

/** Reads show the zone as it was before the first change. */
const LAG_MS = 20_000;

describe("node record sets whose provider shows changes late", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create();
    for (const node of NODES) rig.addNode(node);
    rig.addSet("game");
    rig.start();
    await rig.rests();
  });

  afterEach(() => rig.close());

  function lagFromTheNextChange(): void {
    const on = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method !== "GET" && path.includes("/domains/");
    rig.world.digitalocean.faults.inject({ kind: "stale-reads", ms: LAG_MS }, { on });
  }

  it("lose each node that is not ready at once, and see no other writer", async () => {
    lagFromTheNextChange();
    for (const [index, node] of NODES.slice(0, 6).entries()) {
      rig.world.setReady(node, false);
      await rig.world.clock.sleep(3_000);
      await rig.publishes(...NODES.slice(index + 1));
      expect(rig.condition("game", "DNSReady"), node).not.to.match(/^False/);
    }
    await rig.world.clock.sleep(60_000);
    await rig.publishes("n7", "n8");
    expect(rig.events("ForeignWriter")).to.deep.equal([]);
    expect(rig.condition("game", "Conflict")).to.match(/^False/);
  });

  it("hold each address once after nodes that were away for a moment", async () => {
    lagFromTheNextChange();
    for (const node of NODES.slice(0, 3)) {
      rig.world.setReady(node, false);
      await rig.world.clock.sleep(6_000);
      rig.world.setReady(node, true);
      await rig.world.clock.sleep(2_000);
    }
    await rig.publishes(...NODES);
    expect(rig.events("ForeignWriter")).to.deep.equal([]);
  });

  it("still see a party that puts back each time what was there before", async () => {
    const { dns } = rig.world.digitalocean.state;
    const gone = rig.address("n8");
    rig.world.setReady("n8", false);
    const until = rig.world.clock.now() + CONTESTED_PAUSE_MS;
    await rig.until("it pauses", () => {
      if (!rig.records().includes(gone)) dns.addRecord("example.com", { type: "A", name: "game", data: gone, ttl: 60 });
      return rig.condition("game", "DNSReady") === "False/ForeignWriter" || rig.world.clock.now() > until + 3_600_000;
    });
    expect(rig.condition("game", "DNSReady")).to.equal("False/ForeignWriter");
  });
});
