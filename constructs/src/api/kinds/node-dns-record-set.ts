import { type Condition, conditionsSchema, observedGenerationSchema } from "../condition";
import { SUMMARY_TYPES } from "../condition-types";
import { type IpFamily, MAX_IP_LENGTH } from "../ip-address";
import { type Match, matchSchema } from "../labels/match";
import { API_GROUP } from "../names";
import { gracePeriodSchema, pausedSchema } from "../schema/common-fields";
import { CLOSING_COLUMNS, conditionColumn } from "../schema/printer-column";
import type { Rule, SchemaOf } from "../schema/schema";
import { errorSchema, retryAtSchema } from "./address-status";
import {
  begunRecordsSchema,
  type DnsRecordSet,
  type DnsStatus,
  dnsRecordSetSchema,
  dnsStatusSchema,
  recordsCachedUntilSchema,
} from "./dns-record-set";
import {
  type FailedProbe,
  failedProbesSchema,
  type HealthCheck,
  healthCheckSchema,
  podAddressRule,
} from "./health-check";
import type { ResourceKind } from "./resource-kind";

/** Which address of a node is published. Empty (typed Go clients write it): ExternalIP. */
export type AddressType =
  | ""
  | "ExternalIP"
  | "InternalIP"
  | "flipop.digitalocean.com/ipv4-reserved-ip"
  | "flipop.digitalocean.com/ipv6-reserved-ip";

/** When a record set may become empty. */
export type EmptyPolicy = "Keep" | "Delete";

/** A record set with an address of every matching node. */
export interface NodeDNSRecordSetSpec {
  readonly dnsRecordSet: DnsRecordSet;
  readonly provider?: string;
  readonly match?: Match;
  readonly healthCheck?: HealthCheck;
  readonly addressType?: AddressType;
  readonly ipFamilies?: readonly IpFamily[];
  readonly gracePeriodSeconds?: number;
  readonly emptyPolicy?: EmptyPolicy;
  readonly paused?: boolean;
}

/** A published address. */
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

/** State of a record set. The values are those of the Go operator. */
export type RecordSetState = "active" | "in-progress" | "error";

/** What the operator observed and did. */
export interface NodeDNSRecordSetStatus {
  readonly observedGeneration?: number;
  readonly state?: RecordSetState;
  readonly error?: string;
  readonly retryAt?: string;
  readonly addresses?: readonly PublishedAddress[];
  readonly failedProbes?: readonly FailedProbe[];
  readonly dns?: DnsStatus;
  readonly begunRecords?: readonly DnsStatus[];
  readonly recordsCachedUntil?: string;
  readonly counts?: RecordCounts;
  readonly conditions?: readonly Condition[];
}

const RESERVED_PREFIX = `${API_GROUP}/`;

const familyRule: Rule<NodeDNSRecordSetSpec> = {
  cel: "!has(self.ipFamilies) || !self.addressType.startsWith('flipop.digitalocean.com/') || self.ipFamilies.all(f, f == (self.addressType.endsWith('/ipv6-reserved-ip') ? 'IPv6' : 'IPv4'))",
  message: "ipFamilies names a family that addressType does not have: remove ipFamilies",
  messageCel: "'addressType ' + self.addressType + ' has one family, but ipFamilies names another: remove ipFamilies'",
  check: ({ ipFamilies = [], addressType = "ExternalIP" }) => {
    if (!addressType.startsWith(RESERVED_PREFIX)) return undefined;
    const family = addressType.endsWith("/ipv6-reserved-ip") ? "IPv6" : "IPv4";
    if (ipFamilies.every((wanted) => wanted === family)) return undefined;
    return `addressType ${addressType} has one family, but ipFamilies names another: remove ipFamilies`;
  },
};

