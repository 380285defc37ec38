import { MOST_RETAINED, type RetainedRecords } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { leftOn, withRecords } from "../../src/records/retained-records.js";

const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";
const LEFT: RetainedRecords = {
  ...{ namespace: "voice", provider: "cloudflare", zone: "example.com", recordName: "www" },
  ...{ types: ["A"], values: ["203.0.113.7"] },
};

describe("record sets that deleted RoutedIPs left", () => {
  const others: Readonly<Record<string, Partial<RetainedRecords>>> = {
    "of another namespace": { namespace: "video" },
    "of another provider": { provider: "digitalocean" },
    "of another name": { recordName: "web" },
    "of another zone": { zone: "example.net" },
    "of another type": { types: ["AAAA"] },
  };
  for (const [what, change] of Object.entries(others)) {
    it(`are not those ${what}`, () => {
      expect(leftOn([{ ...LEFT, ...change }], LEFT)).to.deep.equal([]);
    });
  }

  it("are found however the name and the zone are written", () => {
    expect(leftOn([LEFT], { ...LEFT, recordName: "WWW.example.com." })).to.deep.equal(LEFT.values);
    const zones = (_provider: string, zone: string) => (zone === ZONE_ID ? { domain: "example.com" } : undefined);
    expect(leftOn([LEFT], { ...LEFT, zone: ZONE_ID }, zones)).to.deep.equal(LEFT.values);
  });

  it("have one entry for each name, that of the last one who left it", () => {
    const later = { ...LEFT, namespace: "video", values: ["203.0.113.8"] };
    expect(withRecords(undefined, LEFT)).to.deep.equal([LEFT]);
    expect(withRecords([LEFT], LEFT)).to.equal(undefined);
    expect(withRecords([LEFT], later)).to.deep.equal([later]);
    const other: RetainedRecords = { ...LEFT, types: ["AAAA"], values: ["2001:db8::7"] };
    expect(withRecords([LEFT], other)).to.deep.equal([LEFT, other]);
  });

  it("are as many as the status may hold: the oldest go first", () => {
    const full = Array.from({ length: MOST_RETAINED }, (_, index) => ({ ...LEFT, recordName: `r${index}` }));
    const next = withRecords(full, LEFT) ?? [];
    expect(next).to.have.length(MOST_RETAINED);
    expect([next[0]?.recordName, next.at(-1)?.recordName]).to.deep.equal(["r1", "www"]);
  });

  it("are not pushed out by another namespace that leaves more", () => {
    const names = Array.from({ length: MOST_RETAINED }, (_, index) => `r${index}`);
    let list: readonly RetainedRecords[] = [LEFT];
    for (const recordName of names) list = withRecords(list, { ...LEFT, namespace: "video", recordName }) ?? list;
    expect(list).to.have.length(MOST_RETAINED);
    expect([list[0], list[1]?.recordName, list.at(-1)?.recordName]).to.deep.equal([LEFT, "r1", names.at(-1)]);
  });
});
