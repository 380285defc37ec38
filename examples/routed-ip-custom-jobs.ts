/**
 * A RoutedIP with a custom Job class.
 *
 * The platform has an API that flipop does not know. The election of nodes stays with the operator; two Jobs of our own
 * do the rest: one assigns the address, one brings the firewall in step. Teams only see a class by the name "rack".
 */
import { ApiObject, App, Chart, Duration, JsonPatch } from "cdk8s";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  FlipopOperator,
  OperatorFeature,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
} from "cdk8s-flipop";
import { k8s } from "cdk8s-plus-28";

const app = new App();

// Jobs are a feature that has to be asked for: it gives the operator the right to run Jobs, in one namespace
// (flipop-jobs) that is made with it, under Pod Security "restricted".
new FlipopOperator(new Chart(app, "flipop"), "operator", {
  features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS],
});

// One image, two commands. What to do stands in environment variables (ROUTED_IP, NODE_NAME, FIREWALL_RULES, ...).
const IMAGE = "registry.example/rack-network:1.4";
const platform = new Chart(app, "platform");
const rack = new ClusterRoutedIPClass(platform, "rack", {
  metadata: { name: "rack" },
  implementation: ClassImplementation.jobs(
    RoutedIPJob.container({ image: IMAGE, args: ["assign"], timeout: Duration.minutes(2) }),
    RoutedIPJob.container({ image: IMAGE, args: ["firewall"], timeout: Duration.minutes(2) }),
  ),
  // The Jobs get every entry of this Secret of namespace flipop-jobs as an environment variable.
  secrets: [SecretRef.named("rack-api")],
  // Only this team may spend addresses of the class. Others are told so by `kubectl describe`.
  allowedNamespaces: ["mail"],
});

// What a team writes. It knows the class by name; here the construct itself is at hand, which is checked more closely.
const team = new Chart(app, "team", { namespace: "mail" });
// A Namespace is in no namespace itself: take away the one that the chart gives to everything in it.
const namespace = new ApiObject(team, "namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: "mail" } });
namespace.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
const labels = { app: "relay" };
new k8s.KubeDeployment(team, "relay", {
  metadata: { name: "relay" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: "relay", image: "registry.example/mail-relay:3.0", ports: [{ containerPort: 2525, hostPort: 25 }] },
        ],
      },
    },
  },
});
const service = new k8s.KubeService(team, "service", {
  metadata: { name: "relay" },
  spec: { selector: labels, ports: [{ port: 25, targetPort: k8s.IntOrString.fromNumber(2525) }] },
});

new RoutedIP(team, "address", {
  metadata: { name: "relay" },
  implementation: RoutedIPImplementation.clusterClass(rack),
  service: ServiceRef.of(service),
  // An address with a good reputation is worth keeping: named here, it is recovered and never released.
  address: "198.51.100.25",
});

app.synth();
