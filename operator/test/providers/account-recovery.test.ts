import { expect } from "chai";
import { describe, it } from "mocha";
import { AccountRecovery } from "../../src/providers/account-recovery.js";
import type { ProviderErrorKind } from "../../src/providers/errors.js";
import { ACCOUNT_PROBE_MS, ACCOUNT_RECOVERIES_APART_MS } from "../../src/timings.js";
import { providerError } from "../records/fake-dns.js";
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

  describe("whose changes fail while it answers reads", () => {
    const failing = (kind: ProviderErrorKind) => () => Promise.reject(providerError(kind));

    async function failed(kind: ProviderErrorKind) {
      const started = start();
      await started.account.changes.send(failing(kind)).catch(() => undefined);
      started.account.noteAnswer();
      return started;
    }

    it("is an answered change, and no read", async () => {
      const { account, calls, listen } = await failed("Unavailable");
      listen("a");
      account.noteAnswer();
      expect(calls).to.deep.equal([]);
      await account.changes.send(async () => undefined);
      expect([calls, account.changes.recovered]).to.deep.equal([["a"], 1]);
    });

    it("is also a change that it refuses for another reason", async () => {
      const { account } = await failed("Unavailable");
      await account.changes.send(failing("Terminal")).catch(() => undefined);
      expect(account.recovered).to.equal(1);
    });

    it("is looked for by one change at a time, and not where only a person can help", async () => {
      const { account, clock } = await failed("Unavailable");
      const first = clock.now() + ACCOUNT_PROBE_MS.Unavailable;
      expect([account.changes.probeAt, account.probeAt]).to.deep.equal([first, undefined]);
      await clock.advance(5_000);
      let end = () => {};
      const sent = account.changes.send(() => new Promise<void>((resolve) => (end = resolve)));
      expect(account.changes.probeAt).to.equal(first + 5_000);
      end();
      await sent;
      expect(account.changes.probeAt).to.equal(undefined);
      expect((await failed("Unauthorized")).account.changes.probeAt).to.equal(undefined);
    });
  });
});
