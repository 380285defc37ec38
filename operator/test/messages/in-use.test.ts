import { expect } from "chai";
import { describe, it } from "mocha";
import { deletionMessages } from "../../src/messages/summary.js";

const SHARED = { user: "web/a", className: "shared" };
const CHANGE = "create another issuer of the same account, and set issuerRef of ClusterRoutedIPClass shared to it";

describe("the remedy for a deleted issuer in use", () => {
  const remedyFor = (...users: readonly string[]) =>
    deletionMessages.issuerInUse({ users, leaving: [], classUsers: [SHARED] }).message;

  it("is another issuer in the class, under which the RoutedIPs keep their addresses", () => {
    expect(remedyFor("web/a")).to.include(`; fix: ${CHANGE}`).and.not.include("Retain");
  });

  it("is a new RoutedIP only where one names the issuer itself", () => {
    expect(remedyFor("web/a", "web/b"))
      .to.include(`; fix: ${CHANGE}`)
      .and.include("; fix: to replace web/b, whose issuerRef cannot be changed");
  });
});
