import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { type NodeRequest, NodeRequestRegistry, type RoomOn } from "../../src/claims/node-shares.js";
import { meta } from "./resources.js";

const oneEach = () => 1;

function waitingNodes(name: string, day: number, wants: number, candidates: readonly string[]) {
  const { uid, creationTimestamp = "" } = meta(name, day);
  const ref = { kind: "FloatingIPPool", namespace: "default", name, uid };
  return { ref, createdAt: creationTimestamp, wants, missing: 0, candidates: () => candidates } satisfies NodeRequest;
}

/** What the registry gives each, by uid. */
function shareNodes(requests: readonly NodeRequest[], roomOn: RoomOn): ReadonlyMap<string, readonly string[]> {
  const registry = new NodeRequestRegistry();
  for (const request of requests) registry.set("IPv4", request);
  return new Map(requests.map((request) => [request.ref.uid, registry.share("IPv4", request, roomOn)]));
}

describe("the sharing of nodes", () => {
  it("lets the oldest choose first, each in its own order", () => {
    const shares = shareNodes(
      [waitingNodes("b", 2, 2, ["n1", "n2", "n3"]), waitingNodes("a", 1, 1, ["n2", "n1"])],
      oneEach,
    );
    expect(Object.fromEntries(shares)).to.deep.equal({ "uid-a": ["n2"], "uid-b": ["n1", "n3"] });
  });

  it("gives a resource one address of a node only, whatever the room", () => {
    const shares = shareNodes([waitingNodes("a", 1, 2, ["n1", "n1"]), waitingNodes("b", 2, 1, ["n1"])], () => 2);
    expect([...shares.values()]).to.deep.equal([["n1"], ["n1"]]);
  });

  it("keeps no node for an older resource of another account, which lacks the machine", () => {
    const registry = new NodeRequestRegistry();
    registry.set("IPv4", { ...waitingNodes("old", 1, 1, ["n1"]), account: "other" });
    const request = { ...waitingNodes("web", 2, 1, ["n1"]), account: "platform" };
    expect(registry.takenBefore("IPv4", request, oneEach)).to.be.empty;
    expect(registry.share("IPv4", request, oneEach)).to.deep.equal(["n1"]);
  });

  it("names the older resource that gets a node first, and no younger one", () => {
    const registry = new NodeRequestRegistry();
    for (const [name, day] of [
      ["old", 1],
      ["young", 3],
    ] as const) {
      registry.set("IPv4", waitingNodes(name, day, 1, ["n1", "n2"]));
    }
    const taken = registry.takenBefore("IPv4", waitingNodes("web", 2, 1, []), oneEach);
    expect([...taken].map(([node, { name }]) => [node, name])).to.deep.equal([["n1", "old"]]);
  });

  it("lets addresses that exist come before those to be created, whatever their age", () => {
    const creating = { ...waitingNodes("a", 1, 1, ["n1"]), missing: 1 };
    const mixed = { ...waitingNodes("b", 2, 2, ["n1", "n2"]), missing: 1 };
    const moving = waitingNodes("c", 3, 1, ["n1", "n2", "n3"]);
    const shares = shareNodes([creating, mixed, moving], oneEach);
    expect(Object.fromEntries(shares)).to.deep.equal({ "uid-a": [], "uid-b": ["n1"], "uid-c": ["n2"] });
    const registry = new NodeRequestRegistry();
    for (const request of [creating, mixed, moving]) registry.set("IPv4", request);
    expect(registry.share("IPv4", creating, oneEach)).to.deep.equal([]);
    expect(registry.share("IPv4", moving, oneEach)).to.deep.equal(["n2"]);
    const taken = (asking: NodeRequest) =>
      [...registry.takenBefore("IPv4", asking, oneEach)].map(([node, { name }]) => `${node} ${name}`);
    expect(taken(creating)).to.deep.equal(["n1 b", "n2 c"]);
    expect(taken(moving)).to.deep.equal(["n1 b"]);
  });

  it("keeps for each address only nodes that it can go to", () => {
    const fits = (node: string) => node.startsWith("nyc");
    const groups = [
      { wants: 1, missing: 0, fits },
      { wants: 2, missing: 1, fits: (node: string) => !fits(node) },
    ];
    const mixed = { ...waitingNodes("a", 1, 3, ["nyc-1", "nyc-2", "nyc-3", "sfo-1"]), missing: 1, groups };
    const shares = shareNodes([mixed, waitingNodes("b", 2, 3, ["nyc-1", "nyc-2", "nyc-3", "sfo-1"])], oneEach);
    expect(Object.fromEntries(shares)).to.deep.equal({ "uid-a": ["nyc-1", "sfo-1"], "uid-b": ["nyc-2", "nyc-3"] });
  });

  it("notifies an older resource with addresses to create when a younger one needs fewer nodes for those it has", () => {
    const notified: (readonly string[])[] = [];
    const registry = new NodeRequestRegistry((uids) => notified.push(uids));
    registry.set("IPv4", { ...waitingNodes("a", 1, 1, ["n1"]), missing: 1 });
    registry.set("IPv4", waitingNodes("b", 2, 1, ["n1"]));
    registry.withdraw("uid-b");
    expect(notified).to.deep.equal([["uid-a"]]);
  });

  it("fills a node up to its room", () => {
    const nodeRequests = ["a", "b", "c"].map((name, day) => waitingNodes(name, day + 1, 1, ["n1"]));
    const shares = shareNodes(nodeRequests, () => 2);
    expect([...shares.values()]).to.deep.equal([["n1"], ["n1"], []]);
  });

  it("assigns all where six pools of ten share sixty nodes", () => {
    const nodes = Array.from({ length: 60 }, (_, at) => `n${at}`);
    const shares = shareNodes(
      Array.from({ length: 6 }, (_, at) => waitingNodes(`p${at}`, at + 1, 10, nodes)),
      oneEach,
    );
    expect(new Set([...shares.values()].flat()).size).to.equal(60);
  });

  it("never gives a node beyond its room nor more than is wanted, and never passes over a free one", () => {
    const nodes = ["n1", "n2", "n3", "n4"];
    const desired = fc.tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 4 }),
      fc.shuffledSubarray(nodes),
    );
    const room = fc.dictionary(fc.constantFrom(...nodes), fc.integer({ min: -1, max: 2 }));
    fc.assert(
      fc.property(fc.array(desired, { maxLength: 6 }), room, (desiredItems, rooms) => {
        const roomOn = (node: string) => rooms[node] ?? 0;
        const nodeRequests = desiredItems.map(([day, wants, candidates], at) =>
          waitingNodes(`p${at}`, day, wants, candidates),
        );
        const shares = shareNodes(nodeRequests, roomOn);
        const used = (node: string) => [...shares.values()].flat().filter((chosen) => chosen === node).length;
        for (const node of nodes) expect(used(node)).to.be.lessThanOrEqual(Math.max(0, roomOn(node)));
        for (const { ref, wants, candidates } of nodeRequests) {
          const share = shares.get(ref.uid) ?? [];
          expect(share.length).to.be.lessThanOrEqual(wants);
          if (share.length === wants) continue;
          for (const node of candidates()) expect(share.includes(node) || used(node) >= roomOn(node)).to.equal(true);
        }
      }),
    );
  });
});

