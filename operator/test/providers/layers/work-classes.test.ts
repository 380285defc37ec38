import { expect } from "chai";
import { describe, it } from "mocha";
import { type ApiCall, type CallPriority, type Recheck, Urgency } from "../../../src/providers/call.js";
import { supersededBecause } from "../../../src/providers/errors.js";
import { direct } from "../../../src/providers/layers/deadlines-and-retries.js";
import { RateLimiter, withRateLimit } from "../../../src/providers/layers/limiter.js";
import type { RateLimit } from "../../../src/providers/layers/rate-windows.js";
import { errorOf } from "../../support/http-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { callOf } from "../support.js";

const DIGITALOCEAN = [
  { calls: 250, seconds: 60 },
  { calls: 5_000, seconds: 3_600 },
];
const SECOND_MS = 1000;

interface Ask {
  readonly name?: string;
  readonly priority?: CallPriority;
  readonly recheck?: Recheck;
  readonly urgency?: Urgency;
  readonly write?: boolean;
  /** How long the API takes, ms. @default 100 */
  readonly takes?: number;
}

class Rig {
  readonly clock = new FakeClock();
  readonly limiter: RateLimiter;
  readonly sent: { readonly at: number; readonly name: string; readonly priority: CallPriority }[] = [];

  constructor(limits: readonly RateLimit[] = DIGITALOCEAN, movesAddresses = true) {
    this.limiter = new RateLimiter(this.clock, limits, { movesAddresses });
  }

  ask({ name = "web", priority = "records", recheck, urgency, write = false, takes = 100 }: Ask): Promise<void> {
    const call = callOf(name, { priority, write });
    const context = { ...call.context, ...(recheck && { recheck }), ...(urgency && { urgency }) };
    const started: ApiCall = { ...call, context, startedAt: this.clock.monotonic() };
    return withRateLimit(this.limiter, this.clock)(direct)(started, () => {
      this.sent.push({ at: this.clock.monotonic(), name, priority });
      return this.clock.sleep(takes);
    });
  }

  count(priority: CallPriority): number {
    return this.sent.filter((call) => call.priority === priority).length;
  }

  sentAt(name: string): readonly number[] {
    return this.sent.filter((call) => call.name === name).map(({ at }) => at);
  }
}

/** Calls one after the other, as a record set of many nodes makes them. */
async function inTurn(rig: Rig, calls: number, ask: Ask): Promise<void> {
  for (let call = 0; call < calls; call++) await rig.ask(ask);
}

describe("work classes: a failover beside other work", () => {
  for (const [what, sets] of Object.entries({ "one record set": 1, "ten record sets": 10 })) {
    it(`is admitted within a second while ${what} of 139 nodes changes`, async () => {
      const rig = new Rig();
      const records = Array.from({ length: sets }, (_, set) => inTurn(rig, 139, { name: `nodes-${set}` }));
      const reads = Array.from({ length: 300 }, () => rig.ask({ name: "reads", priority: "check" }));
      for (let failover = 0; failover < 6; failover++) {
        await rig.clock.advance(11 * SECOND_MS);
        const at = rig.clock.monotonic();
        // The read that confirms the holder, the assignment, and its polls.
        const moves = inTurn(rig, 5, { name: `move-${failover}`, priority: "assignment" });
        await rig.clock.advance(SECOND_MS);
        await moves;
        for (const time of rig.sentAt(`move-${failover}`)) expect(time - at).to.be.below(SECOND_MS);
      }
      await rig.clock.advance(3_600 * SECOND_MS);
      await Promise.all([...records, ...reads]);
      expect([rig.count("records"), rig.count("check")]).to.deep.equal([139 * sets, 300]);
    });
  }

  it("finds a connection though the API answers the other classes slowly", async () => {
    const rig = new Rig();
    const slow = Array.from({ length: 100 }, (_, set) => rig.ask({ name: `nodes-${set}`, takes: 15 * SECOND_MS }));
    await rig.clock.advance(SECOND_MS);
    const move = rig.ask({ name: "move", priority: "assignment" });
    await rig.clock.advance(SECOND_MS);
    await move;
    expect(rig.sentAt("move")).to.deep.equal([SECOND_MS]);
    expect(rig.count("records")).to.equal(13);
    await rig.clock.advance(600 * SECOND_MS);
    await Promise.all(slow);
  });

  it("finds its reserve in the hour, too", async () => {
    const rig = new Rig([{ calls: 100, seconds: 3_600 }]);
    const records = Array.from({ length: 100 }, () => rig.ask({}));
    await rig.clock.advance(60 * SECOND_MS);
    const moves = Array.from({ length: 20 }, () => rig.ask({ priority: "assignment" }));
    await rig.clock.advance(SECOND_MS);
    await Promise.all(moves);
    expect([rig.count("records"), rig.count("assignment")]).to.deep.equal([80, 20]);
    await rig.clock.advance(7_300 * SECOND_MS);
    await Promise.all(records);
  });

  it("reserves nothing where no addresses are moved", async () => {
    const rig = new Rig([{ calls: 10, seconds: 60 }], false);
    const records = Array.from({ length: 10 }, () => rig.ask({}));
    await rig.clock.advance(SECOND_MS);
    await Promise.all(records);
    expect(rig.sent).to.have.length(10);
  });
});

