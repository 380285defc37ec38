import type { SchemaOf } from "./schema";

/** A port at which a Service is served on its nodes. */
export interface RoutedPort {
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
  readonly origin: "NodePort" | "HostPort";
  readonly name?: string;
}

/** A rule of the cloud firewall. Rules have no id there, so the whole rule is the key. */
export interface FirewallRule {
  readonly protocol: "tcp" | "udp";
  readonly ports: string;
  readonly sources: readonly string[];
  readonly preexisting?: boolean;
  readonly phase: "adding" | "present" | "removing";
}

/** Schema of {@link RoutedPort}. */
export const routedPortSchema: SchemaOf<RoutedPort> = {
  type: "object",
  description: "A port at which a Service is served on its nodes.",
  properties: {
    protocol: { type: "string", description: "Transport protocol.", enum: { TCP: true, UDP: true } },
    port: {
      type: "integer",
      description: "Port on the node: a NodePort, or a hostPort of the Service's pods.",
      minimum: 1,
      maximum: 65_535,
    },
    origin: {
      type: "string",
      description: "Where the port comes from: the Service (NodePort) or its pods (HostPort).",
      enum: { NodePort: true, HostPort: true },
    },
    name: {
      type: "string",
      optional: true,
      description: "Name of the port in the Service, where it has one.",
      maxLength: 63,
    },
  },
};

/** Schema of {@link FirewallRule}. */
export const firewallRuleSchema: SchemaOf<FirewallRule> = {
  type: "object",
  description: "A rule of the cloud firewall. Rules have no id there, so the whole rule is the key.",
  properties: {
    protocol: {
      type: "string",
      description: "Transport protocol, as the provider writes it.",
      enum: { tcp: true, udp: true },
    },
    ports: { type: "string", description: "Port or range of ports, such as 443 or 8000-8010.", maxLength: 11 },
    sources: {
      type: "array",
      description: "Address ranges that are let in, in CIDR notation.",
      items: { type: "string", description: "An address range in CIDR notation.", maxLength: 49 },
      listType: "atomic",
      maxItems: 1000,
    },
    preexisting: {
      type: "boolean",
      optional: true,
      description: "Whether the rule was there before the operator needed it; such a rule is never removed.",
    },
    phase: {
      type: "string",
      description:
        "How far the rule is: `adding` or `removing` is written before the call to the provider, `present` after it was added.",
      enum: { adding: true, present: true, removing: true },
    },
  },
};
