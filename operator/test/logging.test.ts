import { expect } from "chai";
import { inSeconds } from "flipop-testbed";
import { describe, it } from "mocha";
import { StatusError } from "../src/kube/client.js";
import { createLogger, type LoggerOptions, Redactor, silentLogger } from "../src/logging.js";
import { ProviderError } from "../src/providers/errors.js";
import { FakeClock } from "./support/time/fake-clock.js";

function setUp(options: Partial<LoggerOptions> & { isTTY?: boolean } = {}) {
  const lines: string[] = [];
  const redactor = new Redactor();
  const output = { isTTY: options.isTTY ?? false, write: (text: string) => lines.push(text) };
  const logger = createLogger({ clock: new FakeClock(), redactor, output, ...options });
  return { logger, redactor, lines, last: () => JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown> };
}

describe("logger", () => {
  it("writes one JSON object a line where there is no terminal", () => {
    const { logger, lines, last } = setUp();
    logger.info({ pool: "apps/web" }, "address moved");

    expect(lines[0]).to.match(/^\{.*\}\n$/);
    expect(last()).to.deep.equal({
      level: "info",
      time: "2025-01-01T00:00:00.000Z",
      pool: "apps/web",
      msg: "address moved",
    });
  });

  it("writes text on a terminal", () => {
    const { logger, lines } = setUp({ isTTY: true });
    logger.warn({ pool: "apps/web" }, "address moved");

    expect(lines.join("")).to.include("address moved").and.include("apps/web");
    expect(lines[0]?.startsWith("{")).to.equal(false);
  });

  it("follows the option: text without a terminal has no colours", () => {
    const { logger, lines } = setUp({ format: "text" });
    logger.info({}, "hello");

    expect(lines).to.deep.equal(["[00:00:00.000] INFO: hello\n"]);
  });

  it("adds a child's fields to each line", () => {
    const { logger, last } = setUp();
    logger.child({ controller: "pools" }).child({ key: "a" }).error({ n: 1 }, "run failed");

    expect(last()).to.include({ controller: "pools", key: "a", n: 1, level: "error" });
  });

  it("says nothing of level debug unless asked to", () => {
    const quiet = setUp();
    quiet.logger.debug({}, "detail");
    const loud = setUp({ debug: true });
    loud.logger.debug({}, "detail");

    expect([quiet.lines.length, loud.lines.length]).to.deep.equal([0, 1]);
  });

  it("shows an error with its stack and causes, without secrets", () => {
    const { logger, redactor, lines, last } = setUp();
    redactor.add("s3cr3t-token");
    const cause = new Error("refused s3cr3t-token");
    const error = new Error("call with Authorization: Bearer abcdef123 failed", { cause });
    logger.error({ error, headers: { authorization: "Bearer xyz98765" } }, "call failed with s3cr3t-token");

    expect(last()["error"]).to.have.keys("type", "message", "stack");
    expect(JSON.stringify(last()["error"])).to.include("logging.test.ts").and.include("refused");
    for (const secret of ["s3cr3t-token", "abcdef123", "xyz98765"]) expect(lines.join("")).not.to.include(secret);
  });

  it("shows an error that a server caused without its stack, but for debugging", () => {
    const error = new StatusError({ code: 404, reason: "NotFound", message: "GET /apis: 404 NotFound" });
    const [quiet, loud] = [setUp(), setUp({ debug: true })];
    for (const { logger } of [quiet, loud]) logger.warn({ error }, "lease could not be read or written");

    expect(quiet.last()["error"]).to.include({ type: "StatusError", message: "GET /apis: 404 NotFound", code: 404 });
    expect(quiet.last()["error"]).not.to.have.property("stack");
    expect(loud.last()["error"]).to.have.property("stack");
  });

  it("keeps secrets out of text, too", () => {
    const { logger, redactor, lines } = setUp({ format: "text" });
    redactor.add("s3cr3t-token");
    logger.error({ error: new Error("s3cr3t-token") }, "s3cr3t-token");

    expect(lines.join("")).to.include("[redacted]").and.not.include("s3cr3t-token");
  });

  it("survives fields that refer to themselves", () => {
    const { logger, lines } = setUp();
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    logger.info({ loop }, "loop");

    expect(lines).to.have.length(1);
  });

  const hidden = "\u001b[2J\r\u009b31m\u202e\b";
  for (const [format, title] of [
    ["json", "in JSON"],
    ["text", "in text"],
  ] as const) {
    it(`gives a terminal nothing to obey ${title}`, () => {
      const { logger, lines } = setUp({ format });
      logger.info({ said: `x${hidden}\n`, error: new ProviderError({ ...REFUSED, seen: hidden }) }, "refused");

      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(lines.join("")).not.to.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(lines.join("")).to.include("[2J").and.include("u001b").and.include("u202e");
    });
  }

  it("keeps the values of JSON", () => {
    const { logger, last } = setUp();
    logger.info({ said: `${hidden}\\u001b` }, "refused");
    expect(last()["said"]).to.equal(`${hidden}\\u001b`);
  });

  it("keeps an error that is a text", () => {
    const { logger, last } = setUp();
    logger.error({ error: "no cluster configured" }, "flipop cannot start");

    expect(last()["error"]).to.equal("no cluster configured");
  });

  it("cuts a long text and says how long it was, also in a list and in an error", () => {
    const { logger, redactor, lines, last } = setUp();
    const secret = "first line\nsecond line of a secret";
    redactor.add(secret);
    const rules = `${"tcp 443; ".repeat(908)} ${secret} ${"tcp 443; ".repeat(90_000)}`;
    const server = new StatusError({ code: 422, reason: "Invalid", message: rules });
    logger.warn({ audit: { after: rules, list: [rules] }, error: server }, "cloud mutation");

    expect(lines[0]?.length).to.be.below(30_000);
    const { audit, error } = last() as { audit: { after: string; list: string[] }; error: { message: string } };
    for (const text of [audit.after, audit.list[0], error.message]) {
      expect(text).to.match(/^tcp 443; .*\.\.\. \(818\d{3} characters\)$/s);
      expect(text).to.include("[redacted]").and.not.include("first");
    }
  });

  it("can be silent", () => {
    expect(silentLogger.child({ a: 1 })).to.equal(silentLogger);
    expect(silentLogger.info({}, "nothing")).to.equal(undefined);
  });
});

