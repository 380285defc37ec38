import { expect } from "chai";
import { describe, it } from "mocha";
import { Redactor } from "../../../src/logging.js";
import type { ApiCall, CallPriority } from "../../../src/providers/call.js";
import { fixedToken } from "../../../src/providers/credentials.js";
import type { ProviderErrorProps } from "../../../src/providers/errors.js";
import { CircuitBreaker, TokenGuards, withCircuitBreaker } from "../../../src/providers/layers/circuit-breaker.js";
import { callStack } from "../../../src/providers/layers/compose.js";
import { direct } from "../../../src/providers/layers/deadlines-and-retries.js";
import type { RateLimit } from "../../../src/providers/layers/rate-windows.js";
import { LeaseFence } from "../../../src/runtime/fence.js";
import { errorOf } from "../../support/http-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { callOf, failure } from "../support.js";

describe("the circuit breaker", () => {
  function rig() {
    const clock = new FakeClock();
    const breaker = new CircuitBreaker(clock, () => 0);
    const run = withCircuitBreaker(breaker)(direct);
    const fail = (props: Partial<ProviderErrorProps> = {}) =>
      errorOf(run(callOf(), () => Promise.reject(failure(props))));
    return { clock, run, fail };
  }

  it("opens after five failures in a row, and sends nothing then", async () => {
    const { run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    let sent = false;

    const error = await errorOf(
      run(callOf(), async () => {
        sent = true;
      }),
    );

    expect(error).to.deep.include({ kind: "Unavailable", reason: "CircuitOpen", outcome: "not-sent" });
    expect(sent).to.equal(false);
  });

  it("counts a call about one thing once that the API answers with 5xx each time, and others anew", async () => {
    const { run } = rig();
    const fails = (props: Parameters<typeof callOf>[1]) =>
      errorOf(run(callOf("web", props), () => Promise.reject(failure({ status: 500 }))));
    const read = (ip: string) => fails({ name: "IPToProviderID", subject: `read address ${ip}` });
    for (let count = 0; count < 10; count++) expect(await read("203.0.113.1")).to.include({ seen: "answer 503" });
    for (const last of [2, 3, 4, 5]) expect(await read(`203.0.113.${last}`)).to.include({ seen: "answer 503" });
    expect(await read("203.0.113.6"), "five in a row").to.include({ reason: "CircuitOpen" });
    const other = rig();
    const list = () =>
      errorOf(other.run(callOf("web", { name: "ListIPs" }), () => Promise.reject(failure({ status: 500 }))));
    for (let count = 0; count < 5; count++) await list();
    expect(await list(), "a call about the whole account").to.include({ reason: "CircuitOpen" });
  });

  it("says the same however long it still rests: a status that shows it is not written again and again", async () => {
    const { clock, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    const texts = new Set<string>();
    for (let second = 0; second < 4; second++) {
      texts.add(String(await fail()));
      await clock.advance(1_000);
    }
    expect([...texts]).to.have.length(1);
  });

  it("names the last failure, which tells people where to look", async () => {
    const { clock, fail } = rig();
    for (let count = 0; count < 5; count++) await fail({ seen: "malformed answer: text/html" });
    expect(String(await fail())).to.include("(malformed answer: text/html)");
    await clock.advance(5_000);
    await fail();
    expect(String(await fail()))
      .to.include("(answer 503)")
      .and.not.include("text/html");
  });

  it("closes after a probe that works, and rests longer after one that fails", async () => {
    const { clock, run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    expect(await fail()).to.deep.include({ seen: "answer 503" });
    await clock.advance(5_000);
    expect(await fail()).to.deep.include({ reason: "CircuitOpen" });
    await clock.advance(5_000);

    expect(await run(callOf(), () => Promise.resolve("answer"))).to.equal("answer");
    expect(await run(callOf(), () => Promise.resolve("answer"))).to.equal("answer");
  });

  it("rests no longer than at first when it opens again after it has closed", async () => {
    const { clock, run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    await fail();
    await clock.advance(10_000);
    await run(callOf(), () => Promise.resolve("answer"));
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    expect(await fail()).to.deep.include({ seen: "answer 503" });
  });

  for (const [what, props] of Object.entries({
    "that was given up": { reason: "Cancelled" },
    "that was never sent for want of time": { reason: "DeadlineExceeded", outcome: "not-sent" },
    "that was never sent for want of the lease": { reason: "LeaseEnding", outcome: "not-sent" },
  } as const)) {
    it(`learns nothing from a call ${what}`, async () => {
      const { fail } = rig();
      for (let count = 0; count < 4; count++) await fail();
      await fail(props);
      expect(await fail()).to.deep.include({ seen: "answer 503" });
      expect(await fail()).to.deep.include({ reason: "CircuitOpen" });
    });
  }

  it("is not opened by refusals: they show that the API works", async () => {
    const { fail } = rig();
    for (let count = 0; count < 9; count++) await fail({ kind: "Conflict", outcome: "refused" });
    expect(await fail({ kind: "Conflict", outcome: "refused" })).to.deep.include({ kind: "Conflict" });
  });

  it("lets one probe through at a time", async () => {
    const { clock, run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    const probe = run(callOf(), () => clock.sleep(1_000));

    expect(await fail()).to.deep.include({ reason: "CircuitOpen" });
    await clock.advance(1_000);
    await probe;
  });
});

function rig(place = "", token = "a-token", calls = 10) {
  const clock = new FakeClock();
  const fence = new LeaseFence(clock);
  const waits: string[] = [];
  const metrics = {
    calls: { inc: () => undefined },
    callSeconds: { observe: () => undefined },
    callWaitSeconds: {
      observe: (labels: Readonly<Record<"provider" | "class", string>>, seconds: number) =>
        void waits.push(`${labels.provider} ${labels.class} ${seconds}`),
    },
  };
  const redactor = new Redactor();
  const options = { clock, random: () => 0, metrics, fence, audit: () => undefined, redactor, dryRun: false };
  const guards = new TokenGuards(options);
  const rateLimits: readonly RateLimit[] = [
    { calls, seconds: 60 },
    { calls: 2, seconds: 60, group: "IPv4 creations" },
  ];
  const api = { name: "cloud", rateLimits };
  const run = callStack(options, fixedToken(token, redactor, place), (token) => guards.of(api, token));
  const call = (priority: CallPriority) => callOf("web", { priority, repeatable: false });
  return { clock, run, call, waits, guards, api };
}

describe("the guards of tokens", () => {
  it("do not stop moves when changes of records fail again and again", async () => {
    const { run, call } = rig();
    const fail = () => Promise.reject(failure({ retrySafe: false }));
    for (let count = 0; count < 5; count++) await errorOf(run(call("records"), fail));
    expect(await errorOf(run(call("records"), fail))).to.deep.include({ reason: "CircuitOpen" });
    expect(await run(call("assignment"), () => Promise.resolve("answer"))).to.equal("answer");
  });

  it("do not stop calls about addresses when calls about firewalls fail again and again, in the same work class", async () => {
    const { run, call } = rig("", "a-token", 100);
    const about = (name: ApiCall["name"]) => ({ ...call("check"), name });
    const fail = () => Promise.reject(failure({ retrySafe: false }));
    for (let count = 0; count < 5; count++) await errorOf(run(about("ListFirewalls"), fail));
    const withheld = await errorOf(run(about("ListFirewalls"), fail));
    expect(withheld).to.deep.include({ reason: "CircuitOpen", where: "cloud: calls about firewalls" });
    for (const name of ["ListIPs", "IPToProviderID", "ReadDNSRecordSet", "GetNode", "Account"] as const) {
      expect(await run(about(name), () => Promise.resolve("answer")), name).to.equal("answer");
    }
    const once = await errorOf(run(about("ListIPs"), fail));
    expect(once, "one failure").to.include({ seen: "answer 503" });
    expect(await run(about("ListIPs"), () => Promise.resolve("answer"))).to.equal("answer");
  });

  it("withhold calls about a second thing sooner where nothing works", async () => {
    const { run, call } = rig("", "a-token", 100);
    const about = (name: ApiCall["name"]) => ({ ...call("check"), name });
    const fail = () => Promise.reject(failure({ retrySafe: false }));
    for (let count = 0; count < 5; count++) await errorOf(run(about("ListFirewalls"), fail));
    for (let count = 0; count < 2; count++) {
      expect(await errorOf(run(about("ListIPs"), fail))).to.include({ seen: "answer 503" });
    }
    const withheld = await errorOf(run(about("ListIPs"), fail));
    expect(withheld).to.include({ reason: "CircuitOpen", where: "cloud: calls about addresses" });
    expect(await run(about("ReadDNSRecordSet"), () => Promise.resolve("answer"))).to.equal("answer");
  });

  it("share a budget over all tokens where the API counts so, else each token has its own", () => {
    const { guards, api } = rig();
    expect(guards.of(api, "old")).not.to.equal(guards.of(api, "new"));
    const counted = { ...api, name: "other", countsAllTokens: true };
    expect(guards.of(counted, "old")).to.equal(guards.of(counted, "new"));
  });

  it("show how long the limits of the token that waits longest allow no call", async () => {
    const { clock, run, call, guards, api } = rig();
    guards.of(api, "another");
    expect([...guards.limitSeconds()]).to.deep.equal([["cloud", 0]]);
    await Promise.all(Array.from({ length: 10 }, () => run(call("assignment"), () => Promise.resolve())));
    expect(guards.limitSeconds().get("cloud")).to.equal(61);
    await clock.advance(61_000);
    expect(guards.limitSeconds().get("cloud")).to.equal(0);

    const refusal = failure({ kind: "RateLimited", retryAfterSeconds: 90, retrySafe: false });
    await errorOf(run(call("assignment"), () => Promise.reject(refusal)));
    expect(guards.limitSeconds().get("cloud")).to.equal(90);
  });

  it("refuse a call beyond the limit of its group at once, also one that waited, and others go on", async () => {
    const { clock, run, call } = rig();
    const creation = { ...call("records"), write: false, group: "IPv4 creations" } as const;
    const answer = () => Promise.resolve("created");
    const ends = await Promise.allSettled([1, 2, 3].map(() => run(creation, answer)));
    expect(ends.map(({ status }) => status)).to.deep.equal(["fulfilled", "fulfilled", "rejected"]);
    const early = await errorOf(run(creation, answer));
    expect(early).to.deep.include({ kind: "RateLimited", reason: "GroupLimit", outcome: "not-sent" });
    expect(`${early}`).to.contain("the API allows 2 of these calls in 60 s");
    expect(await run(call("assignment"), answer)).to.equal("created");
    await clock.advance(61_000);
    expect(await run(creation, answer)).to.equal("created");
  });

  it("hold back the group alone when the API refuses one of its calls", async () => {
    const { clock, run, call, guards, api } = rig();
    const creation = { ...call("records"), group: "IPv4 creations" } as const;
    const refusal = failure({ kind: "RateLimited", outcome: "refused" });
    const refused = await errorOf(run(creation, () => Promise.reject(refusal)));
    expect(refused).to.deep.include({ reason: "GroupLimit", retryAfterSeconds: 5 });
    expect(guards.limitSeconds().get(api.name)).to.equal(0);
    expect(await errorOf(run(creation, () => Promise.resolve()))).to.deep.include({ outcome: "not-sent" });
    await clock.advance(5_000);
    await run(creation, () => Promise.resolve());
  });

  it("measure for each work class how long its calls wait", async () => {
    const { clock, run, call, waits } = rig();
    const asks = Array.from({ length: 7 }, () => run(call("check"), () => Promise.resolve()));
    asks.push(run(call("assignment"), () => Promise.resolve()));
    await clock.advance(120_000);
    await Promise.all(asks);
    expect(waits.filter((wait) => wait === "cloud check 0")).to.have.length(6);
    expect(waits).to.include("cloud assignment 0");
    expect(waits).to.include("cloud check 61");
  });

  it("add to the error of a refused token where the operator reads it", async () => {
    const { run, call } = rig("entry TOKEN of Secret apps/do");
    const refuse = (props: Partial<ProviderErrorProps>) => () =>
      Promise.reject(failure({ retrySafe: false, ...props }));
    const refused = await errorOf(run(call("check"), refuse({ kind: "Unauthorized", outcome: "refused" })));
    expect(`${refused}`).to.match(
      /; fix: check the token that the operator reads from entry TOKEN of Secret apps\/do: it may be wrong, expired, cut short or in base64 twice; /,
    );
    const outer = await errorOf(run(call("check"), () => Promise.reject(refused as Error)));
    expect(`${outer}`, "of a call that has made the refused one").to.equal(`${refused}`);
    const twice = rig("entry TOKEN of Secret apps/do", Buffer.from("dop_v1_0123456789\n").toString("base64"));
    const refusedTwice = await errorOf(twice.run(call("check"), refuse({ kind: "Unauthorized", outcome: "refused" })));
    expect(`${refusedTwice}`).to.include("what stands there is itself base64 of another text");
    const forms: readonly (readonly [string, string])[] = [
      ['"dop_v1_0123456789"', "is enclosed in quotation marks"],
      ["'dop_v1_0123456789'", "is enclosed in quotation marks"],
      ['{"token":"dop_v1_0123456789"}', "is JSON"],
      ["Bearer dop_v1_0123456789", "begins with Bearer"],
      ["DIGITALOCEAN_ACCESS_TOKEN=dop_v1_0123456789", "begins with DIGITALOCEAN_ACCESS_TOKEN="],
      ['export DO_TOKEN="dop_v1_0123456789"', "begins with export DO_TOKEN="],
    ];
    for (const [token, seen] of forms) {
      const made = rig("entry TOKEN of Secret apps/do", token);
      const text = `${await errorOf(made.run(call("check"), refuse({ kind: "Unauthorized", outcome: "refused" })))}`;
      expect(text).to.include(`from entry TOKEN of Secret apps/do, and what stands there ${seen}`);
      expect(text, token).to.match(/fix: put the token alone there, /);
      expect(text, token).not.to.include("base64 twice").and.not.include("0123456789");
    }
    const plain = rig("entry TOKEN of Secret apps/do", "dop_v1_0123456789==");
    const refusedPlain = await errorOf(plain.run(call("check"), refuse({ kind: "Unauthorized", outcome: "refused" })));
    expect(`${refusedPlain}`).to.include("in base64 twice");
    for (const props of [{ kind: "Terminal" }, { kind: "Unauthorized", outcome: "not-sent" }] as const) {
      expect(`${await errorOf(run(call("check"), refuse(props)))}`).not.to.include("apps/do");
    }
  });
});
