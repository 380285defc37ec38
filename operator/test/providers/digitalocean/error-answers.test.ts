import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { ProviderError } from "../../../src/providers/errors.js";
import { answer, errorOf } from "../../support/http-rig.js";
import { ASKER } from "../conformance/benches.js";
import { AnswerRigs, get, list, NOW } from "./answer-rigs.js";

describe("answers of DigitalOcean", () => {
  const rigs = new AnswerRigs();
  afterEach(() => rigs.close());
  const serve = rigs.serve.bind(rigs);

  it("of a proxy's 404 do not make an address gone", async () => {
    const { set } = await serve((_request, response) => void response.writeHead(404).end("<html>not here</html>"));

    expect(await errorOf(get(set))).to.deep.include({ kind: "Unavailable", reason: "MalformedAnswer" });
  });

  for (const [status, outcome] of [
    [403, "refused"],
    [404, "refused"],
    [408, "unknown"],
    [504, "unknown"],
  ] as const) {
    it(`of a proxy's ${status} to a creation: ${outcome}`, async () => {
      const { set } = await serve((_request, response) => void response.writeHead(status).end("<html>no</html>"));
      const made = set.addresses?.create(ASKER, { family: "IPv4", region: "nyc3" });
      const ended = await made?.catch((error: unknown) => ({ kind: "refused", error }));
      expect(ended?.kind).to.equal(outcome);
      expect(ended).to.have.nested.property("error.outcome", outcome);
    });
  }

  it("of the API's own 404 do", async () => {
    const body = { id: "not_found", message: "The resource you requested could not be found." };
    const { set } = await serve((_request, response) => answer(response, 404, body));

    expect(await get(set)).to.equal(undefined);
  });

  it("of more than 10 MB are cut off", async () => {
    const chunk = "x".repeat(1_000_000);
    const { set } = await serve((_request, response) => {
      for (let part = 0; part < 12; part++) response.write(chunk);
      response.end();
    });

    const error = await errorOf(list(set));

    expect(error).to.deep.include({ reason: "MalformedAnswer" });
    expect(String(error).length).to.be.lessThan(400);
  });

  it("with a request id keep it out of the message", async () => {
    const body = { id: "forbidden", message: "You are not\nallowed.", request_id: "4d9d8375-3c56" };
    const { set } = await serve((_request, response) => answer(response, 403, body));

    const error = await errorOf(list(set));

    expect(error).to.deep.include({ kind: "Unauthorized", requestId: "4d9d8375-3c56" });
    expect(String(error)).to.include("You are not allowed").and.not.include("4d9d8375").and.not.include("\n");
  });

  const waits: readonly (readonly [string, Record<string, string>, number | undefined])[] = [
    ["seconds", { "retry-after": "17" }, 17],
    ["a date", { "retry-after": new Date(NOW + 30_000).toUTCString() }, 30],
    ["the end of the window", { "ratelimit-remaining": "0", "ratelimit-reset": String(NOW / 1000 + 40) }, 40],
    ["a window that is over", { "ratelimit-remaining": "0", "ratelimit-reset": String(NOW / 1000 - 5) }, 0],
    ["a date that begins with its year", { "retry-after": new Date(NOW + 20_000).toISOString() }, 20],
    ["nothing", {}, undefined],
  ];
  for (const [what, headers, seconds] of waits) {
    it(`with 429 and ${what} say how long to wait`, async () => {
      const body = { id: "too_many_requests", message: "API rate limit exceeded" };
      const { set } = await serve((_request, response) => answer(response, 429, body, headers));

      const error = await errorOf(list(set));

      expect(error).to.deep.include({ kind: "RateLimited", outcome: "refused", retrySafe: true });
      expect(error instanceof ProviderError ? error.retryAfterSeconds : "").to.equal(seconds);
    });
  }

  it("of a gateway, without the API's words, are outages by their 5xx and ask to wait by their 429", async () => {
    let status = 502;
    const { set } = await serve((_request, response) => {
      response.writeHead(status, { "retry-after": "9" }).end("<html>busy</html>");
    });
    const outage = await errorOf(list(set));
    status = 429;
    const wait = await errorOf(list(set));

    expect(outage).to.deep.include({ kind: "Unavailable", outcome: "unknown", reason: undefined });
    expect(wait).to.deep.include({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 9 });
  });

  for (const [status, kind] of [
    [412, "Conflict"],
    [500, "Unavailable"],
  ] as const) {
    it(`with ${status} mean ${kind}`, async () => {
      const body = { id: "some_error", message: "no" };
      const { set } = await serve((_request, response) => answer(response, status, body));
      expect(await errorOf(list(set))).to.deep.include({ kind });
    });
  }
});
