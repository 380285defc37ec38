/**
 * A platform and a team in one app.
 *
 * The platform limits its operator to one namespace, and calls `serve` for the resources of the team: the operator gets
 * the features, namespaces and permissions that they need, and nothing else. The team's pipeline may change only the
 * team's own pool.
 */
import { ApiObject, App, Chart, Duration, Size } from "cdk8s";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopOperator,
  FloatingIPPool,
  NodeDNSRecordSet,
  NodeMatch,
  OperatorFeature,
  PodMatch,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  ServiceRef,
} from "cdk8s-flipop";

const app = new App();

// The operator gets a Role in each of these namespaces, so they come first: dependencies put numbers before the names of
// the files, and kubectl applies them in this order.
const namespaces = new Chart(app, "namespaces");
for (const name of ["mail", "web"]) {
  new ApiObject(namespaces, name, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

const platform = new Chart(app, "flipop", { namespace: "flipop" });
platform.addDependency(namespaces);
const operator = new FlipopOperator(platform, "operator", {
  features: [OperatorFeature.DNS],
  watchNamespaces: ["mail"],
  podNamespaces: ["mail"],
  digitalOcean: Credentials.fromSecretName("clouds", "digitalocean"),
  cloudflare: Credentials.fromSecretName("clouds", "cloudflare"),
  // The operator reads a changed token without a restart.
  tokenFiles: true,
  memoryLimit: Size.mebibytes(256),
  podAnnotations: { "example.com/owner": "platform-team" },
});

// Through the class, the team gets addresses without access to a token.
const issuer = new RoutedIPIssuer(platform, "issuer", { metadata: { name: "digitalocean" }, region: "nyc3" });
const shared = new ClusterRoutedIPClass(platform, "shared", {
  metadata: { name: "shared" },
  implementation: ClassImplementation.issuer(issuer),
  allowedNamespaces: ["mail"],
});
shared.allowNamespace("web");

// The part of the team.
const team = new Chart(app, "web", { namespace: "web" });
team.addDependency(platform);
const pool = new FloatingIPPool(team, "pool", {
  metadata: { name: "web" },
  region: "nyc3",
  desiredIps: 4,
  pods: PodMatch.labels({ app: "proxy" }, { namespace: "web" }),
  nodes: NodeMatch.doksNodePool("edge"),
  gracePeriod: Duration.seconds(30),
  dnsRecord: DnsRecord.digitalOcean("www", "example.com"),
});
const nodes = new NodeDNSRecordSet(team, "nodes", {
  metadata: { name: "nodes" },
  dnsRecord: DnsRecord.cloudflare("nodes.example.com", "example.com", { ttl: Duration.minutes(5) }),
});
const address = new RoutedIP(team, "address", {
  metadata: { name: "game" },
  implementation: RoutedIPImplementation.clusterClass(shared),
  service: ServiceRef.fromServiceName("game"),
});

// Feature pools and routedip, the watched namespace "web" and its pods, and the issuer in namespace "flipop".
operator.serve(pool, nodes, address);

const metadata = { name: "deployer" };
const deployer = new ApiObject(team, "deployer", { apiVersion: "v1", kind: "ServiceAccount", metadata });
pool.grantManage(deployer);

app.synth();

// Warnings never fail a synthesis. Your app can read them, and decide.
for (const { node } of app.node.findAll()) {
  for (const { type, data } of node.metadata) if (type === "flipop:warning") console.log(`${node.path}: ${data}`);
}
