import { type Chart, Lazy } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  type FlipopResource,
  FloatingIPPool,
  NodeMatch,
  OperatorFeature,
  PodMatch,
  RoutedIPIssuer,
  Toleration,
} from "../../src";
import { appWith, JOB, pool } from "../support/app-with-operator";
import { only, refusals, synth } from "../support/charts";
import { untyped } from "../support/untyped";

describe("serve", () => {
  it("adds only what is missing: the objects equal those of an operator with these props", () => {
    const make = (chart: Chart): FlipopResource[] => [
      pool(chart),
      new ClusterRoutedIPClass(chart, "class", {
        implementation: ClassImplementation.jobs(JOB, JOB),
        jobNamespace: "rack-jobs",
      }),
    ];
    const served = appWith({ features: [OperatorFeature.DNS], watchNamespaces: ["a"], podNamespaces: ["a"] });
    const resources = make(served.web);
    served.operator.serve(...resources);
    served.operator.serve(...resources);
    const given = appWith({
      features: [OperatorFeature.POOLS, OperatorFeature.DNS, OperatorFeature.ROUTED_IP, OperatorFeature.JOBS],
      watchNamespaces: ["a", "web"],
      podNamespaces: ["a"],
      jobNamespaces: ["flipop-jobs", "rack-jobs"],
    });
    make(given.web);
    const titles = (chart: Chart): readonly string[] =>
      synth(chart)
        .map((one) => JSON.stringify(one))
        .sort();
    expect(titles(served.flipop)).to.deep.equal(titles(given.flipop));
    expect(served.operator.roles).to.have.length(given.operator.roles.length);
    expect(served.operator.jobNamespaceObjects).to.have.length(2);
  });

  it("adds what is known before synthesis, also beside Lazy values", () => {
    const late = <T>(value: T): T => Lazy.any({ produce: () => value }) as T;
    const { web, operator } = appWith({
      features: [OperatorFeature.DNS],
      watchNamespaces: ["a"],
      podNamespaces: ["a"],
    });
    const made = new FloatingIPPool(web, "pool", {
      ips: late(["8.8.8.8"]),
      desiredIps: late(1),
      pods: PodMatch.labels({ app: late("web") }, { namespace: "ingress" }),
      nodes: NodeMatch.selector(late("pool=edge")),
    });
    made.addIps(late("8.8.4.4"));
    made.addTolerations(Toleration.key(late("dedicated")));
    operator.serve(made);
    expect(refusals(web)).to.deep.equal([]);
  });

  it("leaves an operator without limits unchanged", () => {
    const { web, flipop, operator } = appWith({});
    operator.serve(pool(web));
    expect(synth(flipop)).to.deep.equal(synth(appWith({}).flipop));
  });

  it("adds the namespace of an issuer to those whose Secrets the operator reads, and to no other list", () => {
    const { web, flipop, operator } = appWith({ watchNamespaces: ["a"] });
    operator.serve(new RoutedIPIssuer(web, "issuer", { credentials: Credentials.fromSecretName("do") }));
    expect(refusals(web)).to.deep.equal([]);
    const deployment = JSON.stringify(only(flipop, "Deployment").spec);
    expect(deployment).to.include('--watch-namespaces=a"');
    expect(deployment).to.include("--issuer-namespaces=flipop,web");
  });

  it("limits the operator's writes to the namespaces that it adds", () => {
    const { web, flipop, operator } = appWith({ watchNamespaces: ["a"] });
    operator.serve(pool(web));
    const policies = synth(flipop).filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
    expect(JSON.stringify(policies)).to.include("'a,web'");
    expect(JSON.stringify(only(flipop, "Deployment").spec)).to.include("--watch-namespaces=a,web");
  });

  it("refuses what is not a resource of the app, because it would have no effect", () => {
    const { web, flipop, operator } = appWith({});
    const imported = FloatingIPPool.fromFloatingIPPoolName(web, "mail", "mail");
    operator.serve(pool(web), ...[imported, web, "web/pool", null].map(untyped));
    const fix =
      "is not a resource that this app creates: give a FloatingIPPool, for example; for a resource outside of the app, set the props of the operator (features, watchNamespaces)";
    const found = ['construct "web/mail"', 'construct "web"', '"web/pool"', "null"];
    expect(refusals(flipop)).to.deep.equal(found.map((value) => `[flipop/operator] serve: ${value} ${fix}`));
  });
});
