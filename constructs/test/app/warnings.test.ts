import { ApiObject, App, Chart, Duration, JsonPatch } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopOperator,
  FloatingIPPool,
  NodeDNSRecordSet,
  PodMatch,
  ReclaimPolicy,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  ServiceRef,
} from "../../src";
import { warnings } from "../support/charts";

interface Case {
  readonly name: string;
  readonly make: (chart: Chart) => unknown;
  readonly says: readonly string[];
}

const record = (dnsRecord: DnsRecord) => (chart: Chart) => new NodeDNSRecordSet(chart, "doubtful", { dnsRecord });
const pool = (props: object) => (chart: Chart) => new FloatingIPPool(chart, "doubtful", { ips: ["8.8.8.8"], ...props });
const job = (image: string) => (chart: Chart) => {
  const made = RoutedIPJob.container({ image });
  const implementation = ClassImplementation.jobs(made, RoutedIPJob.container({ image: "registry.example/a:1" }));
  return new ClusterRoutedIPClass(chart, "doubtful", { implementation });
};
const deployment = (replicas: number, probe: boolean) => (chart: Chart) => {
  const pods = PodMatch.of(
    new ApiObject(chart, "web", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: { spec: { containers: [{ name: "web", ...(probe ? { readinessProbe: {} } : {}) }] } },
      },
    }),
  );
  return new FloatingIPPool(chart, "doubtful", { ips: ["8.8.8.8"], pods });
};

const UNVERSIONED = "each new pod may run another version, so give a version or a digest";

const CASES: readonly Case[] = [
  {
    name: "a private address",
    make: pool({ ips: ["10.0.0.1", "8.8.8.8"] }),
    says: [
      'ips[0]: "10.0.0.1" is not a public address (10.0.0.0/8 is for private networks), so no provider has it: list a reserved IP of the account',
    ],
  },
  {
    name: "a reserved IPv6 address",
    make: pool({ ips: ["2001:db8::5"] }),
    says: [
      'ips[0]: "2001:db8::5" is not a public address (2001:db8::/32 is for documentation), so no provider has it: list a reserved IP of the account',
    ],
  },
  {
    name: "a RoutedIP's private address",
    make: (chart) => {
      const issuer = RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do");
      const implementation = RoutedIPImplementation.issuer(issuer);
      new RoutedIP(chart, "doubtful", {
        implementation,
        service: ServiceRef.fromServiceName("a"),
        address: "192.168.1.1",
      });
    },
    says: [
      'address: "192.168.1.1" is not a public address (192.168.0.0/16 is for private networks), so no provider has it: list a reserved IP of the account',
    ],
  },
  {
    name: "name and zone swapped",
    make: record(DnsRecord.digitalOcean("example.com", "www")),
    says: [
      'dnsRecord: name "example.com" and zone "www" look swapped: the first argument is the name, the second the zone',
    ],
  },
  {
    name: "a full name as the zone",
    make: record(DnsRecord.cloudflare("example.com", "www.example.com")),
    says: [
      'dnsRecord: name "example.com" and zone "www.example.com" look swapped: the first argument is the name, the second the zone',
    ],
  },
  {
    name: "a zone's id as the name",
    make: record(DnsRecord.cloudflare("023e105f4ecef8ad9ca31a8372d0c353", "www")),
    says: [
      'dnsRecord: name "023e105f4ecef8ad9ca31a8372d0c353" and zone "www" look swapped: the first argument is the name, the second the zone',
    ],
  },
  {
    name: "a full name of another zone",
    make: record(DnsRecord.digitalOcean("nodes.example.org", "example.com")),
    says: [
      'dnsRecord: name "nodes.example.org" does not end with ".example.com", so the record is "nodes.example.org.example.com": give the zone of the name or, if you mean this record, its full name',
    ],
  },
  {
    name: "a TTL below DigitalOcean's minimum",
    make: record(DnsRecord.digitalOcean("www", "example.com", { ttl: Duration.seconds(5) })),
    says: [
      "dnsRecord.ttl: 5 seconds is less than the 30 seconds that DigitalOcean supports: the operator uses the nearest supported TTL",
    ],
  },
  {
    name: "a TTL below Cloudflare's minimum",
    make: record(DnsRecord.cloudflare("www", "example.com", { ttl: Duration.seconds(30) })),
    says: [
      "dnsRecord.ttl: 30 seconds is less than the 60 seconds that Cloudflare supports: the operator uses the nearest supported TTL",
    ],
  },
  {
    name: "more addresses than a new account may have",
    make: pool({ ips: [], desiredIps: 4, region: "nyc3" }),
    says: [
      "desiredIps: with this resource, the app needs 4 addresses, but a DigitalOcean account may have 3 by default: ask DigitalOcean for a higher limit",
    ],
  },
  {
    name: "more addresses in all resources together",
    make: (chart) => {
      for (const id of ["a", "b"])
        new FloatingIPPool(chart, id, { desiredIps: 2, region: "nyc3", metadata: { name: id } });
      new FloatingIPPool(chart, "doubtful", { desiredIps: 2, region: "nyc3" });
    },
    says: [
      "@b desiredIps: with this resource, the app needs 4 addresses, but a DigitalOcean account may have 3 by default: ask DigitalOcean for a higher limit",
    ],
  },
  {
    name: "a Job's image with tag latest",
    make: job("registry.example:5000/update:latest"),
    says: [
      `implementation.updateRoutedIP.template.spec.containers[0].image: "registry.example:5000/update:latest" has the tag latest: ${UNVERSIONED}`,
    ],
  },
  {
    name: "a Job's image without a tag",
    make: job("registry.example:5000/update"),
    says: [
      `implementation.updateRoutedIP.template.spec.containers[0].image: "registry.example:5000/update" has no tag, which means latest: ${UNVERSIONED}`,
    ],
  },
  {
    name: "an operator's image with tag latest, also from a patch",
    make: (chart) => {
      const operator = new FlipopOperator(chart, "doubtful");
      operator.deployment.addJsonPatch(JsonPatch.replace("/spec/template/spec/containers/0/image", "flipop:latest"));
    },
    says: [`image: "flipop:latest" has the tag latest: ${UNVERSIONED}`],
  },
  {
    name: "one pod of the operator",
    make: (chart) => new FlipopOperator(chart, "doubtful", { replicas: 1 }),
    says: ["replicas: while the only pod restarts or fails its health check, no address moves. Use 2 pods"],
  },
  {
    name: "one replica with a health check",
    make: deployment(1, true),
    says: [
      'pods: Deployment "web" has 1 replica and a health check: while the check fails, or another pod replaces this one, no node is a candidate. Use 2 replicas',
    ],
  },
  {
    name: "a token for one provider, but not for the other one that the app uses",
    make: (chart) => {
      new FlipopOperator(chart, "doubtful", { digitalOcean: Credentials.fromSecretName("do") });
      new NodeDNSRecordSet(chart, "nodes", { dnsRecord: DnsRecord.cloudflare("www", "example.com") });
    },
    says: [
      'cloudflare: resources of the app use Cloudflare, but no prop gives its token: set cloudflare, or put entry CLOUDFLARE_TOKEN into Secret "flipop" of namespace "flipop"',
    ],
  },
];

