import { expect } from "chai";
import { describe, it } from "mocha";
import {
  type Conflict,
  lagEndsInMs,
  type Memory,
  NOTHING_SENT,
  observed,
  shownNow,
  withoutOldConflict,
  wrote,
} from "../../../src/controllers/publications/memory.js";
import { plan, type Snapshot } from "../../../src/controllers/publications/plan.js";
import { publishingMessages } from "../../../src/messages/publishing.js";
import type { PublishedAddresses, PublishingResource } from "../../../src/publishing/publications.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { CACHE_LAG_MS, CONTESTED_PAUSE_MS, PLACEMENT_LASTING_MS } from "../../../src/timings.js";

const NOW = Date.parse("2026-03-01T10:00:00Z");
const [A, B, C] = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];

function resource(name: string, addresses?: Partial<PublishedAddresses>): PublishingResource {
  const ref = { kind: "FloatingIPPool", namespace: "web", name, uid: name };
  return {
    ...{ ref, createdAt: "2026-03-01T09:00:00Z" },
    ...(addresses && { addresses: { active: [], kept: [], ...addresses } }),
  };
}

function snapshot(more: Partial<Snapshot>): Snapshot {
  return {
    target: "Service web/shop",
    now: NOW,
    shown: [],
    resources: [],
    undone: [],
    allowed: true,
    most: 16,
    ...more,
  };
}

/** The addresses that it writes; `undefined`: it writes nothing. */
function written(more: Partial<Snapshot>): readonly string[] | undefined {
  return plan(snapshot(more)).sequences.flatMap(actionsOf)[0]?.ips;
}

describe("the plan of an object that shows addresses", () => {
  const CASES: readonly (readonly [title: string, facts: Partial<Snapshot>, writes: readonly string[] | undefined])[] =
    [
      ["shows the active ones", { resources: [resource("a", { active: [A, B] })] }, [A, B]],
      ["writes nothing where it shows them", { shown: [A], resources: [resource("a", { active: [A] })] }, undefined],
      ["withdraws what is not active", { shown: [A, B], resources: [resource("a", { active: [B] })] }, [B]],
      [
        "keeps what is on its way",
        { shown: [A, B], resources: [resource("a", { active: [B], kept: [A] })] },
        undefined,
      ],
      ["shows nothing new that is on its way", { shown: [A], resources: [resource("a", { kept: [A, C] })] }, undefined],
      ["withdraws all without a resource", { shown: [A] }, []],
      ["writes nothing where nothing is to be withdrawn", {}, undefined],
      [
        "withdraws all that the object does not allow any more",
        { shown: [A], resources: [resource("a", { active: [A] })], allowed: false },
        [],
      ],
      ["stays as it is while nothing is decided", { shown: [A], resources: [resource("a")] }, undefined],
      ["follows the oldest alone", { resources: [resource("a"), resource("b", { active: [B] })] }, undefined],
      [
        "replaces what somebody else wrote",
        { shown: [C], resources: [resource("a", { active: [A] })], undone: [NOW - 1, NOW] },
        [A],
      ],
    ];
  for (const [title, facts, writes] of CASES) {
    it(title, () => expect(written(facts)).to.deep.equal(writes));
  }

  it("writes no more than the object can show: those that it shows stay, and others follow in the order of their text", () => {
    const resources = [resource("a", { active: [A, B, C] })];
    expect(written({ resources, most: 2 })).to.deep.equal([A, B]);
    expect(written({ resources, most: 2, shown: [B, C] })).to.equal(undefined);
    expect(written({ resources, most: 2, shown: [C] })).to.deep.equal([A, C]);
    expect(written({ resources: [resource("a", { active: [A, B], kept: [C] })], most: 2, shown: [A, C] })).to.equal(
      undefined,
    );
  });

  it("looks again when a write counts no more that the cache has not shown", () => {
    const unseenUntil = NOW + 4_000;
    const facts = { shown: [A], resources: [resource("a", { active: [A] })], unseenUntil };
    expect(plan(snapshot(facts))).to.deep.include({ sequences: [], requeueAt: unseenUntil });
    expect(lagEndsInMs({ undone: [], sent: { ips: [A], at: 0, confirmed: false } }, 6_000)).to.equal(4_000);
    expect(lagEndsInMs({ undone: [], sent: { ips: [A], at: 0, confirmed: true } }, 6_000)).to.equal(undefined);
  });

  it("has nothing left to do after it was carried out", () => {
    for (const [, facts, writes] of CASES) {
      if (writes !== undefined) expect(written({ ...facts, shown: writes })).to.equal(undefined);
    }
  });

  it("waits ten minutes after somebody else has changed it three times, and says so", () => {
    const facts = { shown: [C], resources: [resource("a", { active: [A] })], undone: [NOW - 2, NOW - 1, NOW] };
    const made = plan(snapshot(facts));
    expect(made.sequences).to.deep.equal([]);
    expect(made.problem?.reason).to.equal("ForeignWriter");
    expect(made.requeueAt).to.equal(NOW + CONTESTED_PAUSE_MS);
    expect(written({ ...facts, now: NOW + CONTESTED_PAUSE_MS })).to.deep.equal([A]);
  });
});

