import { gracePeriodSchema, pausedSchema } from "./common-fields";
import { type DeletionPolicy, type DnsRecordSet, dnsRecordSetSchema, providerSchema } from "./dns-record-set";
import { addressListRules, poolRules } from "./floating-ip-pool-rules";
import { type FloatingIPPoolStatus, floatingIPPoolStatusSchema, MAX_POOL_IPS } from "./floating-ip-pool-status";
import { type IpFamily, ipRule, MAX_IP_LENGTH } from "./ip-address";
import { type Match, matchSchema } from "./match";
import { CLOSING_COLUMNS, conditionColumn } from "./printer-column";
import type { ResourceKind } from "./resource-kind";
import type { SchemaOf } from "./schema";

/** Order among waiting candidates. */
export type NodePreference = "Stable" | "Name";

/** Addresses that follow healthy nodes: which addresses, and which nodes may hold them. */
export interface FloatingIPPoolSpec {
  /** Provider of the addresses. */
  readonly provider: string;
  /** Region that addresses are created in; all matching nodes are taken to be in it. */
  readonly region?: string;
  /** How many addresses the pool has. 0 or absent: exactly `ips`. More than `ips`: the rest is created. Fewer: the tail of `ips` is disabled. */
  readonly desiredIPs?: number;
  /** Addresses to use. Created ones are appended by the operator, so that they survive a restart. */
  readonly ips?: readonly string[];
  /** Seconds between two assignments of the pool. */
  readonly assignmentCoolOffSeconds?: number;
  /** A record set that holds the active addresses. */
  readonly dnsRecordSet?: DnsRecordSet;
  /** Which nodes are candidates. */
  readonly match?: Match;
  /** Family of created addresses; a pool holds one family. Absent: that of `ips`, else IPv4. */
  readonly ipFamily?: IpFamily;
  /** Seconds that a holder which may recover (not ready, pod unready) keeps its address though another node waits. */
  readonly gracePeriodSeconds?: number;
  /** Order among waiting candidates; it never moves an address. Stable: nodes that will stay first. Name: by name, as the Go operator does. */
  readonly nodePreference?: NodePreference;
  /** What happens to addresses that this pool created when it is deleted or shrinks. Listed ones are never released. */
  readonly reclaimPolicy?: DeletionPolicy;
  /** Stops every write but status; deletion still cleans up. */
  readonly paused?: boolean;
}

const specSchema: SchemaOf<FloatingIPPoolSpec> = {
  type: "object",
  description: "Addresses that follow healthy nodes: which addresses, and which nodes may hold them.",
  example: {
    provider: "digitalocean",
    region: "nyc3",
    desiredIPs: 3,
    ips: ["192.0.2.10"],
    gracePeriodSeconds: 60,
    dnsRecordSet: { recordName: "hello", zone: "example.com", ttl: 60 },
    match: {
      podNamespace: "ingress",
      podLabel: "app=nginx-ingress",
      nodeLabel: "doks.digitalocean.com/node-pool=work",
    },
  },
  rules: poolRules,
  properties: {
    provider: providerSchema("Provider of the addresses."),
    region: {
      type: "string",
      optional: true,
      description: "Region that addresses are created in; all matching nodes are taken to be in it.",
      example: "nyc3",
      maxLength: 63,
    },
    desiredIPs: {
      type: "integer",
      optional: true,
      description:
        "How many addresses the pool has. 0 or absent: exactly `ips`. More than `ips`: the rest is created. Fewer: the tail of `ips` is disabled.",
      example: 3,
      minimum: 0,
      maximum: MAX_POOL_IPS,
    },
    ips: {
      type: "array",
      optional: true,
      description: "Addresses to use. Created ones are appended by the operator, so that they survive a restart.",
      example: ["192.0.2.10", "192.0.2.11"],
      items: { type: "string", description: "An IPv4 or IPv6 address.", maxLength: MAX_IP_LENGTH, rules: [ipRule] },
      // Not a set: a duplicate stored under the Go operator's schema would make the object unpatchable.
      listType: "atomic",
      maxItems: MAX_POOL_IPS,
      rules: addressListRules,
    },
    assignmentCoolOffSeconds: {
      type: "number",
      optional: true,
      description: "Seconds between two assignments of the pool.",
      example: 20,
      minimum: 0,
    },
    dnsRecordSet: {
      ...dnsRecordSetSchema,
      optional: true,
      description: "A record set that holds the active addresses.",
    },
    match: { ...matchSchema, optional: true, description: "Which nodes are candidates." },
    ipFamily: {
      type: "string",
      optional: true,
      description: "Family of created addresses; a pool holds one family. Absent: that of `ips`, else IPv4.",
      enum: { IPv4: true, IPv6: true },
    },
    gracePeriodSeconds: gracePeriodSchema,
    nodePreference: {
      type: "string",
      optional: true,
      description:
        "Order among waiting candidates; it never moves an address. Stable: nodes that will stay first. Name: by name, as the Go operator does.",
      enum: { Stable: true, Name: true },
      default: "Stable",
    },
    reclaimPolicy: {
      type: "string",
      optional: true,
      description:
        "What happens to addresses that this pool created when it is deleted or shrinks. Listed ones are never released.",
      enum: { Retain: true, Delete: true },
      default: "Retain",
    },
    paused: pausedSchema,
  },
};

/** FloatingIPPool, as the table of kinds has it. */
export const floatingIPPoolKind: ResourceKind<FloatingIPPoolSpec, FloatingIPPoolStatus> = {
  kind: "FloatingIPPool",
  plural: "floatingippools",
  singular: "floatingippool",
  shortNames: ["fip"],
  scope: "Namespaced",
  description: "A pool of addresses (reserved IPs) that follow healthy nodes, and the DNS record set that names them.",
  spec: specSchema,
  status: floatingIPPoolStatusSchema,
  conditions: ["Ready", "Fulfilled", "DNSReady", "Conflict", "ProviderReachable"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Desired", type: "integer", jsonPath: ".status.counts.desired", description: "Addresses wanted." },
    {
      name: "Active",
      type: "integer",
      jsonPath: ".status.counts.active",
      description: "Addresses on a matching node.",
    },
    { name: "Candidates", type: "integer", jsonPath: ".status.counts.candidates", description: "Nodes that match." },
    { name: "DNS", type: "string", jsonPath: ".spec.dnsRecordSet.recordName", description: "Record name." },
    { name: "Provider", type: "string", jsonPath: ".spec.provider", description: "Address provider.", priority: 1 },
    { name: "Region", type: "string", jsonPath: ".spec.region", description: "Region.", priority: 1 },
    { name: "Error", type: "string", jsonPath: ".status.error", description: "What went wrong.", priority: 1 },
    ...CLOSING_COLUMNS,
  ],
};
