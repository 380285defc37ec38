import { expect } from "chai";
import { describe, it } from "mocha";
import { ACCOUNT_RECOVERIES_APART_MS } from "../../src/bounds.js";
import { AccountRecovery } from "../../src/reconcile/notifier.js";
import { FakeClock } from "../support/time/fake-clock.js";

describe("the recovery of an account", () => {
  function start() {
    const clock = new FakeClock();
    const account = new AccountRecovery(clock);
    const calls: string[] = [];
    const listen = (name: string) => account.onRecovery(name, () => calls.push(name));
    return { clock, account, calls, listen };
  }

  it("is an answer after a failed read, and each listener gets it once", () => {
    const { account, calls, listen } = start();
    listen("a");
    account.noteAnswer();
    expect(calls).to.deep.equal([]);
    account.noteReadFailure();
    account.noteAnswer();
    expect([calls, account.recovered]).to.deep.equal([["a"], 1]);
    listen("b");
    account.noteAnswer();
    expect(calls).to.deep.equal(["a"]);
  });

  it("is also a change of the credentials, at any time", () => {
    const { account, calls, listen } = start();
    for (const name of ["a", "b"]) {
      listen(name);
      account.noteCredentials();
    }
    expect([calls, account.recovered]).to.deep.equal([["a", "b"], 2]);
  });

  it("follows the previous one only after a while, when reads fail and succeed in turns", async () => {
    const { clock, account } = start();
    const flap = () => {
      account.noteReadFailure();
      account.noteAnswer();
      return account.recovered;
    };
    expect([flap(), flap()]).to.deep.equal([1, 1]);
    await clock.advance(ACCOUNT_RECOVERIES_APART_MS);
    expect(flap()).to.equal(2);
  });
});
