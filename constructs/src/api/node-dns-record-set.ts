import { errorSchema, retryAtSchema } from "./address-status";
import { gracePeriodSchema, pausedSchema } from "./common-fields";
import { type Condition, conditionsSchema, observedGenerationSchema } from "./condition";
import { type DnsRecordSet, type DnsStatus, dnsRecordSetSchema, dnsStatusSchema } from "./dns-record-set";
import { type IpFamily, MAX_IP_LENGTH } from "./ip-address";
import { type Match, matchSchema } from "./match";
import { API_GROUP } from "./names";
import { CLOSING_COLUMNS, conditionColumn } from "./printer-column";
import type { ResourceKind } from "./resource-kind";
import type { Rule, SchemaOf } from "./schema";

/** Which address of a node is published. Empty, which typed Go clients write: ExternalIP. */
export type AddressType =
  | ""
  | "ExternalIP"
  | "InternalIP"
  | "flipop.digitalocean.com/ipv4-reserved-ip"
  | "flipop.digitalocean.com/ipv6-reserved-ip";

/** When a record set may become empty. */
export type EmptyPolicy = "Keep" | "Delete";

/** A record set that holds an address of every matching node. */
export interface NodeDNSRecordSetSpec {
  readonly dnsRecordSet: DnsRecordSet;
  readonly provider?: string;
  readonly match?: Match;
  readonly addressType?: AddressType;
  readonly ipFamilies?: readonly IpFamily[];
  readonly gracePeriodSeconds?: number;
  readonly emptyPolicy?: EmptyPolicy;
  readonly paused?: boolean;
}

/** An address that is published. */
export interface PublishedAddress {
  readonly address: string;
  readonly nodeName: string;
  readonly graceSince?: string;
}

/** Numbers of nodes and addresses of a record set. */
export interface RecordCounts {
  readonly candidates: number;
  readonly published: number;
}

/** Where a record set stands. The words are the Go operator's. */
export type RecordSetState = "active" | "in-progress" | "error";

/** What the operator observed and did. */
export interface NodeDNSRecordSetStatus {
  readonly observedGeneration?: number;
  readonly state?: RecordSetState;
  readonly error?: string;
  readonly retryAt?: string;
  readonly addresses?: readonly PublishedAddress[];
  readonly dns?: DnsStatus;
  readonly counts?: RecordCounts;
  readonly conditions?: readonly Condition[];
}

const RESERVED_PREFIX = `${API_GROUP}/`;

const familyRule: Rule<NodeDNSRecordSetSpec> = {
  cel: "!has(self.ipFamilies) || !self.addressType.startsWith('flipop.digitalocean.com/') || self.ipFamilies.all(f, f == (self.addressType.endsWith('/ipv6-reserved-ip') ? 'IPv6' : 'IPv4'))",
  message: "ipFamilies names a family that addressType does not have: leave ipFamilies out",
  messageCel:
    "'addressType ' + self.addressType + ' has one family, and ipFamilies names another: leave ipFamilies out'",
  check: ({ ipFamilies = [], addressType = "ExternalIP" }) => {
    if (!addressType.startsWith(RESERVED_PREFIX)) return undefined;
    const family = addressType.endsWith("/ipv6-reserved-ip") ? "IPv6" : "IPv4";
    if (ipFamilies.every((wanted) => wanted === family)) return undefined;
    return `addressType ${addressType} has one family, and ipFamilies names another: leave ipFamilies out`;
  },
};

