import {
  type AddressStatus,
  addressStatusSchema,
  errorSchema,
  type PendingCreation,
  pendingCreationSchema,
} from "./address-status";
import { type Condition, conditionsSchema, observedGenerationSchema } from "./condition";
import { type DnsStatus, dnsStatusSchema } from "./dns-record-set";
import { MAX_IP_LENGTH } from "./ip-address";
import type { SchemaOf } from "./schema";

/** An address that the pool created. */
export interface CreatedAddress {
  /** The address. */
  readonly ip: string;
  /** When it was created. */
  readonly createdTime: string;
  /** Whether it was appended to `spec.ips`; a removal by somebody else is not undone. */
  readonly inSpec?: boolean;
}

/** Exact counts of a pool. */
export interface PoolCounts {
  /** Addresses that the pool should have. */
  readonly desired: number;
  /** Addresses on a matching node. */
  readonly active: number;
  /** Addresses on no node. */
  readonly unassigned: number;
  /** Nodes that match, holders included. */
  readonly candidates: number;
}

/** What the operator observed and did. */
export interface FloatingIPPoolStatus {
  /** The `metadata.generation` that this status was computed from. */
  readonly observedGeneration?: number;
  /** Each address of the pool: where it is and why. */
  readonly ips?: { readonly [ip: string]: AddressStatus };
  /** Candidates without an address, in order; the first 50. */
  readonly assignableNodes?: readonly string[];
  /** Nodes whose address is in error, in order; the first 50. */
  readonly nodeErrors?: readonly string[];
  /** What went wrong last, in words. */
  readonly error?: string;
  /** Addresses that this pool created. */
  readonly createdIPs?: readonly CreatedAddress[];
  /** A creation whose end is not known yet. */
  readonly pendingCreation?: PendingCreation;
  /** When the provider last accepted an assignment; the cool-off counts from here, over restarts. */
  readonly lastAssignmentTime?: string;
  /** The record set as we last wrote it. */
  readonly dns?: DnsStatus;
  /** Exact counts. */
  readonly counts?: PoolCounts;
  /** What was observed, one entry for each type. Unknown until first observed. */
  readonly conditions?: readonly Condition[];
}

/** Most addresses of a pool. */
export const MAX_POOL_IPS = 1024;
/** Most entries of `assignableNodes` and `nodeErrors`: we write 50, the Go operator all. */
const MAX_NODE_NAMES = 5000;

function nodeNames(description: string): SchemaOf<readonly string[]> & { readonly optional: true } {
  return {
    type: "array",
    optional: true,
    description,
    items: { type: "string", description: "A node's name.", maxLength: 253 },
    listType: "atomic",
    maxItems: MAX_NODE_NAMES,
  };
}

const createdAddressSchema: SchemaOf<CreatedAddress> = {
  type: "object",
  description: "An address that the pool created.",
  properties: {
    ip: { type: "string", description: "The address.", maxLength: MAX_IP_LENGTH },
    createdTime: { type: "string", format: "date-time", description: "When it was created." },
    inSpec: {
      type: "boolean",
      optional: true,
      description: "Whether it was appended to `spec.ips`; a removal by somebody else is not undone.",
    },
  },
};

const countsSchema: SchemaOf<PoolCounts> = {
  type: "object",
  description: "Exact counts of a pool.",
  properties: {
    desired: { type: "integer", description: "Addresses that the pool should have.", minimum: 0 },
    active: { type: "integer", description: "Addresses on a matching node.", minimum: 0 },
    unassigned: { type: "integer", description: "Addresses on no node.", minimum: 0 },
    candidates: { type: "integer", description: "Nodes that match, holders included.", minimum: 0 },
  },
};

/** Schema of {@link FloatingIPPoolStatus}. */
export const floatingIPPoolStatusSchema: SchemaOf<FloatingIPPoolStatus> = {
  type: "object",
  description: "What the operator observed and did.",
  properties: {
    observedGeneration: { ...observedGenerationSchema, optional: true },
    ips: {
      type: "map",
      optional: true,
      description: "Each address of the pool: where it is and why.",
      values: addressStatusSchema,
      maxProperties: 2 * MAX_POOL_IPS,
    },
    assignableNodes: nodeNames("Candidates without an address, in order; the first 50."),
    nodeErrors: nodeNames("Nodes whose address is in error, in order; the first 50."),
    error: errorSchema,
    createdIPs: {
      type: "array",
      optional: true,
      description: "Addresses that this pool created.",
      items: createdAddressSchema,
      listType: "map",
      keys: ["ip"],
      maxItems: 2 * MAX_POOL_IPS,
    },
    pendingCreation: {
      ...pendingCreationSchema,
      optional: true,
      description: "A creation whose end is not known yet.",
    },
    lastAssignmentTime: {
      type: "string",
      format: "date-time",
      optional: true,
      description: "When the provider last accepted an assignment; the cool-off counts from here, over restarts.",
    },
    dns: { ...dnsStatusSchema, optional: true },
    counts: { ...countsSchema, optional: true, description: "Exact counts." },
    conditions: { ...conditionsSchema, optional: true },
  },
};
