import { type AccessLimits, accessLimitsProperties } from "../access/access-limits";
import {
  type RetainedAddress,
  type RetainedRecords,
  retainedAddressesSchema,
  retainedRecordsSchema,
} from "../access/retained";
import { type Condition, conditionsSchema, observedGenerationSchema } from "../condition";
import { SUMMARY_TYPES } from "../condition-types";
import { LABEL_VALUE_PATTERN } from "../labels/label-syntax";
import { API_GROUP, ELECTED_NODE_TAINT } from "../names";
import { CLOSING_COLUMNS, conditionColumn } from "../schema/printer-column";
import type { JsonObject, SchemaOf } from "../schema/schema";
import { retryAtSchema } from "./address-status";
import { classRules, portRangeRule } from "./cluster-routed-ip-class-rules";
import { ASSIGN_VARIABLES, FIREWALL_VARIABLES, JOB_REPORT, MAX_JOB_SECONDS } from "./job-contract";
import { dnsLabelSchema, nameSchema } from "./name-schemas";
import type { ResourceKind } from "./resource-kind";

/** A RoutedIPIssuer of any namespace. */
export interface NamespacedIssuerReference {
  readonly name: string;
  readonly namespace: string;
}

/** A Secret by name. */
export interface SecretReference {
  readonly name: string;
}

/** The taint of the node that holds an address. */
export interface ElectedNodeTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: "NoSchedule" | "PreferNoSchedule";
}

/** Implementation of the RoutedIPs of a class: a RoutedIPIssuer, or your own Jobs. */
export interface ClusterRoutedIPClassSpec extends AccessLimits {
  readonly className?: string;
  readonly issuerRef?: NamespacedIssuerReference;
  readonly updateRoutedIP?: JsonObject;
  readonly updateFirewall?: JsonObject;
  readonly firewallPostAllow?: boolean;
  readonly nodePortRange?: string;
  readonly perNodeIPLimit?: number;
  readonly fromSecretsRef?: readonly SecretReference[];
  readonly jobNamespace?: string;
  readonly startDeadlineSeconds?: number;
  readonly electedNodeTaint?: ElectedNodeTaint;
  readonly allowedNamespaces?: readonly string[];
}

/** What the operator observed. */
export interface ClusterRoutedIPClassStatus {
  readonly observedGeneration?: number;
  readonly retainedAddresses?: readonly RetainedAddress[];
  readonly retainedRecords?: readonly RetainedRecords[];
  readonly retryAt?: string;
  readonly conditions?: readonly Condition[];
}

/** Kubernetes' default range of NodePorts. */
export const DEFAULT_NODE_PORT_RANGE = "30000-32767";

const taintSchema: SchemaOf<ElectedNodeTaint> = {
  type: "object",
  description: "The taint of the node that holds an address.",
  properties: {
    key: {
      type: "string",
      optional: true,
      description: "Key of the taint. It must begin with flipop.digitalocean.com/.",
      default: ELECTED_NODE_TAINT.key,
      maxLength: API_GROUP.length + 1 + 63,
      pattern: "^flipop\\.digitalocean\\.com/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
      words: { is: "a taint key of flipop", use: `use ${API_GROUP}/ and a name of letters, digits, "-", "_" and "."` },
    },
    value: {
      type: "string",
      optional: true,
      description: "Value of the taint. Absent: the empty value.",
      example: "ingress",
      maxLength: 63,
      pattern: `^${LABEL_VALUE_PATTERN}$`,
      words: { is: "a taint's value", use: 'use at most 63 letters, digits, "-", "_" and "."' },
    },
    effect: {
      type: "string",
      optional: true,
      description: "Effect of the taint. NoExecute is not allowed, because it would evict the pods behind the address.",
      enum: { NoSchedule: true, PreferNoSchedule: true },
      default: ELECTED_NODE_TAINT.effect,
    },
  },
};

/** As `NAME (meaning), NAME (meaning)`. */
function variablesText(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, meaning]) => `${name} (${meaning})`)
    .join(", ");
}

function jobSpecSchema(description: string): SchemaOf<JsonObject> & { readonly optional: true } {
  return {
    type: "open",
    optional: true,
    description,
    example: { template: { spec: { containers: [{ name: "update", image: "registry.example/update:1" }] } } },
  };
}

