import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { silentLogger } from "../../src/logging.js";
import { fixedToken, PushedToken, TokenFile, tokenHash } from "../../src/providers/credentials.js";
import { Redactor } from "../../src/redactor.js";
import { FakeClock } from "../support/fake-clock.js";
import { TempDir } from "../support/temp-dir.js";

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

  it("of a file are read again after a minute", async () => {
    const { clock, tokens, redactor } = file("first-token\n");
    expect(tokens.token()).to.equal("first-token");
    dir.write("token", "second-token");
    await clock.advance(59_000);
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
