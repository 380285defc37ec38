import { expect } from "chai";
import { describe, it } from "mocha";
import { no, turnedBad } from "../../src/reconcile/conditions.js";

describe("the Events of conditions", () => {
  it("tell of one obstacle once, however many conditions name it", () => {
    const cause = { reason: "AddressNotAllowed", message: "the class does not allow it" } as const;
    const planned = [no("Accepted", cause), no("Assigned", cause), no("FirewallReady", { ...cause, message: "other" })];
    expect(turnedBad([], planned).map(({ type }) => type)).to.deep.equal(["Accepted", "FirewallReady"]);
  });
});
