import { expect } from "chai";
import { describe, it } from "mocha";
import type { CallContext } from "../../src/providers/call.js";
import { OncePerToken } from "../../src/providers/once-per-token.js";
import { errorOf } from "../support/http-rig.js";
import { ASKER } from "./conformance/benches.js";
import { failure } from "./support.js";

describe("a fact about a token", () => {
  function rig() {
    const asked: CallContext[] = [];
    const seen = { token: "first-token", asked, answer: (hash: string): Promise<string> => Promise.resolve(hash) };
    const fact = new OncePerToken({
      where: "cloud: read the account",
      token: () => seen.token,
      ask: (context, hash) => {
        asked.push(context);
        return seen.answer(hash);
      },
    });
    return { seen, fact };
  }

  it("is asked for once, in nobody's name, however many want it at the same time", async () => {
    const { seen, fact } = rig();
    const answers = await Promise.all(Array.from({ length: 50 }, () => fact.read(ASKER)));

    expect(new Set(answers).size).to.equal(1);
    expect(seen.asked.map(({ urgency: _urgency, ...asked }) => asked)).to.deep.equal([
      { requester: { kind: "", namespace: "", name: "" }, why: ASKER.why, priority: ASKER.priority },
    ]);
  });

  it("is asked for again with another token", async () => {
    const { seen, fact } = rig();
    const first = await fact.read(ASKER);
    seen.token = "second-token";

    expect(await fact.read(ASKER)).to.not.equal(first);
    expect(seen.asked).to.have.length(2);
  });

  it("is asked for again after a failure, which all see that wait for it", async () => {
    const { seen, fact } = rig();
    seen.answer = () => Promise.reject(failure());
    const failures = await Promise.all([errorOf(fact.read(ASKER)), errorOf(fact.read(ASKER))]);
    expect(failures.map((error) => (error as Error).name)).to.deep.equal(["ProviderError", "ProviderError"]);
    expect(seen.asked).to.have.length(1);

    seen.answer = (hash) => Promise.resolve(hash);
    expect(await fact.read(ASKER)).to.match(/^[0-9a-f]{16}$/);
  });

  it("is still fetched for the others when one caller gives up", async () => {
    const { seen, fact } = rig();
    let answer = (_text: string): void => undefined;
    seen.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const controller = new AbortController();
    const quitter = errorOf(fact.read({ ...ASKER, signal: controller.signal }));
    const patient = fact.read(ASKER);
    controller.abort(new Error("enough"));

    expect(await quitter).to.deep.include({
      kind: "Unavailable",
      reason: "Cancelled",
      where: "cloud: read the account",
    });
    answer("account");
    expect(await patient).to.equal("account");
  });
});
