import { type AccessLimits, accessLimitsProperties } from "../access/access-limits";
import {
  type RetainedAddress,
  type RetainedRecords,
  retainedAddressesSchema,
  retainedRecordsSchema,
} from "../access/retained";
import { type Condition, conditionsSchema, observedGenerationSchema } from "../condition";
import { SUMMARY_TYPES } from "../condition-types";
import { CLOSING_COLUMNS, conditionColumn } from "../schema/printer-column";
import type { SchemaOf } from "../schema/schema";
import { accountSchema, retryAtSchema } from "./address-status";
import { type DeletionPolicy, providerSchema } from "./dns-record-set";
import { nameSchema, secretKeySchema } from "./name-schemas";
import type { ResourceKind } from "./resource-kind";
import { type PreviousFirewall, previousFirewallSchema } from "./routed-ip-status";

/** One entry of a Secret, in the issuer's own namespace. */
export interface SecretKeyReference {
  readonly name: string;
  readonly key?: string;
}

/** An account at a provider for the addresses of RoutedIPs. */
export interface RoutedIPIssuerSpec extends AccessLimits {
  readonly provider: string;
  readonly region?: string;
  readonly credentialsSecretRef?: SecretKeyReference;
  readonly routedIPReclaimPolicy?: DeletionPolicy;
  readonly routedIPFirewallName?: string;
}

/** A firewall that the operator created. */
export interface CreatedFirewall {
  readonly id: string;
  readonly name: string;
  readonly createdTime: string;
}

/** What the operator observed and did. */
export interface RoutedIPIssuerStatus {
  readonly observedGeneration?: number;
  readonly account?: string;
  readonly createdFirewall?: CreatedFirewall;
  readonly formerFirewalls?: readonly CreatedFirewall[];
  readonly additionalFirewalls?: readonly CreatedFirewall[];
  readonly retainedAddresses?: readonly RetainedAddress[];
  readonly retainedRecords?: readonly RetainedRecords[];
  readonly retainedFirewalls?: readonly PreviousFirewall[];
  readonly retryAt?: string;
  readonly conditions?: readonly Condition[];
}

const specSchema: SchemaOf<RoutedIPIssuerSpec> = {
  type: "object",
  description: "An account at a provider for the addresses of RoutedIPs.",
  example: {
    provider: "digitalocean",
    region: "nyc3",
    credentialsSecretRef: { name: "digitalocean", key: "token" },
    routedIPFirewallName: "ingress",
  },
  properties: {
    provider: providerSchema("Provider of addresses and firewalls, such as digitalocean."),
    region: {
      type: "string",
      optional: true,
      description:
        "Region in which addresses are created. Absent: the operator creates an address only on a node that waits for one.",
      example: "nyc3",
      maxLength: 63,
    },
    credentialsSecretRef: {
      type: "object",
      optional: true,
      description:
        "Secret with the token, in the issuer's own namespace. Absent: the operator's own token, which only an issuer in the operator's namespace may use.",
      mapType: "atomic",
      properties: {
        name: nameSchema("Name of the Secret, in the issuer's own namespace.", "digitalocean"),
        key: {
          optional: true,
          ...secretKeySchema(
            "Key of the token in the Secret. Absent: the name of the provider's environment variable, such as DIGITALOCEAN_ACCESS_TOKEN.",
          ),
        },
      },
    },
    routedIPReclaimPolicy: {
      type: "string",
      optional: true,
      description:
        "What happens to a created address when its RoutedIP is deleted. Retain: the account keeps the address. Delete: the operator releases it for good. Set dnsRecordSet.deletionPolicy of the RoutedIP to Delete, too: otherwise, its name stays and points to an address that the provider may give to somebody else. The operator never releases an address from `spec.routedIP`, except one that it created for a resource that passed it on to the RoutedIP.",
      enum: { Retain: true, Delete: true },
      default: "Retain",
    },
    routedIPFirewallName: {
      type: "string",
      optional: true,
      description:
        "Name of the cloud firewall that allows traffic to the Services' ports. If the account has no firewall of this name, the operator creates one; if all nodes in a full one serve, it creates additional ones, `NAME-2` and so on. Absent: the operator changes no firewall.",
      example: "ingress",
      minLength: 1,
      maxLength: 255,
    },
    ...accessLimitsProperties,
  },
};

