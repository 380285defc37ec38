import { expect } from "chai";
import { planRecordChanges } from "../../../src/providers/diff.js";
import { ASKER, type DnsBench } from "./benches.js";
import { change, read, watchStates } from "./dns-contract.js";
import type { FaultCase } from "./fault-contract.js";

const BEFORE = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
const TTL = 120;

/** Changes that re-point, create and delete, each hit at each request. */
export const dnsFaultCases: readonly FaultCase<DnsBench>[] = [
  changeCase("shrink a record set", ["203.0.113.1", "203.0.113.4"]),
  changeCase("grow a record set", ["203.0.113.3", "203.0.113.4", "203.0.113.5", "203.0.113.6"]),
  changeCase("replace a record set", ["203.0.113.7", "203.0.113.8", "203.0.113.9"]),
];

function changeCase(name: string, after: readonly string[]): FaultCase<DnsBench> {
  return {
    name,
    prepare: (bench) => {
      for (const value of BEFORE) bench.addRecord("www", "A", value, TTL);
      const bad = watchStates(bench, BEFORE, after);
      return {
        run: async () => {
          const set = await bench.provider.read(ASKER, { zone: bench.zone, name: "www", types: ["A"] });
          await bench.provider.apply(ASKER, planRecordChanges(set, { values: after, ttl: TTL }));
        },
        check: () => expect(bad).to.deep.equal([]),
        converge: async () => {
          await change(bench, after);
          expect(bad).to.deep.equal([]);
          const values = (await read(bench, "www")).records.map((record) => record.value);
          expect(values.sort()).to.deep.equal([...after].sort());
          expect(bench.records("www", "A")).to.deep.equal([...after].sort().map((value) => `${value} ${TTL}`));
        },
      };
    },
  };
}
