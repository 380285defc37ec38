import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { PORTS } from "../api/config";
import type { OperatorSettings } from "./settings";

/** Ports of API servers: a policy applies to the address behind the Service "kubernetes". */
const API_SERVER_PORTS = [443, 6443];

/** Allows only the traffic that the operator's pods need. The providers' APIs also use TCP 443. */
export function networkPolicy(scope: Construct, { name, namespace, labels, selector }: OperatorSettings): ApiObject {
  return new ApiObject(scope, "network-policy", {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ ports: [tcp(PORTS.metrics), tcp(PORTS.health)] }],
      egress: [{ ports: [{ protocol: "UDP", port: 53 }, tcp(53), ...API_SERVER_PORTS.map(tcp)] }],
    },
  });
}

function tcp(port: number): object {
  return { protocol: "TCP", port };
}
