import { expect } from "chai";
import { describe, it } from "mocha";
import type { RecordFacts, RecordSetFacts } from "../../src/providers/types.js";
import type { DesiredRecords } from "../../src/records/record-actions.js";
import { recordChain, removalChain } from "../../src/records/record-plan.js";

const [NEW, OLD] = ["www.example.com", "old.example.com"];
const A = "203.0.113.7";
const THEIRS = {
  ours: false,
  owned: { owner: { kind: "RoutedIP", namespace: "default", name: "other", uid: "u" }, basis: "uses" },
} as const;
const PLACE = { provider: "cloud", zone: "example.com", recordName: OLD } as const;
const LAST = { ...PLACE, types: ["A"], values: [A], deletionPolicy: "Delete" } as const;

function setOf(fqdn: string, records: readonly RecordFacts[] = []): RecordSetFacts {
  return { zone: "example.com", fqdn, types: ["A", "AAAA"], records };
}

const OWN: RecordFacts = { id: "1", type: "A", value: A, ttl: 60 };
const OTHER: RecordFacts = { id: "9", type: "A", value: "198.51.100.9", ttl: 60 };
const FOUND = [OWN, { id: "2", type: "AAAA", value: "2001:db8::1", ttl: 60 }] as const;

/** A set that was renamed under Delete; all is read, and ours. */
const WISH: DesiredRecords = {
  now: 0,
  dns: {
    capabilities: { ttl: (seconds) => seconds, owner: false },
    claim: { ours: true },
    records: setOf(NEW),
    previous: { records: setOf(OLD, FOUND.slice(0, 1)) },
  },
  reverts: [],
  wanted: { zone: "example.com", recordName: NEW, deletionPolicy: "Delete" },
  provider: "cloud",
  last: LAST,
  types: { asked: ["A"], ours: ["A"] },
  values: [A],
  ttl: 60,
  owner: "default/web",
};

function steps(sequence: ReturnType<typeof recordChain>): readonly string[] {
  return sequence.map((action) => (action.do === "record-dns" ? action.do : `${action.do} ${action.which}`));
}

