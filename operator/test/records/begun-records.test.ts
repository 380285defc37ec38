import { type DnsStatus, MOST_BEGUN_RECORDS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { RecordFacts, RecordSetFacts } from "../../src/providers/types.js";
import type { DesiredRecords, LostPlace } from "../../src/records/record-actions.js";
import { recordChain, removalChain } from "../../src/records/record-plan.js";

const [A, AAAA, OTHER] = ["203.0.113.7", "2001:db8::1", "198.51.100.9"];
const NOW: DnsStatus = { provider: "cloud", zone: "example.com", recordName: "b1", types: ["A"], values: [A] };
const BEGUN: DnsStatus = { ...NOW, recordName: "b2" };

const record = (value: string): RecordFacts => ({
  id: value,
  type: value.includes(":") ? "AAAA" : "A",
  value,
  ttl: 60,
});
const setOf = (fqdn: string, ...values: readonly string[]): RecordSetFacts => ({
  zone: "example.com",
  fqdn: `${fqdn}.example.com`,
  types: ["A", "AAAA"],
  records: values.map(record),
});

/** The set stands, and another one has been begun. */
const WISH: DesiredRecords = {
  now: 0,
  dns: {
    capabilities: { ttl: (seconds) => seconds, owner: false },
    claim: { ours: true },
    records: setOf("b1", A),
    previous: { records: "unknown" },
    begun: { records: setOf("b2", A, OTHER), claim: { ours: true } },
  },
  reverts: [],
  wanted: { zone: "example.com", recordName: "b1", deletionPolicy: "Delete" },
  provider: "cloud",
  last: { ...NOW, deletionPolicy: "Delete" },
  begun: [BEGUN],
  types: { asked: ["A"], ours: ["A"] },
  values: [A],
  ttl: 60,
  owner: "default/web",
};

const textsOf = (sequence: ReturnType<typeof recordChain>) =>
  sequence.map((action) => {
    if (action.do === "record-dns") return `${action.do} ${action.begun?.map(({ recordName }) => recordName)}`;
    if (action.do === "read-records") return `${action.do} ${action.which}`;
    return `${action.do} ${action.which}: ${action.changes.before} -> ${action.changes.after}`;
  });
const planned = (change: Partial<DesiredRecords> = {}) => textsOf(recordChain({ ...WISH, ...change }));
const dns = (change: Partial<DesiredRecords["dns"]>) => ({ dns: { ...WISH.dns, ...change } });

describe("a record set that the operator has begun to write", () => {
  it("loses the addresses of the resource, and only these, once the wanted set stands", () => {
    expect(planned()).to.deep.equal([`apply-records begun: ${OTHER},${A} -> ${OTHER}`, "record-dns "]);
    expect(planned(dns({ begun: { records: "unknown" } }))).to.deep.equal(["read-records begun"]);
    expect(planned({ values: [] }), "nothing to publish").to.deep.equal([
      `apply-records begun: ${OTHER},${A} -> ${OTHER}`,
      "record-dns ",
    ]);
    const renamed = { ...WISH.wanted, recordName: "b3" };
    const [first] = planned({ wanted: renamed, ...dns({ records: setOf("b3") }) });
    expect(first, "the next one goes on record first").to.equal("record-dns b2,b3");
  });

  it("names the addresses of others in an Event, and counts what this process wrote as its own", () => {
    const [, end] = recordChain(WISH);
    expect(end).to.deep.include({ left: { ...BEGUN, values: [OTHER], foreign: true } });
    const begun = { records: setOf("b2", A, OTHER), claim: { ours: true }, wrote: [OTHER] } as const;
    expect(planned(dns({ begun }))).to.deep.equal([`apply-records begun: ${OTHER},${A} -> `, "record-dns "]);
  });

  it("is not read before a second answer without records would count", () => {
    const begun = { records: "unknown", claim: { ours: true } } as const;
    const at = (emptyUntil: number) => planned(dns({ begun: { ...begun, emptyUntil } }));
    expect(at(WISH.now + 1)).to.deep.equal([]);
    expect(at(WISH.now)).to.deep.equal(["read-records begun"]);
  });

  it("is forgotten where another resource has the name, and stays under Retain", () => {
    const begun = { records: setOf("b2", A), claim: { ours: false, owned: {} as never } } as const;
    expect(planned(dns({ begun }))).to.deep.equal(["record-dns "]);
    const [kept] = recordChain({ ...WISH, last: NOW, wanted: { ...WISH.wanted, deletionPolicy: "Retain" } });
    expect(kept).to.deep.include({ do: "record-dns", written: NOW, begun: [], left: BEGUN });
  });

  it("may be the same name with a type that the spec has dropped again", () => {
    const begun: DnsStatus = { ...NOW, types: ["A", "AAAA"], values: [A, AAAA] };
    const found = { records: { ...setOf("b1", AAAA), types: ["AAAA"] as const }, claim: { ours: true } as const };
    expect(planned({ begun: [begun], ...dns({ begun: found }) })).to.deep.equal([
      `apply-records begun: ${AAAA} -> `,
      "record-dns ",
    ]);
    const both = { asked: ["A", "AAAA"], ours: ["A", "AAAA"] } as const;
    const adding = planned({ types: both, values: [A, AAAA], begun: [] });
    expect(adding[0], "it goes on record before the type is added").to.equal("record-dns b1");
  });

  it("goes before the next change where the list is full", () => {
    const many = Array.from({ length: MOST_BEGUN_RECORDS }, (_, index) => ({ ...BEGUN, recordName: `n${index}` }));
    const full = { begun: many, wanted: { ...WISH.wanted, recordName: "b3" }, ...dns({ records: setOf("b3") }) };
    expect(planned(full)[0]).to.equal(`apply-records begun: ${OTHER},${A} -> ${OTHER}`);
  });

  it("keeps no change of the wanted set waiting where the list is full, if that set is on record", () => {
    const many = Array.from({ length: MOST_BEGUN_RECORDS }, (_, index) => ({ ...BEGUN, recordName: `n${index}` }));
    expect(planned({ begun: many, values: [OTHER] })[0]).to.equal(`apply-records current: ${A} -> ${OTHER}`);
  });

  it("is the former name after its deletion failed, so that the status shows the new one", () => {
    const started: DnsStatus = { ...BEGUN, deletionPolicy: "Delete" };
    const renamed = { wanted: { ...WISH.wanted, recordName: "b2" }, last: NOW, begun: [started] };
    const former = (change: Partial<DesiredRecords["dns"]["previous"]>, records = setOf("b2", A)) =>
      planned({ ...renamed, ...dns({ records, previous: { records: "unknown", claim: { ours: true }, ...change } }) });
    expect(former({}), "not tried yet").to.deep.equal(["read-records previous"]);
    expect(former({ records: setOf("b1", A), retryAt: 1 })).to.deep.equal(["record-dns b1"]);
    expect(former({ retryAt: 1 }), "unread").to.deep.equal(["record-dns b1"]);
    expect(former({ lost: "provider" }), "its provider is gone").to.deep.equal(["record-dns b1"]);
    expect(former({ lost: "zone" }), "its zone is not shown").to.deep.equal(["record-dns b1"]);
    expect(former({ retryAt: 1 }, setOf("b2", OTHER)), "beside a change").to.deep.equal([
      `apply-records current: ${OTHER} -> ${A}`,
      "record-dns b1",
    ]);
  });

  it("takes the policy that the spec has when the operator writes it again", () => {
    const policiesOf = (known: DnsStatus, deletionPolicy: "Delete" | "Retain") => {
      const wanted = { ...WISH.wanted, recordName: "b2", deletionPolicy };
      const [first] = recordChain({ ...WISH, wanted, begun: [known], ...dns({ records: setOf("b2", OTHER) }) });
      return first?.do === "record-dns" && first.begun?.map((entry) => entry.deletionPolicy);
    };
    const deleted: DnsStatus = { ...BEGUN, deletionPolicy: "Delete" };
    expect(policiesOf(BEGUN, "Delete")).to.deep.equal(["Delete"]);
    expect(policiesOf(deleted, "Retain")).to.deep.equal([undefined]);
    expect(policiesOf(BEGUN, "Retain"), "nothing has changed: no note").to.equal(false);
  });

  it("is not to be deleted any more once the spec says Retain, also before it can be read", () => {
    const stray: DnsStatus = { ...BEGUN, deletionPolicy: "Delete" };
    const retain = {
      ...WISH,
      last: NOW,
      wanted: { ...WISH.wanted, deletionPolicy: "Retain" },
      begun: [stray],
    } as const;
    const [first] = recordChain({ ...retain, ...dns({ begun: { records: "unknown", claim: { ours: true } } }) });
    expect(first).to.deep.include({ do: "record-dns", written: NOW, begun: [BEGUN] });
  });

  it("goes under the policy of now, also if it is a former name that was written under Retain", () => {
    const renamed = { wanted: { ...WISH.wanted, recordName: "b2" }, last: NOW, begun: [] };
    const previous = { records: "unknown", claim: { ours: true }, retryAt: 1 } as const;
    const [first] = recordChain({ ...WISH, ...renamed, ...dns({ records: setOf("b2", A), previous }) });
    expect(first).to.deep.include({ begun: [{ ...NOW, deletionPolicy: "Delete" }] });
  });

  it("waits until the status shows the wanted set", () => {
    expect(planned({ values: [OTHER], ...dns({ records: setOf("b1", OTHER) }) })).to.deep.equal([
      "record-dns undefined",
    ]);
  });

  it("goes with its resource, also where the spec names it", () => {
    const wanted = { ...WISH.wanted, recordName: "b2" };
    const gone = { ...WISH, wanted, ...dns({ records: setOf("b2", A, OTHER) }) };
    expect(textsOf(removalChain(gone))).to.deep.equal([
      `apply-records begun: ${OTHER},${A} -> ${OTHER}`,
      "record-dns ",
    ]);
    expect(removalChain({ ...gone, ...dns({ retryAt: 1 }) })).to.deep.equal([]);
  });

  it("goes from the record where its zone is missing for long, and under Retain where its place is gone", () => {
    const chain = (place: LostPlace, deletionPolicy: "Delete" | "Retain") => {
      const dns = { ...WISH.dns, begun: { records: "unknown", claim: { ours: true }, lost: place } } as const;
      const last = deletionPolicy === "Delete" ? WISH.last : NOW;
      return recordChain({ ...WISH, last, dns, wanted: { ...WISH.wanted, deletionPolicy } });
    };
    const lost = (...of: Parameters<typeof chain>) => textsOf(chain(...of));
    expect(lost("zone", "Delete"), "one answer may be wrong").to.deep.equal(["read-records begun"]);
    expect(lost("zone for long", "Delete")).to.deep.equal(["record-dns "]);
    const unseen = { left: { ...BEGUN, unseen: true } };
    expect(chain("zone for long", "Delete")[0], "an Event names it").to.deep.include(unseen);
    expect(chain("zone", "Retain")[0], "an Event names it").to.deep.include(unseen);
    expect(lost("provider", "Retain")).to.deep.equal(["record-dns "]);
    expect(lost("provider", "Delete")).to.deep.equal(["read-records begun"]);
  });

  it("stays while nothing is served and the wanted set is unread: both may be one, under two names of the zone", () => {
    const dns = { ...WISH.dns, records: "unknown" } as const;
    expect(textsOf(recordChain({ ...WISH, dns, values: [] })).join()).to.not.contain("begun");
  });
});
