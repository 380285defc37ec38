/**
 * A RoutedIP with firewall.
 *
 * One service, one address, and a cloud firewall that allows only the traffic of the service. When the node with the
 * address fails, another one with a ready pod takes over: first the operator opens the firewall there, then it moves
 * the address.
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

// A Namespace has no namespace: remove the one that the chart sets on all its objects.
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
            image: "registry.example.com/voice-gateway:4.1",
            // Traffic arrives at this port of the node. It is not a NodePort, so it gets a firewall rule.
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
  // A manifest must not contain a token. Create the Secret separately, in this namespace:
  //   kubectl -n voice create secret generic digitalocean --from-literal=token=...
  credentials: Credentials.fromSecretName("digitalocean", "token"),
  // The operator creates this firewall, which allows all outgoing traffic, and adds and removes single rules. It keeps
  // rules that others added. Firewalls named k8s-* belong to the managed cluster: do not use them.
  firewallName: "voice-gateway",
  // The operator may release an address that it created, after the RoutedIP is deleted.
  reclaimPolicy: ReclaimPolicy.DELETE,
});

new RoutedIP(chart, "address", {
  metadata: { name: "gateway" },
  // Only an issuer or a class compiles here, and an issuer of another namespace fails at synthesis.
  implementation: RoutedIPImplementation.issuer(issuer),
  service: ServiceRef.fromService(service),
  gracePeriod: Duration.seconds(15),
  dnsRecord: DnsRecord.digitalOcean("sip", "example.com"),
});

app.synth();
