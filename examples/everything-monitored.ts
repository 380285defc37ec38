/**
 * Everything with monitoring.
 *
 * A platform team installs this once in its cluster: the kinds, the operator with its monitoring, and one class of
 * RoutedIPs and one pool for other teams. It requires the Prometheus operator's kinds and, for the dashboard, Grafana.
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

// A separate chart, because the kinds must exist before anything else: apply crds.k8s.yaml first, and wait with
//   kubectl wait --for=condition=Established -f dist/crds.k8s.yaml
new FlipopCrds(new Chart(app, "crds"), "crds");

const chart = new Chart(app, "flipop", { namespace: "flipop" });
const operator = new FlipopOperator(chart, "operator", {
  // Both tokens are in one existing Secret:
  //   kubectl -n flipop create secret generic clouds --from-literal=digitalocean=... --from-literal=cloudflare=...
  digitalOcean: Credentials.fromSecretName("clouds", "digitalocean"),
  cloudflare: Credentials.fromSecretName("clouds", "cloudflare"),
  // Run with the other infrastructure, and before the workloads that need addresses.
  nodeSelector: { "example.com/role": "infra" },
  tolerations: [Toleration.keyValue("dedicated", "infra")],
  priorityClassName: "system-cluster-critical",
  // The pods can reach only DNS, the API server and the clouds.
  networkPolicy: true,
  // Metrics, alerts that name the place to look, and a dashboard. Our Prometheus selects objects with this label.
  scrape: MetricsScrape.SERVICE_MONITOR,
  alertRules: true,
  dashboard: true,
  monitoringLabels: { release: "prometheus" },
});

// For fields without a prop, use a patch: every part of the operator is public.
operator.deployment.metadata.addAnnotation("example.com/owner", "platform-team");

new FloatingIPPool(chart, "edge", {
  metadata: { name: "edge" },
  region: "nyc3",
  desiredIps: 2,
  nodes: NodeMatch.doksNodePool("edge"),
  gracePeriod: Duration.seconds(30),
  dnsRecord: DnsRecord.cloudflare("edge.example.com", "example.com", { ttl: Duration.minutes(1) }),
});

// An issuer in the operator's namespace may use the operator's own token, so it has no credentials.
const issuer = new RoutedIPIssuer(chart, "issuer", {
  metadata: { name: "digitalocean" },
  region: "nyc3",
  firewallName: "routed-ips",
});
// Through the class, the teams "voice" and "mail" get addresses without access to a token.
new ClusterRoutedIPClass(chart, "public", {
  metadata: { name: "public" },
  implementation: ClassImplementation.issuer(issuer),
  perNodeIpLimit: 2,
  allowedNamespaces: ["voice", "mail"],
});

app.synth();
