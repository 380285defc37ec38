/** JSON schemas of the values that no prop has. */

import {
  annotationsSchema,
  booleanSchema,
  closed,
  type JsonSchema,
  nameSchema,
  orEmpty,
  textSchema,
} from "./value-schemas.js";

/** The sources of a variable's value. The API server refuses an unknown one only if the client validates. */
const VALUE_SOURCES = ["configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"];
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

/** A template checks that an existing one has a name. */
export function serviceAccountSchema(): JsonSchema {
  const properties = { create: booleanSchema(), name: nameSchema({ orEmpty: true }), annotations: annotationsSchema() };
  return closed(properties);
}

export function resourcesSchema(): JsonSchema {
  const quantity = {
    anyOf: [textSchema("^[0-9]+(\\.[0-9]+)?(m|k|[KMGTPE]i|[MGTPE])?$"), { type: "number", minimum: 0 }],
  };
  const amounts = { type: "object", additionalProperties: quantity };
  return closed({ requests: amounts, limits: amounts });
}

/** Variables in the form of a container's. A template checks which ones. */
export function extraEnvSchema(): JsonSchema {
  const name = textSchema("^[A-Za-z_][A-Za-z0-9_]*$");
  const sources = VALUE_SOURCES.map((source) => [source, { type: "object" }]);
  const valueFrom = closed(Object.fromEntries(sources));
  return {
    type: "array",
    items: { ...closed({ name, value: { type: "string" }, valueFrom }), required: ["name"] },
  };
}

export function crdsSchema(): JsonSchema {
  return closed({ enabled: booleanSchema(), keep: booleanSchema() });
}
