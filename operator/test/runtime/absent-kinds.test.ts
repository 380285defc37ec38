import { expect } from "chai";
import { describe, it } from "mocha";
import { AbsentKinds } from "../../src/runtime/absent-kinds.js";
import { FakeClock } from "../support/fake-clock.js";

describe("kinds that a cluster does not have", () => {
  const part = (code: number | undefined, synced = false) => ({
    name: "routedips",
    run: () => Promise.resolve(),
    hasSynced: () => synced,
    degradedReason: () => `${code}`,
    refusal: () => code,
  });

  it("hold nobody up: at once where there is no such kind, after a while where we may not see it", async () => {
    const clock = new FakeClock();
    const synced = (code: number | undefined) => new AbsentKinds([part(code)], clock).tolerated()[0]?.hasSynced();
    expect([404, 403, 500, undefined].map(synced)).to.deep.equal([true, false, false, false]);
    const forbidden = new AbsentKinds([part(403)], clock);
    expect(forbidden.check()).to.equal(undefined);
    await clock.advance(15_000);
    expect(forbidden.tolerated()[0]?.hasSynced()).to.equal(true);
    expect(forbidden.check()).to.include("403").and.include("apply the CRDs");
    expect(new AbsentKinds([part(404, true)], clock).check()).to.equal(undefined);
  });
});
