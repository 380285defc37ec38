import { expect } from "chai";
import { describe, it } from "mocha";
import { PicturedMap } from "../../src/inventory/view.js";
import { A, B, facts, MAIL, start, WEB } from "./account-rig.js";

describe("the view of an account", () => {
  it("leave a reservation that its resource does not release to others after 600 s", async () => {
    const { clock, inventory, list } = start();
    await list();
    inventory.reserve("n1", WEB);
    await clock.advance(599_000);
    expect(inventory.reserve("n1", MAIL)).to.equal(undefined);
    await clock.advance(1_000);
    expect(inventory.view().reservedFor("n1")).to.equal(undefined);
    expect(inventory.reserve("n1", MAIL)).not.to.equal(undefined);
  });

  it("leave a node to the one that has it now, when a former holder gives it back late", () => {
    const { inventory } = start();
    const previous = inventory.reserve("n1", WEB);
    inventory.forget(WEB);
    inventory.reserve("n1", MAIL);
    previous?.release();
    expect(inventory.view().reservedFor("n1")).to.equal(MAIL);
  });

  it("show the addresses of a node in order, however the list has them", async () => {
    const { inventory, list } = start(facts(B, "n1"), facts(A, "n1"));
    await list();
    const held = inventory.view().heldBy("n1");
    expect(held.map(({ ip }) => ip)).to.deep.equal([A, B]);
  });
});

describe("a map that gives out pictures", () => {
  it("makes a new one after each change, and none where nothing has changed", () => {
    const map = new PicturedMap<string, number>().set("a", 1);
    const pictures = [map.picture()];
    for (const change of [() => map.set("b", 2), () => map.delete("a"), () => map.clear()]) {
      change();
      pictures.push(map.picture());
    }
    expect(pictures.map((picture) => [...picture.keys()].join(""))).to.deep.equal(["a", "ab", "b", ""]);
    expect(map.picture()).to.equal(pictures.at(-1));
  });
});