describe("the plan of an object whose addresses another writer owns", () => {
  const problem = publishingMessages.owned({ target: "Gateway web/shop", managers: ["conflict with another one"] });
  const conflict: Conflict = { problem, at: NOW, all: [C] };
  const facts = { resources: [resource("a", { active: [A] })], conflict };

  it("waits ten minutes after each refusal, and says so", () => {
    const made = plan(snapshot(facts));
    expect(made.sequences).to.deep.equal([]);
    expect(made.problem).to.deep.equal(problem);
    expect(made.requeueAt).to.equal(NOW + CONTESTED_PAUSE_MS);
    expect(written({ ...facts, now: NOW + CONTESTED_PAUSE_MS })).to.deep.equal([A]);
  });

  it("waits no longer because somebody has set the clock back", () => {
    expect(written({ ...facts, now: NOW - 60_000 })).to.deep.equal([A]);
  });

  it("says nothing where no address is to be written", () => {
    expect(plan(snapshot({ conflict })).problem).to.equal(undefined);
  });

  it("tries again at once when other addresses are there", () => {
    const memory: Memory = { undone: [], conflict };
    expect(withoutOldConflict(memory, [C])).to.equal(memory);
    expect(withoutOldConflict(memory, [])).to.deep.equal({ undone: [] });
  });
});

describe("what is remembered of a write", () => {
  const sent = (confirmed = false): Memory => ({ undone: [], sent: { ips: [A], at: 0, confirmed } });
  const look = (shown: readonly string[], monotonic = 1) => ({ shown, now: NOW, monotonic });

  it("counts until the cache shows it, and no longer than the cache may lag behind", () => {
    expect(shownNow(sent(), [])).to.deep.equal([A]);
    expect(observed(sent(), look([]))).to.deep.equal(sent());
    expect(observed(sent(), look([], CACHE_LAG_MS))).to.deep.equal(NOTHING_SENT);
    expect(observed(sent(), look([A]))).to.deep.equal(sent(true));
    expect(shownNow(sent(true), [B])).to.deep.equal([B]);
  });

  it("is not undone while the cache lags behind it, and ends an old conflict", () => {
    const conflict = { problem: publishingMessages.undone({ target: "Service web/shop" }), at: NOW, all: [B] };
    const memory = wrote({ ...NOTHING_SENT, conflict }, [A], 0);
    expect(memory).to.deep.equal(sent());
    expect(observed(memory, look([B]))).to.deep.equal(memory);
    expect(shownNow(memory, [B])).to.deep.equal([A]);
  });

  it("counts as undone when the cache has shown it, and shows something else then", () => {
    expect(observed(sent(true), look([]))).to.deep.equal({ undone: [NOW] });
  });

  it("ends a dispute once it has lasted", () => {
    const contested = { ...sent(true), undone: [1, 2, 3] };
    expect(observed(contested, look([A])).undone).to.deep.equal([1, 2, 3]);
    expect(observed(contested, look([A], PLACEMENT_LASTING_MS)).undone).to.deep.equal([]);
  });
});