const FINE: Readonly<Record<string, (chart: Chart) => unknown>> = {
  "public addresses": pool({ ips: ["8.8.8.8", "172.32.0.1", "100.128.0.1"] }),
  "public IPv6 addresses": pool({ ips: ["2600::1", "2001:db9::1"] }),
  "five listed addresses": pool({ ips: ["8.8.8.1", "8.8.8.2", "8.8.8.3", "8.8.8.4", "8.8.8.5"] }),
  "a relative and a full name": (chart) => {
    record(DnsRecord.digitalOcean("www", "example.com"))(chart);
    new NodeDNSRecordSet(chart, "dots", { dnsRecord: DnsRecord.digitalOcean("api.eu.prod", "example.com") });
    new NodeDNSRecordSet(chart, "full", { dnsRecord: DnsRecord.cloudflare("a.example.com", "example.com") });
    new NodeDNSRecordSet(chart, "zone", { dnsRecord: DnsRecord.cloudflare("b.example.com", "0".repeat(32)) });
    new NodeDNSRecordSet(chart, "apex", { dnsRecord: DnsRecord.cloudflare("example.com", "example.com") });
  },
  "an automatic TTL": record(DnsRecord.cloudflare("www", "example.com", { ttl: Duration.seconds(1) })),
  "a digest": job(`registry.example/update@sha256:${"0".repeat(64)}`),
  "one replica without a health check": deployment(1, false),
  "two replicas": deployment(2, true),
  "a Deployment of cdk8s-plus": (chart) => {
    const containers = [{ image: "nginx:1.29", portNumber: 80, readiness: kplus.Probe.fromTcpSocket() }];
    const pods = PodMatch.of(new kplus.Deployment(chart, "web", { containers }));
    return new FloatingIPPool(chart, "doubtful", { ips: ["8.8.8.8"], pods });
  },
  "the default operator": (chart) => new FlipopOperator(chart, "doubtful"),
};