const specSchema: SchemaOf<ClusterRoutedIPClassSpec> = {
  type: "object",
  description: "Implementation of the RoutedIPs of a class: a RoutedIPIssuer, or your own Jobs.",
  example: {
    issuerRef: { name: "digitalocean", namespace: "flipop" },
    perNodeIPLimit: 1,
    allowedNamespaces: ["ingress"],
  },
  rules: classRules,
  properties: {
    className: {
      ...nameSchema(
        "Name by which RoutedIPs use the class in their `className`. Absent: the name of the object. If two classes have the same name, the older one serves, and the other one reports ClassNameTaken in Accepted.",
        "public",
      ),
      optional: true,
    },
    issuerRef: {
      type: "object",
      optional: true,
      description:
        "Built-in implementation: the operator uses the account of this RoutedIPIssuer, which may be in any namespace. Set either this or Jobs.",
      mapType: "atomic",
      properties: {
        name: nameSchema("Name of the RoutedIPIssuer.", "digitalocean"),
        namespace: dnsLabelSchema("Namespace of the RoutedIPIssuer.", "flipop"),
      },
    },
    updateRoutedIP: jobSpecSchema(
      `Custom implementation: spec of the Job that assigns an address, and creates one if the RoutedIP has none. It requires the operator's feature jobs. The containers get these variables: ${variablesText(ASSIGN_VARIABLES)}. To report an address that it created, a container writes ${JOB_REPORT} to its termination message, by default the file /dev/termination-log. Any other exit code than 0 means that the Job failed; the operator then starts another one.`,
    ),
    updateFirewall: jobSpecSchema(
      `Custom implementation: spec of the Job that sets the firewall rules that the class needs, and removes all others. It requires \`updateRoutedIP\`. Absent: the operator changes no firewall. The containers get the variable ${variablesText(FIREWALL_VARIABLES)}.`,
    ),
    firewallPostAllow: {
      type: "boolean",
      optional: true,
      description:
        "Whether the operator changes the firewall after it assigns the address (true) or before (false). With false, a first firewall Job opens the elected node's ports, and a second one closes those of the previous node after the assignment.",
      default: false,
    },
    nodePortRange: {
      type: "string",
      optional: true,
      description:
        "The cluster's range of NodePorts: first and last port, 1 to 65535, joined by a hyphen. The operator adds no firewall rules for ports in this range: they must already be open.",
      default: DEFAULT_NODE_PORT_RANGE,
      maxLength: 11,
      rules: [portRangeRule],
    },
    perNodeIPLimit: {
      type: "integer",
      optional: true,
      description:
        "Maximum number of addresses on one node, including those of pools. If the provider has a lower limit, that limit applies; DigitalOcean's limit is 1.",
      minimum: 1,
      maximum: 100,
      default: 1,
    },
    fromSecretsRef: {
      type: "array",
      optional: true,
      description: "Secrets in the namespace of the Jobs. The Jobs get their entries as environment variables.",
      example: [{ name: "my-cloud" }],
      items: {
        type: "object",
        description: "A Secret by name.",
        properties: { name: nameSchema("Name of the Secret, in the namespace of the Jobs.", "my-cloud") },
      },
      listType: "atomic",
      maxItems: 16,
    },
    jobNamespace: {
      ...dnsLabelSchema(
        "Namespace in which the Jobs run: one of the operator's `--job-namespaces`. Absent: the first of them.",
        "flipop-jobs",
      ),
      optional: true,
    },
    startDeadlineSeconds: {
      type: "integer",
      optional: true,
      description:
        "Time for the pod of a Job to start, in seconds. Absent: 60. After that, the Job counts as failed, and the operator starts another one. A Job that creates an address runs into its own deadline instead, so that no address is created twice.",
      minimum: 10,
      maximum: MAX_JOB_SECONDS,
    },
    electedNodeTaint: { ...taintSchema, optional: true },
    allowedNamespaces: {
      type: "array",
      optional: true,
      description: "Namespaces whose RoutedIPs may use the class. Absent: all. Empty: none.",
      example: ["ingress"],
      items: dnsLabelSchema("A namespace.", "ingress"),
      listType: "set",
      maxItems: 256,
    },
    ...accessLimitsProperties,
  },
};

const statusSchema: SchemaOf<ClusterRoutedIPClassStatus> = {
  type: "object",
  description: "What the operator observed.",
  default: {},
  properties: {
    observedGeneration: { ...observedGenerationSchema, optional: true },
    retainedAddresses: retainedAddressesSchema,
    retainedRecords: retainedRecordsSchema,
    retryAt: retryAtSchema,
    conditions: { ...conditionsSchema, optional: true },
  },
};

/** The kind ClusterRoutedIPClass. */
export const clusterRoutedIPClassKind: ResourceKind<ClusterRoutedIPClassSpec, ClusterRoutedIPClassStatus> = {
  kind: "ClusterRoutedIPClass",
  plural: "clusterroutedipclasses",
  singular: "clusterroutedipclass",
  shortNames: ["ripclass"],
  scope: "Cluster",
  description: "A class of RoutedIPs and its implementation: a RoutedIPIssuer, or your own Jobs for any platform.",
  spec: specSchema,
  status: statusSchema,
  conditions: [...SUMMARY_TYPES, "Accepted"],
  readyWhen: ["Accepted"],
  columns: [
    conditionColumn("Ready", "Ready"),
    {
      name: "Class-Name",
      type: "string",
      jsonPath: ".spec.className",
      description: "Name that RoutedIPs use; empty: the name of the object.",
    },
    {
      name: "Issuer",
      type: "string",
      jsonPath: ".spec.issuerRef.name",
      description: "RoutedIPIssuer; empty if the class uses Jobs.",
    },
    {
      name: "Issuer-Namespace",
      type: "string",
      jsonPath: ".spec.issuerRef.namespace",
      description: "Namespace of the RoutedIPIssuer.",
    },
    {
      name: "Limit",
      type: "integer",
      jsonPath: ".spec.perNodeIPLimit",
      description: "Maximum number of addresses on one node.",
    },
    {
      name: "Post-Allow",
      type: "string",
      jsonPath: ".spec.firewallPostAllow",
      description: "Whether the firewall changes after the assignment.",
      priority: 1,
    },
    ...CLOSING_COLUMNS,
  ],
};
