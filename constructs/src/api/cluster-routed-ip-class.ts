import { retryAtSchema } from "./address-status";
import { classRules, portRangeRule } from "./cluster-routed-ip-class-rules";
import { type Condition, conditionsSchema, observedGenerationSchema } from "./condition";
import { LABEL_VALUE_PATTERN } from "./label-syntax";
import { API_GROUP, ELECTED_NODE_TAINT } from "./names";
import { dnsLabelSchema, nameSchema } from "./object-reference";
import { CLOSING_COLUMNS, conditionColumn } from "./printer-column";
import type { ResourceKind } from "./resource-kind";
import type { JsonObject, SchemaOf } from "./schema";

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
export interface ClusterRoutedIPClassSpec {
  readonly issuerRef?: NamespacedIssuerReference;
  readonly updateRoutedIP?: JsonObject;
  readonly updateFirewall?: JsonObject;
  readonly firewallPostAllow?: boolean;
  readonly nodePortRange?: string;
  readonly perNodeIPLimit?: number;
  readonly fromSecretsRef?: readonly SecretReference[];
  readonly jobNamespace?: string;
  readonly electedNodeTaint?: ElectedNodeTaint;
  readonly allowedNamespaces?: readonly string[];
}

/** What the operator observed. */
export interface ClusterRoutedIPClassStatus {
  readonly observedGeneration?: number;
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
    issuerRef: {
      type: "object",
      optional: true,
      description:
        "Built-in implementation: the operator uses the account of this RoutedIPIssuer, which may be in any namespace. Set either this or both Jobs.",
      mapType: "atomic",
      properties: {
        name: nameSchema("Name of the RoutedIPIssuer.", "digitalocean"),
        namespace: dnsLabelSchema("Namespace of the RoutedIPIssuer.", "flipop"),
      },
    },
    updateRoutedIP: jobSpecSchema(
      "Custom implementation: spec of the Job that assigns an address, and creates one if the RoutedIP has none. It requires `updateFirewall` and the operator's feature jobs.",
    ),
    updateFirewall: jobSpecSchema(
      "Custom implementation: spec of the Job that sets the firewall rules that the class needs. It requires `updateRoutedIP` and the operator's feature jobs.",
    ),
    firewallPostAllow: {
      type: "boolean",
      optional: true,
      description:
        "Whether the operator changes the firewall after it assigns the address (true) or before (false). Jobs always assign first.",
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
  },
};

const statusSchema: SchemaOf<ClusterRoutedIPClassStatus> = {
  type: "object",
  description: "What the operator observed.",
  properties: {
    observedGeneration: { ...observedGenerationSchema, optional: true },
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
  conditions: ["Ready"],
  columns: [
    conditionColumn("Ready", "Ready"),
    {
      name: "Issuer",
      type: "string",
      jsonPath: ".spec.issuerRef.name",
      description: "RoutedIPIssuer; empty if the class uses Jobs.",
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
