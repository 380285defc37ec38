import { expect } from "chai";
import { describe, it } from "mocha";
import { LeftDns, type RecordsSeen } from "../../src/addresses/releases/left-dns.js";
import { timestamp } from "../../src/clock.js";

const [A, B] = ["203.0.113.1", "203.0.113.2"] as const;
const [SOON, LATE] = [1_800_000_000_000, 1_800_003_600_000];

describe("until when resolvers may have an address that is in no record", () => {
  const seen = (written: readonly string[], cachedUntil: number, read = written): RecordsSeen => ({
    ...{ ips: [A, B], written: new Set(written), read: new Set(read) },
    cachedUntil: timestamp(cachedUntil),
  });

  it("is not moved by a later change of another one, and begins anew when it leaves again", () => {
    const left = new LeftDns();
    expect([...left.look(seen([A, B], SOON))]).to.deep.equal([]);
    expect([...left.look(seen([A], SOON))]).to.deep.equal([[B, SOON]]);
    expect([...left.look(seen([], LATE))]).to.have.deep.members([
      [A, LATE],
      [B, SOON],
    ]);
    left.look(seen([B], LATE));
    expect(left.look(seen([], LATE)).get(B)).to.equal(LATE);
    const never = { ...seen([], LATE), cachedUntil: undefined };
    expect(new LeftDns().look(never).get(A), "no record was ever written").to.equal(0);
  });

  it("is unknown of one that somebody else has put into DNS, until the operator has", () => {
    const left = new LeftDns();
    left.look(seen([A], SOON));
    left.look(seen([A], SOON, [A, B]));
    expect(left.look(seen([A], LATE)).get(B)).to.equal(undefined);
    left.look(seen([A, B], LATE));
    expect(left.look(seen([A], LATE)).get(B)).to.equal(LATE);
  });
});
