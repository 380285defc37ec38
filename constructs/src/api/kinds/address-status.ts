import { type IpFamily, MAX_IP_LENGTH } from "../ip-address";
import type { SchemaOf } from "../schema/schema";

export const ADDRESS_STATES = ["active", "in-progress", "error", "no-match", "unassigned", "disabled"] as const;

/** State of an address. The values are those of the Go operator: dashboards and scripts use them. */
export type AddressState = (typeof ADDRESS_STATES)[number];

/** Status of one address. */
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

/**
 * An address creation in progress. The operator records it before the call, so that it finds the address even if the
 * response is lost.
 */
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

/** Maximum length of `spec.providerID` in a status; Kubernetes itself has no limit. */
export const MAX_PROVIDER_ID = 2048;
/** Maximum length of `error` in a status; longer texts must be cut. */
export const MAX_ERROR = 4096;
/** Maximum number of entries in `unassignedSeen`. */
export const MAX_UNASSIGNED_SEEN = 500;

// No enum: the Go operator may write an empty state, and a rollback to it must still work.
export const addressStateSchema: SchemaOf<AddressState> = {
  type: "string",
  description:
    "State of the address: `active`, `in-progress`, `error`, `no-match` (its node no longer matches), `unassigned`, `disabled` (the resource no longer asks for it).",
  maxLength: 32,
};

/** Schemas of the fields that a pool's address and a RoutedIP share. */
export const addressStatusProperties = {
  since: { type: "string", format: "date-time", optional: true, description: "When `state` last changed." },
  graceSince: {
    type: "string",
    format: "date-time",
    optional: true,
    description:
      "When the holder stopped matching. The grace period starts at this time, even if the operator restarts.",
  },
  reason: {
    type: "string",
    optional: true,
    description: "Reason for `state`, as one CamelCase word.",
    maxLength: 128,
  },
  actionID: {
    type: "string",
    optional: true,
    description:
      "The provider's id of the action in progress. After a restart, the operator continues to poll this action.",
    maxLength: 128,
  },
  retryAt: {
    type: "string",
    format: "date-time",
    optional: true,
    description:
      "When the operator may try it again. In the past: as soon as a node can take it. Of a disabled address: when resolvers have forgotten it, so that it may leave its node.",
  },
  providerID: {
    type: "string",
    optional: true,
    description:
      "`spec.providerID` of the node that the status names. It identifies the machine if a later node has the same name.",
    maxLength: MAX_PROVIDER_ID,
  },
} as const;

/** Schema of `error` fields. */
export const errorSchema = {
  type: "string",
  optional: true,
  description: "The last error, as text for people.",
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

/** Key of an account, as its provider identifies it. One token of Cloudflare may see several, which are one text. */
export function accountSchema(description: string) {
  const example = "6fd1a5d6-8f4b-4d3c-9c55-0b8a5f2d7e11";
  return { type: "string", optional: true, description, example, maxLength: 1024 } as const;
}

/** Schema of {@link AddressStatus}. */
export const addressStatusSchema: SchemaOf<AddressStatus> = {
  type: "object",
  description: "Status of one address.",
  properties: {
    ...addressStatusProperties,
    state: { ...addressStateSchema, optional: true },
    nodeName: {
      type: "string",
      optional: true,
      description: "Node that holds the address, or to which the address is moving.",
      maxLength: 253,
    },
    error: errorSchema,
  },
};

/** Schema of {@link PendingCreation}. */
export const pendingCreationSchema: SchemaOf<PendingCreation> = {
  type: "object",
  description:
    "An address creation in progress. The operator records it before the call, so that it finds the address even if the response is lost.",
  properties: {
    startedAt: { type: "string", format: "date-time", description: "When the operator recorded the creation." },
    provider: { type: "string", description: "Provider that creates the address.", maxLength: 63 },
    region: { type: "string", optional: true, description: "Region in which the address is created.", maxLength: 63 },
    project: {
      type: "string",
      optional: true,
      description: "Project of the account that contains the addresses which the resource created earlier.",
      maxLength: 63,
    },
    family: { type: "string", description: "Family of the address.", enum: { IPv4: true, IPv6: true } },
    providerID: {
      type: "string",
      optional: true,
      description:
        "Machine (`spec.providerID` of its node) on which the address is created, if a candidate waited for an address.",
      maxLength: MAX_PROVIDER_ID,
    },
    dropletHadAddress: {
      type: "boolean",
      optional: true,
      description:
        "Whether that machine already had an address. If not, an address found on it later is the created one.",
    },
    unassignedSeen: {
      type: "array",
      optional: true,
      description:
        "Addresses of the account before the call, unassigned ones first, at most 500. An address that appears later may be the created one.",
      items: { type: "string", description: "An address.", maxLength: MAX_IP_LENGTH },
      listType: "atomic",
      maxItems: MAX_UNASSIGNED_SEEN,
    },
  },
};
