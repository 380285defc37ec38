import {
  type AddressState,
  addressStateSchema,
  addressStatusProperties,
  errorSchema,
  MAX_PROVIDER_ID,
  type PendingCreation,
  pendingCreationSchema,
} from "./address-status";
import { gracePeriodSchema, pausedSchema } from "./common-fields";
import { type Condition, conditionsSchema, observedGenerationSchema } from "./condition";
import { type DnsRecordSet, type DnsStatus, dnsRecordSetSchema, dnsStatusSchema } from "./dns-record-set";
import { type FirewallRule, firewallRuleSchema, type RoutedPort, routedPortSchema } from "./firewall-rule";
import { ipRule, MAX_IP_LENGTH } from "./ip-address";
import { dnsLabelSchema, nameSchema } from "./object-reference";
import { CLOSING_COLUMNS, conditionColumn } from "./printer-column";
import type { ResourceKind } from "./resource-kind";
import { routedIpRules } from "./routed-ip-rules";
import type { SchemaOf } from "./schema";

/** A RoutedIPIssuer of the same namespace. */
export interface IssuerReference {
  readonly name: string;
}

/** The Service that the address follows. */
export interface ServiceReference {
  readonly serviceName: string;
  readonly namespace?: string;
}

/** An address that follows the nodes of a Service. */
export interface RoutedIPSpec {
  readonly className?: string;
  readonly issuerRef?: IssuerReference;
  readonly routedIP?: string;
  readonly serviceRef: ServiceReference;
  readonly dnsRecordSet?: DnsRecordSet;
  readonly gracePeriodSeconds?: number;
  readonly paused?: boolean;
}

/** The firewall of a RoutedIP, and the machines that the RoutedIP added to it. */
export interface FirewallShare {
  readonly name: string;
  readonly nodes: readonly string[];
}

/** A previous firewall, and the nodes and rules that this RoutedIP still has to remove from it. */
export interface PreviousFirewall {
  readonly name: string;
  readonly nodes: readonly string[];
  readonly rules: readonly FirewallRule[];
}

/** What the operator observed and did. */
export interface RoutedIPStatus {
  readonly observedGeneration?: number;
  readonly routedIP?: string;
  readonly assignedNode?: string;
  readonly providerID?: string;
  readonly ports?: readonly RoutedPort[];
  readonly firewallRules?: readonly FirewallRule[];
  readonly firewall?: FirewallShare;
  readonly previousFirewalls?: readonly PreviousFirewall[];
  readonly state?: AddressState;
  readonly error?: string;
  readonly created?: boolean;
  readonly inferred?: boolean;
  readonly since?: string;
  readonly graceSince?: string;
  readonly reason?: string;
  readonly actionID?: string;
  readonly retryAt?: string;
  readonly dns?: DnsStatus;
  readonly pendingCreation?: PendingCreation;
  readonly conditions?: readonly Condition[];
}

const specSchema: SchemaOf<RoutedIPSpec> = {
  type: "object",
  description: "An address that follows the nodes of a Service.",
  example: {
    className: "public",
    serviceRef: { serviceName: "ingress" },
    dnsRecordSet: { recordName: "www", zone: "example.com" },
    gracePeriodSeconds: 30,
  },
  rules: routedIpRules,
  properties: {
    className: {
      ...nameSchema(
        "Name of the ClusterRoutedIPClass of this address. Set either `className` or `issuerRef`; neither can be changed later.",
        "public",
      ),
      optional: true,
    },
    issuerRef: {
      type: "object",
      optional: true,
      description:
        "RoutedIPIssuer of this address, in the same namespace. It has the same effect as a class with default settings.",
      mapType: "atomic",
      properties: {
        name: nameSchema("Name of the RoutedIPIssuer, in the namespace of the RoutedIP.", "digitalocean"),
      },
    },
    routedIP: {
      type: "string",
      optional: true,
      description:
        "Existing address to use; the operator never releases it. Absent: the operator creates an IPv4 address.",
      example: "192.0.2.20",
      maxLength: MAX_IP_LENGTH,
      rules: [ipRule],
    },
    serviceRef: {
      type: "object",
      description:
        "The Service whose nodes the address follows. It needs a pod selector, and must be neither headless nor of type ExternalName.",
      properties: {
        serviceName: dnsLabelSchema("Name of the Service.", "ingress"),
        namespace: {
          ...dnsLabelSchema(
            "Namespace of the Service. Absent: the RoutedIP's own. For another namespace, the Service's annotation flipop.digitalocean.com/allow-routed-ip-from must list the RoutedIP's namespace.",
            "ingress",
          ),
          optional: true,
        },
      },
    },
    dnsRecordSet: {
      ...dnsRecordSetSchema,
      optional: true,
      description: "Record set with the address. Absent: no DNS records.",
    },
    gracePeriodSeconds: gracePeriodSchema,
    paused: pausedSchema,
  },
};

