import { ApiObject } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FloatingIPPool, LabelQuery, PodMatch } from "../../src";
import { newChart, only } from "../support/charts";

/** The match fields of a PodMatch. */
function written(pods: PodMatch): unknown {
  const chart = newChart();
  new FloatingIPPool(chart, "pool", { ips: ["192.0.2.10"], pods });
  return only(chart, "FloatingIPPool").spec["match"];
}

const TEMPLATE = { template: { metadata: { labels: { app: "web" } } } };
const WORKLOADS = [
  { kind: "Deployment", apiVersion: "apps/v1", body: { spec: { selector: { matchLabels: { app: "web" } } } } },
  { kind: "ReplicationController", apiVersion: "v1", body: { spec: { selector: { app: "web" } } } },
  { kind: "Service", apiVersion: "v1", body: { spec: { selector: { app: "web" } } } },
  {
    kind: "Rollout",
    apiVersion: "argoproj.io/v1alpha1",
    body: { spec: { selector: { matchLabels: { app: "web" } } } },
  },
  { kind: "Job", apiVersion: "batch/v1", body: { spec: TEMPLATE } },
  { kind: "CronJob", apiVersion: "batch/v1", body: { spec: { jobTemplate: { spec: TEMPLATE } } } },
  { kind: "Pod", apiVersion: "v1", body: { metadata: { labels: { app: "web" } }, spec: {} } },
];

describe("PodMatch.of", () => {
  for (const { kind, apiVersion, body } of WORKLOADS) {
    it(`finds the pods of a ${kind}`, () => {
      const workload = new ApiObject(newChart(), "workload", { apiVersion, kind, ...body });
      expect(written(PodMatch.of(workload))).to.deep.equal({ podLabel: "app=web" });
    });
  }

  it("uses the selector, not the labels of the template, which a rollout may change", () => {
    const spec = {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web", v: "2" } } },
    };
    const workload = new ApiObject(newChart(), "web", { apiVersion: "apps/v1", kind: "Deployment", spec });
    expect(written(PodMatch.of(workload))).to.deep.equal({ podLabel: "app=web" });
  });

  it("supports every kind of selector expression", () => {
    const matchExpressions = [
      { key: "a", operator: "In", values: ["x", "y"] },
      { key: "b", operator: "NotIn", values: ["z"] },
      { key: "c", operator: "Exists" },
      { key: "d", operator: "DoesNotExist" },
    ];
    const spec = { selector: { matchExpressions } };
    const workload = new ApiObject(newChart(), "web", { apiVersion: "apps/v1", kind: "Deployment", spec });
    expect(written(PodMatch.of(workload))).to.deep.equal({ podLabel: "a in (x,y),b notin (z),c,!d" });
  });

  it("uses the workload's namespace unless another is given", () => {
    const props = { apiVersion: "v1", kind: "Pod", metadata: { labels: { app: "web" } } };
    const pod = () => new ApiObject(newChart({ namespace: "web" }), "pod", props);
    expect([PodMatch.of(pod()), PodMatch.of(pod(), { namespace: "other" })].map(written)).to.deep.equal([
      { podLabel: "app=web", podNamespace: "web" },
      { podLabel: "app=web", podNamespace: "other" },
    ]);
  });
});

describe("PodMatch", () => {
  it("accepts labels, requirements and selectors, in one namespace or in all", () => {
    const matches = [
      PodMatch.labels({ app: "web", tier: "edge" }),
      PodMatch.query([LabelQuery.is("app", "web"), LabelQuery.exists("tier")], { namespace: "web" }),
      PodMatch.selector("app in (web),!old", { namespace: "web" }),
      PodMatch.inNamespace("web"),
    ];
    expect(matches.map(written)).to.deep.equal([
      { podLabel: "app=web,tier=edge" },
      { podLabel: "app=web,tier", podNamespace: "web" },
      { podLabel: "app in (web),!old", podNamespace: "web" },
      { podNamespace: "web" },
    ]);
  });
});
