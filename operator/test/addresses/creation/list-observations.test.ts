import type { PendingCreation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { ListObservations, withList } from "../../../src/addresses/creation/list-observations.js";

const INTENT: PendingCreation = { startedAt: "2025-06-01T10:00:00Z", provider: "digitalocean", family: "IPv4" };
const NOW = 1_000_000;

function view(ips: Readonly<Record<string, string | undefined>>, { complete = true, ageSeconds = 0 } = {}) {
  const addresses = Object.entries(ips).map(([ip, holder]) => {
    return [
      ip,
      {
        ip,
        family: "IPv4",
        region: "nyc3",
        unconfirmed: false,
        ageSeconds,
        ...(holder === undefined ? {} : { holder }),
      },
    ] as const;
  });
  return { complete, ageSeconds, addresses: new Map(addresses) };
}

function seen(listObservations: ListObservations, monotonic: number) {
  const { lists, intentSeenAt } = listObservations.seen({ now: NOW, monotonic });
  return { lists: lists.map(({ at, unassigned }) => `${at - NOW} ${[...unassigned]}`), since: intentSeenAt };
}

describe("the lists in which a lost creation is looked for", () => {
  it("are those since it is open, with what no node has in them", () => {
    const listObservations = new ListObservations();
    listObservations.note(view({ "192.0.2.1": undefined }), 0);
    expect(listObservations.meet(INTENT, 1_000)).to.equal(true);
    listObservations.note(view({ "192.0.2.1": undefined, "192.0.2.2": "digitalocean://1" }), 2_000);
    listObservations.note(view({ "192.0.2.3": undefined }, { complete: false }), 3_000);
    expect(seen(listObservations, 5_000)).to.deep.equal({ lists: ["-3000 192.0.2.1"], since: NOW - 4_000 });
  });

  it("are forgotten once it has an end, and begin anew with the next one", () => {
    const listObservations = new ListObservations();
    listObservations.meet(INTENT, 0);
    listObservations.note(view({ "192.0.2.1": undefined }), 1_000);
    expect(listObservations.meet(undefined, 2_000)).to.equal(false);
    listObservations.note(view({}), 2_000);
    expect(seen(listObservations, 2_000)).to.deep.equal({ lists: [], since: undefined });
    listObservations.meet({ ...INTENT, startedAt: "2025-06-01T11:00:00Z" }, 3_000);
    listObservations.note(view({}), 4_000);
    expect(seen(listObservations, 4_000)).to.deep.equal({ lists: ["0 "], since: NOW - 1_000 });
  });

  it("count the same list once, however often it is looked at", () => {
    const listObservations = new ListObservations();
    listObservations.meet(INTENT, 0);
    listObservations.note(view({}, { ageSeconds: 1 }), 5_000);
    listObservations.note(view({}, { ageSeconds: 2.9995 }), 7_000);
    listObservations.note(view({}, { ageSeconds: 0 }), 7_000);
    expect(seen(listObservations, 7_000).lists).to.deep.equal(["-3000 ", "0 "]);
  });

  it("keep the first and the last few", () => {
    const at = (list: number) => ({ at: list, unassigned: new Set<string>() });
    const all = Array.from({ length: 12 }, (_, index) => at(index));
    const kept = all.reduce<ReturnType<typeof withList>>((lists, list) => withList(lists, list), []);
    expect(kept.map((list) => list.at)).to.deep.equal([0, 5, 6, 7, 8, 9, 10, 11]);
    expect(withList(kept, at(11)), "the same one again").to.equal(kept);
  });
});
