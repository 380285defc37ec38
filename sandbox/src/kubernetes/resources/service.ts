import { type FieldError, requiredValue } from "../field-error.js";
import { at, type JsonObject, listOf, objectOf, textOf } from "../json.js";
import type { ApiObject, Env } from "../objects.js";
import { builtin, column, textColumn, wide } from "./define-built-in.js";
import type { WriteContext } from "./resource-type.js";

const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;

/** Services. Nothing routes to them. */
export const services = builtin({
  plural: "services",
  kind: "Service",
  shortNames: ["svc"],
  categories: ["all"],
  subresources: ["status"],
  deleteAnswersObject: true,
  fields: {
    "spec.clusterIP": (service) => textOf(at(service, "spec", "clusterIP")),
    "spec.type": (service) => textOf(at(service, "spec", "type")),
  },
  behaviour: { prepare, validate: (service) => ({ errors: portErrors(service), warnings: [] }) },
  columns: [
    textColumn("Type", ["spec", "type"]),
    textColumn("Cluster-IP", ["spec", "clusterIP"], "<none>"),
    column("External-IP", externalIpCell),
    column("Port(s)", portsCell),
    wide(column("Selector", selectorCell)),
  ],
});

function prepare(service: ApiObject, { env, old, subresource }: WriteContext): void {
  if (old && subresource === "status") {
    service.spec = old.spec;
    return;
  }
  service.status = old?.status ?? { loadBalancer: {} };
  service.spec = withDefaults(objectOf(service.spec), objectOf(old?.spec), env);
}

function withDefaults(given: JsonObject, old: JsonObject, env: Env): JsonObject {
  const type = textOf(given.type) || "ClusterIP";
  const spec: JsonObject = {
    sessionAffinity: "None",
    internalTrafficPolicy: "Cluster",
    ipFamilies: old.ipFamilies ?? ["IPv4"],
    ipFamilyPolicy: old.ipFamilyPolicy ?? "SingleStack",
    ...given,
    type,
    ports: listOf(given.ports).map((port, index) => {
      const isOnNodes =
        type !== "ClusterIP" && !(type === "LoadBalancer" && given.allocateLoadBalancerNodePorts === false);
      return portWithDefaults(objectOf(port), isOnNodes, { old, index, env });
    }),
  };
  if (listOf(spec.ports).length === 0) delete spec.ports;
  if (type === "ExternalName") return spec;
  const clusterIP = textOf(given.clusterIP) || textOf(old.clusterIP) || randomClusterIp(env);
  return { ...spec, clusterIP, clusterIPs: given.clusterIPs ?? old.clusterIPs ?? [clusterIP] };
}

interface PortPlace {
  readonly old: JsonObject;
  readonly index: number;
  readonly env: Env;
}

function portWithDefaults(port: JsonObject, isOnNodes: boolean, { old, index, env }: PortPlace): JsonObject {
  const filled: JsonObject = { protocol: "TCP", targetPort: port.port, ...port };
  if (!isOnNodes || typeof port.nodePort === "number") return filled;
  const before = at(listOf(old.ports)[index], "nodePort");
  return { ...filled, nodePort: before ?? FIRST_NODE_PORT + Math.floor(env.random() * NODE_PORTS) };
}

function randomClusterIp(env: Env): string {
  return `10.96.${Math.floor(env.random() * 256)}.${1 + Math.floor(env.random() * 254)}`;
}

function portErrors(service: ApiObject): FieldError[] {
  const ports = listOf(at(service, "spec", "ports"));
  if (ports.length < 2) return [];
  return ports.flatMap((port, index) =>
    textOf(at(port, "name")) === "" ? [requiredValue(`spec.ports[${index}].name`)] : [],
  );
}

function externalIpCell(service: ApiObject): string {
  const external = listOf(at(service, "spec", "externalIPs")).map(textOf);
  const ingress = listOf(at(service, "status", "loadBalancer", "ingress")).map((one) => textOf(at(one, "ip")));
  const all = [...external, ...ingress].filter((ip) => ip !== "").join(",");
  return all || (at(service, "spec", "type") === "LoadBalancer" ? "<pending>" : "<none>");
}

function portsCell(service: ApiObject): string {
  const ports = listOf(at(service, "spec", "ports")).map((port) => {
    const nodePort = at(port, "nodePort");
    const node = typeof nodePort === "number" ? `:${nodePort}` : "";
    return `${String(at(port, "port"))}${node}/${textOf(at(port, "protocol"))}`;
  });
  return ports.join(",") || "<none>";
}

function selectorCell(service: ApiObject): string {
  const pairs = Object.entries(objectOf(at(service, "spec", "selector")));
  return pairs.map(([key, value]) => `${key}=${textOf(value)}`).join(",") || "<none>";
}
