import { expect } from "chai";
import { describe, it } from "mocha";
import { ProviderError } from "../../src/providers/errors.js";
import { lostPlace, readAgainPart } from "../../src/records/snapshot-parts.js";
import { omitUndefined } from "../../src/values.js";

describe("the place of a written record set", () => {
  for (const [reason, lost] of [
    [undefined, "zone"],
    ["KindMissing", undefined],
  ] as const) {
    it(`is ${lost === undefined ? "not lost" : "lost"} after NotFound with reason ${reason ?? "of none"}`, () => {
      const where = "cloud: read records";
      const failure = new ProviderError({
        ...{ kind: "NotFound", where, seen: "not there", remedy: "add it", outcome: "refused" },
        ...(reason && { reason }),
      });
      expect(lostPlace({}, { records: "unknown", reverts: [], failure })).to.equal(lost);
    });
  }
});

describe("the time to read records again", () => {
  const of = (readAgainAt: number | undefined, previous: number | undefined, begun?: number) => {
    const view = { records: "unknown", reverts: [] } as const;
    const [previousView, begunView] = [previous, begun].map((emptyUntil) => ({
      ...view,
      ...omitUndefined({ emptyUntil }),
    }));
    const views = { view: { ...view, ...omitUndefined({ readAgainAt }) }, previousView, begunView };
    return readAgainPart(views as Parameters<typeof readAgainPart>[0], 10).readAgainAt;
  };

  it("is the first one to come, also that of another name whose empty answer waits for a second one", () => {
    expect(of(30, undefined)).to.equal(30);
    expect(of(30, 20, 15)).to.equal(15);
    expect(of(undefined, 20)).to.equal(20);
    expect(of(undefined, undefined)).to.equal(undefined);
  });

  it("is none that is over: a name that stays is not read again", () => {
    expect(of(30, 9)).to.equal(30);
    expect(of(30, 9, 20)).to.equal(20);
  });
});