describe("the chain of a record set", () => {
  const of = (dns: Partial<DesiredRecords["dns"]>) => steps(recordChain({ ...WISH, dns: { ...WISH.dns, ...dns } }));
  const { claim: _claim, ...undecided } = WISH.dns;

  it("writes the new set, deletes the former one, then remembers it", () => {
    expect(of({})).to.deep.equal(["record-dns", "apply-records current", "apply-records previous", "record-dns"]);
  });

  it("names the former set that stays, unless another resource has it, or it is the new one with its zone by id", () => {
    const leftOf = (change: Partial<DesiredRecords>) =>
      recordChain({ ...WISH, ...change }).flatMap((action) => (action.do === "record-dns" && action.left) || []);
    const retain = { ...WISH.wanted, deletionPolicy: "Retain" } as const;
    expect(leftOf({ wanted: retain })).to.deep.equal([LAST]);
    expect(leftOf({ wanted: retain, provider: "elsewhere" })).to.deep.equal([LAST]);
    expect(leftOf({}), "the operator deletes it").to.deep.equal([]);
    expect(leftOf({ wanted: retain, last: { ...LAST, values: [] } })).to.deep.equal([]);
    expect(leftOf({ wanted: retain, last: { ...LAST, recordName: NEW, values: ["203.0.113.8"] } })).to.deep.equal([]);
    const theirs = { ...WISH.dns, previous: { ...WISH.dns.previous, claim: THEIRS } };
    expect(leftOf({ wanted: retain, dns: theirs })).to.deep.equal([]);
    expect(leftOf({ wanted: retain, last: { ...LAST, zone: "0123456789abcdef", recordName: NEW } })).to.deep.equal([]);
  });

  it("writes nothing before it is decided which resource has the name, nor before a retry is due", () => {
    expect(recordChain({ ...WISH, dns: undecided })).to.deep.equal([]);
    expect(of({ retryAt: 1 })).to.deep.equal([]);
  });

  it("leaves records that it may not adopt, and counts as its own what it wrote or what it wants", () => {
    const found = (value: string) => setOf(NEW, [{ id: "1", type: "A", value, ttl: 60 }]);
    const kept = { adopts: false, records: found("198.51.100.9") };
    expect(of(kept)).to.deep.equal([]);
    expect(of({ ...kept, adopts: true }), "a pool owns its record set").to.include("apply-records current");
    expect(of({ adopts: false, records: found(A) }), "the address itself").to.include("record-dns");
    expect(of({ adopts: false, records: setOf(NEW) }), "empty").to.include("apply-records current");
    const written = { ...LAST, recordName: NEW };
    const own = recordChain({ ...WISH, last: written, dns: { ...WISH.dns, ...kept } });
    expect(steps(own), "a person has edited what it wrote").to.deep.equal(["apply-records current"]);
    expect(of({ refused: { reason: "NameNotAllowed", message: "" } })).to.deep.equal([]);
  });

  it("looks every 2 minutes whether records that it may not adopt are gone, and only if it has something to write", () => {
    const records = setOf(NEW, [{ id: "1", type: "A", value: "198.51.100.9", ttl: 60 }]);
    const at = (now: number, more: Partial<DesiredRecords> = {}) =>
      steps(recordChain({ ...WISH, now, dns: { ...WISH.dns, adopts: false, records, readAt: 1000 }, ...more }));
    expect(at(120_999)).to.deep.equal([]);
    expect(at(121_000)).to.deep.equal(["read-records current"]);
    expect(at(121_000, { values: [] }), "nothing to write").to.deep.equal([]);
    const waits = { ...WISH.dns, adopts: false, records, readAt: 1000, retryAt: 122_000 };
    expect(at(121_000, { dns: waits }), "after a failure").to.deep.equal([]);
    const own = { ...LAST, recordName: NEW };
    expect(at(121_000, { last: own }), "its own set").not.to.include("read-records current");
  });

  it("reads the set again after a failure though nothing is to be published, or the failure would be reported for ever", () => {
    const failure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    const idle = (dns: Partial<DesiredRecords["dns"]>) =>
      steps(recordChain({ ...WISH, values: [], dns: { ...WISH.dns, records: "unknown", ...dns } }));
    expect(idle({})).to.deep.equal([]);
    expect(idle({ failure, retryAt: 1 })).to.deep.equal([]);
    expect(idle({ failure, retryAt: 0 })).to.deep.equal(["read-records current"]);
  });

  it("says of a change that the resource did not cause that somebody else has made it necessary", () => {
    const found = (value: string, ttl = 60) => setOf(NEW, [{ id: "1", type: "A", value, ttl }]);
    const causes = (values: readonly string[], records: RecordSetFacts) =>
      recordChain({ ...WISH, values, last: { ...LAST, recordName: NEW }, dns: { ...WISH.dns, records } }).map(
        (action) => (action.do === "apply-records" ? (action.cause ?? "") : action.do),
      );
    expect(causes([A], found("198.51.100.9"))).to.deep.equal([
      "they differed from status.dns: somebody else has probably changed them",
    ]);
    expect(causes(["203.0.113.8"], found(A)), "the resource wants another value").to.deep.equal(["", "record-dns"]);
    expect(causes([A], found(A, 300)), "only the TTL differs").to.deep.equal(["record-dns", "", "record-dns"]);
    const last = { ...LAST, recordName: NEW };
    const dns = { ...WISH.dns, isOurs: true, records: found("203.0.113.8") } as const;
    const [back] = recordChain({ ...WISH, last, dns });
    expect(back, "this process wrote it, and the status was refused").not.to.have.property("cause");
  });

  it("records and reports what a change left that ended half-way, although nothing is to be published any more", () => {
    const before = [A, "203.0.113.8"];
    const last = { ...LAST, recordName: NEW, values: before };
    const half = { ...WISH.dns, halfDone: before, records: setOf(NEW, FOUND.slice(0, 1)) };
    const idle = (dns: Partial<DesiredRecords["dns"]>) =>
      recordChain({ ...WISH, values: [], last, dns: { ...half, ...dns } });
    expect(steps(idle({ records: "unknown" }))).to.deep.equal(["read-records current"]);
    const [record] = idle({ isOurs: true });
    expect(record).to.deep.include({ written: { ...last, values: [A] } });
    expect(record)
      .to.have.property("changed")
      .that.deep.equals({ fqdn: NEW, before, after: [A] });
    expect(idle({}), "somebody else has changed it since").to.deep.equal([]);
    const done = recordChain({ ...WISH, values: [], last: { ...last, values: [A] }, dns: { ...half, isOurs: true } });
    expect(done).to.deep.equal([]);
    const [next] = recordChain({ ...WISH, values: ["203.0.113.9"], last, dns: { ...half, isOurs: true } });
    expect(next, "the Event of the next change has both").to.deep.include({ since: before });
  });

  it("names values of others that its first write on a name replaces", () => {
    const other = "198.51.100.9";
    const found = setOf(NEW, [{ id: "1", type: "A", value: other, ttl: 60 }]);
    const replaced = (change: Partial<DesiredRecords>, records: RecordSetFacts = found) =>
      recordChain({ ...WISH, dns: { ...WISH.dns, records }, ...change }).flatMap((action) =>
        action.do === "apply-records" && action.which === "current" ? [action.replaced ?? []] : [],
      );
    expect(replaced({})).to.deep.equal([[other]]);
    expect(replaced({ last: undefined as never })).to.deep.equal([[other]]);
    expect(replaced({}, setOf(NEW)), "the name was free").to.deep.equal([[]]);
    const wrote = setOf(NEW, [{ id: "1", type: "A", value: A, ttl: 60 }]);
    expect(replaced({ values: ["203.0.113.8"] }, wrote), "the zone by its id is the same set").to.deep.equal([[]]);
    expect(replaced({ last: { ...LAST, recordName: NEW } }), "it has written the set before").to.deep.equal([[]]);
  });

  it("leaves a former set alone that another resource has now", () => {
    expect(of({ previous: { ...WISH.dns.previous, claim: THEIRS } })).to.deep.equal([
      "record-dns",
      "apply-records current",
      "record-dns",
    ]);
  });

  it("names a former set whose zone the provider does not show, and keeps it on record while the resource goes", () => {
    const inZone = (lost: "zone" | "zone for long") =>
      ({ ...WISH, dns: { ...WISH.dns, previous: { records: "unknown", lost } } }) as const;
    const given = recordChain(inZone("zone for long")).at(-1);
    expect(given).to.deep.include({ do: "record-dns", left: { ...LAST, unseen: true } });
    const kept = recordChain(inZone("zone")).at(-1);
    expect(kept)
      .to.deep.include({ do: "record-dns", begun: [LAST] })
      .and.not.have.property("left");
    expect(steps(removalChain(inZone("zone")))).to.deep.equal(["read-records previous"]);
  });

  it("forgets the name that it has lost, not the one that it wrote before", () => {
    expect(of({ claim: THEIRS })).to.deep.equal([]);
    const lost = { ...WISH, last: { ...LAST, recordName: NEW }, dns: { ...WISH.dns, claim: THEIRS } };
    expect(steps(recordChain(lost))).to.deep.equal(["record-dns"]);
  });

  describe("that waits for its new name", () => {
    const previous = { ...WISH.dns.previous, claim: { ours: true } } as const;
    const waiting = (change: Partial<DesiredRecords>, dns: Partial<DesiredRecords["dns"]> = {}) =>
      recordChain({ ...WISH, ...change, dns: { ...WISH.dns, claim: THEIRS, previous, ...dns } });
    const values = ["203.0.113.8"];

    it("keeps the former set up to date, as long as that is its own", () => {
      expect(steps(waiting({ values }))).to.deep.equal(["apply-records previous", "record-dns"]);
      expect(waiting({ values }).at(-1)).to.deep.include({ written: { ...LAST, types: ["A", "AAAA"], values } });
      expect(steps(waiting({ values }, { previous: { ...previous, records: "unknown" } }))).to.deep.equal([
        "read-records previous",
      ]);
      expect(waiting({}), "nothing has changed").to.deep.equal([]);
      expect(waiting({ values: [] }), "it is not emptied").to.deep.equal([]);
      expect(waiting({ values }, { previous: { ...previous, claim: THEIRS } })).to.deep.equal([
        { do: "record-dns", written: undefined, why: "another resource owns its former DNS name", cachedSeconds: 60 },
      ]);
    });

    it("does not say that the former set holds addresses of a type that it leaves to others", () => {
      const both = [...values, "2001:db8::2"];
      const last = { ...LAST, types: ["A", "AAAA"] } as const;
      const records = { ...setOf(OLD, FOUND.slice(0, 1)), types: ["A"] } as const;
      const made = waiting({ values: both, last }, { previous: { ...previous, records } });
      expect(made.at(-1)).to.deep.include({ written: { ...last, types: ["A"], values } });
    });

    it("keeps it up to date also while records of others, or limits, keep it from the new one", () => {
      const claim = { ours: true } as const;
      const theirs = setOf(NEW, [{ id: "9", type: "A", value: "203.0.113.9", ttl: 60 }]);
      const expected = ["apply-records previous", "record-dns"];
      expect(steps(waiting({ values }, { claim, adopts: false, records: theirs }))).to.deep.equal(expected);
      const refused = { reason: "NameNotAllowed", message: "" } as const;
      expect(steps(waiting({ values }, { claim, refused }))).to.deep.equal(expected);
    });

    it("keeps it up to date while a call for the new one fails, or the operator has no provider for that", () => {
      const claim = { ours: true } as const;
      const expected = ["apply-records previous", "record-dns"];
      for (const retryAt of [0, 1]) {
        const failed = { claim, retryAt, records: "unknown" } as const;
        expect(steps(waiting({ values }, failed))).to.deep.equal(expected);
        expect(steps(waiting({}, failed)), "up to date").to.deep.equal(retryAt > 0 ? [] : ["read-records current"]);
        const both = { ...failed, previous: { ...previous, retryAt: 1 } };
        expect(steps(waiting({ values }, both)), "it fails, too").to.deep.equal(
          retryAt > 0 ? [] : ["read-records current"],
        );
      }
      const { capabilities: _none, ...lacking } = WISH.dns;
      const dns = { ...lacking, claim, previous };
      expect(steps(recordChain({ ...WISH, values, provider: "other", dns }))).to.deep.equal(expected);
      const gone = { ...dns, previous: { ...previous, lost: "provider" } } as const;
      expect(steps(recordChain({ ...WISH, values, dns: gone }))).to.deep.equal([]);
    });

    it("does not take the new set for the former one, unless they are of two zones or providers", () => {
      const dns = { ...WISH.dns, claim: { ours: true }, retryAt: 1, fqdn: OLD, previous } as const;
      const wanted = { ...WISH.wanted, recordName: "old" };
      const of = (change: Partial<DesiredRecords>) =>
        steps(recordChain({ ...WISH, dns, values, wanted: { ...wanted, zone: "0123456789abcdef" }, ...change }));
      expect(of({}), "its zone by id").to.deep.equal([]);
      const expected = ["apply-records previous", "record-dns"];
      expect(of({ provider: "other" }), "another provider").to.deep.equal(expected);
      expect(of({ wanted: { ...wanted, zone: "old.example.com" } }), "another zone").to.deep.equal(expected);
    });

    it("replaces what the operator wrote there for the resource that left it, though it may not adopt records", () => {
      const theirs = setOf(NEW, [{ id: "9", type: "A", value: "203.0.113.9", ttl: 60 }]);
      const claim = { ours: true, left: ["203.0.113.9"] } as const;
      const sequence = waiting({}, { claim, adopts: false, records: theirs, previous: { ...previous, claim: THEIRS } });
      expect(steps(sequence)).to.deep.equal(["record-dns", "apply-records current", "record-dns"]);
      expect(sequence[1]).not.to.have.property("replaced");
    });
  });
});

