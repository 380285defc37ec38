/**
 * A RoutedIP with a custom Job class.
 *
 * The platform has an API that flipop does not support. The operator elects the nodes, and two custom Jobs do the rest:
 * one assigns the address, one updates the firewall. Teams see only a class with the name "rack".
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

// You must enable feature jobs: it gives the operator the permission to run Jobs in one namespace (flipop-jobs), which
// the construct creates with Pod Security "restricted".
new FlipopOperator(new Chart(app, "flipop"), "operator", {
  features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS],
});

// One image, two commands. Environment variables contain the input (ROUTED_IP, NODE_NAME, FIREWALL_RULES, ...).
const IMAGE = "registry.example.com/rack-network:1.4";
const platform = new Chart(app, "platform");
const rack = new ClusterRoutedIPClass(platform, "rack", {
  metadata: { name: "rack" },
  implementation: ClassImplementation.jobs(
    RoutedIPJob.container({ image: IMAGE, args: ["assign"], timeout: Duration.minutes(2) }),
    RoutedIPJob.container({ image: IMAGE, args: ["firewall"], timeout: Duration.minutes(2) }),
  ),
  // The Jobs get every entry of this Secret of namespace flipop-jobs as an environment variable.
  secrets: [SecretRef.fromSecretName("rack-api")],
  // Only this team may use addresses of the class. `kubectl describe` shows that to other teams.
  allowedNamespaces: ["mail"],
  // Without this, only 80, 443 and ports above 1024 may be open.
  allowedPorts: ["25/TCP"],
  // Without this, a RoutedIP may only name addresses that the operator created for its namespace.
  allowedAddresses: ["198.51.100.25/32"],
});

// The part of a team. A team usually knows only the name of the class; this app has the construct, so synthesis checks
// more.
const team = new Chart(app, "team", { namespace: "mail" });
// A Namespace has no namespace: remove the one that the chart sets on all its objects.
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
          {
            name: "relay",
            image: "registry.example.com/mail-relay:3.0",
            ports: [{ containerPort: 2525, hostPort: 25 }],
          },
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
  service: ServiceRef.fromService(service),
  // An address with a good reputation is valuable: if it is listed here, the operator uses it and never releases it.
  address: "198.51.100.25",
});

app.synth();
