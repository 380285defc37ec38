import type { SchemaOf } from "../schema/schema";

/** A port at which nodes serve a Service. */
export interface RoutedPort {
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
  readonly origin: "NodePort" | "HostPort" | "ExternalIP";
  readonly name?: string;
}

/** A rule of the cloud firewall. Providers give rules no id, so the whole rule is the key. */
export interface FirewallRule {
  readonly protocol: "tcp" | "udp";
  readonly ports: string;
  readonly sources: readonly string[];
  readonly preexisting?: boolean;
  readonly phase: "adding" | "present" | "removing";
}

/** Ports, and rules, that a status can list. */
export const MAX_ROUTED_PORTS = 256;
/** Address ranges that a rule in a status can list. */
export const MAX_RULE_SOURCES = 1000;

/** Schema of {@link RoutedPort}. */
export const routedPortSchema: SchemaOf<RoutedPort> = {
  type: "object",
  description: "A port at which nodes serve a Service.",
  properties: {
    protocol: { type: "string", description: "Transport protocol.", enum: { TCP: true, UDP: true } },
    port: {
      type: "integer",
      description:
        "Port on the node: a NodePort, a hostPort of the Service's pods, or a port of a Service with externalIPs.",
      minimum: 1,
      maximum: 65_535,
    },
    origin: {
      type: "string",
      description:
        "Origin of the port: the NodePort of the Service, a hostPort of its pods, or its port itself, for externalIPs of the Service.",
      enum: { NodePort: true, HostPort: true, ExternalIP: true },
    },
    name: {
      type: "string",
      optional: true,
      description: "Name of the port in the Service, if it has one.",
      maxLength: 63,
    },
  },
};

/** Schema of {@link FirewallRule}. */
export const firewallRuleSchema: SchemaOf<FirewallRule> = {
  type: "object",
  description: "A rule of the cloud firewall. Providers give rules no id, so the whole rule is the key.",
  properties: {
    protocol: {
      type: "string",
      description: "Transport protocol, in the provider's spelling.",
      enum: { tcp: true, udp: true },
    },
    ports: { type: "string", description: "Port or range of ports, such as 443 or 8000-8010.", maxLength: 11 },
    sources: {
      type: "array",
      description: "Address ranges that the rule allows, in CIDR notation.",
      items: { type: "string", description: "An address range in CIDR notation.", maxLength: 49 },
      listType: "atomic",
      maxItems: MAX_RULE_SOURCES,
    },
    preexisting: {
      type: "boolean",
      optional: true,
      description: "Whether the rule existed before the operator needed it. The operator never removes such a rule.",
    },
    phase: {
      type: "string",
      description:
        "Progress of the rule: the operator writes `adding` or `removing` before the call to the provider, and `present` after it has added the rule.",
      enum: { adding: true, present: true, removing: true },
    },
  },
};
