import { ApiObject, App, Chart } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FlipopCrds, FlipopOperator, FloatingIPPool, OperatorFeature } from "../../src";
import { refusals } from "../support/charts";

const IN_OTHER_CHART = "rename one of the two, or set prop cluster if their charts are for different clusters";
const LEASE = 'both would use the Lease "floating-ip-pool-controller-leader-election", so only one would act';
const OTHER_NAMESPACE = "use another namespace, or set prop cluster if the charts are for different clusters";

function charts(...names: readonly string[]): readonly Chart[] {
  const app = new App();
  return names.map((name) => new Chart(app, name));
}

function pool(chart: Chart, id: string, last: number, extra: object = {}): FloatingIPPool {
  return new FloatingIPPool(chart, id, {
    metadata: { name: "web", namespace: "web" },
    ips: [`192.0.2.${last}`],
    ...extra,
  });
}

describe("two operators", () => {
  for (const [title, props] of [
    ["the same name", {}],
    ["another name", { name: "canary" }],
  ] as const) {
    it(`in one namespace are refused with ${title}, in one chart or in two`, () => {
      const [one, two] = charts("one", "two") as [Chart, Chart];
      new FlipopOperator(one, "a");
      new FlipopOperator(one, "b", { ...props, namespace: "flipop" });
      new FlipopOperator(two, "c", props);
      expect(refusals(one)).to.deep.equal([
        `[one/b] namespace: "flipop" is also the namespace of operator one/a, and ${LEASE}: ${OTHER_NAMESPACE}`,
        `[two/c] namespace: "flipop" is also the namespace of operator one/a, and ${LEASE}: ${OTHER_NAMESPACE}`,
      ]);
    });
  }

  it("in two namespaces, or in two clusters, are accepted", () => {
    const [one, staging, prod] = charts("one", "staging", "prod") as [Chart, Chart, Chart];
    new FlipopOperator(one, "a");
    new FlipopOperator(one, "b", { namespace: "other" });
    new FlipopOperator(staging, "operator", { cluster: "staging" });
    new FlipopOperator(prod, "operator", { cluster: "prod" });
    expect(refusals(one)).to.deep.equal([]);
  });

  it("with one namespace for Jobs create it once", () => {
    const [chart] = charts("one") as [Chart];
    const features = [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS];
    new FlipopOperator(chart, "a", { features });
    new FlipopOperator(chart, "b", { features, namespace: "other" });
    expect(refusals(chart)).to.deep.equal([
      '[one/b] createNamespaces: Namespace "flipop-jobs" is also defined by one/a: set createNamespaces to false, or remove the other one',
    ]);
  });

  it("whose cluster-wide names are equal are refused", () => {
    const [chart] = charts("one") as [Chart];
    new FlipopOperator(chart, "a", { name: "a-b", namespace: "c" });
    new FlipopOperator(chart, "b", { name: "a", namespace: "b-c" });
    expect(refusals(chart)[0]).to.equal(
      '[one/b] name: ClusterRole "a-b-c" is also defined by one/a: rename one of the two',
    );
  });
});

describe("two objects with the same kind, namespace and name", () => {
  it("are refused in one chart and in two", () => {
    const [one, two] = charts("one", "two") as [Chart, Chart];
    pool(one, "a", 1);
    pool(one, "b", 2);
    pool(two, "c", 3);
    const twin = 'metadata.name: FloatingIPPool "web" of namespace "web" is also defined by one/a';
    expect(refusals(one)).to.deep.equal([
      `[one/b] ${twin}: rename one of the two`,
      `[two/c] ${twin}: ${IN_OTHER_CHART}`,
    ]);
  });

  it("are accepted in two namespaces, and in two clusters", () => {
    const [one, staging, prod] = charts("one", "staging", "prod") as [Chart, Chart, Chart];
    pool(one, "a", 1);
    new FloatingIPPool(one, "b", { metadata: { name: "web", namespace: "other" }, ips: ["192.0.2.2"] });
    pool(staging, "a", 1, { cluster: "staging" });
    pool(prod, "a", 1, { cluster: "prod" });
    expect(refusals(one)).to.deep.equal([]);
  });

  it("are refused in two charts of the same cluster, also if another construct of the chart names it", () => {
    const [one, two] = charts("one", "two") as [Chart, Chart];
    pool(one, "a", 1, { cluster: "prod" });
    new FlipopOperator(two, "operator", { cluster: "prod" });
    pool(new Chart(two, "nested"), "b", 2);
    expect(refusals(one)).to.deep.equal([
      `[two/nested/b] metadata.name: FloatingIPPool "web" of namespace "web" is also defined by one/a: ${IN_OTHER_CHART}`,
    ]);
  });

  it("are refused if other libraries define one of them, before or after", () => {
    const [before, chart, after] = charts("before", "chart", "after") as [Chart, Chart, Chart];
    new kplus.Namespace(before, "ns", { metadata: { name: "flipop" } });
    new FlipopOperator(chart, "operator");
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "flipop-view" } };
    new ApiObject(after, "role", role);
    new ApiObject(after, "other-group", { ...role, apiVersion: "example.com/v1", metadata: { name: "flipop-edit" } });
    expect(refusals(chart)).to.deep.equal([
      '[chart/operator] createNamespaces: Namespace "flipop" is also defined by before/ns/Resource: set createNamespaces to false, or remove the other one, or set prop cluster if their charts are for different clusters',
      `[chart/operator] name: ClusterRole "flipop-view" is also defined by after/role: ${IN_OTHER_CHART}`,
    ]);
  });

  it("are refused for CustomResourceDefinitions, once", () => {
    const [one, two, prod] = charts("one", "two", "prod") as [Chart, Chart, Chart];
    new FlipopCrds(one, "crds");
    new FlipopCrds(two, "crds");
    new FlipopCrds(prod, "crds", { cluster: "prod" });
    expect(refusals(one)).to.deep.equal([
      `[two/crds] CustomResourceDefinition "floatingippools.flipop.digitalocean.com" is also defined by one/crds: ${IN_OTHER_CHART}`,
    ]);
  });

  it("are found again after a change of the app", () => {
    const [one, two] = charts("one", "two") as [Chart, Chart];
    pool(one, "a", 1);
    expect(refusals(one)).to.deep.equal([]);
    pool(two, "b", 2);
    expect(refusals(one)).to.have.length(1);
    two.node.tryRemoveChild("b");
    expect(refusals(one)).to.deep.equal([]);
  });
});

describe("prop cluster", () => {
  it("refuses a second cluster for a chart, and an empty name", () => {
    const [one, two] = charts("one", "two") as [Chart, Chart];
    pool(one, "a", 1, { cluster: "prod" });
    new FlipopOperator(one, "operator", { cluster: "staging" });
    new FlipopCrds(two, "crds", { cluster: " " });
    expect(refusals(one)).to.deep.equal([
      '[one/operator] cluster: "staging" differs from "prod" in the same chart: a chart is for one cluster',
      '[two/crds] cluster: " " is not a name: give one such as "prod"',
    ]);
  });
});
