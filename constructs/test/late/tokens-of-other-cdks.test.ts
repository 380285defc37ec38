import { App, Chart, Lazy } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopOperator,
  FloatingIPPool,
  IpProvider,
  LabelQuery,
  NodeDNSRecordSet,
  NodeMatch,
  OperatorFeature,
  PodMatch,
  PortRange,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
  Toleration,
} from "../../src";
import { newChart, only, refusals } from "../support/charts";
import { AWS_CDK, CDKTF, OutputResolver, type TokenForm } from "../support/resolvers";
import { untyped } from "../support/untyped";

const FORMS: Readonly<Record<string, TokenForm>> = { "the AWS CDK": AWS_CDK, CDKTF };

/** A chart of an app with a resolver. */
function lateChart(form: TokenForm): { chart: Chart; tokens: OutputResolver } {
  const tokens = new OutputResolver(form);
  return { chart: new Chart(new App({ resolvers: [tokens] }), "test", { namespace: "web" }), tokens };
}

for (const [title, form] of Object.entries(FORMS)) {
  describe(`text tokens of ${title}`, () => {
    it("may be every text of a pool, also where the library composes them", () => {
      const { chart, tokens } = lateChart(form);
      new FloatingIPPool(chart, "pool", {
        metadata: { name: tokens.text("pool"), labels: { team: tokens.text("edge") } },
        region: tokens.text("nyc3"),
        provider: IpProvider.of(tokens.text("digitalocean")),
        desiredIps: 2,
        ips: [tokens.text("8.8.4.4")],
        pods: PodMatch.labels({ app: tokens.text("web") }, { namespace: tokens.text("ingress") }),
        nodes: NodeMatch.query([
          LabelQuery.in("tier", [tokens.text("a"), "b"]),
          LabelQuery.exists(tokens.text("edge")),
        ]),
        tolerations: [Toleration.key(tokens.text("dedicated"))],
        dnsRecord: DnsRecord.digitalOcean(tokens.text("www"), tokens.text("example.com")),
      });
      const { metadata, spec } = only(chart, "FloatingIPPool");
      expect(metadata).to.deep.equal({ name: "pool", namespace: "web", labels: { team: "edge" } });
      expect(spec).to.deep.equal({
        provider: "digitalocean",
        region: "nyc3",
        desiredIPs: 2,
        ips: ["8.8.4.4"],
        match: {
          podLabel: "app=web",
          podNamespace: "ingress",
          nodeLabel: "tier in (a,b),edge",
          tolerations: [{ key: "dedicated", operator: "Exists" }],
        },
        dnsRecordSet: { provider: "digitalocean", recordName: "www", zone: "example.com" },
      });
    });

    it("may be every text of RoutedIPs, issuers and classes", () => {
      const { chart, tokens } = lateChart(form);
      const credentials = Credentials.fromSecretName(tokens.text("do"), tokens.text("token"));
      const issuer = new RoutedIPIssuer(chart, "issuer", {
        metadata: { name: tokens.text("account") },
        region: tokens.text("nyc3"),
        firewallName: tokens.text("edge"),
        credentials,
      });
      new RoutedIP(chart, "ip", {
        implementation: RoutedIPImplementation.issuer(issuer),
        service: ServiceRef.fromServiceName(tokens.text("game"), tokens.text("games")),
        address: tokens.text("8.8.8.8"),
      });
      const job = RoutedIPJob.container({
        image: tokens.text("registry.example/update:1"),
        args: [tokens.text("assign")],
        env: { API: tokens.text("https://api.example") },
      });
      const spec = { template: { spec: { containers: [{ name: "a", image: tokens.text("registry.example/a:1") }] } } };
      new ClusterRoutedIPClass(chart, "class", {
        metadata: { name: "class" },
        implementation: ClassImplementation.jobs(job, RoutedIPJob.spec(spec)),
        nodePorts: PortRange.parse(tokens.text("31000-32000")),
        secrets: [SecretRef.fromSecretName(tokens.text("rack"))],
        allowedNamespaces: [tokens.text("web")],
      });
      expect(only(chart, "RoutedIPIssuer").metadata.name).to.equal("account");
      expect(only(chart, "RoutedIPIssuer").spec).to.include({ region: "nyc3", routedIPFirewallName: "edge" });
      expect(only(chart, "RoutedIPIssuer").spec["credentialsSecretRef"]).to.deep.equal({ name: "do", key: "token" });
      expect(only(chart, "RoutedIP").spec).to.deep.equal({
        issuerRef: { name: "account" },
        serviceRef: { serviceName: "game", namespace: "games" },
        routedIP: "8.8.8.8",
      });
      const classSpec = only(chart, "ClusterRoutedIPClass").spec;
      expect(classSpec).to.deep.include({ fromSecretsRef: [{ name: "rack" }], nodePortRange: "31000-32000" });
      expect(JSON.stringify(classSpec)).to.include('"image":"registry.example/update:1"').and.not.include("TOKEN");
    });

    it("are refused if they resolve to something that no prop allows", () => {
      const { chart, tokens } = lateChart(form);
      new FloatingIPPool(chart, "pool", { ips: [tokens.text("x"), tokens.text("8.8.8.8"), "8.8.8.8"] });
      expect(refusals(chart)).to.deep.equal([
        '[test/pool] ips[2]: "8.8.8.8" is listed twice: remove one',
        '[test/pool] ips[0]: "x" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length',
      ]);
    });

    it("are refused where any text is allowed, if the output is not deployed yet", () => {
      const { chart, tokens } = lateChart(form);
      new RoutedIPIssuer(chart, "issuer", { firewallName: tokens.text(undefined) });
      expect(refusals(chart)).to.deep.equal([
        "[test/issuer] firewallName: cannot be resolved: Failed fetching value for output web/ip: not deployed",
      ]);
    });

    it("are refused inside of another text, with the resolver's reason", () => {
      const { chart, tokens } = lateChart(form);
      new NodeDNSRecordSet(chart, "nodes", {
        dnsRecord: DnsRecord.digitalOcean(`${tokens.text("www")}-1`, "example.com"),
      });
      expect(refusals(chart)).to.have.length(1);
      expect(refusals(chart)[0]).to.match(
        /^\[test\/nodes\] dnsRecord\.recordName: cannot be resolved: Unable to find /,
      );
    });

    it("are fetched once in a synthesis", () => {
      const { chart, tokens } = lateChart(form);
      new FloatingIPPool(chart, "pool", { ips: [tokens.text("8.8.8.8"), tokens.text("8.8.4.4")] });
      expect(refusals(chart)).to.deep.equal([]);
      expect(tokens.fetched).to.equal(2);
    });

    it("are compared by what they resolve to", () => {
      const { chart, tokens } = lateChart(form);
      new FloatingIPPool(chart, "a", { ips: [tokens.text("8.8.8.8")], metadata: { name: tokens.text("same") } });
      new FloatingIPPool(chart, "b", { ips: ["8.8.8.8"], metadata: { name: "same" } });
      expect(refusals(chart)).to.deep.equal([
        '[test/b] metadata.name: FloatingIPPool "same" of namespace "web" is also defined by test/a: rename one of the two',
        '[test/b] ips[0]: "8.8.8.8" is also listed by test/a: remove it from one of the two',
      ]);
    });

    it("may be values of an operator, but not those that decide which objects exist", () => {
      const { chart, tokens } = lateChart(form);
      new FlipopOperator(chart, "operator", {
        image: tokens.text("registry.example/flipop:1"),
        env: { HTTPS_PROXY: tokens.text("http://egress.example:8080") },
        digitalOcean: Credentials.fromSecretName(tokens.text("clouds")),
        nodeSelector: { pool: tokens.text("infra") },
      });
      const text = JSON.stringify(only(chart, "Deployment").spec);
      for (const value of ["registry.example/flipop:1", "http://egress.example:8080", "clouds", "infra"]) {
        expect(text).to.include(`"${value}"`);
      }
      const { chart: other, tokens: more } = lateChart(form);
      new FlipopOperator(other, "operator", { watchNamespaces: ["web", more.text("games")] });
      expect(refusals(other)).to.deep.equal([
        "[test/operator] watchNamespaces: is a token, but it decides which objects exist or what their names are: give the value itself",
      ]);
    });
  });
}

