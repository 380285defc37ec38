import { App, Chart, Duration } from "cdk8s";
import { DnsRecord, FlipopCrds, FlipopOperator, FloatingIPPool, PodMatch } from "cdk8s-flipop";

/** Two addresses that follow the pods of an ingress controller. */
export function webApp(gracePeriod = Duration.seconds(0)): App {
  const app = new App();
  new FlipopCrds(new Chart(app, "crds"), "crds");
  new FlipopOperator(new Chart(app, "flipop"), "operator", { watchNamespaces: ["web"] });
  new FloatingIPPool(new Chart(app, "web", { namespace: "web" }), "pool", {
    metadata: { name: "web" },
    region: "nyc3",
    desiredIps: 2,
    pods: PodMatch.labels({ app: "ingress" }),
    gracePeriod,
    dnsRecord: DnsRecord.digitalOcean("www", "example.com"),
  });
  return app;
}
