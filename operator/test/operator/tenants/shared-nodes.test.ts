import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { TAINT } from "../../controllers/routed-ip/routed-world.js";
import { TwoInstallations } from "./two-installations-rig.js";

const CLAIM = `${TAINT}:PreferNoSchedule`;

describe("operators in process: two installations that taint nodes with the same key", function () {
  this.timeout(240_000);
  let two: TwoInstallations;

  afterEach(() => two.made.close());

  it("leave each other's taints, and each removes its own", async () => {
    two = await TwoInstallations.create({ nodes: ["n1", "n2"] });
    const { made } = two;
    made.serve({ node: "n1" });
    two.addTo("default", "a");
    two.addServedB("n2");
    await two.ready();
    const taints = () => ["n1", "n2"].map((node) => made.taints(node));
    await made.until("both nodes have the taint", () => taints().every((on) => on.includes(TAINT)));
    await two.staysAsItIs("no installation undoes what the other one writes");
    expect(taints()).to.deep.equal([[TAINT], [TAINT]]);
    expect(two.annotationsOf("n1")).to.deep.equal([`flipop.digitalocean.com/taints.flipop-a=${CLAIM}`]);
    expect(two.annotationsOf("n2")).to.deep.equal([`flipop.digitalocean.com/taints.flipop-b=${CLAIM}`]);
    await two.deleteB();
    expect(taints(), "b is gone").to.deep.equal([[TAINT], []]);
    expect(two.annotationsOf("n2")).to.deep.equal([]);
    expect(two.eventReasons()).not.to.include("CleanupAbandoned");
  });
});
