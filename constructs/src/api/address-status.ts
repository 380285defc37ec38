import { type IpFamily, MAX_IP_LENGTH } from "./ip-address";
import type { SchemaOf } from "./schema";

export const ADDRESS_STATES = ["active", "in-progress", "error", "no-match", "unassigned", "disabled"] as const;

/** Where an address stands. The words are the Go operator's; dashboards and scripts know them. */
export type AddressState = (typeof ADDRESS_STATES)[number];

/** What status says of one address. */
export interface AddressStatus {
  readonly state?: AddressState;
  readonly nodeName?: string;
  readonly providerID?: string;
  readonly error?: string;
  readonly since?: string;
  readonly graceSince?: string;
  readonly reason?: string;
  readonly actionID?: string;
  readonly retryAt?: string;
}

/** The intent to create an address, written before the call: the answer may get lost, the address must not. */
export interface PendingCreation {
  readonly startedAt: string;
  readonly provider: string;
  readonly region?: string;
  readonly project?: string;
  readonly family: IpFamily;
  readonly providerID?: string;
  readonly dropletHadAddress?: boolean;
  readonly unassignedSeen?: readonly string[];
}

/** Longest `spec.providerID` that a status takes; Kubernetes itself has no bound. */
export const MAX_PROVIDER_ID = 2048;
/** Longest `error` that a status takes: cut it. */
export const MAX_ERROR = 4096;
/** Most unassigned addresses that an intent remembers. */
export const MAX_UNASSIGNED_SEEN = 500;

// No enum: the Go operator may write an empty state, and must still be able to when somebody goes back to it.
export const addressStateSchema: SchemaOf<AddressState> = {
  type: "string",
  description:
    "Where the address stands: `active`, `in-progress`, `error`, `no-match` (its node no longer matches), `unassigned`, `disabled` (beyond desiredIPs).",
  maxLength: 32,
};

/** Schemas of the fields that a pool's address and a RoutedIP share. */
export const addressStatusProperties = {
  since: { type: "string", format: "date-time", optional: true, description: "When `state` last changed." },
  graceSince: {
    type: "string",
    format: "date-time",
    optional: true,
    description: "When the holder stopped matching; the grace period counts from here, over restarts.",
  },
  reason: {
    type: "string",
    optional: true,
    description: "Why it is in this state, as one CamelCase word.",
    maxLength: 128,
  },
  actionID: {
    type: "string",
    optional: true,
    description: "The provider's id of the action under way; a restart goes on polling it.",
    maxLength: 128,
  },
  retryAt: { type: "string", format: "date-time", optional: true, description: "When the next try is due." },
  providerID: {
    type: "string",
    optional: true,
    description: "`spec.providerID` of that node, which tells it from a later node of the same name.",
    maxLength: MAX_PROVIDER_ID,
  },
} as const;

/** Schema of `error` fields. */
export const errorSchema = {
  type: "string",
  optional: true,
  description: "What went wrong last, in words.",
  maxLength: MAX_ERROR,
} as const;

/** Schema of `status.retryAt`. */
export const retryAtSchema = {
  type: "string",
  format: "date-time",
  optional: true,
  description:
    "When the operator tries again what failed. Absent: nothing waits, or the next try is less than a minute away.",
} as const;

/** Schema of {@link AddressStatus}. */
export const addressStatusSchema: SchemaOf<AddressStatus> = {
  type: "object",
  description: "What status says of one address.",
  properties: {
    ...addressStatusProperties,
    state: { ...addressStateSchema, optional: true },
    nodeName: {
      type: "string",
      optional: true,
      description: "Node that holds the address or is about to.",
      maxLength: 253,
    },
    error: errorSchema,
  },
};

/** Schema of {@link PendingCreation}. */
export const pendingCreationSchema: SchemaOf<PendingCreation> = {
  type: "object",
  description:
    "The intent to create an address, written before the call: the answer may get lost, the address must not.",
  properties: {
    startedAt: { type: "string", format: "date-time", description: "When the intent was written." },
    provider: { type: "string", description: "Provider that is asked.", maxLength: 63 },
    region: { type: "string", optional: true, description: "Region that the address is created in.", maxLength: 63 },
    project: {
      type: "string",
      optional: true,
      description: "Project of the account that holds the addresses which the resource created before.",
      maxLength: 63,
    },
    family: { type: "string", description: "Family of the address.", enum: { IPv4: true, IPv6: true } },
    providerID: {
      type: "string",
      optional: true,
      description:
        "Machine (`spec.providerID` of its node) that the address is created on, where a candidate waited for one.",
      maxLength: MAX_PROVIDER_ID,
    },
    dropletHadAddress: {
      type: "boolean",
      optional: true,
      description:
        "Whether that machine already had an address. If not, one found on it later is the one that was created.",
    },
    unassignedSeen: {
      type: "array",
      optional: true,
      description:
        "Addresses of the account before the call, unassigned ones first, at most 500. One that appears later may be the one that was created.",
      items: { type: "string", description: "An address.", maxLength: MAX_IP_LENGTH },
      listType: "atomic",
      maxItems: MAX_UNASSIGNED_SEEN,
    },
  },
};