function createdFirewallSchema(description: string) {
  return {
    type: "object",
    description,
    properties: {
      id: { type: "string", description: "The provider's id of the firewall.", maxLength: 253 },
      name: { type: "string", description: "Its name.", maxLength: 255 },
      createdTime: { type: "string", format: "date-time", description: "When it was created." },
    },
  } as const satisfies SchemaOf<CreatedFirewall>;
}

const statusSchema: SchemaOf<RoutedIPIssuerStatus> = {
  type: "object",
  description: "What the operator observed and did.",
  default: {},
  properties: {
    observedGeneration: { ...observedGenerationSchema, optional: true },
    account: accountSchema(
      "The account that has the addresses and firewalls of the issuer, as the provider identifies it. The operator uses no token of another account. Absent: no RoutedIP uses the issuer and this status has no firewall, or no token could read its account.",
    ),
    createdFirewall: {
      ...createdFirewallSchema(
        "The firewall, if the operator created it. With `routedIPReclaimPolicy` Delete, the operator deletes it when it is empty and no RoutedIP uses the issuer.",
      ),
      optional: true,
    },
    formerFirewalls: {
      type: "array",
      optional: true,
      description:
        "Firewalls that the operator created under earlier names. With `routedIPReclaimPolicy` Delete, the operator deletes each when it is empty and the issuer does not name it.",
      items: createdFirewallSchema("A firewall that the operator created."),
      listType: "atomic",
      maxItems: 32,
    },
    additionalFirewalls: {
      type: "array",
      optional: true,
      description:
        "Firewalls with the rules of the first one that the operator created because that one is full. The operator deletes each when it is empty.",
      items: createdFirewallSchema("A firewall that the operator created."),
      listType: "atomic",
      maxItems: 32,
    },
    retainedAddresses: retainedAddressesSchema,
    retainedRecords: retainedRecordsSchema,
    retainedFirewalls: {
      type: "array",
      optional: true,
      description:
        "What deleted RoutedIPs had put into firewalls while another installation of the operator used the issuer, which may need it. The last installation that uses the issuer removes what no RoutedIP needs.",
      items: previousFirewallSchema("A firewall, and the nodes and rules that deleted RoutedIPs left in it.", {
        nodes: "Machines (`spec.providerID`) that the RoutedIPs had added to it.",
        rules: "Rules that the RoutedIPs had added to it.",
      }),
      listType: "atomic",
      maxItems: 32,
    },
    retryAt: retryAtSchema,
    conditions: { ...conditionsSchema, optional: true },
  },
};

/** The kind RoutedIPIssuer. */
export const routedIPIssuerKind: ResourceKind<RoutedIPIssuerSpec, RoutedIPIssuerStatus> = {
  kind: "RoutedIPIssuer",
  plural: "routedipissuers",
  singular: "routedipissuer",
  shortNames: ["ripissuer"],
  scope: "Namespaced",
  description: "An account at a provider, with its token and its firewall, for the addresses of RoutedIPs.",
  spec: specSchema,
  status: statusSchema,
  conditions: [...SUMMARY_TYPES, "Accepted"],
  readyWhen: ["Accepted"],
  columns: [
    conditionColumn("Ready", "Ready"),
    { name: "Provider", type: "string", jsonPath: ".spec.provider", description: "Provider." },
    { name: "Region", type: "string", jsonPath: ".spec.region", description: "Region." },
    {
      name: "Firewall",
      type: "string",
      jsonPath: ".spec.routedIPFirewallName",
      description: "Firewall that the operator updates.",
    },
    {
      name: "Reclaim",
      type: "string",
      jsonPath: ".spec.routedIPReclaimPolicy",
      description: "Reclaim policy.",
      priority: 1,
    },
    ...CLOSING_COLUMNS,
  ],
};
