import { expect } from "chai";
import { it } from "mocha";
import type { CallContext } from "../../../src/providers/call.js";
import type { Provider } from "../../../src/providers/types.js";
import { errorOf } from "../../support/http-rig.js";
import { ASKER, type Bench } from "./benches.js";

type AnyBench = Bench & { readonly provider: Provider };

/** What is the same for addresses, DNS and firewalls. @param read something that costs a call */
export function commonContract<B extends AnyBench>(
  start: () => Promise<B>,
  read: (bench: B, context: CallContext) => Promise<unknown>,
): void {
  it("says Unauthorized for a token that is refused", async () => {
    const bench = await start();
    bench.revokeToken();

    expect(await errorOf(bench.drive(read(bench, ASKER)))).to.deep.include({ kind: "Unauthorized" });
  });

  it("gives one key for the account, without asking again", async () => {
    const bench = await start();
    const first = await bench.drive(bench.provider.accountKey(ASKER));
    const before = bench.calls();

    expect(await bench.drive(bench.provider.accountKey(ASKER)))
      .to.equal(first)
      .and.not.to.equal("");
    expect(bench.calls()).to.equal(before);
  });

  it("gives up when the caller does", async () => {
    const bench = await start();
    const signal = AbortSignal.abort(new Error("the run is over"));

    const error = await errorOf(bench.drive(read(bench, { ...ASKER, signal })));

    expect(error).to.deep.include({ kind: "Unavailable", reason: "Cancelled" });
  });
}
