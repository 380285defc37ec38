import { ApiObject, type App, Chart } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopOperator,
  type FlipopOperatorProps,
  FloatingIPPool,
  NodeDNSRecordSet,
  OperatorFeature,
  PodMatch,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  ServiceRef,
} from "../../src";
import { appWith, JOB, type Make, pool } from "../support/app-with-operator";
import { only, refusals } from "../support/charts";

/** A resource in namespace `web`, and what an operator without it lacks. */
interface Case {
  readonly name: string;
  readonly operator: FlipopOperatorProps;
  readonly make: Make;
  readonly says: readonly string[];
}

const SERVE = "or call serve(...) of the operator with this construct";

const CASES: readonly Case[] = [
  {
    name: "the feature of a pool",
    operator: { features: [OperatorFeature.DNS] },
    make: pool,
    says: [
      `[web/pool] needs feature "pools", which operator flipop/operator does not have: add it to features of the operator, ${SERVE}`,
    ],
  },
  {
    name: "the feature of a record set",
    operator: { features: [OperatorFeature.POOLS] },
    make: (chart) => new NodeDNSRecordSet(chart, "nodes", { dnsRecord: DnsRecord.digitalOcean("www", "example.com") }),
    says: [
      `[web/nodes] needs feature "dns", which operator flipop/operator does not have: add it to features of the operator, ${SERVE}`,
    ],
  },
  {
    name: "the feature of a class with Jobs",
    operator: {},
    make: (chart) => new ClusterRoutedIPClass(chart, "class", { implementation: ClassImplementation.jobs(JOB, JOB) }),
    says: [
      `[web/class] implementation.updateRoutedIP: needs feature "jobs", which operator flipop/operator does not have: add it to features of the operator, ${SERVE}`,
    ],
  },
  {
    name: "the watched namespace",
    operator: { watchNamespaces: ["a", "b"] },
    make: pool,
    says: [
      `[web/pool] metadata.namespace: operator flipop/operator does not watch namespace "web" (only a, b): add it to watchNamespaces, ${SERVE}`,
    ],
  },
  {
    name: "the namespace of pods",
    operator: { podNamespaces: ["web"] },
    make: (chart) => new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"], pods: PodMatch.inNamespace("ingress") }),
    says: [
      `[web/pool] pods.namespace: operator flipop/operator may not read pods of namespace "ingress" (only of web): add it to podNamespaces, ${SERVE}`,
    ],
  },
  {
    name: "the namespace of a workload",
    operator: { podNamespaces: ["a"] },
    make: (chart) => {
      const workload = new kplus.DaemonSet(chart, "set", { containers: [{ image: "nginx:1.29", portNumber: 80 }] });
      return new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"], pods: PodMatch.of(workload) });
    },
    says: [
      `[web/pool] pods.namespace: operator flipop/operator may not read pods of namespace "web" (only of a): add it to podNamespaces, ${SERVE}`,
    ],
  },
  {
    name: "the namespace of an issuer's Secret",
    operator: {},
    make: (chart) => new RoutedIPIssuer(chart, "issuer", { credentials: Credentials.fromSecretName("do") }),
    says: [
      `[web/issuer] metadata.namespace: operator flipop/operator may not read Secrets of namespace "web" (only of flipop): add it to issuerNamespaces, ${SERVE}`,
    ],
  },
  {
    name: "the namespace of Jobs",
    operator: { features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS] },
    make: (chart) =>
      new ClusterRoutedIPClass(chart, "class", {
        implementation: ClassImplementation.jobs(JOB, JOB),
        jobNamespace: "rack-jobs",
      }),
    says: [
      `[web/class] jobNamespace: operator flipop/operator may not run Jobs in namespace "rack-jobs" (only in flipop-jobs): add it to jobNamespaces, ${SERVE}`,
    ],
  },
  {
    name: "the namespace of a class's issuer",
    operator: {},
    make: (chart) => {
      const issuer = RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do", "team");
      return new ClusterRoutedIPClass(chart, "class", { implementation: ClassImplementation.issuer(issuer) });
    },
    says: [
      `[web/class] implementation: operator flipop/operator may not read Secrets of namespace "team" (only of flipop): add it to issuerNamespaces, ${SERVE}`,
    ],
  },
  {
    name: "several things at once",
    operator: { features: [OperatorFeature.POOLS], watchNamespaces: ["a"], podNamespaces: ["a"] },
    make: (chart) => {
      const issuer = new RoutedIPIssuer(chart, "issuer", { credentials: Credentials.fromSecretName("do") });
      const implementation = RoutedIPImplementation.issuer(issuer);
      return new RoutedIP(chart, "ip", { implementation, service: ServiceRef.fromServiceName("game", "games") });
    },
    says: [
      `[web/issuer] needs feature "routedip", which operator flipop/operator does not have: add it to features of the operator, ${SERVE}`,
      `[web/issuer] metadata.namespace: operator flipop/operator may not read Secrets of namespace "web" (only of none): add it to issuerNamespaces, ${SERVE}`,
      `[web/ip] needs feature "routedip", which operator flipop/operator does not have: add it to features of the operator, ${SERVE}`,
      `[web/ip] implementation: operator flipop/operator may not read Secrets of namespace "web" (only of none): add it to issuerNamespaces, ${SERVE}`,
      `[web/ip] metadata.namespace: operator flipop/operator does not watch namespace "web" (only a): add it to watchNamespaces, ${SERVE}`,
      `[web/ip] service: operator flipop/operator does not watch namespace "games" (only a): add it to watchNamespaces, ${SERVE}`,
    ],
  },
];

