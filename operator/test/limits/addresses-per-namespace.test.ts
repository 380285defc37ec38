import { expect } from "chai";
import { describe, it } from "mocha";
import { CreatedAddresses } from "../../src/limits/addresses-per-namespace.js";

const [A, B] = ["203.0.113.1", "203.0.113.2"];

describe("room for a created address that a resource takes over", () => {
  const ref = { kind: "FloatingIPPool", namespace: "team", name: "heir", uid: "heir" };

  function rig() {
    let less = 0;
    const created = new CreatedAddresses(() => (less += 1));
    return { created, freed: () => less };
  }

  it("is taken beside what the resource has, and given back when the write fails", () => {
    const { created, freed } = rig();
    created.put(ref, [A]);
    const giveBack = created.reserve(ref, B);
    expect([created.countIn("team"), created.isCreatedFor("team", B), freed()]).to.deep.equal([2, true, 0]);
    giveBack();
    expect([created.countIn("team"), created.isCreatedFor("team", A), freed()]).to.deep.equal([1, true, 1]);
  });

  it("is taken for a resource that has none yet", () => {
    const { created } = rig();
    const giveBack = created.reserve(ref, A);
    expect(created.holdersIn("team").map(({ name, count }) => [name, count])).to.deep.equal([["heir", 1]]);
    giveBack();
    expect([created.countIn("team"), created.total]).to.deep.equal([0, 0]);
  });

  it("stays taken while statuses arrive that do not show the address yet", () => {
    const { created, freed } = rig();
    created.put(ref, [A]);
    const giveBack = created.reserve(ref, B);
    created.put(ref, [A]);
    created.put(ref, []);
    expect([created.countIn("team"), created.isCreatedFor("team", B)]).to.deep.equal([1, true]);
    giveBack();
    expect([created.countIn("team"), freed()]).to.deep.equal([0, 2]);
  });

  it("is that of the address once the status shows it", () => {
    const { created, freed } = rig();
    const giveBack = created.reserve(ref, A);
    created.put(ref, [A]);
    expect(created.countIn("team")).to.equal(1);
    giveBack();
    giveBack();
    expect([created.countIn("team"), created.isCreatedFor("team", A), freed()]).to.deep.equal([1, true, 0]);
  });

  it("goes with the resource", () => {
    const { created } = rig();
    const giveBack = created.reserve(ref, A);
    created.drop(ref.uid);
    giveBack();
    expect([created.countIn("team"), created.total]).to.deep.equal([0, 0]);
  });
});
