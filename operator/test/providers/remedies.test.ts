import { expect } from "chai";
import { describe, it } from "mocha";
import { Redactor } from "../../src/logging.js";
import { partsOf } from "../../src/messages/message.js";
import { refusedError as refusedByCloudflare } from "../../src/providers/cloudflare/to-provider-error.js";
import { fixedToken } from "../../src/providers/credentials.js";
import { refusedError as refusedByDigitalOcean } from "../../src/providers/digitalocean/to-provider-error.js";
import { interpretRefusedFirewall } from "../../src/providers/digitalocean/unprocessable.js";
import { withProps } from "../../src/providers/errors.js";
import { Answer } from "../../src/providers/http.js";
import { TokenGuards } from "../../src/providers/layers/circuit-breaker.js";
import { callStack } from "../../src/providers/layers/compose.js";
import { LeaseFence } from "../../src/runtime/fence.js";
import { NO_METRICS } from "../support/cloud/provider-stack.js";
import { errorOf } from "../support/http-rig.js";
import { FakeClock } from "../support/time/fake-clock.js";
import { callOf, failure } from "./support.js";

const PLACE = "entry token of Secret apps/do";
const TOKEN_FIRST = `check the token that the operator reads from ${PLACE}: it may be wrong, expired, cut short or in base64 twice`;

function atDigitalOcean(status: number) {
  const text = JSON.stringify({ id: "no", message: "No." });
  return refusedByDigitalOcean(callOf(), { status, text, headers: new Map() }, 0);
}

function atCloudflare(status: number, code: number) {
  const body = { success: false, errors: [{ code, message: "No." }], messages: [], result: null };
  return refusedByCloudflare(callOf(), { status, body: Answer.of(body), headers: new Headers() }, 0);
}

/** What was seen, then what to do, of a call that fails like this below all layers. */
async function partsThrough(error: Error): Promise<readonly string[]> {
  const clock = new FakeClock();
  const redactor = new Redactor();
  const fence = new LeaseFence(clock);
  const options = {
    clock,
    random: () => 0,
    metrics: NO_METRICS,
    fence,
    audit: () => undefined,
    redactor,
    dryRun: false,
  };
  const guards = new TokenGuards(options);
  const api = { name: "cloud", rateLimits: [{ calls: 10, seconds: 60 }] };
  const run = callStack(options, fixedToken("a-token", redactor, PLACE), (token) => guards.of(api, token));
  const failed = await errorOf(run(callOf("web", { repeatable: false }), () => Promise.reject(error)));
  return partsOf((failed as Error).message);
}

describe("the remedies of refused calls", () => {
  it("begin with the token where the API does not know it, and end with its rights", async () => {
    for (const error of [atDigitalOcean(401), atCloudflare(403, 9109), atCloudflare(401, 10000)]) {
      const [seen, fix, ...more] = await partsThrough(error);
      expect(seen).to.match(/answer 40[13][^;]*: No$/);
      expect(fix).to.satisfy((text: string) => text.startsWith(TOKEN_FIRST));
      expect(fix).to.match(/with the rights /);
      expect(more).to.deep.equal([]);
    }
  });

  it("begin with the rights where the API knows the token, and name its place", async () => {
    for (const error of [atDigitalOcean(403), atCloudflare(403, 10000)]) {
      const [seen, fix] = await partsThrough(error);
      expect(seen).to.match(/answer 403[^;]*: No$/);
      expect(fix).to.match(/^have the owner of the (DNS )?account give the token the rights /);
      expect(fix).to.include(`the operator reads the token from ${PLACE}`);
    }
  });

  it("stand after `fix:`, and what the operator does stands before", () => {
    const busy = partsOf(withProps(atDigitalOcean(409), {}).message);
    expect(busy).to.deep.equal([
      "cloud: read 203.0.113.7: answer 409: No; the operator reads it again and tries again",
    ]);
    for (const error of [atDigitalOcean(429), atDigitalOcean(503), atCloudflare(429, 10100), atCloudflare(500, 1)]) {
      const [seen, fix] = partsOf(error.message);
      expect(seen).to.match(/; the operator (waits and )?tries again$/);
      expect(fix).to.match(/^if this lasts, /);
    }
    for (const error of [atDigitalOcean(404), atCloudflare(404, 7003), atDigitalOcean(400), atCloudflare(400, 1004)]) {
      expect(partsOf(error.message)[1]).to.match(/^correct /);
    }
  });

  it("know that Cloudflare counts the calls of a user, not of a token", () => {
    expect(partsOf(atCloudflare(429, 10100).message)[1]).to.match(/another user/);
    expect(partsOf(atDigitalOcean(429).message)[1]).to.match(/tokens of their own/);
  });

  it("name the limits of a firewall that is full", () => {
    const full = failure({ seen: "answer 422: no more than 50 rules" });
    expect(partsOf(interpretRefusedFirewall(full).message)[1]).to.match(/^open fewer ports/);
  });
});