describe("a plain object of an app with an operator", () => {
  const plain = (chart: Chart): ApiObject =>
    new ApiObject(chart, "raw", {
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "FloatingIPPool",
      metadata: { name: "raw" },
      spec: { provider: "digitalocean", ips: ["8.8.8.8"] },
    });

  it("is refused if no operator serves it", () => {
    const { web, flipop } = appWith({ features: [OperatorFeature.DNS], watchNamespaces: ["a"] });
    plain(web);
    expect(refusals(flipop)).to.deep.equal([
      '[flipop/operator] FloatingIPPool "raw" of web/raw: needs feature "pools", which operator flipop/operator does not have: add it to features of the operator',
      '[flipop/operator] FloatingIPPool "raw" of web/raw: metadata.namespace: operator flipop/operator does not watch namespace "web" (only a): add it to watchNamespaces',
    ]);
  });

  it("is refused once, by the operator that lacks least", () => {
    const { web, flipop } = appWith({ features: [OperatorFeature.DNS], watchNamespaces: ["a"] });
    const second = new Chart(flipop.node.root as App, "second", { namespace: "second" });
    new FlipopOperator(second, "operator", { name: "second", watchNamespaces: ["b"] });
    plain(web);
    expect(refusals(flipop)).to.deep.equal([
      '[second/operator] FloatingIPPool "raw" of web/raw: metadata.namespace: operator second/operator does not watch namespace "web" (only b): add it to watchNamespaces',
    ]);
  });

  it("is accepted if one does", () => {
    const { web, flipop } = appWith({ watchNamespaces: ["web"] });
    plain(web);
    expect(refusals(flipop)).to.deep.equal([]);
  });
});

describe("a resource of an app with an operator", () => {
  for (const { name, operator: props, make, says } of CASES) {
    it(`is refused if the operator lacks ${name}`, () => {
      const { web } = appWith(props);
      make(web);
      expect(refusals(web)).to.deep.equal(says);
    });

    it(`is accepted after serve adds ${name}`, () => {
      const { web, operator } = appWith(props);
      operator.serve(make(web));
      expect(refusals(web)).to.deep.equal([]);
    });
  }

  it("may have another operator, and is then served by that one", () => {
    const { web, flipop } = appWith({ watchNamespaces: ["a"] });
    new FlipopOperator(new Chart(flipop.node.root as App, "second"), "operator", {
      name: "second",
      namespace: "second",
      watchNamespaces: ["web"],
    });
    pool(web);
    expect(refusals(web)).to.deep.equal([]);
  });

  it("is not compared with the operator of another cluster", () => {
    const { web } = appWith({ watchNamespaces: ["a"], cluster: "staging" });
    new FloatingIPPool(web, "pool", { ips: ["8.8.8.8"], cluster: "prod" });
    expect(refusals(web)).to.deep.equal([]);
  });

  it("has an unknown namespace without metadata and chart namespace: that is not checked", () => {
    const { operator } = appWith({ watchNamespaces: ["a"] });
    const chart = new Chart(operator.node.root as App, "nowhere");
    pool(chart);
    expect(refusals(chart)).to.deep.equal([]);
  });

  it("of a class of Jobs needs both features, and serve adds them", () => {
    const { web, flipop, operator } = appWith({ features: [OperatorFeature.POOLS] });
    const rack = new ClusterRoutedIPClass(web, "class", { implementation: ClassImplementation.jobs(JOB, JOB) });
    const implementation = RoutedIPImplementation.clusterClass(rack);
    const ip = new RoutedIP(web, "ip", { implementation, service: ServiceRef.fromServiceName("game") });
    expect(refusals(web).join("\n")).to.include('[web/ip] needs feature "routedip", which operator flipop/operator');
    operator.serve(ip);
    expect(JSON.stringify(only(flipop, "Deployment").spec)).to.include("--features=pools,routedip,jobs");
  });

  it("may refer to an issuer of the operator's namespace, which uses the operator's token", () => {
    const { web, flipop } = appWith({ issuerNamespaces: ["team"] });
    const issuer = new RoutedIPIssuer(flipop, "issuer", { metadata: { namespace: "flipop" } });
    new ClusterRoutedIPClass(web, "class", { implementation: ClassImplementation.issuer(issuer) });
    expect(refusals(web)).to.deep.equal([]);
  });

  it("may have a Service whose pods the operator cannot read: only their hostPorts are then unknown", () => {
    const { web, flipop, operator } = appWith({ podNamespaces: ["a"], issuerNamespaces: ["web"] });
    const issuer = RoutedIPIssuer.fromRoutedIPIssuerName(web, "issuer", "do", "web");
    const implementation = RoutedIPImplementation.issuer(issuer);
    const ip = new RoutedIP(web, "ip", { implementation, service: ServiceRef.fromServiceName("game", "games") });
    expect(refusals(web)).to.deep.equal([]);
    operator.serve(ip);
    expect(JSON.stringify(only(flipop, "Deployment").spec)).to.include("--pod-namespaces=a,games");
  });

  it("must not select pods of all namespaces if the operator may read only some", () => {
    const { web, operator } = appWith({ podNamespaces: ["a"] });
    const pods = PodMatch.labels({ app: "web" });
    operator.serve(new FloatingIPPool(web, "pool", { ips: ["8.8.8.8"], pods }));
    expect(refusals(web)).to.deep.equal([
      "[web/pool] pods: selects pods of all namespaces, but operator flipop/operator may read only those of a: give option namespace of PodMatch",
    ]);
  });

  it("cannot use the operator's token from another namespace", () => {
    const { web, operator } = appWith({});
    operator.serve(new RoutedIPIssuer(web, "issuer"));
    expect(refusals(web)).to.deep.equal([
      '[web/issuer] credentials: is missing, and only an issuer in namespace "flipop" may use the token of operator flipop/operator, but this one is in "web": give Credentials.fromSecretName(...)',
    ]);
  });
});