describe("work classes: less urgent calls", () => {
  it("progress though moves alone use up the account", async () => {
    const rig = new Rig();
    const stop = { at: 600 * SECOND_MS };
    const movers = Array.from({ length: 40 }, async (_, pool) => {
      while (rig.clock.monotonic() < stop.at) await rig.ask({ name: `pool-${pool}`, priority: "assignment" });
    });
    await rig.clock.advance(60 * SECOND_MS);
    const others = (["records", "check"] as const).map((priority) => inTurn(rig, 5, { name: priority, priority }));
    await rig.clock.advance(stop.at - rig.clock.monotonic());
    expect([rig.count("records"), rig.count("check")], "while the moves go on").to.deep.equal([5, 5]);
    expect(rig.count("assignment") / rig.sent.length, "the share of the moves").to.be.above(0.9);
    await rig.clock.advance(600 * SECOND_MS);
    await Promise.all([...movers, ...others]);
  });

  it("progress as reads though changes of records use up all that moves leave, and never touch the reserve", async () => {
    const rig = new Rig([{ calls: 50, seconds: 60 }]);
    const stop = { at: 600 * SECOND_MS };
    const sets = Array.from({ length: 20 }, async (_, set) => {
      while (rig.clock.monotonic() < stop.at) await rig.ask({ name: `nodes-${set}` });
    });
    const reads = inTurn(rig, 5, { name: "reads", priority: "check" });
    await rig.clock.advance(stop.at);
    expect(rig.count("check")).to.equal(5);
    for (const { at } of rig.sent) {
      const near = rig.sent.filter((other) => other.at >= at && other.at < at + 60 * SECOND_MS);
      expect(near.length).to.be.at.most(40);
    }
    await rig.clock.advance(600 * SECOND_MS);
    await Promise.all([...sets, reads]);
  });

  it("become urgent as soon as a move waits for them", async () => {
    const rig = new Rig([{ calls: 10, seconds: 600 }]);
    const checks = Array.from({ length: 6 }, () => rig.ask({ priority: "check" }));
    const urgency = new Urgency("check");
    const shared = rig.ask({ name: "shared", priority: "check", urgency });
    await rig.clock.advance(SECOND_MS);
    expect(rig.sentAt("shared")).to.be.empty;
    urgency.raise("assignment");
    await rig.clock.advance(SECOND_MS);
    await Promise.all([...checks, shared]);
    expect(rig.sentAt("shared")).to.deep.equal([SECOND_MS]);
  });
});

describe("a decision that waited for the limiter", () => {
  it("is checked when its call may be sent: nothing is sent, and nothing is used up", async () => {
    const rig = new Rig([{ calls: 1, seconds: 38 }]);
    await settled(rig, rig.ask({ name: "first" }));
    let ready = true;
    const recheck = () => (ready ? undefined : "the target node has changed");
    const move = errorOf(rig.ask({ name: "node-1", priority: "assignment", write: true, recheck }));
    const next = rig.ask({ name: "node-2", priority: "assignment", write: true, recheck: () => undefined });
    await rig.clock.advance(20 * SECOND_MS);
    ready = false;
    await rig.clock.advance(20 * SECOND_MS);
    expect(await move).to.deep.include({ kind: "Conflict", reason: "Superseded", outcome: "not-sent" });
    await next;
    expect(rig.sent.map(({ name, at }) => `${name} ${at}`)).to.deep.equal(["first 0", "node-2 39000"]);
  });

  it("is not sent after 2 s where its caller gave no check", async () => {
    const rig = new Rig([{ calls: 1, seconds: 1 }]);
    const asks = [1, 2, 3].map((call) => rig.ask({ name: `write-${call}`, write: true }));
    const late = errorOf(asks[2] ?? Promise.resolve());
    await rig.clock.advance(10 * SECOND_MS);
    expect(await late).to.deep.include({ reason: "Superseded" });
    expect(rig.sent.map(({ at }) => at)).to.deep.equal([0, 2_000]);
  });

  it("hands the caller the failure of its own check", async () => {
    const rig = new Rig();
    const recheck = () => {
      throw new Error("a fault");
    };
    expect(await errorOf(rig.ask({ write: true, recheck }))).to.include({ message: "a fault" });
    expect(rig.limiter.waiting).to.equal(0);
  });

  it("is of no concern to reads", () => {
    const call = callOf("web", { write: false, startedAt: 0 });
    expect(supersededBecause(call, 60_000)).to.equal(undefined);
  });
});

async function settled<T>(rig: Rig, work: Promise<T>): Promise<T> {
  await rig.clock.advance(100);
  return work;
}
