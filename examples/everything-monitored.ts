/**
 * Everything with monitoring.
 *
 * What a platform team puts into its cluster once: the kinds, the operator with all that watches it, and one class of
 * RoutedIPs and one pool that other teams use. Needs the Prometheus operator's kinds and, for the dashboard, Grafana.
 */
import { App, Chart, Duration } from "cdk8s";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopCrds,
  FlipopOperator,
  FloatingIPPool,
  MetricsScrape,
  NodeMatch,
  RoutedIPIssuer,
  Toleration,
} from "cdk8s-flipop";

const app = new App();

// A chart of their own, because they must be there before anything else: apply crds.k8s.yaml first, and wait with
//   kubectl wait --for=condition=Established -f dist/crds.k8s.yaml
new FlipopCrds(new Chart(app, "crds"), "crds");

const chart = new Chart(app, "flipop", { namespace: "flipop" });
const operator = new FlipopOperator(chart, "operator", {
  // Both tokens are in one Secret that somebody made before:
  //   kubectl -n flipop create secret generic clouds --from-literal=digitalocean=... --from-literal=cloudflare=...
  digitalOcean: Credentials.fromSecretName("clouds", "digitalocean"),
  cloudflare: Credentials.fromSecretName("clouds", "cloudflare"),
  // Run with the rest of the infrastructure, and before the workloads that need addresses.
  nodeSelector: { "example.com/role": "infra" },
  tolerations: [Toleration.keyValue("dedicated", "infra")],
  priorityClassName: "system-cluster-critical",
  // The pods reach DNS, the API server and the clouds, nothing else.
  networkPolicy: true,
  // Metrics, alerts that say where to look, and a dashboard. The label is what our Prometheus selects by.
  scrape: MetricsScrape.SERVICE_MONITOR,
  alertRules: true,
  dashboard: true,
  monitoringLabels: { release: "prometheus" },
});

// What no prop does, a patch does: every part of the operator is public.
operator.deployment.metadata.addAnnotation("example.com/owner", "platform-team");

new FloatingIPPool(chart, "edge", {
  metadata: { name: "edge" },
  region: "nyc3",
  desiredIps: 2,
  nodes: NodeMatch.doksNodePool("edge"),
  gracePeriod: Duration.seconds(30),
  dnsRecord: DnsRecord.cloudflare("edge.example.com", "example.com", { ttl: Duration.minutes(1) }),
});

// An issuer beside the operator may use the operator's own token: it names no credentials.
const issuer = new RoutedIPIssuer(chart, "issuer", {
  metadata: { name: "digitalocean" },
  region: "nyc3",
  firewallName: "routed-ips",
});
// Through the class, the teams "voice" and "mail" get addresses without ever seeing a token.
new ClusterRoutedIPClass(chart, "public", {
  metadata: { name: "public" },
  implementation: ClassImplementation.issuer(issuer),
  perNodeIpLimit: 2,
  allowedNamespaces: ["voice", "mail"],
});

app.synth();
