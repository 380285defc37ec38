// Uses every construct, and what they need of cdk8s: durations, Lazy values, patches, metadata, order, all output. The matrix of peer
// versions compares its output.
const { ApiObject, App, Chart, Duration, JsonPatch, Lazy } = require("cdk8s");
const flipop = require("cdk8s-flipop");

const app = new App();
new flipop.FlipopCrds(new Chart(app, "crds"), "crds");
new flipop.FlipopOperator(new Chart(app, "flipop"), "operator", {
  features: Object.values(flipop.OperatorFeature),
  watchNamespaces: ["game"],
  issuerNamespaces: ["game"],
  jobNamespaces: ["jobs"],
  tolerations: [flipop.Toleration.cordoned()],
  env: { HTTPS_PROXY: "http://egress.example:8080" },
  networkPolicy: true,
  scrape: flipop.MetricsScrape.POD_MONITOR,
  alertRules: true,
  dashboard: true,
});

const chart = new Chart(app, "game", { namespace: "game", labels: { team: "edge" } });
const service = new ApiObject(chart, "service", {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "game" },
  spec: { selector: { app: "game" } },
});
const issuer = new flipop.RoutedIPIssuer(chart, "issuer", {
  credentials: flipop.Credentials.fromSecretName("digitalocean", "token"),
  firewallName: "game",
});
const job = flipop.RoutedIPJob.container({ image: "registry.example/update:1", timeout: Duration.minutes(5) });
const clusterClass = new flipop.ClusterRoutedIPClass(chart, "class", {
  implementation: flipop.ClassImplementation.jobs(job, job),
  nodePorts: flipop.PortRange.parse("30000-31000"),
});
const dnsRecord = flipop.DnsRecord.cloudflare("www.example.com", "023e105f4ecef8ad9ca31a8372d0c353", {
  ttl: Duration.minutes(2),
});
for (const implementation of [
  flipop.RoutedIPImplementation.issuer(issuer),
  flipop.RoutedIPImplementation.clusterClass(clusterClass),
]) {
  new flipop.RoutedIP(chart, `address-${chart.node.children.length}`, {
    implementation,
    service: flipop.ServiceRef.fromService(service),
  });
}
const pool = new flipop.FloatingIPPool(chart, "pool", {
  region: "nyc3",
  desiredIps: 2,
  ips: [Lazy.any({ produce: () => "192.0.2.10" })],
  pods: flipop.PodMatch.of(service),
  nodes: flipop.NodeMatch.doksNodePool("work"),
  gracePeriod: Duration.seconds(30),
  assignmentCoolOff: Duration.millis(1500),
  dnsRecord,
});
pool.apiObject.addJsonPatch(JsonPatch.add("/metadata/annotations", { "example.com/note": "patched" }));
pool.metadata.addLabel("tier", "edge");
new flipop.NodeDNSRecordSet(chart, "nodes", {
  dnsRecord: flipop.DnsRecord.digitalOcean("nodes", "example.com"),
  addressType: flipop.AddressType.EXTERNAL_IP,
});
app.synth();
