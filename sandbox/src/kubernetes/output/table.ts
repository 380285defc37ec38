import type { JsonObject } from "../json.js";
import type { ApiObject, Metadata } from "../objects.js";
import { type ResourceType, wireForm } from "../resources/resource-type.js";

/** How much of each object a Table carries. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** What a client asks for. */
export interface TableRequest {
  readonly include: IncludeObject;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** Reads `includeObject` of a query. */
export function readInclude(query: URLSearchParams): IncludeObject {
  const wanted = query.get("includeObject");
  return wanted === "None" || wanted === "Object" ? wanted : "Metadata";
}

/** Objects as `kubectl get` shows them: meta.k8s.io/v1 Table. */
export function table(
  type: ResourceType,
  objects: readonly ApiObject[],
  metadata: JsonObject,
  { include, now }: TableRequest,
): JsonObject {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: type.columns.map(({ name, type: kind, format = "", description = "", priority = 0 }) => ({
      ...{ name, type: kind, format, description, priority },
    })),
    rows: objects.map((object) => ({
      cells: type.columns.map(({ cell }) => cell(object, now) ?? null),
      object: rowObject(type, object, include),
    })),
  };
}

function rowObject(type: ResourceType, object: ApiObject, include: IncludeObject): unknown {
  if (include === "None") return null;
  return include === "Object" ? wireForm(type, object) : partial(object.metadata);
}

function partial(metadata: Metadata): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}