const REFUSED = { kind: "Terminal", where: "digitalocean: list", remedy: "wait", outcome: "refused" } as const;

const SECRET = 'token_0123456789"abc/+';

describe("redactor", () => {
  const encodings: [string, string][] = [
    ["as it is", `seen ${SECRET} here`],
    ["in JSON", JSON.stringify({ note: `seen ${SECRET} here` })],
    ["in a URL", `https://x.test/?q=${encodeURIComponent(SECRET)}`],
    ["in Base64", Buffer.from(SECRET).toString("base64")],
  ];
  for (const [title, text] of encodings) {
    it(`removes a registered secret ${title}`, () => {
      const redactor = new Redactor();
      expect(redactor.scrub(text)).to.equal(text);
      redactor.add(SECRET);

      const scrubbed = redactor.scrub(text);

      expect(scrubbed).to.include("[redacted]");
      expect(scrubbed).not.to.include("0123456789");
      expect(scrubbed).not.to.include(Buffer.from(SECRET).toString("base64").slice(0, 10));
    });
  }

  const patterns: [string, string, string][] = [
    ["a bearer token", "sent Bearer abc.def-123 to x", "sent Bearer [redacted] to x"],
    ["a token of DigitalOcean", `used dop_v1_${"0a".repeat(32)}.`, "used [redacted]."],
    ["an access key of AWS", "id AKIAIOSFODNN7EXAMPLE!", "id [redacted]!"],
    [
      "a secret key of AWS",
      "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY set",
      "AWS_SECRET_ACCESS_KEY=[redacted] set",
    ],
    ["a token in a variable", "CLOUDFLARE_API_TOKEN=v1.0-aBcDeFgH set", "CLOUDFLARE_API_TOKEN=[redacted] set"],
    ["a token in a quoted variable", 'DIGITALOCEAN_ACCESS_TOKEN="abcdefgh1"', 'DIGITALOCEAN_ACCESS_TOKEN="[redacted]"'],
    ["a token of a kubeconfig", "user:\n  token: abcdefghijklmnop1", "user:\n  token: [redacted]"],
    ["a key of a kubeconfig", "client-key-data: LS0tLS1CRUdJTiBSU0E=", "client-key-data: [redacted]"],
    ["a key of a name server", 'key "k" { secret "c2VjcmV0LXNlY3JldA=="; };', 'key "k" { secret "[redacted]"; };'],
    ["a private key that is cut off", "key: -----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA", "key: [redacted]"],
    ["basic credentials", "Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"],
    ["basic credentials in a list", '["authorization","Basic dXNlcjpwYXNz"]', '["authorization","Basic [redacted]"]'],
    ["a bare authorization header", "authorization=abc123, next", "authorization=[redacted], next"],
    ["a query parameter", "GET /x?a=1&token=abc&b=2", "GET /x?a=1&token=[redacted]&b=2"],
    ["a member by its name", '{"Authorization":"abc","b":1}', '{"Authorization":"[redacted]","b":1}'],
    ["a member with quotes inside", '{"password":"a\\"b"}', '{"password":"[redacted]"}'],
    ["a list of headers", '{"set-cookie":["a=1","b=2"]}', '{"set-cookie":"[redacted]"}'],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----", "[redacted]"],
  ];
  for (const [title, text, wanted] of patterns) {
    it(`removes ${title} that was never registered`, () => expect(new Redactor().scrub(text)).to.equal(wanted));
  }

  const endless: [string, string][] = [
    ["a list of strings without an end", `"token":[${'"" '.repeat(2_000)}`],
    ["beginnings of tokens without an end", "eyJaaaaaaaa-".repeat(100_000)],
    ["names of variables without a value", "A-A_".repeat(250_000)],
    ["white space", "token: \n".repeat(120_000)],
  ];
  for (const [title, text] of endless) {
    it(`reads ${title} in time that grows with its length`, () => {
      expect(inSeconds(30, () => new Redactor().scrub(text) === text)).to.equal(true);
    });
  }

  it("removes a list of secrets, and a token that begins within a word", () => {
    const token = `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.c-c`;
    const list = '"token": [ "a", "b" "c" ]';
    expect(new Redactor().scrub(`${list} x-${token} ${token}`)).to.equal(
      '"token": "[redacted]" x-[redacted] [redacted]',
    );
  });

  it("leaves the names of secrets and ordinary words alone", () => {
    const text =
      '{"secretName":"flipop-token","tokenFile":"/var/run/token","msg":"the basic idea: a bearer token in a token bucket"}';
    expect(new Redactor().scrub(text)).to.equal(text);
  });

  it("ignores what is too short to be a secret, and a trailing line end of a token file", () => {
    const redactor = new Redactor();
    redactor.add("abc");
    redactor.add("s3cr3t-token\n");

    expect(redactor.scrub("abc s3cr3t-token.")).to.equal("abc [redacted].");
  });

  it("removes the longer of two secrets whole", () => {
    const redactor = new Redactor();
    redactor.add("abcd");
    redactor.add("abcdefgh");

    expect(redactor.scrub("x abcdefgh y")).to.equal("x [redacted] y");
  });

  it("remembers 256 secrets, the latest ones", () => {
    const redactor = new Redactor();
    for (let index = 0; index < 257; index++) redactor.add(`secret-${String(index).padStart(3, "0")}`);

    expect(redactor.scrub("secret-000 secret-001 secret-256")).to.equal("secret-000 [redacted] [redacted]");
  });
});