function warningsOf(make: (chart: Chart) => unknown): readonly string[] {
  const chart = new Chart(new App(), "test", { namespace: "flipop" });
  make(chart);
  return warnings(chart);
}

describe("a warning in the metadata of the construct", () => {
  for (const { name, make, says } of CASES) {
    it(`warns about ${name}`, () => {
      const lines = says.map((line) => line.replace(/^(?:@(\w+) )?/, (_, id: string) => `[test/${id ?? "doubtful"}] `));
      expect(warningsOf(make)).to.deep.equal(lines);
    });
  }

  for (const [name, make] of Object.entries(FINE)) {
    it(`does not exist for ${name}`, () => {
      expect(warningsOf(make)).to.deep.equal([]);
    });
  }
});

describe("ReclaimPolicy.DELETE in production", () => {
  const DELETE = ReclaimPolicy.DELETE;
  const make = (chart: Chart, cluster?: string): void => {
    const dnsRecord = DnsRecord.digitalOcean("www", "example.com", { deletionPolicy: DELETE });
    const props = cluster === undefined ? {} : { cluster };
    new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"], reclaimPolicy: DELETE, dnsRecord, ...props });
    const credentials = Credentials.fromSecretName("do");
    new RoutedIPIssuer(chart, "issuer", { reclaimPolicy: DELETE, credentials });
  };
  const says = (path: string, name: string): readonly string[] => [
    `[${path}/pool] reclaimPolicy: Delete in production ("${name}"): the operator releases a created address for good when nothing needs it any more. Consider ReclaimPolicy.RETAIN`,
    `[${path}/pool] dnsRecord.deletionPolicy: Delete in production ("${name}"): the operator deletes the record set when the resource is deleted. Consider ReclaimPolicy.RETAIN`,
    `[${path}/issuer] reclaimPolicy: Delete in production ("${name}"): the operator releases a created address for good when its RoutedIP is deleted. Consider ReclaimPolicy.RETAIN`,
  ];

  it("is doubtful: by the chart's id, its namespace, a label, or the cluster", () => {
    const byId = new Chart(new App(), "eu-prod");
    make(byId);
    expect(warnings(byId)).to.deep.equal(says("eu-prod", "eu-prod"));
    const byNamespace = new Chart(new App(), "web", { namespace: "web-production" });
    make(byNamespace);
    expect(warnings(byNamespace)).to.deep.equal(says("web", "web-production"));
    const byLabel = new Chart(new App(), "web", { labels: { env: "prod" } });
    make(byLabel);
    expect(warnings(byLabel)).to.deep.equal(says("web", "prod"));
    const byCluster = new Chart(new App(), "web");
    make(byCluster, "prod");
    expect(warnings(byCluster)).to.deep.equal(says("web", "prod"));
  });

  it("is accepted elsewhere", () => {
    for (const id of ["staging", "product", "reproduction"]) {
      const chart = new Chart(new App(), id);
      make(chart);
      expect(warnings(chart)).to.deep.equal([]);
    }
  });
});

describe("two operators in an app", () => {
  const watching = (namespaces: string[]) => (namespaces.length === 0 ? {} : { watchNamespaces: namespaces });
  const lists: readonly (readonly [first: string[], second: string[], watches: string | undefined])[] = [
    [[], [], "namespaces that this one watches"],
    [["a"], [], "namespaces that this one watches"],
    [["a", "b"], ["b", "c"], "namespace b"],
    [["a"], ["b"], undefined],
  ];
  for (const [first, second, watches] of lists) {
    it(`that watch [${first}] and [${second}] ${watches === undefined ? "give no warning" : "give one"}`, () => {
      const app = new App();
      const chart = new Chart(app, "one", { namespace: "one" });
      new FlipopOperator(chart, "operator", watching(first));
      new FlipopOperator(new Chart(app, "two", { namespace: "two" }), "operator", watching(second));
      const text = `[two/operator] watchNamespaces: operator one/operator also watches ${watches}, so both would act on the same resources: give each operator its own watchNamespaces, or set prop cluster if the charts are for different clusters`;
      expect(warnings(chart)).to.deep.equal(watches === undefined ? [] : [text]);
    });
  }

  it("of different clusters give no warning", () => {
    const app = new App();
    const chart = new Chart(app, "one", { namespace: "one" });
    new FlipopOperator(chart, "operator", { cluster: "a" });
    new FlipopOperator(new Chart(app, "two", { namespace: "two" }), "operator", { cluster: "b" });
    expect(warnings(chart)).to.deep.equal([]);
  });
});
