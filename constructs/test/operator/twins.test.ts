import { App, Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FlipopOperator } from "../../src";
import { refusals } from "../support/charts";

describe("two operators", () => {
  it("with the same name and namespace in a chart are refused, with both paths", () => {
    const chart = new Chart(new App(), "test");
    new FlipopOperator(chart, "a");
    new FlipopOperator(chart, "b", { namespace: "flipop" });
    expect(refusals(chart)).to.deep.equal([
      '[test/b] name: "flipop" of namespace "flipop" is also the name of test/a: rename one of the two',
    ]);
  });

  it("with different names, namespaces or charts (which may be two clusters) are accepted", () => {
    const app = new App();
    const chart = new Chart(app, "test");
    new FlipopOperator(chart, "a");
    new FlipopOperator(chart, "b", { name: "other" });
    new FlipopOperator(chart, "c", { namespace: "other" });
    new FlipopOperator(new Chart(app, "cluster-2"), "a");
    expect(refusals(chart)).to.deep.equal([]);
  });
});
