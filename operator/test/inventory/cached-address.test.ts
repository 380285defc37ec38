import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import {
  abandoned,
  type CachedState,
  completed,
  deadlineOf,
  follow,
  observe,
  started,
} from "../../src/inventory/cached-address.js";
import type { AddressFacts } from "../../src/providers/types.js";

const IP = "203.0.113.7";
const SECOND = 1000;

describe("what is believed of an address", () => {
  const base: CachedState = { facts: held("a"), at: 0 };
  const acted = completed(base, "b", 0);

  it("is what a read says, where we did nothing ourselves", () => {
    expect(observe(undefined, { facts: held("a"), askedAt: 0 })?.facts.holder).to.equal("a");
    expect(observe(base, { facts: held("c"), askedAt: 1 })?.facts.holder).to.equal("c");
  });

  it("has a lock that lasts from its first read, from the call of our own action on, until a read shows none", () => {
    const locked = { ...held("a"), action: {} };
    const at = (state: CachedState | undefined, facts: AddressFacts, seconds: number) =>
      observe(state, { facts, askedAt: seconds * SECOND });
    const seen = at(at(base, locked, 10), locked, 20);
    expect(seen?.lockedSince).to.equal(10 * SECOND);
    expect(at(seen, held("a"), 30)?.lockedSince).to.equal(undefined);
    expect(at(undefined, locked, 10)?.lockedSince).to.equal(10 * SECOND);
    const running = started(base, { id: "7", expected: "b" }, 10 * SECOND);
    const late = at(running, locked, 131);
    expect([late?.lockedSince, late?.ended?.id]).to.deep.equal([10 * SECOND, "7"]);
    expect(late && completed(late, "b", 140 * SECOND).lockedSince).to.equal(undefined);
    expect(late && started(late, { id: "8", expected: "b" }, 140 * SECOND).lockedSince).to.equal(undefined);
  });

  it("is not changed by a read that began before our write", () => {
    const written = { ...completed(base, "b", 10 * SECOND), actedAt: -60 * SECOND };

    expect(observe(written, { facts: held("a"), askedAt: 9 * SECOND })).to.equal(written);
    expect(observe(written, { facts: held("a"), askedAt: 10 * SECOND })).to.not.equal(written);
  });

  it("is not touched by contradictions for 30 s after our action", () => {
    for (const seconds of [1, 10, 29]) {
      expect(observe(acted, { facts: held("a"), askedAt: seconds * SECOND })).to.equal(acted);
      expect(observe(acted, { facts: undefined, askedAt: seconds * SECOND })).to.equal(acted);
    }
  });

  it("is doubted by the first contradiction after that, and changed by a second one 5 s later", () => {
    const first = observe(acted, { facts: held("a"), askedAt: 31 * SECOND });
    const early = observe(first, { facts: held("a"), askedAt: 35 * SECOND });
    const second = observe(early, { facts: held("a"), askedAt: 36 * SECOND });

    expect([first, early, second].map((cachedState) => cachedState?.facts.holder)).to.deep.equal(["b", "b", "a"]);
    expect([first, early, second].map((cachedState) => cachedState?.contradiction !== undefined)).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it("is doubted from 30 s on, not later", () => {
    expect(observe(acted, { facts: held("a"), askedAt: 30 * SECOND })?.contradiction).to.not.equal(undefined);
  });

  it("is what any read says, once two have shown that our action is undone", () => {
    const first = observe(acted, { facts: held("a"), askedAt: 31 * SECOND });
    const second = observe(first, { facts: held("a"), askedAt: 36 * SECOND });
    expect(observe(second, { facts: held("c"), askedAt: 37 * SECOND })?.facts.holder).to.equal("c");
  });

  it("needs two reads that say the same", () => {
    const first = observe(acted, { facts: held("a"), askedAt: 31 * SECOND });
    const other = observe(first, { facts: held("c"), askedAt: 40 * SECOND });

    expect(other?.facts.holder).to.equal("b");
    expect(observe(other, { facts: held("c"), askedAt: 45 * SECOND })?.facts.holder).to.equal("c");
  });

  it("is not doubted any more after a read that agrees", () => {
    const first = observe(acted, { facts: held("a"), askedAt: 31 * SECOND });
    const agreed = observe(first, { facts: held("b"), askedAt: 33 * SECOND });

    expect(agreed?.contradiction).to.equal(undefined);
    expect(observe(agreed, { facts: held("a"), askedAt: 37 * SECOND })?.facts.holder).to.equal("b");
  });

  for (const [what, state] of [
    ["an address of ours", acted],
    ["an address that others assigned", base],
    ["an address with a running action", started(base, { id: "7", expected: "b" }, 0)],
  ] as const)
    it(`takes two reads for ${what} to be gone`, () => {
      const first = observe(state, { facts: undefined, askedAt: 31 * SECOND });

      expect(first?.facts.holder).to.equal(state.facts.holder);
      expect(observe(first, { facts: undefined, askedAt: 35 * SECOND })).to.equal(first);
      expect(observe(first, { facts: undefined, askedAt: 36 * SECOND })).to.equal(undefined);
      expect(observe(first, { facts: state.facts, askedAt: 36 * SECOND })?.contradiction).to.equal(undefined);
    });

  it("shows a running action until a read shows its end", () => {
    const running = started(base, { id: "7", expected: "b" }, 0);
    expect(running.facts).to.deep.include({ holder: "a", action: { id: "7" } });

    expect(observe(running, { facts: held("a"), askedAt: 1 })?.facts.action).to.deep.equal({ id: "7" });
    const over = observe(running, { facts: held("b"), askedAt: 4 * SECOND });
    expect(over?.facts).to.deep.equal(held("b"));
    expect(over?.actedAt).to.equal(4 * SECOND);
  });

  it("does not take the lock for the end of an action, though the holder is the expected one", () => {
    const running = started(base, { id: "7", expected: "b" }, 0);
    const locked = observe(running, { facts: { ...held("b"), action: {} }, askedAt: 1 });
    expect([locked?.facts.holder, locked?.running?.id]).to.deep.equal(["a", "7"]);
  });

  it("cannot be seen in a read if the action leaves the address on its node", () => {
    const running = started(base, { id: "7", expected: "a" }, 0);
    expect(observe(running, { facts: held("a"), askedAt: 4 * SECOND })?.running?.id).to.equal("7");
  });

  it("shows that an action runs whose id is unknown, without an id", () => {
    expect(started(base, { id: "", expected: "b" }, 0).facts.action).to.deep.equal({});
  });

  it("is what the next read says once an action has failed", () => {
    const failed = abandoned(started(acted, { id: "7", expected: "c" }, 1));

    expect(failed.facts).to.deep.equal(held("b"));
    expect(observe(failed, { facts: held("a"), askedAt: 2 })?.facts.holder).to.equal("a");
  });

  it("keeps in mind that an address is borrowed", () => {
    const borrowed: CachedState = { facts: { ...held("a"), borrowed: true }, at: 0 };

    expect(observe(borrowed, { facts: held("b"), askedAt: 1 })?.facts.borrowed).to.equal(true);
  });

  describe("of an action of ours", () => {
    const lost = started(base, { id: "", expected: "b" }, 0);
    const free: AddressFacts = { ip: IP, family: "IPv4", region: "nyc3" };

    for (const [what, id, seconds] of [
      ["whose answer was lost", "", 30],
      ["that the API calls unfinished", "7", 120],
    ] as const) {
      it(`${what}, is what a read shows after ${seconds} s`, () => {
        const running = started(base, { id, expected: "b" }, 0);
        expect(deadlineOf(running.running ?? { id, expected: "b", since: 0 })).to.equal(seconds * SECOND);
        const before = observe(running, { facts: free, askedAt: seconds * SECOND - 1 });
        expect(before?.running?.id).to.equal(id);
        const after = observe(before, { facts: free, askedAt: seconds * SECOND });
        expect(after).to.deep.equal({
          ...{ facts: free, at: seconds * SECOND, writtenAt: 0, ended: { id, expected: "b" } },
        });
      });
    }

    it("is over at its deadline though the lock stays: then the lock is another party's", () => {
      const locked = observe(lost, { facts: { ...free, action: {} }, askedAt: 30 * SECOND });
      expect([locked?.running, locked?.facts.action, locked?.ended?.expected]).to.deep.equal([undefined, {}, "b"]);
    });

    it("is over sooner once the lock was seen, and two reads 5 s apart show neither lock nor goal", () => {
      const locked = observe(lost, { facts: { ...held("a"), action: {} }, askedAt: SECOND });
      const first = observe(locked, { facts: held("a"), askedAt: 4 * SECOND });
      const early = observe(first, { facts: held("a"), askedAt: 8 * SECOND });
      const second = observe(early, { facts: held("a"), askedAt: 9 * SECOND });
      expect([locked, first, early, second].map((cachedState) => cachedState?.running !== undefined)).to.deep.equal([
        true,
        true,
        true,
        false,
      ]);
      expect(second?.facts).to.deep.equal(held("a"));
    });

    it("has the same deadline however often it is read", () => {
      let cachedState: CachedState | undefined = lost;
      for (let at = 1; at < 30; at++) {
        if (cachedState !== undefined) cachedState = started(cachedState, { id: "", expected: "b" }, at * SECOND);
        cachedState = observe(cachedState, { facts: held("a"), askedAt: at * SECOND });
        expect(cachedState?.running?.since).to.equal(0);
      }
      expect(observe(cachedState, { facts: held("a"), askedAt: 30 * SECOND })?.running).to.equal(undefined);
    });

    it("that a former process began counts from when this one meets it", () => {
      const met = follow(base, { id: "", expected: "b" }, 100 * SECOND);
      expect(observe(met, { facts: held("a"), askedAt: 129 * SECOND })?.running?.id).to.equal("");
      expect(observe(met, { facts: held("a"), askedAt: 130 * SECOND })?.running).to.equal(undefined);
    });

    it("is forgotten when the next one begins", () => {
      const over = observe(lost, { facts: held("a"), askedAt: 30 * SECOND });
      expect(over && started(over, { id: "", expected: "b" }, 31 * SECOND).ended).to.equal(undefined);
    });
  });

  describe("before a move", () => {
    const free: AddressFacts = { ip: IP, family: "IPv4", region: "nyc3" };
    const forMove = true;

    it("is at once what a read says if no node holds the address and the holder's node is gone", () => {
      const seen = observe(acted, { facts: free, askedAt: 16 * SECOND, forMove, holderGone: true });
      expect(seen).to.deep.include({ facts: free, at: 16 * SECOND });
    });

    it("is unconfirmed for 5 s, not for 30 s, where the evidence is weaker", () => {
      for (const weaker of [
        { facts: free, forMove },
        { facts: held("c"), forMove, holderGone: true },
        { facts: undefined, forMove, holderGone: true },
      ]) {
        const first = observe(acted, { ...weaker, askedAt: 16 * SECOND });
        expect(first?.contradiction?.since).to.equal(16 * SECOND);
        const second = observe(first, { facts: weaker.facts, askedAt: 21 * SECOND });
        expect(second?.facts).to.deep.equal(weaker.facts);
      }
    });

    it("is never left as it was, with old data: each read makes it young, changed or unconfirmed", () => {
      const reads = fc.record({
        facts: fc.constantFrom(free, held("a"), held("b"), held("c"), undefined),
        askedAt: fc.integer({ min: 16 * SECOND, max: 60 * SECOND }),
        holderGone: fc.boolean(),
      });
      fc.assert(
        fc.property(reads, (read) => {
          const after = observe(acted, { ...read, forMove });
          expect(after === undefined || after.at === read.askedAt || after.contradiction !== undefined).to.equal(true);
        }),
      );
    });
  });

  it("never leaves our action's result on fewer than two equal reads 5 s apart, for any reads", () => {
    const reads = fc.array(fc.tuple(fc.integer({ min: 1, max: 9_000 }), fc.constantFrom("a", "b", "c", "gone")));
    fc.assert(
      fc.property(reads, (steps) => {
        let cachedState: CachedState | undefined = acted;
        let now = 0;
        const contradicting: { readonly at: number; readonly what: string }[] = [];
        for (const [pause, what] of steps) {
          now += pause;
          cachedState = observe(cachedState, { facts: what === "gone" ? undefined : held(what), askedAt: now });
          if (what === "b") contradicting.length = 0;
          else if (now >= 30 * SECOND) contradicting.push({ at: now, what });
          if (cachedState?.facts.holder === "b") continue;
          const same = contradicting.filter((one) => one.what === what);
          expect(same.length).to.be.at.least(2);
          expect(now - (same[0]?.at ?? now)).to.be.at.least(5 * SECOND);
          return;
        }
      }),
    );
  });
});

function held(holder: string): AddressFacts {
  return { ip: IP, family: "IPv4", region: "nyc3", holder };
}
