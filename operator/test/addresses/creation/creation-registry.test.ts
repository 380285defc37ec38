import type { PendingCreation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  CreationRegistry,
  heldUpUntil,
  ListObservations,
  type OpenCreation,
  withList,
} from "../../../src/addresses/creation/creation-registry.js";

describe("the book of creations", () => {
  const creation = (uid: string, more: Partial<OpenCreation> = {}): OpenCreation => {
    const resource = { kind: "FloatingIPPool", namespace: "default", name: uid, uid };
    return { resource, provider: "digitalocean", family: "IPv4", account: undefined, ...more };
  };

  it("keeps one account's creations apart, of one family, and notifies those that wait", () => {
    const notified: string[][] = [];
    const registry = new CreationRegistry((uids) => notified.push([...uids]));
    const [mine, yours] = [{}, {}];
    registry.set(creation("a", { account: mine }));
    expect(registry.others(creation("a", { account: mine }))).to.be.empty;
    expect(registry.others(creation("b", { account: yours }))).to.be.empty;
    expect(registry.others(creation("b", { account: mine, family: "IPv6" }))).to.be.empty;
    expect(registry.others(creation("e", { provider: "other" })), "another cloud").to.be.empty;
    expect(registry.others(creation("c", { account: mine }))).to.have.length(1);
    expect(registry.others(creation("d"))).to.have.length(1);
    registry.wait(creation("c").resource);
    registry.end("a");
    registry.end("a");
    expect(notified, "only who waits").to.deep.equal([["c"]]);
    expect(registry.others(creation("c", { account: mine }))).to.be.empty;
  });

  it("allows parallel creations that a list distinguishes: on a node, or in another region", () => {
    const begins = (place: { readonly node?: string; readonly region?: string }) => ({
      ...{ now: 0, listedAt: 0, node: undefined },
      ...place,
    });
    const running = { running: true, startedAt: 0 } as const;
    expect(heldUpUntil({ ...running, region: "nyc3" }, begins({ region: "sfo3" }))).to.equal(undefined);
    expect(heldUpUntil({ ...running, node: "n1" }, begins({ node: "n2" }))).to.equal(undefined);
    const waits = [
      heldUpUntil({ ...running, region: "nyc3" }, begins({ region: "nyc3" })),
      heldUpUntil(running, begins({ region: "nyc3" })),
      heldUpUntil({ ...running, region: "nyc3" }, begins({})),
      // The region of a node is what its labels say.
      heldUpUntil({ ...running, node: "n1" }, begins({ region: "nyc3" })),
    ];
    expect(waits).to.deep.equal(waits.map(() => Number.POSITIVE_INFINITY));
  });

  it("lets nothing be created until the resources of all kinds have been read", () => {
    const notified: string[][] = [];
    const registry = new CreationRegistry((uids) => notified.push([...uids]));
    registry.expectMore();
    expect(registry.others(creation("a"))).to.have.length(1);
    registry.wait(creation("a").resource);
    registry.allKnown();
    expect(notified).to.deep.equal([["a"]]);
    expect(registry.others(creation("a"))).to.be.empty;
  });
});

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

  it("name the newcomers of a creation on a machine, apart from those that were on a machine before", () => {
    const on = { ...INTENT, providerID: "digitalocean://1", unassignedSeen: ["2001:DB8::1"] };
    const newcomersOf = (intent: PendingCreation) => {
      const listObservations = new ListObservations();
      listObservations.meet(intent, 0);
      listObservations.noteAssigned("192.0.2.3", true);
      listObservations.noteAssigned("192.0.2.4", undefined);
      const ips = ["2001:db8::1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
      const taken = { "192.0.2.5": "digitalocean://2" };
      return listObservations.note(view({ ...Object.fromEntries(ips.map((ip) => [ip, undefined])), ...taken }), 1_000);
    };
    expect(newcomersOf(on)).to.deep.equal(["192.0.2.2", "192.0.2.4"]);
    expect(newcomersOf(INTENT), "created in a region: all are unassigned").to.deep.equal([]);
  });

  it("keep the first and the last few", () => {
    const at = (list: number) => ({ at: list, unassigned: new Set<string>() });
    const all = Array.from({ length: 12 }, (_, index) => at(index));
    const kept = all.reduce<ReturnType<typeof withList>>((lists, list) => withList(lists, list), []);
    expect(kept.map((list) => list.at)).to.deep.equal([0, 5, 6, 7, 8, 9, 10, 11]);
    expect(withList(kept, at(11)), "the same one again").to.equal(kept);
  });
});
