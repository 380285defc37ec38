import { expect } from "chai";
import { until } from "flipop-operator/testing/until";
import { describe, it } from "mocha";
import { EVERY_FAULT, type Fault, type FaultKind } from "../../src/http/fault.js";
import { startTinyRig, type TinyRig } from "./tiny-api.js";

/** What a client is left with. */
async function outcome(response: Promise<Response>): Promise<string> {
  try {
    const answer = await response;
    const text = await answer.text();
    return `${answer.status} ${text.slice(0, 12)}`;
  } catch {
    return "broken";
  }
}

describe("faults of the simulators", () => {
  let rig: TinyRig;

  beforeEach(async () => {
    rig = await startTinyRig();
  });

  afterEach(() => rig.server.close());

  const strike = (fault: Fault) => rig.server.faults.inject(fault, { on: "POST /add" });

  for (const [fault, left, value] of [
    [{ kind: "status", status: 429 }, '429 {"reason":"i', 0],
    [{ kind: "status", status: 503 }, '503 {"reason":"i', 0],
    [{ kind: "status", status: 504, when: "after" }, '504 {"reason":"i', 1],
    [{ kind: "reset" }, "broken", 0],
    [{ kind: "reset", when: "after" }, "broken", 1],
    [{ kind: "reset", when: "during-body" }, "broken", 1],
    [{ kind: "html" }, "502 <!DOCTYPE ht", 0],
    [{ kind: "html", status: 200, when: "after" }, "200 <!DOCTYPE ht", 1],
    [{ kind: "duplicate" }, '201 {"value":2,"', 2],
    [{ kind: "duplicate", answer: "first" }, '201 {"value":1,"', 2],
  ] as const) {
    it(`${JSON.stringify(fault)} leaves the client with "${left}" and the API with ${value}`, async () => {
      strike(fault);
      expect(await outcome(rig.add())).to.equal(left);
      expect(rig.counter.value).to.equal(value);
    });
  }

  it("resets in the middle of an answer without a body as well", async () => {
    rig.server.faults.inject({ kind: "reset", when: "during-body" });
    expect(await outcome(fetch(`${rig.server.url}/value`, { method: "DELETE" }))).to.equal("broken");
    expect(rig.server.journal.entries[0]).to.include({ processed: 1, status: 204 });
  });

  it("has an example of every kind", () => {
    const kinds = new Set<FaultKind>(Object.values(EVERY_FAULT).map(({ kind }) => kind));
    const all: Record<FaultKind, true> = {
      ...{ status: true, timeout: true, reset: true, truncate: true, html: true, "slow-body": true, delay: true },
      ...{ "stale-reads": true, duplicate: true, "revoke-token": true, huge: true },
    };
    expect([...kinds]).to.have.members(Object.keys(all));
  });

  it("sends retry-after only where it is given", async () => {
    strike({ kind: "status", status: 429, retryAfterSeconds: 7 });
    strike({ kind: "status", status: 429 });
    expect((await rig.add()).headers.get("retry-after")).to.equal("7");
    expect((await rig.add()).headers.get("retry-after")).to.equal(null);
  });

  for (const [when, value] of [
    ["before", 0],
    ["after", 1],
  ] as const) {
    it(`never answers a time-out, which strikes ${when} processing`, async () => {
      strike({ kind: "timeout", when });
      const controller = new AbortController();
      const pending = outcome(rig.add(controller.signal));
      await until("the request is in the journal", () => rig.server.journal.mark === 1);
      await rig.clock.advance(3_600_000);
      controller.abort();
      expect(await pending).to.equal("broken");
      expect(rig.counter.value).to.equal(value);
    });
  }

  it("cuts JSON in the middle of a well framed answer", async () => {
    strike({ kind: "truncate" });
    const text = await (await rig.add()).text();
    expect(text.startsWith('{"value":1,"text":"xxx')).to.equal(true);
    expect(() => JSON.parse(text) as unknown).to.throw(SyntaxError);
  });

  it("sends JSON of more than 10 MB", async () => {
    strike({ kind: "huge" });
    const text = await (await rig.add()).text();
    expect(text.length).to.be.greaterThan(10_000_000);
    expect((JSON.parse(text) as { value: number }).value).to.equal(1);
  });

  it("processes at once and answers after a delay of the clock", async () => {
    strike({ kind: "delay", ms: 5_000 });
    const pending = outcome(rig.add());
    await until("it waits on the clock", () => rig.clock.pendingTimers === 1);
    expect(rig.counter.value).to.equal(1);
    await rig.clock.advance(5_000);
    expect(await pending).to.match(/^201/);
  });

  it("lets a body drip over the clock's time", async () => {
    strike({ kind: "slow-body", ms: 4_000, chunks: 4 });
    const answer = await rig.add();
    const body = answer.text();
    for (let chunk = 1; chunk <= 4; chunk++) {
      await until("a chunk waits", () => rig.clock.pendingTimers === 1);
      await rig.clock.advance(1_000);
    }
    const { value } = JSON.parse(await body) as { value: number };
    expect(value).to.equal(1);
  });

  it("shows reads the world as it was, for a while, and writes the real one", async () => {
    strike({ kind: "stale-reads", ms: 3_000 });
    expect(await outcome(rig.add())).to.equal('201 {"value":1,"');
    expect(await outcome(rig.read())).to.equal('200 {"value":0}');
    expect(await outcome(rig.add())).to.equal('201 {"value":2,"');
    await rig.clock.advance(2_999);
    expect(await outcome(rig.read())).to.equal('200 {"value":0}');
    await rig.clock.advance(1);
    expect(await outcome(rig.read())).to.equal('200 {"value":2}');
  });

  it("strikes from the nth matching call on, so many times", async () => {
    const fault = rig.server.faults.inject({ kind: "status", status: 500 }, { on: /^POST/, nth: 2, times: 2 });
    await rig.read();
    const statuses = [await rig.add(), await rig.add(), await rig.add(), await rig.add()].map(({ status }) => status);
    expect(statuses).to.deep.equal([201, 500, 500, 201]);
    expect(fault.fired).to.equal(2);
  });

  it("strikes by chance in the same places for the same seed", async () => {
    const run = async () => {
      const fresh = await startTinyRig();
      fresh.server.faults.inject({ kind: "status", status: 500 }, { times: Infinity, probability: 0.5 });
      const statuses: number[] = [];
      for (let call = 0; call < 20; call++) statuses.push((await fresh.add()).status);
      await fresh.server.close();
      return statuses;
    };
    const first = await run();
    expect([...new Set(first)]).to.have.members([201, 500]);
    expect(await run()).to.deep.equal(first);
  });

  it("stops when a fault is cancelled or all are cleared", async () => {
    strike({ kind: "reset" }).cancel();
    strike({ kind: "reset" });
    rig.server.faults.clear();
    expect((await rig.add()).status).to.equal(201);
  });

  it("records in the journal which call was damaged and how often it was processed", async () => {
    strike({ kind: "duplicate" });
    rig.server.faults.inject({ kind: "reset" }, { on: "GET /value" });
    await rig.add();
    await outcome(rig.read());
    const seen = rig.server.journal.entries.map(({ fault, processed, status }) => [fault, processed, status]);
    expect(seen).to.deep.equal([
      ["duplicate", 2, 201],
      ["reset", 0, undefined],
    ]);
    expect(rig.server.journal.text()).to.contain("2 GET /value -> no answer (reset)");
  });
});
