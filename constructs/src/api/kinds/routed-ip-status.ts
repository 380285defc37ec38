import { type Condition, conditionsSchema, observedGenerationSchema } from "../condition";
import { MAX_IP_LENGTH } from "../ip-address";
import { holderLabelKeySchema, untilAssignedKeySchema } from "../schema/common-fields";
import type { SchemaOf } from "../schema/schema";
import {
  type AddressState,
  addressStateSchema,
  addressStatusProperties,
  errorSchema,
  MAX_PROVIDER_ID,
  type PendingCreation,
  pendingCreationSchema,
} from "./address-status";
import { begunRecordsSchema, type DnsStatus, dnsStatusSchema, recordsCachedUntilSchema } from "./dns-record-set";
import {
  type FirewallRule,
  firewallRuleSchema,
  MAX_ROUTED_PORTS,
  type RoutedPort,
  routedPortSchema,
} from "./firewall-rule";
import { type FailedProbe, failedProbesSchema } from "./health-check";

/** The firewall of a RoutedIP, and the machines that the RoutedIP added to it. */
export interface FirewallShare {
  readonly name: string;
  readonly nodes: readonly string[];
}

/** A previous firewall, and the nodes and rules that this RoutedIP still has to remove from it. */
export interface PreviousFirewall {
  readonly name: string;
  readonly nodes: readonly string[];
  readonly rules: readonly FirewallRule[];
}

/** A node to which a Job may have moved the address. */
export interface AttemptedNode {
  readonly name: string;
  readonly providerID: string;
}

/** What the operator observed and did. */
export interface RoutedIPStatus {
  readonly observedGeneration?: number;
  readonly routedIP?: string;
  readonly assignedNode?: string;
  readonly providerID?: string;
  readonly ports?: readonly RoutedPort[];
  readonly firewallRules?: readonly FirewallRule[];
  readonly firewall?: FirewallShare;
  readonly previousFirewalls?: readonly PreviousFirewall[];
  readonly state?: AddressState;
  readonly error?: string;
  readonly created?: boolean;
  readonly inferred?: boolean;
  readonly since?: string;
  readonly graceSince?: string;
  readonly reason?: string;
  readonly actionID?: string;
  readonly retryAt?: string;
  readonly dns?: DnsStatus;
  readonly begunRecords?: readonly DnsStatus[];
  readonly recordsCachedUntil?: string;
  readonly pendingCreation?: PendingCreation;
  readonly attemptedNodes?: readonly AttemptedNode[];
  readonly failedProbes?: readonly FailedProbe[];
  readonly holderLabel?: string;
  readonly untilAssignedTaint?: string;
  readonly conditions?: readonly Condition[];
}

/** Maximum number of nodes in `status.attemptedNodes`; the operator drops the oldest. */
export const MAX_ATTEMPTED_NODES = 16;

/** Schema of {@link PreviousFirewall}. */
export function previousFirewallSchema(
  description: string,
  { nodes, rules }: { readonly nodes: string; readonly rules: string },
) {
  return {
    type: "object",
    description,
    properties: {
      name: { type: "string", description: "Its name.", maxLength: 255 },
      nodes: machinesSchema(nodes),
      rules: {
        type: "array",
        description: rules,
        items: firewallRuleSchema,
        listType: "atomic",
        maxItems: MAX_ROUTED_PORTS,
      },
    },
  } as const satisfies SchemaOf<PreviousFirewall>;
}

/** Machines behind a firewall. */
function machinesSchema(description: string): SchemaOf<readonly string[]> {
  const items = { type: "string", description: "A machine.", maxLength: MAX_PROVIDER_ID } as const;
  return { type: "array", description, items, listType: "atomic", maxItems: 64 };
}

/** Schema of {@link RoutedIPStatus}. */
export const routedIPStatusSchema: SchemaOf<RoutedIPStatus> = {
  type: "object",
  description: "What the operator observed and did.",
  default: {},
  properties: {
    ...addressStatusProperties,
    observedGeneration: { ...observedGenerationSchema, optional: true },
    routedIP: {
      type: "string",
      optional: true,
      description: "The address, from `spec.routedIP` or created.",
      maxLength: MAX_IP_LENGTH,
    },
    assignedNode: {
      type: "string",
      optional: true,
      description: "Node that holds the address, or to which the address is moving.",
      maxLength: 253,
    },
    ports: {
      type: "array",
      optional: true,
      description: "Ports at which nodes serve the Service.",
      items: routedPortSchema,
      listType: "atomic",
      maxItems: MAX_ROUTED_PORTS,
    },
    firewallRules: {
      type: "array",
      optional: true,
      description: "Firewall rules that this RoutedIP needs. The operator records each rule before it adds it.",
      items: firewallRuleSchema,
      listType: "atomic",
      maxItems: MAX_ROUTED_PORTS,
    },
    firewall: {
      type: "object",
      optional: true,
      description: "The firewall with the `firewallRules`, and the machines that this RoutedIP added to it.",
      properties: {
        name: { type: "string", description: "Name of the firewall with the `firewallRules`.", maxLength: 255 },
        nodes: machinesSchema(
          "Machines (`spec.providerID`) that this RoutedIP added to the firewall. The operator records each machine before it adds it.",
        ),
      },
    },
    previousFirewalls: {
      type: "array",
      optional: true,
      description:
        "Firewalls that this RoutedIP used before. The operator removes this RoutedIP's nodes and rules from them when the current firewall is ready.",
      items: previousFirewallSchema(
        "A previous firewall, and the nodes and rules that this RoutedIP still has to remove from it.",
        {
          nodes: "Machines (`spec.providerID`) that this RoutedIP added to it.",
          rules: "Rules that this RoutedIP needed in it.",
        },
      ),
      listType: "atomic",
      maxItems: 8,
    },
    state: { ...addressStateSchema, optional: true },
    error: errorSchema,
    created: {
      type: "boolean",
      optional: true,
      description:
        "Whether the operator created the address, for this RoutedIP or for a resource that passed it on. It releases only created addresses.",
    },
    inferred: {
      type: "boolean",
      optional: true,
      description:
        "Whether the response to the creation was lost and the operator concluded from the account's lists that the address belongs to this resource. The operator never releases such an address.",
    },
    dns: { ...dnsStatusSchema, optional: true },
    begunRecords: begunRecordsSchema,
    recordsCachedUntil: recordsCachedUntilSchema,
    pendingCreation: {
      ...pendingCreationSchema,
      optional: true,
      description:
        "An address creation with an unknown outcome. The operator starts no other creation until it knows the outcome.",
    },
    attemptedNodes: {
      type: "array",
      optional: true,
      description:
        "Nodes to which Jobs of the class may have moved the address since the last Job that succeeded. The operator records each node before it starts the Job, and keeps the ports of these nodes open.",
      items: {
        type: "object",
        description: "A node to which a Job may have moved the address.",
        properties: {
          name: { type: "string", description: "Its name.", maxLength: 253 },
          providerID: { type: "string", description: "Its `spec.providerID`.", maxLength: MAX_PROVIDER_ID },
        },
      },
      listType: "atomic",
      maxItems: MAX_ATTEMPTED_NODES,
    },
    failedProbes: { ...failedProbesSchema, optional: true },
    holderLabel: holderLabelKeySchema,
    untilAssignedTaint: untilAssignedKeySchema,
    conditions: { ...conditionsSchema, optional: true },
  },
};
