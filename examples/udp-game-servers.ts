/**
 * UDP game servers.
 *
 * A match lasts half an hour, and its players are bound to the address that they joined at. So addresses follow servers
 * slowly: neither the restart of a server nor the cordon of its node moves one.
 */
import { ApiObject, App, Chart, Duration, JsonPatch } from "cdk8s";
import { DnsRecord, FloatingIPPool, NodeMatch, NodePreference, PodMatch, TaintEffect, Toleration } from "cdk8s-flipop";
import { k8s } from "cdk8s-plus-28";

const app = new App();
const chart = new Chart(app, "game", { namespace: "game" });

// A Namespace is in no namespace itself: take away the one that the chart gives to everything in it.
const namespace = new ApiObject(chart, "namespace", {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "game" },
});
namespace.addJsonPatch(JsonPatch.remove("/metadata/namespace"));

// Nobody else runs on the game nodes: they carry the taint dedicated=game:NoSchedule, which the servers tolerate.
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
            image: "registry.example/game-server:2.7",
            ports: [{ containerPort: 7777, hostPort: 7777, protocol: "UDP" }],
          },
        ],
      },
    },
  },
});

new FloatingIPPool(chart, "pool", {
  metadata: { name: "game" },
  // Bought before, and known to the launchers of the players. As `desiredIps` is not given, nothing is ever created.
  ips: ["192.0.2.10", "192.0.2.11", "192.0.2.12", "192.0.2.13"],
  pods: PodMatch.of(servers),
  nodes: NodeMatch.labels({ "example.com/role": "game" }),
  tolerations: [
    // An address shuns tainted nodes, as a pod does, unless it tolerates the taint ...
    Toleration.keyValue("dedicated", "game", TaintEffect.NO_SCHEDULE),
    // ... and a cordon is a taint, too. `kubectl drain --ignore-daemonsets` leaves the server running: with this line it
    // keeps its address and its players as well, until the node goes.
    Toleration.cordoned(),
  ],
  // Among free nodes the one that will live longest: fewer moves later.
  nodePreference: NodePreference.STABLE,
  // A server that crashes is restarted in seconds, and its players reconnect to the address that they know.
  gracePeriod: Duration.minutes(3),
  // After a failure of many nodes, addresses come one by one, so that logins do not stampede.
  assignmentCoolOff: Duration.seconds(10),
  dnsRecord: DnsRecord.digitalOcean("play", "example.com", { ttl: Duration.seconds(30) }),
});

app.synth();
