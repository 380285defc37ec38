import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiObject, App, Chart, Duration, JsonPatch, Lazy, Size, YamlOutputType } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { parseAllDocuments } from "yaml";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopCrds,
  FlipopOperator,
  FloatingIPPool,
  IpFamily,
  MetricsScrape,
  NodeDNSRecordSet,
  NodeMatch,
  PodMatch,
  ReclaimPolicy,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  ServiceRef,
} from "../../src";
import { CDKTF, OutputResolver } from "../support/resolvers";

const CLUSTERS = ["dev", "staging", "prod"];
const TYPES = Object.entries(YamlOutputType).filter(
  (entry): entry is [string, YamlOutputType] => typeof entry[1] === "number",
);

/** The installation of a cluster. It is limited to namespaces, and serve adds those of the teams. */
function install(app: App, cluster: string): FlipopOperator {
  const chart = new Chart(app, `${cluster}-flipop`);
  new FlipopCrds(chart, "crds", { cluster });
  return new FlipopOperator(chart, "operator", {
    watchNamespaces: ["flipop"],
    podNamespaces: ["flipop"],
    digitalOcean: Credentials.fromSecretName("clouds", "digitalocean"),
    cloudflare: Credentials.fromSecretName("clouds", "cloudflare"),
    tokenFiles: true,
    cpuRequest: kplus.Cpu.millis(100),
    memoryLimit: Size.mebibytes(512),
    podAnnotations: { "example.com/cluster": cluster },
    networkPolicy: true,
    scrape: MetricsScrape.SERVICE_MONITOR,
    alertRules: true,
    dashboard: true,
  });
}

/** A web team: a pool with addresses from another CDK, records of all nodes, and people who manage the pool. */
function web(app: App, cluster: string, ip: string): readonly [FloatingIPPool, NodeDNSRecordSet] {
  const chart = new Chart(app, `${cluster}-web`, { namespace: "web" });
  const proxy = new kplus.DaemonSet(chart, "proxy", { containers: [{ image: "nginx:1.29", portNumber: 8080 }] });
  const pool = new FloatingIPPool(chart, "pool", {
    metadata: { name: "web" },
    cluster,
    ips: [ip],
    pods: PodMatch.of(proxy),
    nodes: NodeMatch.doksNodePool("edge"),
    gracePeriod: Duration.seconds(30),
    reclaimPolicy: ReclaimPolicy.DELETE,
    dnsRecord: DnsRecord.digitalOcean("www", "example.com"),
  });
  pool.addIps(Lazy.any({ produce: () => "8.8.4.4" }) as string);
  pool.apiObject.addJsonPatch(JsonPatch.add("/spec/assignmentCoolOffSeconds", 1.5));
  const nodes = new NodeDNSRecordSet(chart, "nodes", {
    metadata: { name: "nodes" },
    dnsRecord: DnsRecord.cloudflare("nodes.example.com", "example.com", { ttl: Duration.minutes(5) }),
    ipFamilies: [IpFamily.IPV4, IpFamily.IPV6],
  });
  pool.grantManage(kplus.Group.fromName(chart, "group", "web-team"));
  new kplus.Role(chart, "role").allowRead(pool, nodes);
  return [pool, nodes];
}

/** Voice servers, with an account of their own, and with the Jobs of a rack. */
function voice(app: App, cluster: string): readonly (ClusterRoutedIPClass | RoutedIP)[] {
  const chart = new Chart(app, `${cluster}-voice`, { namespace: "voice" });
  const issuer = new RoutedIPIssuer(chart, "issuer", {
    metadata: { name: "digitalocean" },
    cluster,
    region: "nyc3",
    credentials: Credentials.fromSecretName("digitalocean", "token"),
    firewallName: "voice",
  });
  const update = new kplus.Job(chart, "update", { containers: [{ image: "registry.example/rack-network:1.4" }] });
  const job = RoutedIPJob.of(update);
  const rack = new ClusterRoutedIPClass(chart, "rack", {
    metadata: { name: "rack" },
    implementation: ClassImplementation.jobs(job, job),
    allowedNamespaces: ["mail"],
  });
  rack.allowNamespace("voice");
  const ip = (id: string, implementation: RoutedIPImplementation): RoutedIP =>
    new RoutedIP(chart, id, {
      metadata: { name: id },
      implementation,
      service: ServiceRef.fromServiceName(id, "voice"),
    });
  const game = ip("gateway", RoutedIPImplementation.issuer(issuer));
  return [rack, game, ip("relay", RoutedIPImplementation.clusterClass(rack))];
}

function realisticApp(outdir: string, yamlOutputType: YamlOutputType): App {
  const tokens = new OutputResolver(CDKTF);
  const app = new App({ outdir, yamlOutputType, resolvers: [tokens] });
  for (const cluster of CLUSTERS) {
    const operator = install(app, cluster);
    operator.serve(...web(app, cluster, tokens.text("8.8.8.8")), ...voice(app, cluster));
  }
  return app;
}

describe("an app with three clusters and all features", () => {
  let outdir: string;

  beforeEach(() => {
    outdir = mkdtempSync(join(tmpdir(), "flipop-realistic-"));
  });
  afterEach(() => rmSync(outdir, { recursive: true }));

  const objectsIn = (folder: string): readonly string[] => {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
    const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
    return texts.flatMap((text) => parseAllDocuments(text).map((one) => JSON.stringify(one.toJS()))).sort();
  };

  for (const [title, type] of TYPES) {
    // The clusters have objects with the same names, which this type would write to the same files.
    const fits = type !== YamlOutputType.FILE_PER_RESOURCE;

    it(`is ${fits ? "written completely" : "refused"}: ${title}`, () => {
      const app = realisticApp(outdir, type);
      if (!fits) {
        expect(() => app.synth()).to.throw('the file of FloatingIPPool "web" would overwrite that of dev-web/pool');
        return;
      }
      app.synth();
      const objects = app.charts.flatMap((chart) => chart.toJson() as unknown[]).map((one) => JSON.stringify(one));
      expect(objectsIn(outdir)).to.deep.equal([...objects].sort());
      expect(objects.join("")).not.to.match(/TfToken|"kind":"Job"/);
    });
  }

  it("gives each operator what its cluster needs", () => {
    const app = realisticApp(outdir, YamlOutputType.FILE_PER_CHART);
    app.synth();
    const deployments = app.node.findAll().filter((one) => ApiObject.isApiObject(one) && one.kind === "Deployment");
    expect(deployments).to.have.length(CLUSTERS.length);
    for (const deployment of deployments) {
      const text = JSON.stringify((deployment as ApiObject).toJson());
      expect(text).to.include("--features=pools,dns,routedip,jobs").and.include("--watch-namespaces=flipop,web,voice");
      expect(text).to.include("--pod-namespaces=flipop,web,voice").and.include("--issuer-namespaces=flipop,voice");
    }
  });

  it("has warnings only about production", () => {
    const app = realisticApp(outdir, YamlOutputType.FILE_PER_CHART);
    app.synth();
    const found = app.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === "flipop:warning").map(() => node.path));
    expect(found).to.deep.equal(["prod-web/pool"]);
  });
});