describe("the registry of node requests", () => {
  const [elder, younger] = [waitingNodes("a", 1, 1, ["n1", "n2"]), waitingNodes("b", 2, 2, ["n1", "n2"])];

  it("leaves to a younger resource what older ones do not need", () => {
    const registry = new NodeRequestRegistry();
    registry.set("IPv4", elder);
    expect(registry.share("IPv4", younger, oneEach)).to.deep.equal(["n2"]);
    expect(registry.share("IPv4", elder, oneEach)).to.deep.equal(["n1"]);
  });

  it("lets the older one choose first, though the younger has asked before", () => {
    const registry = new NodeRequestRegistry();
    registry.set("IPv4", younger);
    expect(registry.share("IPv4", elder, oneEach)).to.deep.equal(["n1"]);
  });

  it("keeps the families apart", () => {
    const registry = new NodeRequestRegistry();
    registry.set("IPv6", elder);
    expect(registry.share("IPv4", younger, oneEach)).to.deep.equal(["n1", "n2"]);
  });

  it("reads candidates when it decides, once for addresses that exist and those to be created", () => {
    const registry = new NodeRequestRegistry();
    let [nodes, reads] = [["n1"], 0];
    const candidates = () => {
      reads += 1;
      return nodes;
    };
    registry.set("IPv4", { ...elder, wants: 2, missing: 1, candidates });
    nodes = ["n2"];
    expect(registry.share("IPv4", { ...younger, missing: 2 }, oneEach)).to.deep.equal(["n1"]);
    expect(reads).to.equal(1);
  });

  it("notify the younger ones when an older one needs less or withdraws, and no others", () => {
    const notified: (readonly string[])[] = [];
    const registry = new NodeRequestRegistry((uids) => notified.push(uids));
    const third = waitingNodes("c", 3, 1, []);
    registry.set("IPv4", { ...elder, wants: 2 });
    registry.set("IPv4", younger);
    registry.set("IPv4", third);
    registry.set("IPv4", { ...elder, wants: 2 });
    expect(notified).to.deep.equal([]);
    registry.set("IPv4", elder);
    registry.withdraw("uid-b");
    registry.set("IPv4", { ...third, wants: 0 });
    registry.withdraw("uid-c");
    expect(notified).to.deep.equal([["uid-b", "uid-c"], ["uid-c"]]);
  });
  it("notify the younger ones when an older one can no longer go to a node, or has an address of another family", () => {
    const notified: (readonly string[])[] = [];
    const registry = new NodeRequestRegistry((uids) => notified.push(uids));
    registry.set("IPv4", elder);
    registry.set("IPv4", younger);
    registry.set("IPv4", { ...elder, candidates: () => ["n2"] });
    expect(notified).to.deep.equal([["uid-b"]]);
    registry.set("IPv6", elder);
    expect(notified).to.deep.equal([["uid-b"], ["uid-b"]]);
    expect(registry.share("IPv4", younger, oneEach)).to.deep.equal(["n1", "n2"]);
  });

  it("notify the younger ones when an older one has another account", () => {
    const notified: (readonly string[])[] = [];
    const registry = new NodeRequestRegistry((uids) => notified.push(uids));
    registry.set("IPv4", { ...elder, account: "platform" });
    registry.set("IPv4", { ...younger, account: "platform" });
    registry.set("IPv4", { ...elder, account: "other" });
    expect(notified).to.deep.equal([["uid-b"]]);
  });
});
