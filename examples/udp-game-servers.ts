/**
 * UDP game servers.
 *
 * A match lasts half an hour, and its players are bound to the address at which they joined. So addresses follow
 * servers slowly: neither a restart of a server nor a cordon of its node moves an address.
 */
import { ApiObject, App, Chart, Duration, JsonPatch } from "cdk8s";
import { DnsRecord, FloatingIPPool, NodeMatch, NodePreference, PodMatch, TaintEffect, Toleration } from "cdk8s-flipop";
import { k8s } from "cdk8s-plus-28";

const app = new App();
const chart = new Chart(app, "game", { namespace: "game" });

// A Namespace has no namespace: remove the one that the chart sets on all its objects.
const namespace = new ApiObject(chart, "namespace", {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "game" },
});
namespace.addJsonPatch(JsonPatch.remove("/metadata/namespace"));

// No other workload runs on the game nodes: they have the taint dedicated=game:NoSchedule, which the servers tolerate.
const labels = { app: "game-server" };
const servers = new k8s.KubeDaemonSet(chart, "servers", {
  metadata: { name: "servers" },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        nodeSelector: { "example.com/role": "game" },
        tolerations: [{ key: "dedicated", operator: "Equal", value: "game", effect: "NoSchedule" }],
        containers: [
          {
            name: "server",
            image: "registry.example.com/game-server:2.7",
            ports: [{ containerPort: 7777, hostPort: 7777, protocol: "UDP" }],
          },
        ],
      },
    },
  },
});

new FloatingIPPool(chart, "pool", {
  metadata: { name: "game" },
  // Existing addresses, which the players' launchers know. Without `desiredIps`, the operator creates no addresses.
  ips: ["192.0.2.10", "192.0.2.11", "192.0.2.12", "192.0.2.13"],
  pods: PodMatch.of(servers),
  nodes: NodeMatch.labels({ "example.com/role": "game" }),
  tolerations: [
    // Like a pod, an address does not go to a tainted node unless it tolerates the taint ...
    Toleration.keyValue("dedicated", "game", TaintEffect.NO_SCHEDULE),
    // ... and a cordon is also a taint. `kubectl drain --ignore-daemonsets` keeps the server running: with this line,
    // it also keeps its address and its players until the node is deleted.
    Toleration.cordoned(),
  ],
  // Prefers the node that is likely to live longest, for fewer moves later.
  nodePreference: NodePreference.STABLE,
  // A crashed server restarts in seconds, and its players reconnect to the same address.
  gracePeriod: Duration.minutes(3),
  // After a failure of many nodes, the operator assigns the addresses one by one, which spreads the logins.
  assignmentCoolOff: Duration.seconds(10),
  dnsRecord: DnsRecord.digitalOcean("play", "example.com", { ttl: Duration.seconds(30) }),
});

app.synth();
