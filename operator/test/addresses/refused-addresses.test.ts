import { expect } from "chai";
import { describe, it } from "mocha";
import type { PlannedAddress } from "../../src/addresses/address-status.js";
import { firstFailure } from "../../src/addresses/conditions.js";
import { addressMessages } from "../../src/messages/addresses.js";
import { accessMessages } from "../../src/messages/issuers-and-classes.js";
import type { Problem } from "../../src/messages/message.js";

const LIMITER = "the operator's tenantLimits.namespaces[0] (for team-*)";

function refused(last: number): PlannedAddress {
  const ip = `203.0.113.${last}`;
  const refusals = [{ limiter: LIMITER, allowed: ["198.51.100.0/24"] }];
  const problem = accessMessages.addressNotAllowed({ ip, refusals, namespace: "team-a" });
  return { ip, status: { state: "error", reason: problem.reason, error: problem.message }, problem };
}

describe("a pool with several addresses that the limits of its namespace refuse", () => {
  it("names all of them, and what helps", () => {
    const message = firstFailure([refused(7), refused(8), refused(9)])?.message;
    expect(message)
      .to.include("does not touch 203.0.113.7, 203.0.113.8, 203.0.113.9; fix: ")
      .and.include("add 203.0.113.7/32 to allowedAddresses")
      .and.include("and likewise for the others; to do without");
  });

  it("shows a few of many", () => {
    const message = firstFailure(Array.from({ length: 60 }, (_, index) => refused(index)))?.message ?? "";
    expect(message).to.match(/203\.0\.113\.7 and 52 more; fix: /);
  });

  it("names the only one as before", () => {
    const only = refused(7);
    expect(firstFailure([only])).to.equal(only.problem);
  });
});

describe("a pool with several addresses that the account lacks", () => {
  const { notInAccount, nodesOwn } = addressMessages;
  const failing = (ip: string, problem: Problem): PlannedAddress => {
    return { ip, status: { state: "error", reason: problem.reason, error: problem.message }, problem };
  };
  const missing = failing("203.0.113.7", notInAccount({ ips: ["203.0.113.7"] }));
  const own = failing("10.0.0.1", nodesOwn({ ip: "10.0.0.1", node: "n1", type: "InternalIP" }));

  it("names all of them, also an address that a machine has as its own", () => {
    expect(firstFailure([missing, own])?.message).to.match(
      /^the account does not have 203\.0\.113\.7, 10\.0\.0\.1; fix: /,
    );
    expect(firstFailure([own, missing])?.message).to.match(
      /^the account does not have 10\.0\.0\.1, 203\.0\.113\.7; fix: /,
    );
  });

  it("explains the only one", () => {
    expect(firstFailure([own])?.message).to.include("it is the InternalIP of n1, and stays with that machine");
    expect(firstFailure([missing])?.message).to.equal(missing.problem?.message);
  });
});
