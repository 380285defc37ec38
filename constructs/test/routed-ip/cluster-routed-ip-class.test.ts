import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  type ClusterRoutedIPClassProps,
  PortRange,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
  TaintEffect,
} from "../../src";
import { newChart, only } from "../support/charts";

const JOB = RoutedIPJob.spec({ template: { spec: { containers: [{ name: "job", image: "registry.example/a:1" }] } } });
const WRITTEN_JOB = { template: { spec: { containers: [{ name: "job", image: "registry.example/a:1" }] } } };

function clusterClass(props: Omit<ClusterRoutedIPClassProps, "implementation">, implementation?: ClassImplementation) {
  const chart = newChart({ namespace: "flipop" });
  const issuer = new RoutedIPIssuer(chart, "issuer", { metadata: { name: "do" } });
  new ClusterRoutedIPClass(chart, "class", {
    implementation: implementation ?? ClassImplementation.issuer(issuer),
    ...props,
  });
  return only(chart, "ClusterRoutedIPClass");
}

describe("ClusterRoutedIPClass", () => {
  it("writes only the given props, and no namespace although its chart has one", () => {
    expect(clusterClass({ metadata: { name: "public" } })).to.deep.equal({
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "ClusterRoutedIPClass",
      metadata: { name: "public" },
      spec: { issuerRef: { name: "do", namespace: "flipop" } },
    });
  });

  it("writes each prop of a class with an issuer into its field", () => {
    const { spec } = clusterClass({
      firewallPostAllow: true,
      nodePorts: PortRange.of(30000, 31000),
      perNodeIpLimit: 3,
      electedNodeTaint: { key: "flipop.digitalocean.com/edge", value: "yes", effect: TaintEffect.NO_SCHEDULE },
      allowedNamespaces: ["game", "ingress"],
    });
    expect(spec).to.deep.equal({
      issuerRef: { name: "do", namespace: "flipop" },
      firewallPostAllow: true,
      nodePortRange: "30000-31000",
      perNodeIPLimit: 3,
      electedNodeTaint: { key: "flipop.digitalocean.com/edge", value: "yes", effect: "NoSchedule" },
      allowedNamespaces: ["game", "ingress"],
    });
  });

  it("writes each prop of a class with Jobs into its field", () => {
    const { spec } = clusterClass(
      {
        secrets: [SecretRef.fromSecretName("my-cloud")],
        jobNamespace: "jobs",
        nodePorts: PortRange.parse("1-2"),
        electedNodeTaint: {},
      },
      ClassImplementation.jobs(JOB, JOB),
    );
    expect(spec).to.deep.equal({
      updateRoutedIP: WRITTEN_JOB,
      updateFirewall: WRITTEN_JOB,
      fromSecretsRef: [{ name: "my-cloud" }],
      jobNamespace: "jobs",
      nodePortRange: "1-2",
      electedNodeTaint: {},
    });
  });

  it("provides the name of a class from outside of the app", () => {
    expect(ClusterRoutedIPClass.fromClusterRoutedIPClassName(newChart(), "class", "public").name).to.equal("public");
  });
});
