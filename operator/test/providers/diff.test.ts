import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import {
  excessNodes,
  excessRules,
  isEmptyChange,
  planRecordChanges,
  planRemoval,
  recordsAfter,
  ruleKey,
} from "../../src/providers/diff.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../src/providers/firewall-types.js";
import type { RecordChangeSet, RecordFacts, RecordSetFacts } from "../../src/providers/types.js";

const ADDRESSES = [...Array(8).keys()].map((n) => `203.0.113.${n}`).concat(["2001:db8::1", "2001:db8::2"]);

describe("a plan of record changes", () => {
  it("passes through no empty state, shows no stranger, ends at the wish, and has nothing to do then", () => {
    fc.assert(
      fc.property(sets(), fc.uniqueArray(fc.constantFrom(...ADDRESSES)), ttls(), (current, values, ttl) => {
        const plan = planRecordChanges(current, { values, ttl });
        const states = statesOf(current, plan);

        for (const type of current.types) checkType(type, { current, values, states });
        const end: RecordSetFacts = { ...current, records: states.at(-1) ?? current.records };
        expect(planRecordChanges(end, { values, ttl }).steps).to.deep.equal([]);
      }),
    );
  });

  it("needs no more steps than records are new or surplus, or have a wrong TTL", () => {
    fc.assert(
      fc.property(sets(), fc.uniqueArray(fc.constantFrom(...ADDRESSES)), (current, values) => {
        const { steps } = planRecordChanges(current, { values, ttl: "keep" });
        let least = 0;
        for (const type of current.types) {
          const [now, wanted] = [valuesOf(current.records, type), values.filter((value) => typed(value) === type)];
          if (wanted.length === 0) continue;
          const kept = new Set(now.filter((value) => wanted.includes(value))).size;
          least += Math.max(now.length - kept, wanted.length - kept);
        }
        expect(steps.length).to.equal(least);
      }),
    );
  });

  it("deletes of all types last", () => {
    const current = setOf([
      record("1", "A", "203.0.113.1"),
      record("2", "A", "203.0.113.2"),
      record("3", "AAAA", "2001:db8::1"),
    ]);

    const { steps } = planRecordChanges(current, { values: ["203.0.113.1", "2001:db8::2"], ttl: 60 });

    expect(steps.map((step) => step.do)).to.deep.equal(["update", "delete"]);
  });

  it("creates what another type lacks before it deletes", () => {
    const current = setOf([record("1", "A", "203.0.113.1"), record("2", "A", "203.0.113.2")]);

    const { steps } = planRecordChanges(current, { values: ["203.0.113.1", "2001:db8::2"], ttl: "keep" });

    expect(steps.map((step) => step.do)).to.deep.equal(["create", "delete"]);
  });

  it("leaves a TTL alone that the provider does not let it change", () => {
    const fixed = { ...record("1", "A", "203.0.113.1"), ttl: 1, proxied: true };

    expect(planRecordChanges(setOf([fixed]), { values: ["203.0.113.1"], ttl: 60 }).steps).to.deep.equal([]);
  });

  it("leaves the TTL of each record of a name alone that one record makes proxied", () => {
    const request = { values: ["203.0.113.1", "203.0.113.2"], ttl: 60 };
    const [plain, proxied] = [record("1", "A", "203.0.113.1"), record("2", "A", "203.0.113.2")].map((each) => ({
      ...each,
      ttl: 300,
    }));
    if (plain === undefined || proxied === undefined) throw new Error("the test has two records");
    const beside = { ...proxied, ttl: 1, proxied: true };
    expect(planRecordChanges(setOf([plain, proxied]), request).steps, "neither is proxied").to.have.length(2);
    expect(planRecordChanges(setOf([plain, beside]), request).steps).to.deep.equal([]);
    const others = [{ ...record("3", "AAAA", "2001:db8::1"), ttl: 1, proxied: true }];
    expect(planRecordChanges({ ...setOf([plain, proxied]), others }, request).steps, "by its AAAA").to.deep.equal([]);
  });

  it("does not tell the set after changes from answers that are about others", () => {
    const current = setOf([]);
    const changes = planRecordChanges(current, { values: ["203.0.113.1"], ttl: 60 });
    const [right, wrong] = [record("1", "A", "203.0.113.1"), record("1", "A", "203.0.113.9")];

    expect(recordsAfter(current, changes, [right])?.records).to.deep.equal([right]);
    expect(recordsAfter(current, changes, [wrong])).to.equal(undefined);
    expect(recordsAfter(current, changes, [])).to.equal(undefined);
  });

  it("leaves a family alone for which nothing is wished", () => {
    const current = setOf([record("1", "AAAA", "2001:db8::1")]);

    expect(planRecordChanges(current, { values: [], ttl: 60 }).steps).to.deep.equal([]);
  });

  it("gives new records the TTL that the name has, or 60 s, where it is to be kept", () => {
    const request = { values: ["203.0.113.1"], ttl: "keep" } as const;

    expect(planRecordChanges(setOf([]), request).steps).to.deep.equal([
      { do: "create", type: "A", to: "203.0.113.1", ttl: 60 },
    ]);
    expect(planRecordChanges(setOf([record("1", "AAAA", "2001:db8::1", 300)]), request).steps).to.deep.equal([
      { do: "create", type: "A", to: "203.0.113.1", ttl: 300 },
    ]);
  });

  it("says what was and what will be, for the audit record", () => {
    const plan = planRecordChanges(setOf([record("1", "A", "203.0.113.1")]), {
      values: ["203.0.113.2"],
      ttl: 60,
      owner: "us",
    });

    expect(plan).to.deep.include({ before: ["203.0.113.1"], after: ["203.0.113.2"], owner: "us" });
  });

  it("empties a set only as a removal", () => {
    const current = setOf([record("1", "A", "203.0.113.1"), record("2", "A", "203.0.113.2")]);

    expect(planRemoval(current).steps.map((step) => step.do)).to.deep.equal(["delete", "delete"]);
  });
});

