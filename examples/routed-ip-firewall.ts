/**
 * A RoutedIP with firewall.
 *
 * One service, one address, and a cloud firewall that lets in just what the service needs. When the node that holds the
 * address fails, another one with a ready pod takes over: first the firewall opens there, then the address moves.
 */
import { ApiObject, App, Chart, Duration, JsonPatch } from "cdk8s";
import {
  Credentials,
  DnsRecord,
  ReclaimPolicy,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  ServiceRef,
} from "cdk8s-flipop";
import { k8s } from "cdk8s-plus-28";

const app = new App();
const chart = new Chart(app, "voice", { namespace: "voice" });

// A Namespace is in no namespace itself: take away the one that the chart gives to everything in it.
const namespace = new ApiObject(chart, "namespace", {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "voice" },
});
namespace.addJsonPatch(JsonPatch.remove("/metadata/namespace"));

const labels = { app: "gateway" };
new k8s.KubeDeployment(chart, "gateway", {
  metadata: { name: "gateway" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "gateway",
            image: "registry.example/voice-gateway:4.1",
            // Traffic comes to this port of the node. It is no NodePort, so it gets a firewall rule of its own.
            ports: [{ containerPort: 5060, hostPort: 5060, protocol: "UDP" }],
          },
        ],
      },
    },
  },
});
const service = new k8s.KubeService(chart, "service", {
  metadata: { name: "gateway" },
  spec: { selector: labels, ports: [{ port: 5060, protocol: "UDP" }] },
});

const issuer = new RoutedIPIssuer(chart, "issuer", {
  metadata: { name: "digitalocean" },
  region: "nyc3",
  // A token never stands in a manifest. Make the Secret by other means, in this namespace:
  //   kubectl -n voice create secret generic digitalocean --from-literal=token=...
  credentials: Credentials.fromSecretName("digitalocean", "token"),
  // The operator makes this firewall, with all traffic out allowed, and adds and removes single rules; those that
  // somebody else has added stay. Firewalls named k8s-* belong to the managed cluster: do not name one of them.
  firewallName: "voice-gateway",
  // What the operator created it may release, once the RoutedIP is deleted.
  reclaimPolicy: ReclaimPolicy.DELETE,
});

new RoutedIP(chart, "address", {
  metadata: { name: "gateway" },
  // Typed: anything but an issuer or a class does not compile, and an issuer of another namespace fails at synthesis.
  implementation: RoutedIPImplementation.issuer(issuer),
  service: ServiceRef.of(service),
  gracePeriod: Duration.seconds(15),
  dnsRecord: DnsRecord.digitalOcean("sip", "example.com"),
});

app.synth();
