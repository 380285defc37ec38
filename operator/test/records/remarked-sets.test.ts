import { expect } from "chai";
import { describe, it } from "mocha";
import { RemarkedSets } from "../../src/records/remarked-sets.js";
import { REMARKED_RECORDS_KEPT_MS, REMARKED_RECORDS_MAX_AGE_MS } from "../../src/timings.js";

const NONE = { proxied: false, others: [] };

describe("a reading of a record set", () => {
  let now = 0;
  const sets = () => new RemarkedSets({ monotonic: () => now });

  it("stays good as long as usual while the name has only what the operator wrote", () => {
    expect(sets().goodForMs({}, { ...NONE, ttl: 86_400 })).to.equal(Number.POSITIVE_INFINITY);
  });

  for (const remarks of [
    { ...NONE, proxied: true },
    { ...NONE, others: ["2001:db8::1"] },
    { ...NONE, delegation: { zone: "example.com", name: "eu.example.com" } },
  ])
    it(`may be used for two minutes with ${JSON.stringify(remarks)}`, () => {
      expect(sets().goodForMs({}, remarks)).to.equal(REMARKED_RECORDS_MAX_AGE_MS);
    });

  it("may be used longer with many such names, so that all of them cost ten calls a minute, until their resources are gone", () => {
    const remarked = sets();
    const proxied = { ...NONE, proxied: true };
    const many = Array.from({ length: 100 }, () => ({}));
    for (const set of many) remarked.goodForMs(set, proxied);
    const [first = {}, second = {}] = many;
    expect(remarked.goodForMs(first, proxied)).to.equal(600_000);
    expect(remarked.goodForMs(second, NONE)).to.equal(Number.POSITIVE_INFINITY);
    expect(remarked.goodForMs(first, proxied)).to.equal(594_000);
    now += REMARKED_RECORDS_KEPT_MS + 1;
    expect(remarked.goodForMs(first, proxied)).to.equal(REMARKED_RECORDS_MAX_AGE_MS);
  });
});