const statusSchema: SchemaOf<RoutedIPStatus> = {
  type: "object",
  description: "What the operator observed and did.",
  properties: {
    ...addressStatusProperties,
    observedGeneration: { ...observedGenerationSchema, optional: true },
    routedIP: {
      type: "string",
      optional: true,
      description: "The address, from `spec.routedIP` or created.",
      maxLength: MAX_IP_LENGTH,
    },
    assignedNode: { type: "string", optional: true, description: "Node that holds the address.", maxLength: 253 },
    ports: {
      type: "array",
      optional: true,
      description: "Ports at which nodes serve the Service.",
      items: routedPortSchema,
      listType: "atomic",
      maxItems: 256,
    },
    firewallRules: {
      type: "array",
      optional: true,
      description: "Firewall rules that this RoutedIP needs. The operator records each rule before it adds it.",
      items: firewallRuleSchema,
      listType: "atomic",
      maxItems: 256,
    },
    firewall: {
      type: "object",
      optional: true,
      description: "The firewall with the `firewallRules`, and the machines that this RoutedIP added to it.",
      properties: {
        name: { type: "string", description: "Name of the firewall with the `firewallRules`.", maxLength: 255 },
        nodes: {
          type: "array",
          description:
            "Machines (`spec.providerID`) that this RoutedIP added to the firewall. The operator records each machine before it adds it.",
          items: { type: "string", description: "A machine.", maxLength: MAX_PROVIDER_ID },
          listType: "atomic",
          maxItems: 64,
        },
      },
    },
    previousFirewalls: {
      type: "array",
      optional: true,
      description:
        "Firewalls that this RoutedIP used before. The operator removes this RoutedIP's nodes and rules from them when the current firewall is ready.",
      items: {
        type: "object",
        description: "A previous firewall, and the nodes and rules that this RoutedIP still has to remove from it.",
        properties: {
          name: { type: "string", description: "Its name.", maxLength: 255 },
          nodes: {
            type: "array",
            description: "Machines (`spec.providerID`) that this RoutedIP added to it.",
            items: { type: "string", description: "A machine.", maxLength: MAX_PROVIDER_ID },
            listType: "atomic",
            maxItems: 64,
          },
          rules: {
            type: "array",
            description: "Rules that this RoutedIP needed in it.",
            items: firewallRuleSchema,
            listType: "atomic",
            maxItems: 256,
          },
        },
      },
      listType: "atomic",
      maxItems: 8,
    },
    state: { ...addressStateSchema, optional: true },
    error: errorSchema,
    created: {
      type: "boolean",
      optional: true,
      description: "Whether the operator created the address. It releases only created addresses.",
    },
    inferred: {
      type: "boolean",
      optional: true,
      description:
        "Whether the response to the creation was lost and the operator concluded from the account's lists that the address belongs to this resource. The operator never releases such an address.",
    },
    dns: { ...dnsStatusSchema, optional: true },
    pendingCreation: {
      ...pendingCreationSchema,
      optional: true,
      description:
        "An address creation with an unknown outcome. The operator starts no other creation until it knows the outcome.",
    },
    conditions: { ...conditionsSchema, optional: true },
  },
};

/** The kind RoutedIP. */
export const routedIPKind: ResourceKind<RoutedIPSpec, RoutedIPStatus> = {
  kind: "RoutedIP",
  plural: "routedips",
  singular: "routedip",
  shortNames: ["rip"],
  scope: "Namespaced",
  description: "A routable address that follows the nodes of a Service, and the cloud firewall rules for its ports.",
  spec: specSchema,
  status: statusSchema,
  conditions: ["Ready", "Assigned", "FirewallReady", "DNSReady", "Conflict"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Address", type: "string", jsonPath: ".status.routedIP", description: "The address." },
    { name: "Node", type: "string", jsonPath: ".status.assignedNode", description: "Node that holds the address." },
    {
      name: "Service",
      type: "string",
      jsonPath: ".spec.serviceRef.serviceName",
      description: "Service that the address follows.",
    },
    { name: "State", type: "string", jsonPath: ".status.state", description: "State of the address." },
    { name: "Class", type: "string", jsonPath: ".spec.className", description: "Class.", priority: 1 },
    { name: "Issuer", type: "string", jsonPath: ".spec.issuerRef.name", description: "Issuer.", priority: 1 },
    ...CLOSING_COLUMNS,
  ],
};
