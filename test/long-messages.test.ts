import { expect } from "chai";
import { describe, it } from "mocha";
import { listed, listedClauses } from "../operator/src/values.js";
import { CATALOGUE } from "../tools/reference/catalogue.js";

const MANY = 1_000;
/** Of a message with its remedy: a person reads it, and an Event shows most of it. */
const LONGEST = 2_000;
/** Nodes of `BusyNodes`. */
const LIMITED = ["shown"];
/** Of two ports. */
const PAIRS = ["portsClash"];

describe("a message about many things", () => {
  it("lists the first ones, and says how many more there are", () => {
    expect(listed(["a", "b", "c"], 3)).to.equal("a, b, c");
    expect(listed(["a", "b", "c", "d"], 3)).to.equal("a, b, c and 1 more");
    expect(listedClauses([..."abcdefg"])).to.equal("a; b; c; d; e and 2 more");
  });

  for (const [topic, entries] of Object.entries(CATALOGUE)) {
    it(`stays short, whatever is in its lists: ${topic}`, () => {
      for (const [name, { row }] of Object.entries(entries)) {
        if (PAIRS.includes(name)) continue;
        expect(row.exampleWith(enlarged).length, `${topic}.${name}`).to.be.below(LONGEST);
      }
    });
  }
});

/** The same values with a thousand entries in each list, except for lists whose length the maker of the value limits. */
function enlarged<V>(values: V): V {
  if (typeof values !== "object" || values === null) return values;
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, enlargedField(key, value)])) as V;
}

function enlargedField(key: string, value: unknown): unknown {
  if (!Array.isArray(value)) return enlarged(value);
  if (value.length === 0 || LIMITED.includes(key)) return value;
  const [first] = value as readonly unknown[];
  return Array.from({ length: MANY }, (_, index) => (typeof first === "string" ? `${first}-${index}` : first));
}
