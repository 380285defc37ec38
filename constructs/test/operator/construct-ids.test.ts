import { Chart, Testing } from "cdk8s";
import { expect } from "chai";
import { Construct } from "constructs";
import { describe, it } from "mocha";
import { FlipopCrds, FlipopOperator, type FlipopOperatorProps, MetricsScrape, OperatorFeature } from "../../src";

const { POOLS, ROUTED_IP, JOBS } = OperatorFeature;
const EVERYTHING: FlipopOperatorProps = {
  features: [POOLS, ROUTED_IP, JOBS],
  watchNamespaces: ["a"],
  networkPolicy: true,
  scrape: MetricsScrape.SERVICE_MONITOR,
  alertRules: true,
  dashboard: true,
};

describe("construct ids", () => {
  it("change nothing in the output of an operator or of the CustomResourceDefinitions", () => {
    const before = new Chart(Testing.app(), "flipop");
    new FlipopCrds(before, "crds");
    new FlipopOperator(before, "operator", EVERYTHING);
    const after = new Construct(new Chart(Testing.app(), "platform"), "moved");
    new FlipopCrds(after, "definitions");
    new FlipopOperator(after, "addresses", EVERYTHING);
    expect(Testing.synth(Chart.of(after))).to.deep.equal(Testing.synth(before));
  });
});