describe("the chain of a record set that goes", () => {
  const named = { ...WISH, last: { ...LAST, recordName: NEW } };
  const of = (dns: Partial<DesiredRecords["dns"]>) => removalChain({ ...named, dns: { ...WISH.dns, ...dns } });

  it("deletes the types that were written, and no other", () => {
    const [remove, forget] = of({ records: setOf(NEW, FOUND) });
    expect(remove).to.deep.include({ do: "apply-records", which: "current" });
    expect(remove?.do === "apply-records" && remove.changes.steps.map(({ type }) => type)).to.deep.equal(["A"]);
    expect(forget).to.include({ do: "record-dns" });
  });

  it("leaves records of others, names them, and deletes what this process has written since the last status", () => {
    const [remove, forget] = of({ records: setOf(NEW, [OWN, OTHER]) });
    const changes = { steps: [{ do: "delete", id: "1", type: "A", from: A }], after: [OTHER.value] };
    expect(remove?.do === "apply-records" && remove.changes).to.deep.include(changes);
    const left = { ...LAST, recordName: NEW, values: [OTHER.value], foreign: true };
    expect(forget).to.deep.include({ do: "record-dns", written: undefined, left, cachedSeconds: 60 });
    const [theirs, ...more] = of({ records: setOf(NEW, [OTHER]) });
    expect([theirs?.do, ...more], "all are of others").to.deep.equal(["record-dns"]);
    expect(theirs).to.deep.include({ left });
    const [all, end] = of({ records: setOf(NEW, [OWN, OTHER]), wrote: [OTHER.value] });
    expect(all?.do === "apply-records" && all.changes.after).to.deep.equal([]);
    expect(end).not.to.have.property("left");
  });

  it("leaves records of others on a former name", () => {
    const chain = recordChain({ ...WISH, dns: { ...WISH.dns, previous: { records: setOf(OLD, [OTHER]) } } });
    expect(steps(chain)).to.deep.equal(["record-dns", "apply-records current", "record-dns"]);
    expect(chain.at(-1)).to.deep.include({ left: { ...LAST, values: [OTHER.value], foreign: true } });
  });

  it("reads first if the content is unknown, and forgets nothing before that", () => {
    expect(steps(of({ records: "unknown" }))).to.deep.equal(["read-records current"]);
  });

  it("waits for the retry of a failed call", () => {
    expect(of({ records: setOf(NEW, FOUND), retryAt: 1 })).to.deep.equal([]);
  });
});
