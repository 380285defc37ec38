import { type Chart, Lazy } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  DnsRecord,
  FlipopOperator,
  FloatingIPPool,
  NodeDNSRecordSet,
  NodeMatch,
  PodMatch,
  RoutedIP,
  RoutedIPIssuer,
  ServiceRef,
} from "../src";
import { container, synthOperator } from "./operator/synth";
import { newChart, refusals } from "./support/charts";
import { untyped } from "./support/untyped";

const IPS = { ips: ["192.0.2.10"] };
const DNS = "is missing: give DnsRecord.digitalOcean(...) or DnsRecord.cloudflare(...)";

const A_JOB = "RoutedIPJob.container(...) or RoutedIPJob.spec(...)";

function pool(props: object): (chart: Chart) => unknown {
  return (chart) => new FloatingIPPool(chart, "p", untyped({ ...IPS, ...props }));
}

function operator(props: object): (chart: Chart) => unknown {
  return (chart) => new FlipopOperator(chart, "p", untyped(props));
}

const CASES: readonly (readonly [title: string, make: (chart: Chart) => unknown, ...says: string[]])[] = [
  [
    "seconds for a Duration",
    pool({ gracePeriod: 30 }),
    "gracePeriod: 30 is not a Duration: write Duration.seconds(30)",
  ],
  [
    "text for a Duration",
    pool({ assignmentCoolOff: "5m" }),
    'assignmentCoolOff: "5m" is not a Duration: write Duration.seconds(30)',
  ],
  [
    "seconds for a TTL",
    pool({ dnsRecord: DnsRecord.digitalOcean("www", "example.com", untyped({ ttl: 60 })) }),
    "dnsRecord.ttl: 60 is not a Duration: write Duration.seconds(60)",
  ],
  [
    "seconds for an operator's resync",
    operator({ resync: 30 }),
    "resync: 30 is not a Duration: write Duration.seconds(30)",
  ],
  ["no dnsRecord", (chart) => new NodeDNSRecordSet(chart, "p", untyped({})), `dnsRecord: ${DNS}`],
  ["no props", (chart) => new NodeDNSRecordSet(chart, "p", untyped(undefined)), `dnsRecord: ${DNS}`],
  [
    "a class without props",
    (chart) => new ClusterRoutedIPClass(chart, "p", untyped(undefined)),
    "implementation: is missing: give ClassImplementation.issuer(...) or ClassImplementation.jobs(...)",
  ],
  [
    "a RoutedIP without props",
    (chart) => new RoutedIP(chart, "p", untyped({})),
    "implementation: is missing: give RoutedIPImplementation.issuer(...) or RoutedIPImplementation.clusterClass(...)",
    "service: is missing: give ServiceRef.fromService(...) or ServiceRef.fromServiceName(...)",
  ],
  [
    "a construct for the implementation",
    (chart) =>
      new RoutedIP(
        chart,
        "p",
        untyped({ implementation: new RoutedIPIssuer(chart, "issuer"), service: ServiceRef.fromServiceName("a") }),
      ),
    "implementation: an object is not a RoutedIPImplementation: write RoutedIPImplementation.issuer(...) or RoutedIPImplementation.clusterClass(...)",
  ],
  [
    "a Job that is undefined",
    (chart) =>
      new ClusterRoutedIPClass(chart, "p", {
        implementation: ClassImplementation.jobs(untyped(undefined), untyped(undefined)),
      }),
    `implementation.updateRoutedIP: is missing: give ${A_JOB}`,
  ],
  [
    "an issuer that is undefined",
    (chart) => new ClusterRoutedIPClass(chart, "p", { implementation: ClassImplementation.issuer(untyped(undefined)) }),
    "implementation: undefined is not a construct: give a RoutedIPIssuer",
  ],
  [
    "labels for a PodMatch",
    pool({ pods: { app: "web" } }),
    "pods: an object is not a PodMatch: write PodMatch.of(...) or PodMatch.labels(...)",
  ],
  [
    "no labels for pods",
    pool({ pods: PodMatch.labels(untyped(undefined)) }),
    "pods.labels: is missing: give an object",
  ],
  [
    "the name of a provider",
    pool({ provider: "digitalocean" }),
    'provider: "digitalocean" is not an IpProvider: write IpProvider.DIGITALOCEAN or IpProvider.of(...)',
  ],
  ["an address for a list", pool({ ips: "192.0.2.10" }), 'ips: "192.0.2.10" is not a list: write ["192.0.2.10"]'],
  ["a number in a list", pool({ ips: ["192.0.2.10", 1] }), 'ips[1]: 1 is not a string: write "1"'],
  [
    "a toleration for a list",
    pool({ tolerations: NodeMatch.labels({}) }),
    "tolerations: an object is not a list: write [...]",
  ],
  ["a misspelt prop", pool({ desiredIPs: 3 }), "desiredIPs: 3 is given, but there is no such prop: use desiredIps"],
  [
    "a prop without its last letter",
    pool({ gracePerod: 3 }),
    "gracePerod: 3 is given, but there is no such prop: use gracePeriod",
  ],
  [
    "a misspelt prop of an operator",
    operator({ memorylimit: "1Gi" }),
    'memorylimit: "1Gi" is given, but there is no such prop: use memoryLimit',
  ],
  [
    "a namespace for a list",
    operator({ watchNamespaces: "web" }),
    'watchNamespaces: "web" is not a list: write ["web"]',
  ],
  [
    "text for credentials",
    operator({ digitalOcean: "flipop" }),
    'digitalOcean: "flipop" is not Credentials: write Credentials.fromSecretName(...)',
  ],
  ["a number for an image", operator({ image: 5 }), 'image: 5 is not a string: write "5"'],
  ["an object for a name", operator({ name: {} }), 'name: an object is not a string: write "..."'],
  ["text for a number", operator({ replicas: "3" }), 'replicas: "3" is not a number: write 3'],
  [
    "text for booleans",
    operator({ createNamespaces: "no", admissionPolicy: "false", dryRun: "True" }),
    'createNamespaces: "no" is not a boolean: write true or false',
    'dryRun: "True" is not a boolean: write true',
    'admissionPolicy: "false" is not a boolean: write false',
  ],
  [
    "an unknown scrape object",
    operator({ scrape: "servicemonitor" }),
    'scrape: "servicemonitor" is not a MetricsScrape: write MetricsScrape.SERVICE_MONITOR or MetricsScrape.POD_MONITOR',
  ],
  [
    "options for a scrape object",
    operator({ scrape: { kind: "ServiceMonitor", intervall: "30s" } }),
    "scrape: an object is not a MetricsScrape: write MetricsScrape.SERVICE_MONITOR or MetricsScrape.POD_MONITOR",
  ],
  [
    "a Map for variables",
    operator({ env: new Map([["A", "a"]]) }),
    "env: a Map is not a plain object: write Object.fromEntries(...)",
  ],
  [
    "a list for labels",
    operator({ nodeSelector: [] }),
    "nodeSelector: a list is not a plain object: write { key: value }",
  ],
  [
    "no text in variables and labels",
    operator({ env: { A: 1, B: "b", C: {} }, nodeSelector: { spot: true } }),
    'nodeSelector.spot: true is not a string: write "true"',
    'env.A: 1 is not a string: write "1"',
    'env.C: an object is not a string: write "..."',
  ],
];