interface Checked {
  readonly current: RecordSetFacts;
  readonly values: readonly string[];
  readonly states: readonly (readonly RecordFacts[])[];
}

function checkType(type: string, { current, values, states }: Checked): void {
  const wanted = values.filter((value) => typed(value) === type);
  const before = valuesOf(current.records, type);
  const known = new Set([...before, ...wanted]);
  for (const state of states) {
    const shown = valuesOf(state, type);
    expect(shown.every((value) => known.has(value))).to.equal(true);
    if (before.length > 0) expect(shown).not.to.deep.equal([]);
  }
  const end = valuesOf(states.at(-1) ?? current.records, type);
  expect([...end].sort()).to.deep.equal([...(wanted.length > 0 ? wanted : before)].sort());
}

/** The set after each step. */
function statesOf(current: RecordSetFacts, { steps }: RecordChangeSet): readonly (readonly RecordFacts[])[] {
  let records = current.records;
  return steps.map((step, index) => {
    if (step.do === "create") records = [...records, record(`new-${index}`, step.type, step.to, step.ttl)];
    else if (step.do === "delete") records = records.filter(({ id }) => id !== step.id);
    else records = records.map((one) => (one.id === step.id ? { ...one, value: step.to, ttl: step.ttl } : one));
    return records;
  });
}

function sets(): fc.Arbitrary<RecordSetFacts> {
  const one = fc.tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom(60, 300));
  return fc
    .array(one, { maxLength: 8 })
    .map((all) => setOf(all.map(([value, ttl], index) => record(String(index), typed(value), value, ttl))));
}

function ttls(): fc.Arbitrary<number | "keep"> {
  return fc.constantFrom<number | "keep">(60, 120, "keep");
}

function setOf(records: readonly RecordFacts[]): RecordSetFacts {
  return { zone: "example.com", fqdn: "www.example.com", types: ["A", "AAAA"], records };
}

function record(id: string, type: "A" | "AAAA", value: string, ttl = 60): RecordFacts {
  return { id, type, value, ttl };
}

function typed(value: string): "A" | "AAAA" {
  return value.includes(":") ? "AAAA" : "A";
}

function valuesOf(records: readonly RecordFacts[], type: string): readonly string[] {
  return records.filter((one) => one.type === type).map(({ value }) => value);
}

const NAMED = { id: "1", name: "web" };

describe("a change of a firewall", () => {
  it("is empty where no part of it has anything", () => {
    const parts = { addRules: [], addNodes: [], removeRules: [], removeNodes: [] };
    expect(isEmptyChange({ ...NAMED, ...parts })).to.equal(true);
    for (const part of ["addNodes", "removeNodes"]) {
      expect(isEmptyChange({ ...NAMED, ...parts, [part]: ["a"] }), part).to.equal(false);
    }
    for (const part of ["addRules", "removeRules"]) {
      expect(isEmptyChange({ ...NAMED, ...parts, [part]: [rule("443")] }), part).to.equal(false);
    }
  });

  it("takes a rule as the same one in whichever order its sources are, and not if it has others", () => {
    const one = { ...rule("443"), sources: ["::/0", "0.0.0.0/0"] };
    expect(ruleKey(one)).to.equal(ruleKey({ ...one, sources: ["0.0.0.0/0", "::/0"] }));
    expect(ruleKey(one)).not.to.equal(ruleKey({ ...one, otherSources: true }));
  });

  it("counts rules of both directions and nodes, and says what is too many", () => {
    const current = firewall([rule("1"), rule("2")], ["a", "b"]);
    const { name } = NAMED;
    expect(excessRules(current, 2, 3)).to.deep.equal({ name, count: 4, most: 3 });
    expect(excessRules({ ...current, outboundRules: 1 }, 1, 3)).to.deep.equal({ name, count: 4, most: 3 });
    expect(excessRules(current, 1, 3)).to.equal(undefined);
    expect(excessNodes(current, 2)).to.deep.equal({ name, count: 3, most: 2 });
    expect(excessNodes(current, 3)).to.equal(undefined);
  });
});

function firewall(rules: readonly FirewallRuleFacts[], nodes: readonly string[]): FirewallFacts {
  return { ...NAMED, rules, nodes, pending: false };
}

function rule(ports: string): FirewallRuleFacts {
  return { protocol: "tcp", ports, sources: ["0.0.0.0/0"], otherSources: false };
}
