import { SUMMARY_TYPES } from "../condition-types";
import { type IpFamily, ipRule, MAX_IP_LENGTH } from "../ip-address";
import { type Match, matchSchema } from "../labels/match";
import { type Publication, publishToSchema } from "../publication";
import { gracePeriodSchema, holderLabelSchema, pausedSchema, untilAssignedSchema } from "../schema/common-fields";
import { CLOSING_COLUMNS, conditionColumn } from "../schema/printer-column";
import type { SchemaOf } from "../schema/schema";
import { type DeletionPolicy, type DnsRecordSet, dnsRecordSetSchema, providerSchema } from "./dns-record-set";
import { addressListRules, poolChangeRules, poolRules } from "./floating-ip-pool-rules";
import { type FloatingIPPoolStatus, floatingIPPoolStatusSchema, MAX_POOL_IPS } from "./floating-ip-pool-status";
import { type HealthCheck, healthCheckSchema, podAddressRule } from "./health-check";
import type { ResourceKind } from "./resource-kind";

/** Order in which waiting candidates get an address. */
export type NodePreference = "Stable" | "Name";

/** Addresses that follow healthy nodes: which addresses, and which nodes may hold them. */
export interface FloatingIPPoolSpec {
  readonly provider: string;
  readonly region?: string;
  readonly desiredIPs?: number;
  readonly ips?: readonly string[];
  readonly assignmentCoolOffSeconds?: number;
  readonly maxMovesPerMinute?: number;
  readonly dnsRecordSet?: DnsRecordSet;
  readonly match?: Match;
  readonly healthCheck?: HealthCheck;
  readonly ipFamily?: IpFamily;
  readonly gracePeriodSeconds?: number;
  readonly nodePreference?: NodePreference;
  readonly reclaimPolicy?: DeletionPolicy;
  readonly holderLabel?: boolean;
  readonly untilAssigned?: boolean;
  readonly publishTo?: readonly Publication[];
  readonly paused?: boolean;
}

