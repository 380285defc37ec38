/** JSON schemas of the values that no prop has. */

import { FLAGS, providerVariables } from "cdk8s-flipop/api";
import { MANAGED_FLAGS } from "../../constructs/src/operator/arguments.js";
import {
  annotationsSchema,
  booleanSchema,
  type JsonSchema,
  nameSchema,
  orEmpty,
  textSchema,
  tokenSchema,
} from "./value-schemas.js";

const SEGMENT = '[^\\s"\\\\:@/]+';

/** The name of the operator's objects, or a part of it; empty: the default. */
export function objectNameSchema(): JsonSchema {
  return { ...textSchema("^([a-z]([-a-z0-9]*[a-z0-9])?)?$"), maxLength: 55 };
}

export function imageSchema(): JsonSchema {
  return closed({
    repository: textSchema(`^(${SEGMENT}(:[0-9]+)?/)?${SEGMENT}(/${SEGMENT})*$`),
    tag: textSchema(orEmpty("[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}", { orEmpty: true })),
    digest: textSchema(orEmpty("sha256:[0-9a-f]{64}", { orEmpty: true })),
    pullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
  });
}

export function pullSecretsSchema(): JsonSchema {
  return { type: "array", items: { ...closed({ name: nameSchema() }), required: ["name"] } };
}

/** Without a name, Kubernetes' "default" would get the operator's permissions. */
export function serviceAccountSchema(): JsonSchema {
  const properties = { create: booleanSchema(), name: nameSchema({ orEmpty: true }), annotations: annotationsSchema() };
  const named = { properties: { name: { minLength: 1 } }, required: ["name"] };
  return { ...closed(properties), anyOf: [{ properties: { create: { const: true } } }, named] };
}

export function resourcesSchema(): JsonSchema {
  const quantity = {
    anyOf: [textSchema("^[0-9]+(\\.[0-9]+)?(m|k|[KMGTPE]i|[MGTPE])?$"), { type: "number", minimum: 0 }],
  };
  const amounts = { type: "object", additionalProperties: quantity };
  return closed({ requests: amounts, limits: amounts });
}

/** Variables that are not secret and have no value in the chart. */
export function extraEnvSchema(): JsonSchema {
  const secrets = providerVariables()
    .filter(({ secret }) => secret)
    .map(({ env }) => env);
  const managed = FLAGS.filter(({ name }) => name in MANAGED_FLAGS).map(({ env }) => env);
  const name = { ...textSchema("^[A-Za-z_][A-Za-z0-9_]*$"), not: { enum: [...secrets, ...managed] } };
  const value = { type: "string", not: tokenSchema() };
  return {
    type: "array",
    items: { ...closed({ name, value, valueFrom: { type: "object" } }), required: ["name"] },
  };
}

export function crdsSchema(): JsonSchema {
  return closed({ enabled: booleanSchema(), keep: booleanSchema() });
}

function closed(properties: JsonSchema): JsonSchema {
  return { type: "object", properties, additionalProperties: false };
}
