import { expect } from "chai";
import { describe, it } from "mocha";
import type { RecordFacts, RecordType } from "../../src/providers/types.js";
import type { RecordSet, Sighting } from "../../src/records/cached-record-set.js";
import { remarksOn } from "../../src/records/name-remarks.js";

describe("what clients notice of a name", () => {
  const record = (value: string, more: Partial<RecordFacts> = {}): RecordFacts => {
    return { id: value, type: value.includes(":") ? "AAAA" : "A", value, ttl: 60, ...more };
  };
  /** A set of the name that was read at this time. */
  const set = (at: number, ...records: readonly RecordFacts[]): RecordSet => {
    const lastOf = (type: RecordType): Sighting => ({ at, records: records.filter((each) => each.type === type) });
    return { lastOf } as unknown as RecordSet;
  };
  const own = (...types: readonly RecordType[]) => ({
    own: types,
    isManaged: (type: RecordType) => types.includes(type),
  });

  it("is the longest TTL of the resource's own records, and the addresses that no resource manages", () => {
    const seen = set(0, record("192.0.2.1"), record("192.0.2.2", { ttl: 300 }), record("2001:db8::1", { ttl: 900 }));
    expect(remarksOn([seen], own("A"))).to.deep.equal({ proxied: false, others: ["2001:db8::1"], ttl: 300 });
    expect(remarksOn([seen], own("A", "AAAA"))).to.deep.equal({ proxied: false, others: [], ttl: 900 });
  });

  it("is that one record is proxied: then the provider chooses the TTL", () => {
    const seen = set(0, record("192.0.2.1"), record("2001:db8::1", { proxied: true }));
    expect(remarksOn([seen], own("A"))).to.deep.equal({ proxied: true, others: ["2001:db8::1"] });
  });

  it("is what the latest reading has shown", () => {
    const sets = [set(2, record("192.0.2.1", { ttl: 30 })), set(1, record("192.0.2.1", { ttl: 300 }))];
    expect(remarksOn(sets, own("A")).ttl).to.equal(30);
    expect(remarksOn(sets.reverse(), own("A")).ttl).to.equal(30);
    expect(remarksOn([], own("A"))).to.deep.equal({ proxied: false, others: [] });
  });
});
