import { ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { PORTS } from "../api/config";
import type { OperatorSettings } from "./settings";

/** Ports of API servers: a policy applies to the address behind the Service "kubernetes". */
const API_SERVER_PORTS = [443, 6443];
const CLIENT_PORTS = [53, ...API_SERVER_PORTS];

/**
 * Allows only the traffic that the operator's pods need. The providers' APIs also use TCP 443. With feature
 * healthchecks, a resource may name any TCP port of the nodes, whose addresses change, and the pods ask each other.
 */
export function networkPolicy(scope: Construct, settings: OperatorSettings): ApiObject {
  const { name, namespace, labels, selector, features } = settings;
  const probes = () => features.includes("healthchecks");
  const probed = () => (probes() ? [{ protocol: "TCP" }] : []);
  const fromReplicas = { from: [{ podSelector: { matchLabels: selector } }], ports: [tcp(PORTS.witness)] };
  const ingress = () => [{ ports: [tcp(PORTS.metrics), tcp(PORTS.health)] }, ...(probes() ? [fromReplicas] : [])];
  return new ApiObject(scope, "network-policy", {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: ["Ingress", "Egress"],
      ingress: Lazy.any({ produce: ingress }),
      egress: [
        { ports: Lazy.any({ produce: () => [{ protocol: "UDP", port: 53 }, ...CLIENT_PORTS.map(tcp), ...probed()] }) },
      ],
    },
  });
}

function tcp(port: number): object {
  return { protocol: "TCP", port };
}
