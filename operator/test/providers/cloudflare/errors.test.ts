import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import type { ProviderError } from "../../../src/providers/errors.js";
import type { RecordChangeSet } from "../../../src/providers/types.js";
import { context, failureOf } from "../../support/cloud/cloudflare-rig.js";
import { NOW, ok, refused, type Stub, type StubAnswer, startStub, ZONE_ID } from "./stub.js";

const NAME = { zone: ZONE_ID, name: "www.example.com", types: ["A"] } as const;
const CHANGES: RecordChangeSet = {
  zone: ZONE_ID,
  fqdn: "www.example.com",
  steps: [{ do: "create", type: "A", to: "192.0.2.1", ttl: 60 }],
  before: [],
  after: ["192.0.2.1"],
};

describe("Cloudflare provider: errors", () => {
  let stub: Stub | undefined;
  afterEach(async () => {
    await stub?.close();
    stub = undefined;
  });

  const reading = async (answer: StubAnswer) => {
    stub = await startStub(() => answer);
    return (await failureOf(stub.provider().read(context, NAME))) as ProviderError;
  };
  const writing = async (answer: StubAnswer) => {
    stub = await startStub(() => answer);
    return (await failureOf(stub.provider().apply(context, CHANGES))) as ProviderError;
  };

  const CODES = [
    [400, 6003, "Unauthorized"],
    [403, 9109, "Unauthorized"],
    [403, 10000, "Unauthorized"],
    [401, 1000, "Unauthorized"],
    [404, 7003, "NotFound"],
    [400, 1003, "NotFound"],
    [404, 1001, "NotFound"],
    [404, 81044, "Conflict"],
    [400, 81053, "Conflict"],
    [400, 81054, "Conflict"],
    [400, 81057, "Conflict"],
    [400, 81058, "Conflict"],
    [400, 81045, "QuotaExceeded"],
    [400, 1004, "Terminal"],
    [409, 1234, "Conflict"],
    [200, 10000, "Unauthorized"],
    [200, 1004, "Terminal"],
    [200, 1000, "Unavailable"],
    [400, 1000, "Terminal"],
  ] as const;
  for (const [status, code, kind] of CODES) {
    it(`tell ${status} with code ${code} as ${kind}, which is no use to send again`, async () => {
      const error = await writing(refused(status, code, "Because."));
      expect([error.kind, error.outcome, error.retrySafe, error.status]).to.deep.equal([
        kind,
        "refused",
        false,
        status,
      ]);
      expect(error.seen).to.equal(`answer ${status} (${code}): Because`);
    });
  }

  it("go by the most precise code of a chain", async () => {
    const chain = [{ code: 9021, message: "TTL must be between 60 and 86400 seconds, or 1 for Automatic." }];
    const errors = [{ code: 1004, message: "DNS Validation Error", error_chain: chain }];
    const error = await writing({ status: 400, body: { success: false, errors, messages: [], result: null } });
    expect([error.kind, error.message]).to.deep.equal([
      "Terminal",
      "cloudflare: change records of www.example.com: answer 400 (1004, 9021): DNS Validation Error: TTL must be between 60 and 86400 seconds, or 1 for Automatic; fix: set dnsRecordSet.ttl to 1 (automatic) or to 60 to 86400 seconds",
    ]);
  });

  it("say how long to wait, in seconds or until a date", async () => {
    const seconds = await reading(refused(429, 10100, "slow down", { "retry-after": "300" }));
    await stub?.close();
    const date = new Date(NOW + 90_000).toUTCString();
    const until = await reading(refused(429, 10100, "slow down", { "retry-after": date }));
    expect([seconds, until].map((error) => [error.kind, error.outcome, error.retryAfterSeconds])).to.deep.equal([
      ["RateLimited", "refused", 300],
      ["RateLimited", "refused", 90],
    ]);
  });

  it("take the time of the next window where the answer has no retry-after", async () => {
    const headers = { ratelimit: '"default";r=0;t=42', "ratelimit-policy": '"default";q=1200;w=300' };
    expect((await reading(refused(429, 10100, "slow down", headers))).retryAfterSeconds).to.equal(42);
  });

  it("see a rate limit in the page of Cloudflare's edge, too", async () => {
    const page = { status: 429, headers: { "retry-after": "7", "content-type": "text/html" }, body: "<html>" };
    const error = await reading(page);
    expect([error.kind, error.retryAfterSeconds, error.seen]).to.deep.equal([
      ...["RateLimited", 7],
      "answer 429 that is not the API's",
    ]);
  });

  it("do not believe a page of somebody else that something is gone", async () => {
    for (const status of [200, 403, 404]) {
      const error = await reading({ status, headers: { "content-type": "text/html" }, body: "<html>gone</html>" });
      expect([error.kind, error.reason, error.retrySafe], String(status)).to.deep.equal([
        ...["Unavailable", "MalformedAnswer"],
        true,
      ]);
      await stub?.close();
    }
  });

  it("never have a batch sent again after a gateway's error, but a list", async () => {
    const read = await reading({ status: 502, body: "<html>" });
    await stub?.close();
    const write = await writing({ status: 502, body: "" });
    expect([read, write].map(({ kind, outcome, retrySafe }) => [kind, outcome, retrySafe])).to.deep.equal([
      ["Unavailable", "unknown", true],
      ["Unavailable", "unknown", false],
    ]);
  });

  it("keep the API's request id for logs only", async () => {
    const error = await reading(refused(400, 1004, "no", { "cf-ray": "8a1b2c-FRA" }));
    expect([error.requestId, error.message.includes("8a1b2c")]).to.deep.equal(["8a1b2c-FRA", false]);
  });

  it("say that nothing was sent where there is no connection", async () => {
    stub = await startStub(() => ok([]));
    const { url } = stub;
    const provider = stub.provider({ baseUrl: url.replace("127.0.0.1", "127.0.0.2") });
    const error = (await failureOf(provider.apply(context, CHANGES))) as ProviderError;
    expect([error.kind, error.outcome, error.seen, error.retrySafe]).to.deep.equal([
      ...["Unavailable", "not-sent", "the connection was refused"],
      true,
    ]);
  });

  it("say that a list changed while it was read, time and again", async () => {
    let total = 0;
    stub = await startStub((path) => {
      if (!path.includes("dns_records")) return ok({ id: ZONE_ID, name: "example.com" });
      total += 1;
      const record = { id: `r${total}`, type: "A", name: "www.example.com", content: "192.0.2.1", ttl: 60 };
      return ok([record], { result_info: { total_count: total + 5 } });
    });
    const error = (await failureOf(stub.provider().read(context, NAME))) as ProviderError;
    expect([error.kind, error.seen]).to.deep.equal(["Unavailable", "the list changed while it was read, 3 times"]);
  });

  it("are none where a list was changed once: it is read again, and nothing is missed", async () => {
    const record = (id: string) => ({ id, type: "A", name: "www.example.com", content: "192.0.2.1", ttl: 60 });
    // The first record goes between the pages, so that the third moves to the first page.
    const pages = [
      ok([record("a"), record("b")], { result_info: { total_count: 3 } }),
      ok([], { result_info: { total_count: 2 } }),
      ok([record("b"), record("c")], { result_info: { total_count: 2 } }),
    ];
    stub = await startStub((path) =>
      path.includes("dns_records") ? (pages.shift() ?? ok([])) : ok({ id: ZONE_ID, name: "example.com" }),
    );
    const { records } = await stub.provider().read(context, NAME);
    expect(records.map(({ id }) => id)).to.deep.equal(["b", "c"]);
  });

  it("say that there is no token, and nothing is sent", async () => {
    stub = await startStub(() => ok([]));
    const error = (await failureOf(stub.provider({ token: "" }).apply(context, CHANGES))) as ProviderError;
    expect([error.kind, error.outcome, stub.seen.length]).to.deep.equal(["Unauthorized", "not-sent", 0]);
  });
});
