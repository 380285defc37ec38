import { expect } from "chai";
import { describe, it } from "mocha";
import { SECOND_READ_SECONDS } from "../../src/timings.js";
import { DRIFT_MS, NAME, settled, type World } from "../controllers/node-dns-record-set/world.js";

const AGAIN_MS = SECOND_READ_SECONDS * 1000;

/** Its next reads show no records. */
function hide({ dns }: World, reads: number): void {
  let left = reads;
  dns.shown = (fqdn) => (left-- > 0 ? [] : dns.of(fqdn));
}

describe("a node record set whose provider answers with an empty list", () => {
  let world: World;
  let before: readonly string[];

  beforeEach(async () => {
    world = await settled(["n1", "n2"], {
      dnsRecordSet: { zone: "example.com", recordName: NAME, deletionPolicy: "Delete" },
    });
    before = world.dns.values(NAME);
    world.dns.calls.length = 0;
  });

  const writes = () => world.dns.calls.filter((call) => !call.startsWith("read"));

  for (const [who, begin] of [
    ["a new process", () => world.restart()],
    ["the process that wrote them", () => world.clock.advance(DRIFT_MS)],
  ] as const) {
    it(`once: ${who} reads again and creates nothing`, async () => {
      await begin();
      hide(world, 1);
      const { requeueAt } = await world.run("game");
      expect(requeueAt).to.equal(world.clock.now() + AGAIN_MS);
      expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
      await world.pass("game", 60_000);
      expect([writes(), world.dns.values(NAME)]).to.deep.equal([[], before]);
      expect(world.snapshot("game").reverts).to.deep.equal([]);
    });

    it(`twice, since somebody deleted them: ${who} creates them`, async () => {
      await begin();
      world.dns.set(NAME, []);
      await world.pass("game", AGAIN_MS + 1);
      expect(world.dns.values(NAME)).to.deep.equal(before);
      expect(world.dns.calls.filter((call) => call.startsWith("read"))).to.have.length(2);
    });
  }

  it("once while it is deleted: its records go all the same", async () => {
    world.restart();
    hide(world, 1);
    world.delete("game");
    await world.pass("game", 60_000);
    expect([world.dns.values(NAME), world.resource("game").metadata.finalizers]).to.deep.equal([[], []]);
  });
});
