import { ApiObject, type Chart, Duration } from "cdk8s";
import { Construct } from "constructs";
import {
  ClusterRoutedIPClass,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  type RoutedIPProps,
  ServiceRef,
} from "../../../src";
import type { BadProps } from "./case";
import { JOBS } from "./classes";
import { issuer } from "./issuers";

function routedIp(name: string, props: (chart: Chart) => Partial<RoutedIPProps>, says: string): BadProps {
  const make = (chart: Chart) => {
    const implementation = RoutedIPImplementation.issuer(issuer(chart));
    new RoutedIP(chart, "bad", { implementation, service: ServiceRef.fromServiceName("game"), ...props(chart) });
  };
  return { name, make, says };
}

function service(
  name: string,
  manifest: { kind?: string; apiVersion?: string; metadata?: object; spec?: object },
  says: string,
): BadProps {
  const object = (chart: Chart) => new ApiObject(chart, "object", { apiVersion: "v1", kind: "Service", ...manifest });
  return routedIp(name, (chart) => ({ service: ServiceRef.fromService(object(chart)) }), says);
}

/** Bad props of a RoutedIP. */
export const BAD_ROUTED_IPS: readonly BadProps[] = [
  routedIp(
    "an issuer of another namespace",
    (chart) => ({
      implementation: RoutedIPImplementation.issuer(
        new RoutedIPIssuer(chart, "other", { metadata: { name: "do", namespace: "flipop" } }),
      ),
    }),
    'implementation: issuer "do" is in namespace "flipop", the RoutedIP in "web": put both into one namespace, or create a ClusterRoutedIPClass for the issuer',
  ),
  routedIp(
    "a class that does not allow the namespace",
    (chart) => ({
      implementation: RoutedIPImplementation.clusterClass(
        new ClusterRoutedIPClass(chart, "class", {
          metadata: { name: "public" },
          implementation: JOBS,
          allowedNamespaces: ["game", "edge"],
        }),
      ),
    }),
    'implementation: class "public" does not allow namespace "web": add it to allowedNamespaces of the class (game, edge)',
  ),
  routedIp(
    "a class with capitals",
    (chart) => ({
      implementation: RoutedIPImplementation.clusterClass(
        ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "class", "Public"),
      ),
    }),
    'implementation: "Public" is not the name of an object: use lower-case letters, digits, "-" and ".", with a letter or digit at each end, such as "public"',
  ),
  routedIp(
    "text that is not an address",
    () => ({ address: "192.0.2.300" }),
    'address: "192.0.2.300" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length',
  ),
  routedIp(
    "a Service with a dot in its name",
    () => ({ service: ServiceRef.fromServiceName("a.b") }),
    'service.serviceName: "a.b" is not a DNS label: use at most 63 lower-case letters, digits and "-", with a letter or digit at each end, such as "ingress"',
  ),
  routedIp(
    "a grace period with a fraction",
    () => ({ gracePeriod: Duration.millis(10) }),
    "gracePeriod: 0.01 seconds is not a whole number of seconds: round it, as in Duration.seconds(1)",
  ),
  routedIp(
    "a Service that is no object",
    (chart) => ({ service: ServiceRef.fromService(new Construct(chart, "empty")) }),
    'service: construct "test/empty" has no Kubernetes object: give the construct of a Service, or use ServiceRef.fromServiceName',
  ),
  service(
    "a Deployment for a Service",
    { apiVersion: "apps/v1", kind: "Deployment" },
    'service: apps/v1 Deployment "test/object" is not a Service: give the construct of a Service, or use ServiceRef.fromServiceName',
  ),
  service(
    "a Service of another API",
    { apiVersion: "serving.knative.dev/v1" },
    'service: serving.knative.dev/v1 Service "test/object" is not a Service: give the construct of a Service, or use ServiceRef.fromServiceName',
  ),
  service(
    "a Service without a name",
    { metadata: { name: "" } },
    'service: v1 Service "test/object" has no name: give it metadata.name',
  ),
  service(
    "a Service that is a name in the DNS",
    { spec: { type: "ExternalName" } },
    'service: v1 Service "test/object" is of type ExternalName and thus has no nodes: give a Service with a selector',
  ),
  service(
    "a Service of another namespace that does not allow it",
    { metadata: { namespace: "game", annotations: { "flipop.digitalocean.com/allow-routed-ip-from": "edge" } } },
    'service: v1 Service "test/object" of namespace "game" does not allow namespace "web": annotate it with flipop.digitalocean.com/allow-routed-ip-from: edge,web',
  ),
];
