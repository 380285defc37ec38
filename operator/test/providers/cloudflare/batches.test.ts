import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { BATCH_SIZE, type Batch, batchesOf } from "../../../src/providers/cloudflare/batches.js";
import { planRecordChanges } from "../../../src/providers/diff.js";
import type { RecordSetFacts } from "../../../src/providers/types.js";

const addresses = fc.uniqueArray(
  fc.integer({ min: 0, max: 899 }).map((index) => `10.0.${Math.floor(index / 250)}.${index % 250}`),
  { maxLength: 900, size: "max" },
);
const wanted = addresses.filter((values) => values.length > 0);

describe("Cloudflare provider: batches", () => {
  it("keeps the set filled with old and new addresses only, before, between and after all batches", () => {
    const property = fc.property(addresses, wanted, (before, after) => {
      const allowed = new Set([...before, ...after]);
      const states = statesOf(before, after);
      for (const state of states) {
        if (before.length > 0) expect(state, "no state is empty").not.to.deep.equal([]);
        expect(state.filter((value) => !allowed.has(value))).to.deep.equal([]);
        expect(new Set(state).size, "no doubles").to.equal(state.length);
      }
      expect([...(states.at(-1) ?? before)].sort()).to.deep.equal([...after].sort());
    });
    fc.assert(property, { numRuns: 60 });
  });

  it("needs one batch for each 200 changes, and fills all but the last", () => {
    const property = fc.property(addresses, wanted, (before, after) => {
      const sizes = plan(before, after).batches.map(sizeOf);
      const { steps } = plan(before, after);
      expect(sizes.length).to.equal(Math.ceil(steps / BATCH_SIZE));
      expect(sizes.slice(0, -1).every((size) => size === BATCH_SIZE)).to.equal(true);
    });
    fc.assert(property, { numRuns: 60 });
  });
});

function plan(before: readonly string[], after: readonly string[]) {
  const records = before.map((value) => ({ id: `id-${value}`, type: "A" as const, value, ttl: 60 }));
  const set: RecordSetFacts = { zone: "zone", fqdn: "www.example.com", types: ["A"], records };
  const changes = planRecordChanges(set, { values: after, ttl: 60 });
  return { steps: changes.steps.length, batches: batchesOf(changes, new Map()) };
}

function sizeOf({ deletes = [], patches = [], posts = [] }: Batch): number {
  return deletes.length + patches.length + posts.length;
}

/** The set after each batch, each of which deletes, patches and posts in one transaction. */
function statesOf(before: readonly string[], after: readonly string[]): readonly (readonly string[])[] {
  const held = new Map(before.map((value) => [`id-${value}`, value]));
  return plan(before, after).batches.map(({ deletes = [], patches = [], posts = [] }) => {
    for (const { id } of deletes) held.delete(id);
    for (const patch of patches) held.set(patch.id, patch.content);
    for (const post of posts) held.set(`new-${post.content}`, post.content);
    return [...held.values()];
  });
}
