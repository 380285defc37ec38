import { expect } from "chai";
import { isRepeatedlyUndone } from "../../src/addresses/undone-writes.js";
import type { RecordFacts } from "../../src/providers/types.js";
import { providerError } from "./fake-dns.js";
import { FQDN, MINUTE, type Rig, rig } from "./record-set-rig.js";

const NODES = [1, 2, 3, 4, 5, 6].map((node) => `192.0.2.${node}`);

/** Every read shows what was there so long ago. */
function lag({ clock, dns }: Rig, ms: number): void {
  const states: { readonly at: number; readonly records: readonly RecordFacts[] }[] = [];
  const note = () => states.push({ at: clock.monotonic(), records: [...dns.of(FQDN)] });
  note();
  const before = dns.afterStep;
  dns.afterStep = () => {
    before();
    note();
  };
  dns.shown = () => states.findLast(({ at }) => clock.monotonic() - at >= ms)?.records ?? states[0]?.records ?? [];
}

/** A set with these addresses, written a minute ago. */
async function written(...values: readonly string[]): Promise<Rig> {
  const world = rig();
  await world.read();
  await world.write(...values);
  await world.clock.advance(MINUTE);
  return world;
}

describe("readings of a record set that lag behind its changes", () => {
  for (const ms of [5_000, 10_000, 20_000]) {
    it(`are no change by others, and the next change relies on its own last one: ${ms} ms`, async () => {
      const world = await written(...NODES);
      lag(world, ms);
      for (let gone = 1; gone <= 4; gone++) {
        await world.write(...NODES.slice(gone));
        expect([world.set.view().reverts, world.known()]).to.deep.equal([[], NODES.slice(gone)]);
        expect(world.dns.values(FQDN)).to.deep.equal(NODES.slice(gone));
        await world.clock.advance(3_000);
        await world.read();
      }
      await world.clock.advance(ms);
      await world.read();
      expect([world.set.view().reverts, world.known()]).to.deep.equal([[], NODES.slice(4)]);
    });
  }

  it("create no record that is there: each node is away for a moment", async () => {
    const world = await written(...NODES);
    lag(world, 20_000);
    for (const away of NODES.slice(0, 3)) {
      await world.write(...NODES.filter((node) => node !== away));
      await world.clock.advance(6_000);
      await world.read();
      await world.write(...NODES);
      await world.clock.advance(2_000);
      await world.read();
    }
    expect(world.dns.values(FQDN)).to.deep.equal(NODES);
    expect(world.set.view().reverts).to.deep.equal([]);
  });

  it("are late too where they show a change half-way", async () => {
    const world = await written("192.0.2.1", "192.0.2.2", "192.0.2.3");
    const seen = [...world.dns.of(FQDN)];
    await world.write("192.0.2.3", "192.0.2.4");
    const [updated] = world.dns.of(FQDN).filter(({ value }) => value === "192.0.2.4");
    world.dns.shown = () => [...seen.filter(({ id }) => id !== updated?.id), ...(updated ? [updated] : [])];
    await world.clock.advance(2_000);
    await world.read();
    expect([world.set.view().reverts, world.known()]).to.deep.equal([[], ["192.0.2.3", "192.0.2.4"]]);
  });

  it("are followed by another look after 5 s, until one shows the change", async () => {
    const world = await written("192.0.2.1");
    lag(world, 12_000);
    await world.write("192.0.2.2");
    const looks: number[] = [];
    for (let look = 0; look < 4; look++) {
      await world.read();
      looks.push((world.set.view().readAgainAt ?? 0) - world.clock.now());
      await world.clock.advance(5_000);
    }
    expect(looks.slice(0, 3)).to.deep.equal([5_000, 5_000, 5_000]);
    expect(looks[3]).to.be.greaterThan(5 * MINUTE);
  });

  it("count as a change by others from 30 s after the last own change on", async () => {
    const world = await written("192.0.2.1");
    const before = ["192.0.2.1"];
    for (let fight = 0; fight < 3; fight++) {
      const records = [...world.dns.of(FQDN)];
      await world.write("192.0.2.2");
      world.dns.records.set(FQDN, records);
      await world.clock.advance(29_000);
      await world.read();
      expect([world.set.view().reverts.length, world.known()]).to.deep.equal([fight, ["192.0.2.2"]]);
      await world.clock.advance(5_000);
      await world.read();
      expect([world.set.view().reverts.length, world.known()]).to.deep.equal([fight + 1, before]);
    }
    expect(isRepeatedlyUndone(world.set.view().reverts)).to.equal(true);
  });

  it("do not hide what was never there: it counts at once", async () => {
    const world = await written("192.0.2.1");
    await world.write("192.0.2.2");
    world.dns.set(FQDN, ["198.51.100.9"]);
    await world.clock.advance(2_000);
    await world.read();
    expect([world.set.view().reverts.length, world.known()]).to.deep.equal([1, ["198.51.100.9"]]);
  });

  it("let a change after a failure write an address twice for 30 s at most, which is no change by others", async () => {
    const world = await written("192.0.2.1");
    const late = [...world.dns.of(FQDN)];
    let lost = true;
    world.dns.fault = (call) => {
      if (call !== "create" || !lost) return undefined;
      lost = false;
      return { error: providerError("Unavailable", { outcome: "unknown" }), lost: true };
    };
    await world.write("192.0.2.1", "192.0.2.2");
    world.dns.shown = () => late;
    await world.read();
    await world.write("192.0.2.1", "192.0.2.2");
    expect(world.dns.values(FQDN)).to.deep.equal(["192.0.2.1", "192.0.2.2", "192.0.2.2"]);
    expect(world.set.view().readAgainAt).to.equal(world.clock.now() + 30_000);
    world.dns.shown = (fqdn) => world.dns.of(fqdn);
    await world.clock.advance(30_000);
    await world.read();
    await world.write("192.0.2.1", "192.0.2.2");
    expect([world.dns.values(FQDN), world.set.view().reverts]).to.deep.equal([["192.0.2.1", "192.0.2.2"], []]);
  });
});
