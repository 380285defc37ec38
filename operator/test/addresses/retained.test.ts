import { expect } from "chai";
import { describe, it } from "mocha";
import { retained } from "../../src/addresses/retained.js";

describe("the Event about addresses that a deleted resource leaves", () => {
  const [A, B] = ["203.0.113.7", "203.0.113.8"];
  type Known = Parameters<typeof retained>[0];
  type Claimed = Parameters<typeof retained>[1];

  /** Addresses of the account, with their holders, and those that another resource has. */
  function eventOf(held: Readonly<Record<string, string | undefined>>, taken: readonly string[] = []) {
    const inventories = { find: (ip: string) => (ip in held ? { holder: held[ip] } : undefined) };
    const claims = { holderOf: (ip: string) => (taken.includes(ip) ? {} : undefined) };
    const claimed = [A, B].map((ip) => ({ ip }));
    return retained({ inventories, claims } as unknown as Known, claimed as unknown as Claimed, "ips")?.note;
  }

  it("names one as well as several", () => {
    expect(eventOf({ [A]: undefined }))
      .to.include(A)
      .and.not.include(B);
    expect(eventOf({ [A]: undefined, [B]: "digitalocean://1" }))
      .to.include(A)
      .and.include(B);
  });

  it("names none that another resource has, or that is not in the account", () => {
    expect(eventOf({ [A]: undefined }, [A])).to.equal(undefined);
    expect(eventOf({})).to.equal(undefined);
  });
});
