import type { DnsStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { NodeRecordSet } from "../../src/controllers/node-dns-record-set/resource.js";
import { SECOND_READ_SECONDS } from "../../src/timings.js";
import { DRIFT_MS, NAME, settled, type World } from "../controllers/node-dns-record-set/world.js";

const AGAIN_MS = SECOND_READ_SECONDS * 1000;

/** Its next reads of the name show no records. */
function hide({ dns }: World, reads: number, name = NAME): void {
  let left = reads;
  dns.shown = (fqdn) => (fqdn === name && left-- > 0 ? [] : dns.of(fqdn));
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

describe("a node record set with other names, whose provider answers once with an empty list for such a name", () => {
  const FORMER = "former.example.com";
  const RENAMED = { zone: "example.com", recordName: NAME, deletionPolicy: "Delete" } as const;
  const BEGUN: DnsStatus = { ...RENAMED, provider: "digitalocean", recordName: FORMER, types: ["A"], values: [] };

  async function former(): Promise<World> {
    const world = await settled(["n1"], { dnsRecordSet: { ...RENAMED, recordName: FORMER } });
    expect(world.dns.values(FORMER)).to.have.length(1);
    world.restart();
    return world;
  }

  const namesOf = ({ status: { dns, begunRecords = [] } }: NodeRecordSet) =>
    [...(dns ? [dns] : []), ...begunRecords].map(({ recordName }) => recordName);

  it("does not forget its former name", async () => {
    const world = await former();
    world.edit("game", { dnsRecordSet: RENAMED });
    hide(world, 1, FORMER);
    const { requeueAt } = await world.run("game");
    expect(requeueAt, "it waits for the second answer").to.equal(world.clock.now() + AGAIN_MS);
    expect(world.dns.values(NAME), "the new name does not wait").to.have.length(1);
    await world.pass("game", AGAIN_MS + 1);
    expect([world.dns.values(FORMER), namesOf(world.resource("game"))]).to.deep.equal([[], [NAME]]);
  });

  for (const [when, end] of [
    ["while its resource stays", () => undefined],
    ["while its resource goes", (world: World) => world.delete("game")],
  ] as const) {
    it(`does not forget a name that the operator has begun to write, ${when}`, async () => {
      const world = await former();
      const values = world.dns.values(FORMER);
      world.edit("game", { dnsRecordSet: RENAMED });
      await world.pass("game", 60_000);
      world.dns.set(FORMER, values);
      const { status } = world.resource("game");
      world.patch("game", { status: { ...status, begunRecords: [{ ...BEGUN, values }] } });
      world.restart();
      end(world);
      hide(world, 1, FORMER);
      await world.pass("game", 60_000);
      expect([world.dns.values(FORMER), world.resource("game").status.begunRecords]).to.deep.equal([[], undefined]);
    });
  }

  it("forgets it after a second one: somebody else has deleted its records", async () => {
    const world = await former();
    world.edit("game", { dnsRecordSet: RENAMED });
    world.dns.set(FORMER, []);
    world.dns.calls.length = 0;
    await world.pass("game", AGAIN_MS + 1);
    expect(world.dns.calls.filter((call) => call.startsWith(`read ${FORMER}`))).to.have.length(2);
    expect(namesOf(world.resource("game"))).to.deep.equal([NAME]);
  });
});
