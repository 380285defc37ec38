/**
 * Ingress with reserved IPs and DigitalOcean DNS.
 *
 * A proxy runs on every node of the node pool "edge". Three reserved IPs stay on nodes where the proxy is ready, and
 * www.example.com always contains exactly these addresses. An upgrade of the node pool moves addresses, but does not
 * change DNS.
 */
import { ApiObject, App, Chart, Duration, JsonPatch } from "cdk8s";
import { DnsRecord, FloatingIPPool, NodeMatch, PodMatch, ReclaimPolicy } from "cdk8s-flipop";
import { k8s } from "cdk8s-plus-28";

const app = new App();
const chart = new Chart(app, "ingress", { namespace: "ingress" });

// A Namespace has no namespace: remove the one that the chart sets on all its objects.
const namespace = new ApiObject(chart, "namespace", {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ingress" },
});
namespace.addJsonPatch(JsonPatch.remove("/metadata/namespace"));

// The proxy uses port 80 of its node, where the traffic for a reserved IP arrives. This is the plain DaemonSet of
// cdk8s-plus. `kplus.DaemonSet` also works, but its selector contains construct ids, which must then never change.
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
            // A reserved IP may move to the node when the pod is ready.
            readinessProbe: { httpGet: { path: "/", port: k8s.IntOrString.fromNumber(8080) } },
          },
        ],
      },
    },
  },
});

new FloatingIPPool(chart, "pool", {
  // A fixed name: a name from construct ids would change with them, and the new pool would not have the addresses.
  metadata: { name: "ingress" },
  region: "nyc3",
  desiredIps: 3,
  // A node is a candidate while a pod of the proxy is ready on it ...
  pods: PodMatch.of(proxy),
  // ... and while it belongs to this node pool.
  nodes: NodeMatch.doksNodePool("edge"),
  // A pod restarts within a minute. Moving the address would take about as long, and change DNS.
  gracePeriod: Duration.minutes(1),
  // Customers have these addresses in their firewalls: keep them, even if this object is deleted.
  reclaimPolicy: ReclaimPolicy.RETAIN,
  dnsRecord: DnsRecord.digitalOcean("www", "example.com", { ttl: Duration.seconds(60) }),
});

app.synth();
