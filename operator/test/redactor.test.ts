import { expect } from "chai";
import { describe, it } from "mocha";
import { Redactor } from "../src/redactor.js";

const SECRET = 'dop_v1_0123456789"abc/+';

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
    it(`removes ${title} that nobody registered`, () => expect(new Redactor().scrub(text)).to.equal(wanted));
  }

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