describe("props without a type check", () => {
  for (const [title, make, ...says] of CASES) {
    it(`are refused at synthesis: ${title}`, () => {
      const chart = newChart();
      make(chart);
      expect(refusals(chart)).to.deep.equal(says.map((line) => `[test/p] ${line}`));
    });
  }

  it("are accepted if they are undefined, whatever their names", () => {
    const chart = newChart();
    pool({ ports: undefined, region: undefined, desiredIPs: undefined })(chart);
    expect(refusals(chart)).to.deep.equal([]);
  });

  it("are also read from getters", () => {
    class Props {
      get watchNamespaces() {
        return ["web"];
      }
      get dryRun() {
        return true;
      }
    }
    const args = (props: object) => container(synthOperator(untyped(props))).args;
    expect(args(new Props())).to.include.members(["--watch-namespaces=web", "--dry-run=true"]);
    const chart = newChart();
    const { cleanupPolicy } = new FlipopOperator(chart, "p", untyped(Object.assign(new Props(), { image: 5 })));
    expect([cleanupPolicy?.kind, refusals(chart)]).to.deep.equal([
      "ValidatingAdmissionPolicy",
      ['[test/p] image: 5 is not a string: write "5"'],
    ]);
  });

  it("are also checked in getters", () => {
    class Props {
      get pods() {
        return { app: "web" };
      }
      get ips() {
        return IPS.ips;
      }
    }
    const chart = newChart();
    new FloatingIPPool(chart, "p", untyped(new Props()));
    expect(refusals(chart)).to.deep.equal([
      "[test/p] pods: an object is not a PodMatch: write PodMatch.of(...) or PodMatch.labels(...)",
    ]);
  });

  it("are accepted if a variable's text is lazy or undefined", () => {
    const late: unknown = Lazy.any({ produce: () => "http://egress.example:8080" });
    const { env } = container(synthOperator(untyped({ env: { HTTPS_PROXY: late, NO_PROXY: undefined } })));
    expect(env).to.deep.include.members([
      { name: "HTTPS_PROXY", value: "http://egress.example:8080" },
      { name: "NO_PROXY" },
    ]);
  });
});
