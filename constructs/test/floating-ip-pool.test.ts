import { type ChartProps, Duration, JsonPatch } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  DnsRecord,
  FloatingIPPool,
  type FloatingIPPoolProps,
  IpFamily,
  IpProvider,
  LabelQuery,
  NodeMatch,
  NodePreference,
  PodMatch,
  ReclaimPolicy,
  TaintEffect,
  Toleration,
} from "../src";
import { newChart, only } from "./support/charts";

function pool(props: FloatingIPPoolProps, chartProps: ChartProps = {}) {
  const chart = newChart(chartProps);
  new FloatingIPPool(chart, "pool", props);
  return only(chart, "FloatingIPPool");
}

describe("FloatingIPPool", () => {
  it("knows the keys of its holder label and of its taint, which contain the namespace", () => {
    const props = { metadata: { name: "web" }, ips: ["192.0.2.10"], holderLabel: true };
    const made = new FloatingIPPool(newChart({ namespace: "ingress" }), "pool", props);
    expect(made.holderLabelKey).to.equal("flipop.digitalocean.com/holder-of-fip.ingress.web");
    expect(made.untilAssignedTaintKey).to.equal("flipop.digitalocean.com/until-assigned-fip.ingress.web");
    const long = new FloatingIPPool(newChart({ namespace: "ingress" }), "pool", { metadata: { name: "w".repeat(60) } });
    expect(long.holderLabelKey).to.match(/holder-of-fip\.ingress\.w+_[0-9a-f]{16}$/);
    const nowhere = new FloatingIPPool(newChart(), "pool", props);
    expect(() => nowhere.holderLabelKey).to.throw("pool: holderLabelKey needs the namespace");
  });

  it("writes only the given props and the provider", () => {
    expect(pool({ metadata: { name: "ingress" }, ips: ["192.0.2.10"] })).to.deep.equal({
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "FloatingIPPool",
      metadata: { name: "ingress" },
      spec: { provider: "digitalocean", ips: ["192.0.2.10"] },
    });
  });

  it("writes each prop into its field", () => {
    const { spec } = pool({
      region: "nyc3",
      provider: IpProvider.of("elsewhere"),
      desiredIps: 3,
      ips: ["2001:db8::1"],
      ipFamily: IpFamily.IPV6,
      assignmentCoolOff: Duration.millis(2500),
      gracePeriod: Duration.minutes(2),
      nodePreference: NodePreference.NAME,
      reclaimPolicy: ReclaimPolicy.DELETE,
      dnsRecord: DnsRecord.of("elsewhere", "@", "example.com", { ttl: Duration.seconds(120) }),
      pods: PodMatch.labels({ app: "web", tier: "" }, { namespace: "ingress" }),
      nodes: NodeMatch.query([LabelQuery.in("pool", ["a", "b"]), LabelQuery.doesNotExist("spot")]),
      tolerations: [Toleration.cordoned(), Toleration.keyValue("team", "edge", TaintEffect.NO_EXECUTE)],
      paused: false,
    });
    expect(spec).to.deep.equal({
      region: "nyc3",
      provider: "elsewhere",
      desiredIPs: 3,
      ips: ["2001:db8::1"],
      ipFamily: "IPv6",
      assignmentCoolOffSeconds: 2.5,
      gracePeriodSeconds: 120,
      nodePreference: "Name",
      reclaimPolicy: "Delete",
      dnsRecordSet: { provider: "elsewhere", recordName: "@", zone: "example.com", ttl: 120 },
      match: {
        podLabel: "app=web,tier=",
        podNamespace: "ingress",
        nodeLabel: "pool in (a,b),!spot",
        tolerations: [
          { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
          { key: "team", operator: "Equal", value: "edge", effect: "NoExecute" },
        ],
      },
      paused: false,
    });
  });

  it("uses the namespace and labels of its chart", () => {
    const { metadata } = pool({ ips: ["192.0.2.10"] }, { namespace: "ingress", labels: { team: "edge" } });
    expect(metadata).to.include({ namespace: "ingress" });
    expect(metadata["labels"]).to.deep.equal({ team: "edge" });
  });

  it("shows its object, name and metadata", () => {
    const chart = newChart();
    const made = new FloatingIPPool(chart, "pool", { metadata: { name: "ingress" }, ips: ["192.0.2.10"] });
    made.metadata.addAnnotation("example.com/owner", "edge");
    made.apiObject.addJsonPatch(JsonPatch.add("/spec/paused", true));
    expect(made.name).to.equal("ingress");
    expect(only(chart, "FloatingIPPool")).to.deep.include({
      metadata: { name: "ingress", annotations: { "example.com/owner": "edge" } },
      spec: { provider: "digitalocean", ips: ["192.0.2.10"], paused: true },
    });
  });

  it("needs no region if it lists every address", () => {
    expect(pool({ ips: ["192.0.2.10", "192.0.2.11"], desiredIps: 2 }).spec).to.not.have.property("region");
  });
});
