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
});
