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

/** One address that follows the nodes which serve one Service. */
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

/** A former firewall, in whose place another is named now: what this RoutedIP still has to remove there. */
export interface FormerFirewall {
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
  readonly formerFirewalls?: readonly FormerFirewall[];
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
  description: "One address that follows the nodes which serve one Service.",
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
        "Name of the ClusterRoutedIPClass that handles this address. Set either `className` or `issuerRef`; neither can be changed later.",
        "public",
      ),
      optional: true,
    },
    issuerRef: {
      type: "object",
      optional: true,
      description:
        "RoutedIPIssuer of the same namespace that handles this address, as a class with all defaults would.",
      mapType: "atomic",
      properties: {
        name: nameSchema("Name of the RoutedIPIssuer, in the namespace of the RoutedIP.", "digitalocean"),
      },
    },
    routedIP: {
      type: "string",
      optional: true,
      description: "Existing address to use; it is never released. Absent: an IPv4 address is created.",
      example: "192.0.2.20",
      maxLength: MAX_IP_LENGTH,
      rules: [ipRule],
    },
    serviceRef: {
      type: "object",
      description:
        "The Service whose nodes the address follows. It needs a pod selector; one that is headless or of type ExternalName is refused.",
      properties: {
        serviceName: dnsLabelSchema("Name of the Service.", "ingress"),
        namespace: {
          ...dnsLabelSchema(
            "Namespace of the Service. Absent: the RoutedIP's own. In another namespace, the Service's annotation flipop.digitalocean.com/allow-routed-ip-from must name the RoutedIP's.",
            "ingress",
          ),
          optional: true,
        },
      },
    },
    dnsRecordSet: {
      ...dnsRecordSetSchema,
      optional: true,
      description: "Record set that holds the address. Absent: no DNS records.",
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
      description: "The address, given or created.",
      maxLength: MAX_IP_LENGTH,
    },
    assignedNode: { type: "string", optional: true, description: "Node that holds the address.", maxLength: 253 },
    ports: {
      type: "array",
      optional: true,
      description: "Ports at which the Service is served on its nodes.",
      items: routedPortSchema,
      listType: "atomic",
      maxItems: 256,
    },
    firewallRules: {
      type: "array",
      optional: true,
      description: "Firewall rules that this RoutedIP needs; each is recorded before it is added.",
      items: firewallRuleSchema,
      listType: "atomic",
      maxItems: 256,
    },
    firewall: {
      type: "object",
      optional: true,
      description: "The firewall that `firewallRules` are in, and the machines that this RoutedIP added to it.",
      properties: {
        name: { type: "string", description: "Name of the firewall that `firewallRules` are in.", maxLength: 255 },
        nodes: {
          type: "array",
          description:
            "Machines (`spec.providerID`) that this RoutedIP put behind the firewall; each is recorded before it is added.",
          items: { type: "string", description: "A machine.", maxLength: MAX_PROVIDER_ID },
          listType: "atomic",
          maxItems: 64,
        },
      },
    },
    formerFirewalls: {
      type: "array",
      optional: true,
      description:
        "Former firewalls, in whose place another is named now. What this RoutedIP added there is removed once the present one is in place.",
      items: {
        type: "object",
        description:
          "A former firewall, in whose place another is named now: what this RoutedIP still has to remove there.",
        properties: {
          name: { type: "string", description: "Its name.", maxLength: 255 },
          nodes: {
            type: "array",
            description: "Machines (`spec.providerID`) that this RoutedIP put behind it.",
            items: { type: "string", description: "A machine.", maxLength: MAX_PROVIDER_ID },
            listType: "atomic",
            maxItems: 64,
          },
          rules: {
            type: "array",
            description: "Rules that this RoutedIP needed there.",
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
      description: "Whether the operator created the address; only then may it be released.",
    },
    inferred: {
      type: "boolean",
      optional: true,
      description:
        "The answer to its creation was lost, and the operator concluded from the account's lists that the address belongs to this resource. The operator never releases such an address.",
    },
    dns: { ...dnsStatusSchema, optional: true },
    pendingCreation: {
      ...pendingCreationSchema,
      optional: true,
      description: "A creation of an address whose outcome is not known yet. No other begins before it is settled.",
    },
    conditions: { ...conditionsSchema, optional: true },
  },
};

/** RoutedIP, as the table of kinds has it. */
export const routedIPKind: ResourceKind<RoutedIPSpec, RoutedIPStatus> = {
  kind: "RoutedIP",
  plural: "routedips",
  singular: "routedip",
  shortNames: ["rip"],
  scope: "Namespaced",
  description: "One routable address that follows the nodes which serve one Service, with the cloud firewall in step.",
  spec: specSchema,
  status: statusSchema,
  conditions: ["Ready", "Assigned", "FirewallReady", "DNSReady", "Conflict"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Address", type: "string", jsonPath: ".status.routedIP", description: "The address." },
    { name: "Node", type: "string", jsonPath: ".status.assignedNode", description: "Node that holds the address." },
    { name: "Service", type: "string", jsonPath: ".spec.serviceRef.serviceName", description: "Service followed." },
    { name: "State", type: "string", jsonPath: ".status.state", description: "Where the address stands." },
    { name: "Class", type: "string", jsonPath: ".spec.className", description: "Class.", priority: 1 },
    { name: "Issuer", type: "string", jsonPath: ".spec.issuerRef.name", description: "Issuer.", priority: 1 },
    ...CLOSING_COLUMNS,
  ],
};