describe("numbers and lists", () => {
  it("may be tokens of CDKTF", () => {
    const { chart, tokens } = lateChart(CDKTF);
    const ips = tokens.list(["8.8.8.8", "8.8.4.4"]);
    new FloatingIPPool(chart, "pool", { region: "nyc3", desiredIps: tokens.number(3), ips });
    new FlipopOperator(chart, "operator", { replicas: tokens.number(3) });
    expect(only(chart, "FloatingIPPool").spec).to.deep.include({ desiredIPs: 3, ips: ["8.8.8.8", "8.8.4.4"] });
    expect(only(chart, "Deployment").spec["replicas"]).to.equal(3);
  });

  it("are checked after they are resolved", () => {
    const { chart, tokens } = lateChart(CDKTF);
    new FloatingIPPool(chart, "pool", { region: "nyc3", desiredIps: tokens.number(3000), ips: tokens.list(["x"]) });
    expect(refusals(chart).map((line) => line.slice(0, 60))).to.deep.equal([
      "[test/pool] desiredIps: 3000 is too large: at most 1024",
      '[test/pool] ips[0]: "x" is not an IP address: give an IPv4 o',
    ]);
  });
});

describe("tokens that no resolver of the app knows", () => {
  for (const [title, form] of Object.entries(FORMS)) {
    it(`are refused wherever they are: ${title}`, () => {
      const { tokens } = lateChart(form);
      const chart = newChart();
      new FloatingIPPool(chart, "pool", {
        region: tokens.text("nyc3"),
        desiredIps: tokens.number(2),
        ips: tokens.list(["8.8.4.4"]),
      });
      const dnsRecord = DnsRecord.digitalOcean("www", tokens.text("example.com"));
      new FloatingIPPool(chart, "name", { ips: ["8.8.8.8"], dnsRecord });
      new FloatingIPPool(chart, "match", { ips: ["8.8.8.4"], pods: PodMatch.labels({ app: tokens.text("web") }) });
      const fix = "give the App a resolver for it (its property resolvers), or use a plain value";
      const said = `cannot be resolved: it is a token of another CDK, which no resolver of this app knows: ${fix}`;
      expect(refusals(chart)).to.deep.equal(
        ["pool] region", "pool] desiredIps", "pool] ips", "name] dnsRecord.zone", "match] pods.labels"].map(
          (prop) => `[test/${prop}: ${said}`,
        ),
      );
    });
  }
});