/** Beyond this, a limit has no effect: a pool has fewer addresses. */
const MAX_MOVES_PER_MINUTE = 1000;

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
  rules: [...poolRules, podAddressRule],
  properties: {
    provider: providerSchema("Provider of the addresses, such as digitalocean."),
    region: {
      type: "string",
      optional: true,
      description:
        "Region in which addresses are created. Match only nodes of this region: no other node can have the addresses. While all nodes of the cluster are in other regions, the operator creates none. Absent: the operator creates an IPv4 address only on a candidate that waits for one, and never creates an IPv6 address.",
      example: "nyc3",
      maxLength: 63,
    },
    desiredIPs: {
      type: "integer",
      optional: true,
      description:
        "Desired number of addresses. 0 or absent: exactly `ips`. More than `ips` lists: the operator creates the others. Fewer: the operator disables the last ones of `ips`, which leave DNS and are not assigned to nodes. A disabled address stays on its node until another address of the pool needs the node and no other node that matches is free: then the operator takes it off, after the TTL if it was in DNS. With `reclaimPolicy: Delete`, it releases those of them that it created.",
      example: 3,
      minimum: 0,
      maximum: MAX_POOL_IPS,
    },
    ips: {
      type: "array",
      optional: true,
      description:
        "Addresses to use, all of one family. The operator takes each of them from any machine of the account that has it, also from one that is not a node of this cluster. It appends the addresses that it creates, except one that is no longer wanted when its creation ends. To give up a created address, also lower `desiredIPs`: removing the address from the list has no effect alone. The operator does not touch a listed address any more once you remove it: it stays on its node, and no other address of the pool gets this node. To replace an address, put the new one in front of it, set `desiredIPs` to the number of addresses that should serve, and remove the former one when it has left its node.",
      example: ["192.0.2.10", "192.0.2.11"],
      items: { type: "string", description: "An IPv4 or IPv6 address.", maxLength: MAX_IP_LENGTH, rules: [ipRule] },
      // Not a set: the server would reject every patch of an object that has a duplicate from the Go operator's schema.
      // The rule against duplicates leaves an unchanged list alone.
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
    maxMovesPerMinute: {
      type: "integer",
      optional: true,
      description:
        "Maximum number of addresses that leave a holder for another node, per minute. A token bucket of this size: the operator may move that many addresses at once, then one each time a share of the minute has passed. The assignment of an address without a holder does not count. Absent: no limit.",
      example: 2,
      minimum: 1,
      maximum: MAX_MOVES_PER_MINUTE,
    },
    dnsRecordSet: {
      ...dnsRecordSetSchema,
      optional: true,
      description:
        "Record set with the active addresses. While no address is active, it has those on cordoned nodes; without any, it stays unchanged. Absent: no DNS records.",
    },
    match: {
      ...matchSchema,
      optional: true,
      description:
        "Which nodes are candidates. Absent: every node that is Ready, has no taints except flipop's own and is not cordoned.",
    },
    healthCheck: {
      ...healthCheckSchema,
      optional: true,
      description:
        "Probes of holders and of the next candidates. A candidate whose probes fail gets no address. The operator moves an address off a holder whose probes fail only if a witness, such as the standby replica or the kubelet's Lease, confirms the failure. Needs feature healthchecks. Absent: no probes.",
    },
    ipFamily: {
      type: "string",
      optional: true,
      description:
        "Family of all addresses of the pool, listed and created. Absent: the family of `ips`, or IPv4 if the list is empty. While the pool has addresses that the operator created, their family stays that of the pool.",
      enum: { IPv4: true, IPv6: true },
    },
    gracePeriodSeconds: gracePeriodSchema,
    nodePreference: {
      type: "string",
      optional: true,
      description:
        "Order in which waiting candidates get an address; it never causes a move. Stable: first the nodes that are likely to stay (not cordoned, not chosen by an autoscaler for removal), then the newest kubelet, then the youngest node. Name: by name.",
      enum: { Stable: true, Name: true },
      default: "Stable",
    },
    reclaimPolicy: {
      type: "string",
      optional: true,
      description:
        "What happens to an address that the pool created when the pool is deleted or no longer needs it. Retain: the account keeps the address. Delete: the operator releases it for good, after the TTL if it first removes it from the record set; an address that a NodeDNSRecordSet publishes, only after the TTL once that one has removed it. Set dnsRecordSet.deletionPolicy to Delete, too: otherwise, the name of a deleted pool stays and points to an address that the provider may give to somebody else. If you change Retain to Delete, the operator also releases the created addresses that the pool disabled before the change. The operator never releases addresses that you listed and no resource created. If another resource lists a created address, the operator does not release it; that resource gets it when this pool is deleted, or needs it no more and has it no longer in ips. Then the address counts as created for that resource, and its policy decides, except that no policy Delete applies to an address that Retain has kept.",
      enum: { Retain: true, Delete: true },
      default: "Retain",
    },
    holderLabel: holderLabelSchema,
    untilAssigned: untilAssignedSchema,
    publishTo: publishToSchema,
    paused: pausedSchema,
  },
};

/** The kind FloatingIPPool. */
export const floatingIPPoolKind: ResourceKind<FloatingIPPoolSpec, FloatingIPPoolStatus> = {
  kind: "FloatingIPPool",
  plural: "floatingippools",
  singular: "floatingippool",
  shortNames: ["fip"],
  scope: "Namespaced",
  description:
    "A pool of addresses (reserved IPs) that follow healthy nodes, and a DNS record set with the active addresses.",
  spec: specSchema,
  status: floatingIPPoolStatusSchema,
  changeRules: poolChangeRules,
  conditions: [
    ...SUMMARY_TYPES,
    "Accepted",
    "Fulfilled",
    "DNSReady",
    "Published",
    "Conflict",
    "ProviderReachable",
    "ProbesDoubted",
    "MassFailure",
  ],
  readyWhen: ["Accepted", "Fulfilled", "DNSReady", "Published"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Desired", type: "integer", jsonPath: ".status.counts.desired", description: "Desired addresses." },
    {
      name: "Active",
      type: "integer",
      jsonPath: ".status.counts.active",
      description: "Addresses on a matching node.",
    },
    {
      name: "Candidates",
      type: "integer",
      jsonPath: ".status.counts.candidates",
      description: "Nodes that match, as in `status.counts`.",
    },
    { name: "DNS", type: "string", jsonPath: ".spec.dnsRecordSet.recordName", description: "Record name." },
    { name: "Provider", type: "string", jsonPath: ".spec.provider", description: "Address provider.", priority: 1 },
    { name: "Region", type: "string", jsonPath: ".spec.region", description: "Region.", priority: 1 },
    { name: "Error", type: "string", jsonPath: ".status.error", description: "The last error.", priority: 1 },
    ...CLOSING_COLUMNS,
  ],
};
