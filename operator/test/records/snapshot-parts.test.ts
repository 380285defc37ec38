import { expect } from "chai";
import { describe, it } from "mocha";
import { ProviderError } from "../../src/providers/errors.js";
import { lostPlace } from "../../src/records/snapshot-parts.js";

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