const specSchema: SchemaOf<NodeDNSRecordSetSpec> = {
  type: "object",
  description: "A record set with an address of every matching node.",
  example: {
    dnsRecordSet: { recordName: "nodes.example.com", zone: "example.com", ttl: 120 },
    match: { nodeLabel: "doks.digitalocean.com/node-pool=game", podNamespace: "games", podLabel: "app=match" },
    addressType: "ExternalIP",
  },
  rules: [familyRule, podAddressRule],
  properties: {
    dnsRecordSet: { ...dnsRecordSetSchema, description: "Record set in which the addresses are published." },
    provider: {
      type: "string",
      optional: true,
      description: "DNS provider if `dnsRecordSet` names none. Absent: digitalocean.",
      example: "digitalocean",
      maxLength: 63,
    },
    match: {
      ...matchSchema,
      optional: true,
      description:
        "Which nodes are candidates: the operator publishes their addresses. Absent: every node that is Ready, has no taints except flipop's own and is not cordoned.",
    },
    healthCheck: {
      ...healthCheckSchema,
      optional: true,
      description:
        "Probes of published nodes. The operator removes a node whose probes fail from the record set only if a witness, such as the standby replica or the kubelet's Lease, confirms the failure. Needs feature healthchecks. Absent: no probes.",
    },
    addressType: {
      type: "string",
      optional: true,
      description:
        "Which address of a node is published: the ExternalIP or InternalIP in its status, or the reserved IP in its annotation. A node without such an address is omitted.",
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
        "Address families to publish: A records for IPv4, AAAA records for IPv6. Absent or empty: IPv4, or the only family of a reserved-ip `addressType`.",
      example: ["IPv4", "IPv6"],
      items: { type: "string", description: "A family.", enum: { IPv4: true, IPv6: true } },
      listType: "set",
      maxItems: 2,
    },
    gracePeriodSeconds: {
      ...gracePeriodSchema,
      description:
        "Grace period in seconds: how long the record set keeps the addresses of a node that may recover (node not ready, pod unready or absent). Any other refusal, such as a cordon, ends the grace period at once.",
    },
    emptyPolicy: {
      type: "string",
      optional: true,
      description:
        "When the record set may become empty. Keep: never; the last addresses stay while no node matches. Delete: the operator deletes the records after no node has had the labels of `nodeLabel` for 5 minutes. A node that is not ready still counts.",
      enum: { Keep: true, Delete: true },
      default: "Keep",
    },
    paused: pausedSchema,
  },
};

const publishedAddressSchema: SchemaOf<PublishedAddress> = {
  type: "object",
  description: "A published address.",
  properties: {
    address: { type: "string", description: "The address.", maxLength: MAX_IP_LENGTH },
    nodeName: { type: "string", description: "Node of the address.", maxLength: 253 },
    graceSince: {
      type: "string",
      format: "date-time",
      optional: true,
      description: "When the node stopped matching; present during its grace period.",
    },
  },
};

const statusSchema: SchemaOf<NodeDNSRecordSetStatus> = {
  type: "object",
  description: "What the operator observed and did.",
  default: {},
  properties: {
    observedGeneration: { ...observedGenerationSchema, optional: true },
    // No enum, for the reason in address-status.ts.
    state: {
      type: "string",
      optional: true,
      description: "State of the record set: `active`, `in-progress` or `error`.",
      maxLength: 32,
    },
    error: errorSchema,
    retryAt: retryAtSchema,
    addresses: {
      type: "array",
      optional: true,
      description: "Published addresses, in order.",
      items: publishedAddressSchema,
      listType: "atomic",
      maxItems: 5000,
    },
    failedProbes: { ...failedProbesSchema, optional: true },
    dns: { ...dnsStatusSchema, optional: true },
    begunRecords: begunRecordsSchema,
    recordsCachedUntil: recordsCachedUntilSchema,
    counts: {
      type: "object",
      optional: true,
      description: "Numbers of nodes and addresses.",
      properties: {
        candidates: { type: "integer", description: "Candidates.", minimum: 0 },
        published: { type: "integer", description: "Published addresses.", minimum: 0 },
      },
    },
    conditions: { ...conditionsSchema, optional: true },
  },
};

/** The kind NodeDNSRecordSet. */
export const nodeDNSRecordSetKind: ResourceKind<NodeDNSRecordSetSpec, NodeDNSRecordSetStatus> = {
  kind: "NodeDNSRecordSet",
  plural: "nodednsrecordsets",
  singular: "nodednsrecordset",
  shortNames: ["nodedns"],
  scope: "Namespaced",
  description: "A DNS record set with an address of every node that matches.",
  spec: specSchema,
  status: statusSchema,
  conditions: [
    ...SUMMARY_TYPES,
    "Accepted",
    "DNSReady",
    "Conflict",
    "ProviderReachable",
    "ProbesDoubted",
    "MassFailure",
  ],
  readyWhen: ["Accepted", "DNSReady"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Record", type: "string", jsonPath: ".spec.dnsRecordSet.recordName", description: "Record name." },
    { name: "Zone", type: "string", jsonPath: ".spec.dnsRecordSet.zone", description: "Zone." },
    { name: "Published", type: "integer", jsonPath: ".status.counts.published", description: "Published addresses." },
    { name: "State", type: "string", jsonPath: ".status.state", description: "State of the record set." },
    {
      name: "Type",
      type: "string",
      jsonPath: ".spec.addressType",
      description: "Type of the published addresses.",
      priority: 1,
    },
    { name: "Error", type: "string", jsonPath: ".status.error", description: "The last error.", priority: 1 },
    ...CLOSING_COLUMNS,
  ],
};
