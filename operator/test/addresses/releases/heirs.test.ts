import { expect } from "chai";
import { describe, it } from "mocha";
import type { ForgetAction } from "../../../src/addresses/actions.js";
import { DONE } from "../../../src/addresses/call-outcomes.js";
import { carryOutForget } from "../../../src/addresses/releases/heirs.js";
import { Claims } from "../../../src/claims/claims.js";
import { Heirs } from "../../../src/claims/heirs.js";

const FORGET: ForgetAction = { do: "forget-created", ip: "203.0.113.7", why: "another resource has it" };

describe("the entry of a created address that another resource has, too", () => {
  /** @param more of the action. */
  function rig(more: Partial<ForgetAction> = {}) {
    const heirs = new Heirs<unknown>(new Claims());
    let times = 0;
    const forget = async () => {
      times += 1;
      return DONE;
    };
    const end = (because?: string) =>
      carryOutForget(heirs, { ...FORGET, ...more }, { recheck: () => because, forget }).then(({ is }) => is);
    return { heirs, end, times: () => times };
  }

  it("goes if that still holds", async () => {
    const { end, times } = rig();
    expect([await end(), times()]).to.deep.equal(["done", 1]);
  });

  it("stays if the other one has given the address up since, or gives it up now", async () => {
    const late = rig();
    expect([await late.end("it is ours alone now"), late.times()]).to.deep.equal(["superseded", 0]);
    const { heirs, end, times } = rig();
    const other = heirs.forgetAlone(FORGET.ip, () => end());
    expect([await other, times()]).to.deep.equal(["skipped", 0]);
  });

  it("goes whatever others do if the address does not exist any more", async () => {
    const { heirs, end, times } = rig({ gone: "vanished" });
    expect(await heirs.forgetAlone(FORGET.ip, () => end("outdated"))).to.equal("done");
    expect(times()).to.equal(1);
  });
});
