import { expect } from "chai";
import { describe, it } from "mocha";
import { OwnSeries } from "../../src/metrics/registry.js";

describe("the series of one resource", () => {
  it("vanish when they are not shown any more", () => {
    const shown = new Map<string, number>();
    const gauge = {
      set: (labels: Record<string, string>, value: number) => void shown.set(JSON.stringify(labels), value),
      remove: (labels: Record<string, string>) => void shown.delete(JSON.stringify(labels)),
    };
    const series = new OwnSeries();
    series.show([
      { gauge, labels: { ip: "a" }, value: 1 },
      { gauge, labels: { ip: "b" }, value: 1 },
    ]);
    series.show([{ gauge, labels: { ip: "b" }, value: 2 }]);
    expect([...shown]).to.deep.equal([['{"ip":"b"}', 2]]);
    series.clear();
    expect(shown.size).to.equal(0);
  });
});
