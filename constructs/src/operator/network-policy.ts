import { ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { PORTS } from "../api/config";
import { allProviders } from "../api/providers";
import { PROXY_VARIABLES } from "../api/setting-problems";
import type { FlipopOperatorProps } from "../operator-props";
import { Draft } from "../private/refusal-collector";
import { usableProps } from "./checks/late-props";
import type { OperatorSettings } from "./props-with-defaults";

/** TCP ports of providers and API servers: a policy applies to the address behind the Service "kubernetes". */
export const CLIENT_PORTS: readonly number[] = [443, 6443];
/** Ports of DNS, by UDP and TCP. */
export const DNS_PORTS: readonly number[] = [53];
/** The variable with the port of the API server, which Kubernetes sets in each pod and `env` may replace. */
export const API_SERVER_PORT_VARIABLE = "KUBERNETES_SERVICE_PORT";

/** The variables whose URLs the operator connects to: those of the providers' APIs, and the proxies in either case. */
export function urlVariables(): readonly string[] {
  return [...allProviders().map(({ urlVariable }) => urlVariable), ...PROXY_VARIABLES];
}

/**
 * Allows only the traffic that the operator's pods need: DNS by UDP and TCP, and of TCP the API server, the providers' APIs
 * and proxies at 443 or at the port in `env`, and the further ports of the props. With feature healthchecks, a resource may
 * name any TCP port of the nodes, whose addresses change, and the pods ask each other.
 */
export function networkPolicy(scope: Construct, settings: OperatorSettings, props: FlipopOperatorProps): ApiObject {
  const { name, namespace, labels, selector, features } = settings;
  const probes = () => features.includes("healthchecks");
  const fromReplicas = { from: [{ podSelector: { matchLabels: selector } }], ports: [tcp(PORTS.witness)] };
  const ingress = () => [{ ports: [tcp(PORTS.metrics), tcp(PORTS.health)] }, ...(probes() ? [fromReplicas] : [])];
  const egress = () => [
    ...egressPorts(usableProps(props, new Draft(object))),
    ...(probes() ? [{ protocol: "TCP" }] : []),
  ];
  const object: ApiObject = new ApiObject(scope, "network-policy", {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: ["Ingress", "Egress"],
      ingress: Lazy.any({ produce: ingress }),
      egress: [{ ports: Lazy.any({ produce: egress }) }],
    },
  });
  return object;
}

/** The ports of DNS by UDP, then all TCP ports, each once. */
function egressPorts(props: FlipopOperatorProps): readonly object[] {
  const { networkPolicyDnsPorts = DNS_PORTS, networkPolicyPorts = [] } = props;
  const ports = urlsOf(props).flatMap(({ url }) => portOf(url) ?? []);
  const dns = [...new Set(networkPolicyDnsPorts)];
  const others = [...CLIENT_PORTS, ...networkPolicyPorts, ...ports];
  const tcpPorts = new Set([...dns.filter((port) => !CLIENT_PORTS.includes(port)), ...others]);
  return [...dns.map((port) => ({ protocol: "UDP", port })), ...[...tcpPorts].map(tcp)];
}

/** The variables of `env` with a URL that is an expression, so that the port is not known. */
export function variablesWithoutPort(props: FlipopOperatorProps): readonly string[] {
  return urlsOf(props).flatMap(({ variable, url }) => (portOf(url) === undefined ? variable : []));
}

/** The URLs that the operator connects to, by their variable. That of the API server has only a port. */
function urlsOf({ env = {} }: FlipopOperatorProps): readonly { readonly variable: string; readonly url: string }[] {
  const named = urlVariables();
  return Object.entries(env).flatMap(([variable, value]) => {
    if (variable === API_SERVER_PORT_VARIABLE) return { variable, url: `:${value}` };
    return named.includes(variable) && value.trim() !== "" ? { variable, url: value } : [];
  });
}

/**
 * The port of a URL, or of its scheme; a proxy without a scheme is one for http. Undefined if only an expression has it. The
 * chart finds it in the same way.
 */
function portOf(url: string): readonly number[] | undefined {
  const text = url.trim();
  const [authority = ""] = text.replace(/^[A-Za-z]+:\/\//, "").split(/[/?#]/);
  const written = /:([0-9]{1,9})$/.exec(authority)?.[1];
  if (written === undefined && isExpression(text)) return undefined;
  if (written === undefined) return [text.toLowerCase().startsWith("https://") ? 443 : 80];
  return isPort(Number(written)) ? [Number(written)] : [];
}

/** Of Helm, or a reference of Kubernetes to another variable: only they know its value. */
export function isExpression(value: string): boolean {
  return value.includes("{{") || value.includes("$(");
}

/** Whether a NetworkPolicy may have this port. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function tcp(port: number): object {
  return { protocol: "TCP", port };
}
