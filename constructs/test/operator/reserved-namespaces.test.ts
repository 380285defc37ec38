import { ApiObject, Chart, Testing } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FlipopOperator, type FlipopOperatorProps, OperatorFeature } from "../../src";
import { newChart, refusals, warnings } from "../support/charts";
import { problemsOf, synthOperator, titles } from "./synth";

const { ROUTED_IP, JOBS } = OperatorFeature;
const FIX =
  "belongs to Kubernetes, and this construct would create it with Pod Security labels, which stop other pods there: use another namespace, or set createNamespaces to false";

/** The Namespaces among the objects, also those of an operator that synthesis refuses. */
function namespacesOf(props: FlipopOperatorProps, chartNamespace?: string): readonly string[] {
  const chart = newChart(chartNamespace === undefined ? {} : { namespace: chartNamespace });
  new FlipopOperator(chart, "operator", props);
  const objects = chart.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
  return objects.filter(({ kind }) => kind === "Namespace").map(({ name }) => name);
}

describe("the namespaces of Kubernetes", () => {
  for (const namespace of ["default", "kube-system", "kube-public", "kube-node-lease", "kube-anything"]) {
    it(`are never created by an operator in one of them: ${namespace}`, () => {
      expect(problemsOf({ namespace })).to.deep.equal([`[test/operator] namespace: "${namespace}" ${FIX}`]);
      expect(namespacesOf({ namespace })).to.deep.equal([]);
    });

    it(`are never created for Jobs: ${namespace}`, () => {
      const props = { features: [ROUTED_IP, JOBS], jobNamespaces: ["work", namespace] };
      expect(problemsOf(props)).to.deep.equal([`[test/operator] jobNamespaces[1]: "${namespace}" ${FIX}`]);
      expect(namespacesOf(props)).to.deep.equal(["flipop", "work"]);
    });
  }

  it("are refused if the chart names one", () => {
    const chart = newChart({ namespace: "default" });
    new FlipopOperator(chart, "operator");
    expect(refusals(chart)).to.deep.equal([`[test/operator] namespace: "default" ${FIX}`]);
    expect(namespacesOf({}, "default")).to.deep.equal([]);
  });

  it("are never created if they are only watched", () => {
    const lists = ["default", "kube-system"];
    const objects = synthOperator({ watchNamespaces: lists, podNamespaces: lists, issuerNamespaces: lists });
    expect(titles(objects).filter((title) => title.startsWith("Namespace"))).to.deep.equal(["Namespace flipop"]);
  });

  it("can hold an operator and Jobs that create no namespace", () => {
    const props = { createNamespaces: false, namespace: "kube-system", features: [ROUTED_IP, JOBS] };
    const objects = synthOperator({ ...props, jobNamespaces: ["default"] });
    expect(titles(objects).filter((title) => title.startsWith("Namespace"))).to.deep.equal([]);
    expect(titles(objects)).to.include("Deployment kube-system flipop");
  });

  it("do not include namespaces with similar names", () => {
    for (const namespace of ["defaults", "my-kube-system", "kube"]) expect(problemsOf({ namespace })).to.deep.equal([]);
  });
});

describe("an operator that creates no namespaces", () => {
  const MUST_EXIST = "must exist when you apply the manifest, because createNamespaces is false";

  it("names at synthesis the namespaces that must exist", () => {
    const chart = newChart();
    new FlipopOperator(chart, "operator", { createNamespaces: false, features: [ROUTED_IP, JOBS] });
    expect(warnings(chart)).to.deep.equal([
      `[test/operator] namespace "flipop" ${MUST_EXIST}`,
      `[test/operator] namespace "flipop-jobs" ${MUST_EXIST}`,
    ]);
  });

  it("does not name namespaces that the app or Kubernetes creates", () => {
    const app = Testing.app();
    const chart = new Chart(app, "test");
    const metadata = { name: "flipop" };
    new ApiObject(new Chart(app, "namespaces"), "ns", { apiVersion: "v1", kind: "Namespace", metadata });
    new FlipopOperator(chart, "operator", { createNamespaces: false, watchNamespaces: ["flipop"] });
    const system = { namespace: "kube-system", watchNamespaces: ["kube-system"] };
    new FlipopOperator(chart, "system", { createNamespaces: false, ...system });
    expect(warnings(chart)).to.deep.equal([]);
  });

  it("is not warned about if it creates them", () => {
    const chart = newChart();
    new FlipopOperator(chart, "operator");
    expect(warnings(chart)).to.deep.equal([]);
  });
});
