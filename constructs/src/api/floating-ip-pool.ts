import { gracePeriodSchema, pausedSchema } from "./common-fields";
import { type DeletionPolicy, type DnsRecordSet, dnsRecordSetSchema, providerSchema } from "./dns-record-set";
import { addressListRules, poolRules } from "./floating-ip-pool-rules";
import { type FloatingIPPoolStatus, floatingIPPoolStatusSchema, MAX_POOL_IPS } from "./floating-ip-pool-status";
import { type IpFamily, ipRule, MAX_IP_LENGTH } from "./ip-address";
import { type Match, matchSchema } from "./match";
import { CLOSING_COLUMNS, conditionColumn } from "./printer-column";
import type { ResourceKind } from "./resource-kind";
import type { SchemaOf } from "./schema";

/** Order in which waiting candidates get an address. */
export type NodePreference = "Stable" | "Name";

/** Addresses that follow healthy nodes: which addresses, and which nodes may hold them. */
export interface FloatingIPPoolSpec {
  readonly provider: string;
  readonly region?: string;
  readonly desiredIPs?: number;
  readonly ips?: readonly string[];
  readonly assignmentCoolOffSeconds?: number;
  readonly dnsRecordSet?: DnsRecordSet;
  readonly match?: Match;
  readonly ipFamily?: IpFamily;
  readonly gracePeriodSeconds?: number;
  readonly nodePreference?: NodePreference;
  readonly reclaimPolicy?: DeletionPolicy;
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
    provider: providerSchema("Provider of the addresses, such as digitalocean."),
    region: {
      type: "string",
      optional: true,
      description:
        "Region that addresses are created in. Match nodes of this region only: an address goes to no node elsewhere. Absent: an address is created only on a candidate that waits for one, an IPv6 address never.",
      example: "nyc3",
      maxLength: 63,
    },
    desiredIPs: {
      type: "integer",
      optional: true,
      description:
        "Number of addresses that the pool should have. 0 or absent: exactly `ips`. More than `ips` lists: the rest is created. Fewer: the last ones are disabled, so that they leave DNS and go to no node.",
      example: 3,
      minimum: 0,
      maximum: MAX_POOL_IPS,
    },
    ips: {
      type: "array",
      optional: true,
      description:
        "Addresses to use, all of one family. The operator appends those that it creates. To give up a created one, lower `desiredIPs` too: its removal from the list alone changes nothing.",
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
      description:
        "Cool-off in seconds from one assignment of the pool to the next; fractions are allowed. Absent or 0: none.",
      example: 20,
      minimum: 0,
      unit: "seconds",
    },
    dnsRecordSet: {
      ...dnsRecordSetSchema,
      optional: true,
      description:
        "Record set that holds the active addresses. While none is active, it stays as it is. Absent: no DNS records.",
    },
    match: {
      ...matchSchema,
      optional: true,
      description: "Which nodes are candidates. Absent: every node that is Ready, without taints and not cordoned.",
    },
    ipFamily: {
      type: "string",
      optional: true,
      description: "Family of all addresses of the pool, listed and created. Absent: that of `ips`, else IPv4.",
      enum: { IPv4: true, IPv6: true },
    },
    gracePeriodSeconds: gracePeriodSchema,
    nodePreference: {
      type: "string",
      optional: true,
      description:
        "Order in which waiting candidates get an address; it never moves one. Stable: first those that are likely to stay (not cordoned, not chosen by an autoscaler for removal), then the newest kubelet, then the youngest node. Name: by name.",
      enum: { Stable: true, Name: true },
      default: "Stable",
    },
    reclaimPolicy: {
      type: "string",
      optional: true,
      description:
        "What happens to an address that the pool created when the pool is deleted or no longer needs it. Retain: the account keeps it. Delete: it is released for good. Addresses that you listed are never released.",
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
