import { expect } from "chai";
import { describe, it } from "mocha";
import { PendingStatus } from "../../src/reconcile/pending-status.js";

describe("what is known beside the stored status", () => {
  it("has no fact that the server dropped, once a later value of the field is known", () => {
    const pending = new PendingStatus();
    pending.setFacts({ dns: "begun" }, {});
    expect(pending.over({})).to.deep.equal({ dns: "begun" });
    pending.set(["dns"], "written");
    const written = pending.mark();
    pending.setUnkept({ dns: "written" });
    written();
    expect(pending.over({})).to.deep.equal({ dns: "written" });
  });

  it("has a fact that the server dropped only until something newer is stored", () => {
    const pending = new PendingStatus();
    pending.setFacts({ dns: "begun" }, {});
    expect(pending.unkeptFacts({})).to.deep.equal({ dns: "begun" });
    expect(pending.unkeptFacts({ dns: "newer" })).to.deep.equal({});
  });

  it("is another version only once something has changed", () => {
    const pending = new PendingStatus();
    pending.setFacts({ dns: "begun" }, { dns: "begun" });
    expect(pending.version, "the server keeps it").to.equal(0);
    pending.set(["dns"], "written");
    const written = pending.mark();
    const before = pending.version;
    written();
    expect(pending.version, "nothing waits any more").to.be.above(before);
  });
});
