import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { Redactor, silentLogger } from "../../src/logging.js";
import type { CallContext } from "../../src/providers/call.js";
import { fixedToken, OncePerToken, PushedToken, TokenFile, tokenHash } from "../../src/providers/credentials.js";
import { errorOf } from "../support/http-rig.js";
import { TempDir } from "../support/temp-dir.js";
import { FakeClock } from "../support/time/fake-clock.js";
import { ASKER } from "./conformance/benches.js";
import { failure } from "./support.js";

describe("credentials", () => {
  const dir = new TempDir();
  afterEach(() => dir.remove());

  function file(content: string) {
    const path = dir.write("token", content);
    const clock = new FakeClock();
    const redactor = new Redactor();
    const warnings: string[] = [];
    const logger = {
      ...silentLogger,
      warn: (fields: object, message: string) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
    };
    return { clock, redactor, warnings, tokens: new TokenFile({ path, clock, redactor, logger }) };
  }

  it("of the environment are trimmed and never shown", () => {
    const redactor = new Redactor();

    expect(fixedToken(" secret-token\n", redactor).token()).to.equal("secret-token");
    expect(redactor.scrub("bad: secret-token")).not.to.include("secret-token");
  });

  it("of a file are read again after 10 s", async () => {
    const { clock, tokens, redactor } = file("first-token\n");
    expect(tokens.token()).to.equal("first-token");
    dir.write("token", "second-token");
    await clock.advance(9_000);
    expect(tokens.token()).to.equal("first-token");
    await clock.advance(1_000);

    expect(tokens.token()).to.equal("second-token");
    expect(redactor.scrub("second-token")).not.to.include("second");
  });

  it("of a file are read again at once when they are refused", () => {
    const { tokens } = file("first-token");
    tokens.token();
    dir.write("token", "second-token");
    expect(tokens.token()).to.equal("first-token");
    tokens.renew();

    expect(tokens.token()).to.equal("second-token");
  });

  it("stay in use while the file cannot be read, which is said", async () => {
    const { clock, tokens, warnings } = file("first-token");
    tokens.token();
    dir.remove();
    await clock.advance(60_000);

    expect(tokens.token()).to.equal("first-token");
    expect(warnings.join()).to.include("check that the Secret is mounted").and.not.include("first-token");
  });

  it("of a Secret are replaced from outside", () => {
    const redactor = new Redactor();
    const tokens = new PushedToken(redactor);
    tokens.set("first-token\n");
    tokens.renew();
    expect(tokens.token()).to.equal("first-token");
    tokens.set("second-token");

    expect(redactor.scrub("first-token second-token")).not.to.match(/(first|second)-token/);
    expect(tokens.token()).to.equal("second-token");
  });

  it("have a fingerprint that gives nothing away", () => {
    expect(tokenHash("secret-token"))
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(tokenHash("other-token"));
  });
});

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

  it("is asked for once, on behalf of no resource, however many want it at the same time", async () => {
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
