import { createHash } from "node:crypto";
import { messageOfKind } from "../built-in/messages.js";
import { ProtobufWriter } from "../built-in/protobuf-writer.js";
import { isObject, type JsonObject, objectOf } from "../json.js";
import { apiVersionOf } from "../objects.js";
import type { Registry } from "../resources/registry.js";
import type { ResourceType } from "../resources/resource-type.js";
import { messageSchemas, schemaNameOf } from "./built-in-schemas.js";

const TITLE = "Kubernetes";
const VERSION = "v1.35.4";

/** The answer to `/openapi/v3`: where the document of each group version is. */
export function openApiIndex(registry: Registry): JsonObject {
  const versions = new Set(registry.all().map(documentPath));
  const paths = [...versions].map((path) => {
    const hash = createHash("sha256")
      .update(JSON.stringify(openApiDocument(registry, path)))
      .digest("hex");
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(paths) };
}

/** Only kubectl asks for the older version, before it sends a List, and only in this form. */
export const OPENAPI_V2 = {
  asked: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  /** A media type has no "@", so a server answers with this one. */
  answered: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
};

/**
 * The answer to `/openapi/v2`: a document without kinds, in protobuf. So kubectl checks the items of a List not itself,
 * but as the server does when it gets each of them.
 */
export function openApiV2(): Buffer {
  const writer = new ProtobufWriter();
  const text = (field: number, value: string) => {
    const { mark } = writer;
    writer.text(value);
    writer.delimit(field, mark);
  };
  const { mark } = writer;
  text(2, VERSION);
  text(1, TITLE);
  writer.delimit(2, mark);
  text(1, "2.0");
  return writer.finish();
}

function documentPath(type: ResourceType): string {
  return type.group === "" ? `api/${type.version}` : `apis/${type.group}/${type.version}`;
}

/**
 * The document of a group version, such as `apis/apps/v1`; undefined for an unknown one. Kinds of
 * CustomResourceDefinitions have all that their schema says, built-in kinds the names and types of their fields.
 */
export function openApiDocument(registry: Registry, path: string): JsonObject | undefined {
  const types = registry.all().filter((type) => documentPath(type) === path);
  if (types.length === 0) return undefined;
  return {
    openapi: "3.0.0",
    info: { title: TITLE, version: VERSION },
    paths: Object.fromEntries(types.flatMap((type) => typePaths(type, path))),
    components: {
      schemas: {
        ...messageSchemas(["meta.ObjectMeta", ...types.flatMap((type) => messageOf(type) ?? [])]),
        ...Object.fromEntries(types.map((type) => [schemaName(type), kindSchema(type)])),
      },
    },
  };
}

const OBJECT_META = schemaNameOf("meta.ObjectMeta");

function schemaName(type: ResourceType): string {
  const message = messageOf(type);
  if (message !== undefined) return schemaNameOf(message);
  return `${type.group.split(".").reverse().join(".")}.${type.version}.${type.kind}`;
}

function messageOf(type: ResourceType): string | undefined {
  return type.custom ? undefined : messageOfKind(apiVersionOf(type), type.kind);
}

function kindSchema(type: ResourceType): JsonObject {
  const { group, version, kind } = type;
  const schema = type.schema ?? builtInSchema(type);
  const properties = {
    apiVersion: { type: "string", description: "Version of the schema of this object." },
    kind: { type: "string", description: "Kind of this object." },
    ...objectOf(schema?.properties),
    metadata: { allOf: [{ $ref: `#/components/schemas/${OBJECT_META}` }], description: "Standard object's metadata." },
  };
  return {
    type: "object",
    ...(schema ? withoutRules(objectOf({ ...schema })) : { "x-kubernetes-preserve-unknown-fields": true }),
    properties: withoutRules(properties),
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}

function builtInSchema(type: ResourceType): JsonObject | undefined {
  const message = messageOf(type);
  return message === undefined ? undefined : objectOf(messageSchemas([message])[schemaNameOf(message)]);
}

/** The published schema is for readers and clients; rules are the server's. */
function withoutRules(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([key]) => key !== "x-kubernetes-validations");
  return Object.fromEntries(kept.map(([key, inner]) => [key, isObject(inner) ? withoutRules(inner) : inner]));
}

function typePaths(type: ResourceType, document: string): [string, JsonObject][] {
  const scope = type.namespaced ? "/namespaces/{namespace}" : "";
  const collection = `/${document}${scope}/${type.plural}`;
  return [
    [collection, { get: operation(type, "list"), post: operation(type, "post") }],
    [
      `${collection}/{name}`,
      { get: operation(type, "get"), put: operation(type, "put"), patch: operation(type, "patch") },
    ],
  ];
}

const PATCH_TYPES = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

function operation(type: ResourceType, action: string): JsonObject {
  const { group, version, kind } = type;
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${schemaName(type)}` } } };
  const writes = ["post", "put", "patch"].includes(action);
  const bodies = Object.fromEntries(PATCH_TYPES.map((one) => [one, {}]));
  return {
    operationId: `${action}${apiVersionOf(type)}${kind}`,
    ...(writes && { parameters: ["dryRun", "fieldManager", "fieldValidation", "force"].map(queryParameter) }),
    ...(action === "patch" && { requestBody: { content: bodies } }),
    responses: { "200": { description: "OK", content } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

function queryParameter(name: string): JsonObject {
  return { name, in: "query", schema: { type: "string", uniqueItems: true } };
}
