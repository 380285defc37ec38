import { KINDS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { OwnObject } from "../../../src/commands/list-objects.js";
import { rowOf } from "../../../src/commands/render/status.js";
import { DnsWorld, NAME, ZONE } from "./dns-world.js";

const MISSING = "none.example";

describe("the status of a record set whose zone is refused", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create();
    for (const node of ["n1", "n2"]) rig.addNode(node);
  });

  afterEach(() => rig.close());

  const serves = () => rowOf(KINDS.NodeDNSRecordSet, rig.object("game") as unknown as OwnObject).serves;
  const dnsReady = (seen: string) => rig.until(`DNSReady ${seen}`, () => rig.condition("game", "DNSReady") === seen);
  const refuse = (status: number, on: RegExp) =>
    rig.world.digitalocean.faults.inject({ kind: "status", status }, { on, times: Infinity });
  const showsNothing = () => {
    expect(serves()).to.equal("0 records");
    expect(rig.status("game").counts).to.deep.include({ published: 0 });
    expect(rig.status("game").addresses ?? []).to.deep.equal([]);
    expect(rig.status("game").dns?.values ?? []).to.deep.equal([]);
  };
  const candidates = (count: number) =>
    rig.until(`${count} candidates`, () => rig.status("game").counts?.candidates === count);
  const fail = (...nodes: readonly string[]) => {
    for (const node of nodes) rig.world.setReady(node, false);
  };

  for (const [zone, seen] of [
    [MISSING, "False/ZoneNotFound"],
    [`${ZONE}..`, "False/Invalid"],
  ] as const) {
    it(`shows no record that was never written, with nodes and without, in zone ${zone}`, async () => {
      rig.addSet("game", { dnsRecordSet: { zone, recordName: NAME.replace(ZONE, MISSING) } });
      rig.start();
      await dnsReady(seen);
      showsNothing();
      fail("n1", "n2");
      await candidates(0);
      showsNothing();
    });
  }

  it("shows no record where the provider shows the zone and refuses each change of it", async () => {
    refuse(403, /^POST .*records/);
    rig.addSet("game");
    rig.start();
    await dnsReady("False/Unauthorized");
    showsNothing();
    fail("n1", "n2");
    await dnsReady("False/NoCandidate");
    showsNothing();
  });

  it("keeps the last known records where the zone was valid before", async () => {
    rig.addSet("game");
    rig.start();
    await rig.ready();
    const { addresses, dns } = rig.status("game");
    const keepsBoth = () => {
      expect(serves()).to.equal("2 records");
      expect(rig.status("game")).to.deep.include({ addresses, dns });
      expect(rig.records()).to.deep.equal(["n1", "n2"].map((node) => rig.address(node)).sort());
    };
    const refusal = refuse(404, /domains/);
    rig.addNode("n3");
    await dnsReady("False/ZoneNotFound");
    keepsBoth();
    fail("n1", "n2", "n3");
    await candidates(0);
    keepsBoth();
    refusal.cancel();
    rig.edit("game", { dnsRecordSet: { zone: MISSING, recordName: "game" } });
    await rig.until("the edit", () => rig.status("game").error?.includes(MISSING) === true);
    keepsBoth();
  });
});
