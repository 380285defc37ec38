import { type Condition, conditionsSchema, observedGenerationSchema } from "../condition";
import { MAX_IP_LENGTH } from "../ip-address";
import { holderLabelKeySchema, untilAssignedKeySchema } from "../schema/common-fields";
import type { SchemaOf } from "../schema/schema";
import {
  type AddressStatus,
  accountSchema,
  addressStatusSchema,
  errorSchema,
  type PendingCreation,
  pendingCreationSchema,
  retryAtSchema,
} from "./address-status";
import { begunRecordsSchema, type DnsStatus, dnsStatusSchema, recordsCachedUntilSchema } from "./dns-record-set";
import { type FailedProbe, failedProbesSchema } from "./health-check";

/** An address that the pool created. */
export interface CreatedAddress {
  readonly ip: string;
  readonly createdTime: string;
  readonly inSpec?: boolean;
  readonly inferred?: boolean;
}

/** Numbers of addresses and nodes of a pool, exact even if the lists are shortened. */
export interface PoolCounts {
  readonly desired: number;
  readonly active: number;
  readonly unassigned: number;
  readonly candidates: number;
}

/** What the operator observed and did. */
export interface FloatingIPPoolStatus {
  readonly observedGeneration?: number;
  readonly ips?: { readonly [ip: string]: AddressStatus };
  readonly assignableNodes?: readonly string[];
  readonly nodeErrors?: readonly string[];
  readonly failedProbes?: readonly FailedProbe[];
  readonly error?: string;
  readonly retryAt?: string;
  readonly createdIPs?: readonly CreatedAddress[];
  readonly account?: string;
  readonly pendingCreation?: PendingCreation;
  readonly lastAssignmentTime?: string;
  readonly dns?: DnsStatus;
  readonly begunRecords?: readonly DnsStatus[];
  readonly recordsCachedUntil?: string;
  readonly counts?: PoolCounts;
  readonly holderLabel?: string;
  readonly untilAssignedTaint?: string;
  readonly conditions?: readonly Condition[];
}

/** Maximum number of addresses of a pool. */
export const MAX_POOL_IPS = 1024;
/** Maximum number of entries of `assignableNodes` and `nodeErrors`: this operator writes 50, the Go operator all. */
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
    createdTime: { type: "string", format: "date-time", description: "When the operator created it." },
    inSpec: {
      type: "boolean",
      optional: true,
      description:
        "Whether the operator has ever appended the address to `spec.ips`. It stays true if somebody removes the address there: the operator does not append it again, and the address serves until `desiredIPs` is lowered.",
    },
    inferred: {
      type: "boolean",
      optional: true,
      description:
        "Whether the response to the creation was lost and the operator concluded from the account's lists that the address belongs to this resource. The operator never releases such an address.",
    },
  },
};

const countsSchema: SchemaOf<PoolCounts> = {
  type: "object",
  description: "Numbers of addresses and nodes of a pool, exact even if the lists are shortened.",
  properties: {
    desired: { type: "integer", description: "Desired addresses.", minimum: 0 },
    active: {
      type: "integer",
      description:
        "Active addresses: on a candidate, or on a holder in its grace period. `DNSReady` says whether the name has them.",
      minimum: 0,
    },
    unassigned: { type: "integer", description: "Addresses that are on no node.", minimum: 0 },
    candidates: {
      type: "integer",
      description:
        "Nodes that match, also those that hold an address, and those in `nodeErrors`, to which the operator tries again to assign one.",
      minimum: 0,
    },
  },
};

/** Schema of {@link FloatingIPPoolStatus}. */
export const floatingIPPoolStatusSchema: SchemaOf<FloatingIPPoolStatus> = {
  type: "object",
  description: "What the operator observed and did.",
  default: {},
  properties: {
    observedGeneration: { ...observedGenerationSchema, optional: true },
    ips: {
      type: "map",
      optional: true,
      description: "Each address of the pool with its node, state and reason.",
      values: addressStatusSchema,
      maxProperties: 2 * MAX_POOL_IPS,
    },
    assignableNodes: nodeNames(
      "The first 50 candidates without an address, in the order in which they get one (`spec.nodePreference`).",
    ),
    nodeErrors: nodeNames("The first 50 nodes that lately refused an address, by name."),
    failedProbes: { ...failedProbesSchema, optional: true },
    error: errorSchema,
    retryAt: retryAtSchema,
    createdIPs: {
      type: "array",
      optional: true,
      description:
        "Addresses that the operator created for this pool, or for another resource that passed them on to this one.",
      items: createdAddressSchema,
      listType: "map",
      keys: ["ip"],
      maxItems: 2 * MAX_POOL_IPS,
    },
    account: accountSchema(
      "The account that has the addresses of this pool, as the provider identifies it. While the operator's token belongs to another account, the operator changes nothing for this pool. Absent: the pool has no address on record, or no token could read its account.",
    ),
    pendingCreation: {
      ...pendingCreationSchema,
      optional: true,
      description:
        "An address creation with an unknown outcome. The operator starts no other creation until it knows the outcome.",
    },
    lastAssignmentTime: {
      type: "string",
      format: "date-time",
      optional: true,
      description:
        "When the provider last accepted an assignment. The cool-off starts at this time, even if the operator restarts.",
    },
    dns: { ...dnsStatusSchema, optional: true },
    begunRecords: begunRecordsSchema,
    recordsCachedUntil: recordsCachedUntilSchema,
    counts: {
      ...countsSchema,
      optional: true,
      description: "Numbers of addresses and nodes of the pool, exact even if the lists are shortened.",
    },
    holderLabel: holderLabelKeySchema,
    untilAssignedTaint: untilAssignedKeySchema,
    conditions: { ...conditionsSchema, optional: true },
  },
};
