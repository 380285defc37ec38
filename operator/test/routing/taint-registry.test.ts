import { expect } from "chai";
import { describe, it } from "mocha";
import { TaintRegistry } from "../../src/routing/taint-registry.js";
import { slimNode } from "../match/cluster.js";
import { FakeClock } from "../support/time/fake-clock.js";

const TAINT = { key: "flipop.digitalocean.com/routed-ip", effect: "PreferNoSchedule" };

function rig(...nodes: readonly string[]) {
  const registry = new TaintRegistry(new FakeClock());
  for (const name of nodes) registry.indexResource(slimNode(name, { taints: [TAINT] }), false);
  /** The nodes that each RoutedIP would remove a taint from. */
  const strays = (...uids: readonly string[]) =>
    Object.fromEntries(
      uids.map((uid) => {
        const own = registry.view(uid).nodes.filter(({ needed }) => needed.length === 0);
        return [uid, own.map(({ name }) => name)];
      }),
    );
  return { registry, strays };
}

describe("the taints of all RoutedIPs", () => {
  it("have one owner each: a stray one, such as one that a crash left, is removed by one RoutedIP only", () => {
    const { registry, strays } = rig("n1", "n2", "n3");
    for (const uid of ["a", "b", "c"]) registry.expect(uid, undefined);
    for (const uid of ["a", "b", "c"]) registry.need(uid, TAINT, []);
    expect(strays("a", "b", "c")).to.deep.equal({ a: ["n1", "n2", "n3"], b: [], c: [] });
    registry.drop("a");
    expect(strays("b", "c")).to.deep.equal({ b: ["n1", "n2", "n3"], c: [] });
  });

  it("are removed by the RoutedIP that left the node", () => {
    const { registry, strays } = rig("n1", "n2");
    for (const uid of ["a", "b"]) registry.expect(uid, undefined);
    registry.need("b", TAINT, ["n1"]);
    expect(strays("a", "b")).to.deep.equal({ a: ["n2"], b: ["n1"] });
    registry.need("b", TAINT, ["n2"]);
    expect(strays("a")).to.deep.equal({ a: [] });
    expect(registry.view("b").nodes.map(({ name }) => name)).to.deep.equal(["n1", "n2"]);
  });

  it("concern on each node who needs them, and who clears it, and no other", () => {
    const { registry } = rig("n1", "n2");
    for (const uid of ["a", "b", "c"]) registry.expect(uid, undefined);
    registry.need("b", TAINT, ["n1"]);
    const concerned = (node: string) => ["a", "b", "c"].filter((uid) => registry.concerns(uid, node));
    expect(concerned("n1")).to.deep.equal(["b"]);
    expect(concerned("n2"), "the first known clears what none has needed").to.deep.equal(["a"]);
    registry.need("c", TAINT, ["n1"]);
    expect(concerned("n1")).to.deep.equal(["b", "c"]);
    registry.need("c", TAINT, []);
    expect(concerned("n1"), "the last one clears what it left").to.deep.equal(["b", "c"]);
  });

  it("are not left by a deleted RoutedIP to one that has no finalizer, and so would not remove them", () => {
    const { registry } = rig("n1");
    for (const uid of ["a", "b"]) registry.expect(uid, undefined);
    registry.need("a", TAINT, ["n1"]);
    registry.need("b", TAINT, ["n1"], false);
    expect(registry.view("a").nodes, "as long as it stays").to.deep.equal([
      { name: "n1", taints: [TAINT], needed: [TAINT] },
    ]);
    expect(registry.view("a", true).nodes).to.deep.equal([{ name: "n1", taints: [TAINT], needed: [] }]);
    registry.need("b", TAINT, ["n1"]);
    expect(registry.view("a", true).nodes).to.deep.equal([]);
  });

  it("stay on the node of a status after a restart, until its RoutedIP has said what it needs", () => {
    const { registry, strays } = rig("n1");
    registry.expect("a", undefined);
    registry.expect("b", "n1");
    expect(strays("a")).to.deep.equal({ a: [] });
    registry.need("b", TAINT, ["n1"]);
    expect(strays("a")).to.deep.equal({ a: [] });
    registry.need("b", TAINT, []);
    expect(strays("a", "b")).to.deep.equal({ a: [], b: ["n1"] });
  });

  it("are what the cache shows if it showed a write before its answer, so a removal by a person is noticed", () => {
    const { registry } = rig();
    const [bare, tainted] = [slimNode("n1"), slimNode("n1", { taints: [TAINT] })];
    const { taintsOn } = registry.view("a");
    registry.indexResource(bare, false);
    registry.indexResource(tainted, false);
    registry.wrote(bare, { taints: [TAINT], claim: [] });
    registry.indexResource(bare, false);
    expect(taintsOn("n1"), "removed after the answer").to.deep.equal([]);
    registry.wrote(bare, { taints: [TAINT], claim: [] });
    expect(taintsOn("n1"), "the cache does not show the write yet").to.deep.equal([TAINT]);
    registry.indexResource(tainted, false);
    registry.indexResource(bare, false);
    expect(taintsOn("n1"), "removed again").to.deep.equal([]);
  });
});
