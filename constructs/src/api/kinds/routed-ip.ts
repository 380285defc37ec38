import { SUMMARY_TYPES } from "../condition-types";
import { ipRule, MAX_IP_LENGTH } from "../ip-address";
import { type Publication, publishToSchema } from "../publication";
import { gracePeriodSchema, holderLabelSchema, pausedSchema, untilAssignedSchema } from "../schema/common-fields";
import { CLOSING_COLUMNS, conditionColumn } from "../schema/printer-column";
import type { SchemaOf } from "../schema/schema";
import { type DnsRecordSet, dnsRecordSetSchema } from "./dns-record-set";
import { type HealthCheck, healthCheckSchema } from "./health-check";
import { dnsLabelSchema, nameSchema } from "./name-schemas";
import type { ResourceKind } from "./resource-kind";
import { routedIpRules } from "./routed-ip-rules";
import { type RoutedIPStatus, routedIPStatusSchema } from "./routed-ip-status";

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
  readonly healthCheck?: HealthCheck;
  readonly gracePeriodSeconds?: number;
  readonly holderLabel?: boolean;
  readonly untilAssigned?: boolean;
  readonly publishTo?: readonly Publication[];
  readonly paused?: boolean;
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
    healthCheck: {
      ...healthCheckSchema,
      optional: true,
      description:
        "Probes of the holder and of the next candidates. A candidate whose probes fail gets no address. The operator moves the address off a holder whose probes fail only if a witness, such as the standby replica or the kubelet's Lease, confirms the failure. With address PodIP, the operator probes the pod of the Service on the node. Needs feature healthchecks. Absent: no probes.",
    },
    gracePeriodSeconds: gracePeriodSchema,
    holderLabel: holderLabelSchema,
    untilAssigned: untilAssignedSchema,
    publishTo: publishToSchema,
    paused: pausedSchema,
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
  status: routedIPStatusSchema,
  conditions: [
    ...SUMMARY_TYPES,
    "Accepted",
    "Assigned",
    "FirewallReady",
    "DNSReady",
    "Published",
    "Conflict",
    "ProbesDoubted",
    "MassFailure",
  ],
  readyWhen: ["Accepted", "Assigned", "FirewallReady", "DNSReady", "Published"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Address", type: "string", jsonPath: ".status.routedIP", description: "The address." },
    {
      name: "Node",
      type: "string",
      jsonPath: ".status.assignedNode",
      description: "Node that holds the address, or gets it.",
    },
    { name: "Service", type: "string", jsonPath: ".spec.serviceRef.serviceName", description: "The Service followed." },
    { name: "State", type: "string", jsonPath: ".status.state", description: "State of the address." },
    { name: "Class", type: "string", jsonPath: ".spec.className", description: "Class.", priority: 1 },
    { name: "Issuer", type: "string", jsonPath: ".spec.issuerRef.name", description: "Issuer.", priority: 1 },
    ...CLOSING_COLUMNS,
  ],
};