describe("Lazy values", () => {
  const late = <T>(produce: () => T): T => Lazy.any({ produce }) as T;

  it("may be any prop of a resource, and any part of it", () => {
    const { chart } = lateChart(CDKTF);
    const ips = ["8.8.8.8"];
    new FloatingIPPool(chart, "pool", {
      region: late(() => "nyc3"),
      desiredIps: late(() => ips.length + 1),
      ips: late(() => ips),
      pods: PodMatch.labels(late(() => ({ app: "web" }))),
      nodes: NodeMatch.labels({ pool: late(() => "edge") }),
      paused: late(() => false),
    });
    ips.push("8.8.4.4");
    expect(only(chart, "FloatingIPPool").spec).to.deep.equal({
      provider: "digitalocean",
      region: "nyc3",
      desiredIPs: 3,
      ips: ["8.8.8.8", "8.8.4.4"],
      match: { podLabel: "app=web", nodeLabel: "pool=edge" },
      paused: false,
    });
  });

  it("may be any value of an operator's pods", () => {
    const { chart } = lateChart(CDKTF);
    new FlipopOperator(chart, "operator", {
      replicas: late(() => 3),
      cpuRequest: late(() => "100m"),
      debug: late(() => true),
    });
    const spec = only(chart, "Deployment").spec as { replicas: number; template: unknown };
    expect(spec.replicas).to.equal(3);
    expect(JSON.stringify(spec.template)).to.include('"cpu":"100m"').and.include('"--debug=true"');
  });

  it("are checked like other values, and an error in one is a problem of its prop", () => {
    const { chart } = lateChart(CDKTF);
    new FloatingIPPool(chart, "a", { ips: untyped(late(() => "8.8.8.8")) });
    new FloatingIPPool(chart, "b", {
      ips: late((): string[] => {
        throw new Error("no state file");
      }),
    });
    new FlipopOperator(chart, "c", { replicas: late(() => -1), features: late(() => [OperatorFeature.POOLS]) });
    expect(refusals(chart)).to.deep.equal([
      '[test/a] ips: "8.8.8.8" is not a list: write ["8.8.8.8"]',
      "[test/b] ips: cannot be resolved: no state file",
      "[test/c] features: a Lazy is not a list: write [...]",
    ]);
  });
});
