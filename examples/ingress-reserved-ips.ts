/**
 * Ingress with reserved IPs and DigitalOcean DNS.
 *
 * A proxy runs on every node of the node pool "edge". Three reserved IPs stay on nodes where it is ready, and
 * www.example.com always names exactly those: an upgrade of the node pool moves addresses, never the name.
 */
import { ApiObject, App, Chart, Duration, JsonPatch } from "cdk8s";
import { DnsRecord, FloatingIPPool, NodeMatch, PodMatch, ReclaimPolicy } from "cdk8s-flipop";
import { k8s } from "cdk8s-plus-28";

const app = new App();
const chart = new Chart(app, "ingress", { namespace: "ingress" });

// A Namespace is in no namespace itself: take away the one that the chart gives to everything in it.
const namespace = new ApiObject(chart, "namespace", {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ingress" },
});
namespace.addJsonPatch(JsonPatch.remove("/metadata/namespace"));

// The proxy takes port 80 of its node, where the traffic for a reserved IP arrives. This is the plain DaemonSet of
// cdk8s-plus. `kplus.DaemonSet` would do as well; its selector comes from construct ids, which then never may change.
const labels = { app: "proxy" };
const proxy = new k8s.KubeDaemonSet(chart, "proxy", {
  metadata: { name: "proxy" },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        nodeSelector: { "doks.digitalocean.com/node-pool": "edge" },
        containers: [
          {
            name: "nginx",
            image: "nginxinc/nginx-unprivileged:1.29",
            ports: [{ containerPort: 8080, hostPort: 80 }],
            // Ready means: a reserved IP may come here.
            readinessProbe: { httpGet: { path: "/", port: k8s.IntOrString.fromNumber(8080) } },
          },
        ],
      },
    },
  },
});

new FloatingIPPool(chart, "pool", {
  // A name of its own: one that is made from construct ids would change with them, and let the addresses go.
  metadata: { name: "ingress" },
  region: "nyc3",
  desiredIps: 3,
  // A node is a candidate while a pod of the proxy is ready on it ...
  pods: PodMatch.of(proxy),
  // ... and while it belongs to this node pool.
  nodes: NodeMatch.doksNodePool("edge"),
  // A pod that restarts is back within a minute. Moving the address would take about as long, and cost a DNS change.
  gracePeriod: Duration.minutes(1),
  // Customers have these addresses in their firewalls: keep them, whatever happens to this object.
  reclaimPolicy: ReclaimPolicy.RETAIN,
  dnsRecord: DnsRecord.digitalOcean("www", "example.com", { ttl: Duration.seconds(60) }),
});

app.synth();
