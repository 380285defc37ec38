import { Chart, Testing } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FlipopCrds } from "../../src";
import { customResourceDefinitions } from "../../src/api";

describe("FlipopCrds", () => {
  it("contains the definitions of all kinds from the type model", () => {
    const chart = Testing.chart();
    new FlipopCrds(chart, "crds");
    expect(Testing.synth(chart)).to.deep.equal(customResourceDefinitions());
  });

  it("gives them no namespace, although the chart has one", () => {
    const chart = new Chart(Testing.app(), "test", { namespace: "edge" });
    new FlipopCrds(chart, "crds");
    expect(Testing.synth(chart)).to.deep.equal(customResourceDefinitions());
  });

  it("makes each of them public", () => {
    const { floatingIpPool, nodeDnsRecordSet, routedIp, routedIpIssuer, clusterRoutedIpClass } = new FlipopCrds(
      Testing.chart(),
      "crds",
    );
    const parts = [floatingIpPool, nodeDnsRecordSet, routedIp, routedIpIssuer, clusterRoutedIpClass];
    expect(parts.map(({ name }) => name)).to.deep.equal(
      customResourceDefinitions().map(({ metadata }) => metadata.name),
    );
  });
});