const specSchema: SchemaOf<NodeDNSRecordSetSpec> = {
  type: "object",
  description: "A record set that holds an address of every matching node.",
  example: {
    dnsRecordSet: { recordName: "nodes.example.com", zone: "example.com", ttl: 120 },
    match: { nodeLabel: "doks.digitalocean.com/node-pool=game", podNamespace: "games", podLabel: "app=match" },
    addressType: "ExternalIP",
  },
  rules: [familyRule],
  properties: {
    dnsRecordSet: { ...dnsRecordSetSchema, description: "Record set that the addresses are published in." },
    provider: {
      type: "string",
      optional: true,
      description: "DNS provider where `dnsRecordSet` names none. Absent: digitalocean.",
      example: "digitalocean",
      maxLength: 63,
    },
    match: {
      ...matchSchema,
      optional: true,
      description:
        "Which nodes are candidates: their addresses are published. Absent: every node that is Ready, without taints and not cordoned.",
    },
    addressType: {
      type: "string",
      optional: true,
      description:
        "Which address of a node is published: that of type ExternalIP or InternalIP in its status, or the reserved IP that its annotation names. A node without such an address is left out.",
      enum: {
        "": true,
        ExternalIP: true,
        InternalIP: true,
        "flipop.digitalocean.com/ipv4-reserved-ip": true,
        "flipop.digitalocean.com/ipv6-reserved-ip": true,
      },
      default: "ExternalIP",
    },
    ipFamilies: {
      type: "array",
      optional: true,
      description:
        "Address families to publish: A records for IPv4, AAAA records for IPv6. Absent or empty: IPv4, or the one family that a reserved-ip `addressType` has.",
      example: ["IPv4", "IPv6"],
      items: { type: "string", description: "A family.", enum: { IPv4: true, IPv6: true } },
      listType: "set",
      maxItems: 2,
    },
    gracePeriodSeconds: gracePeriodSchema,
    emptyPolicy: {
      type: "string",
      optional: true,
      description:
        "When the record set may become empty. Keep: never; the last addresses stay while no node matches. Delete: its records are deleted once no node has had the labels of `nodeLabel` for 5 minutes; nodes that are not ready do not count as gone.",
      enum: { Keep: true, Delete: true },
      default: "Keep",
    },
    paused: pausedSchema,
  },
};

const publishedAddressSchema: SchemaOf<PublishedAddress> = {
  type: "object",
  description: "An address that is published.",
  properties: {
    address: { type: "string", description: "The address.", maxLength: MAX_IP_LENGTH },
    nodeName: { type: "string", description: "Node that it belongs to.", maxLength: 253 },
    graceSince: {
      type: "string",
      format: "date-time",
      optional: true,
      description: "When the node stopped matching, while its grace period lasts.",
    },
  },
};

const statusSchema: SchemaOf<NodeDNSRecordSetStatus> = {
  type: "object",
  description: "What the operator observed and did.",
  properties: {
    observedGeneration: { ...observedGenerationSchema, optional: true },
    // No enum, as with addresses: see address-status.ts.
    state: {
      type: "string",
      optional: true,
      description: "Where the record set stands: `active`, `in-progress` or `error`.",
      maxLength: 32,
    },
    error: errorSchema,
    retryAt: retryAtSchema,
    addresses: {
      type: "array",
      optional: true,
      description: "Addresses published, in order.",
      items: publishedAddressSchema,
      listType: "atomic",
      maxItems: 5000,
    },
    dns: { ...dnsStatusSchema, optional: true },
    counts: {
      type: "object",
      optional: true,
      description: "Numbers of nodes and addresses.",
      properties: {
        candidates: { type: "integer", description: "Candidates.", minimum: 0 },
        published: { type: "integer", description: "Addresses published.", minimum: 0 },
      },
    },
    conditions: { ...conditionsSchema, optional: true },
  },
};

/** NodeDNSRecordSet, as the table of kinds has it. */
export const nodeDNSRecordSetKind: ResourceKind<NodeDNSRecordSetSpec, NodeDNSRecordSetStatus> = {
  kind: "NodeDNSRecordSet",
  plural: "nodednsrecordsets",
  singular: "nodednsrecordset",
  shortNames: ["nodedns"],
  scope: "Namespaced",
  description: "A DNS record set that holds an address of every node that matches.",
  spec: specSchema,
  status: statusSchema,
  conditions: ["Ready", "DNSReady", "Conflict", "ProviderReachable"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Record", type: "string", jsonPath: ".spec.dnsRecordSet.recordName", description: "Record name." },
    { name: "Zone", type: "string", jsonPath: ".spec.dnsRecordSet.zone", description: "Zone." },
    { name: "Published", type: "integer", jsonPath: ".status.counts.published", description: "Addresses published." },
    { name: "State", type: "string", jsonPath: ".status.state", description: "Where the record set stands." },
    { name: "Type", type: "string", jsonPath: ".spec.addressType", description: "Address published.", priority: 1 },
    { name: "Error", type: "string", jsonPath: ".status.error", description: "What went wrong.", priority: 1 },
    ...CLOSING_COLUMNS,
  ],
};
