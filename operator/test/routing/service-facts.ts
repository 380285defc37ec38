import type { PortPod } from "../../src/routing/needed-ports.js";
import { type ServiceFacts, slimServices } from "../../src/routing/service.js";
import { meta } from "../claims/resources.js";

/** Service default/web, with a selector, a cluster IP and port 80. */
export function service(spec: object, annotations = {}): ServiceFacts {
  const whole = { selector: { app: "web" }, ports: [{ port: 80 }], clusterIP: "10.96.0.1", ...spec };
  return slimServices({ metadata: meta("web", 1, annotations), spec: whole });
}

export function tcp(port: number, more: object = {}): object {
  return { port, protocol: "TCP", ...more };
}

export const NODE = "n1";
/** On the node. */
export const READY: PortPod = {
  ...{ name: "web-1", namespace: "default", labels: {} },
  ...{ nodeName: NODE, ready: true, deletionTimestamp: undefined },
};

export function hostPort(containerPort: number, port: number, more: object = {}): PortPod {
  return { ...READY, hostPorts: [{ protocol: "TCP", containerPort, hostPort: port, ...more }] };
}
