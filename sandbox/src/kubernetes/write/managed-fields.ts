/** Pure: `metadata.managedFields` of the managers that apply an object. */
import { isObject, type JsonObject } from "../json.js";
import { apiVersionOf } from "../objects.js";
import type { ResourceType } from "../resources/resource-type.js";

/** Fields that identify an object have no owner. */
const UNOWNED = { apiVersion: undefined, kind: undefined };
const UNOWNED_METADATA = { name: undefined, namespace: undefined, uid: undefined, resourceVersion: undefined };

/** A manager that applies no field has no entry. */
export function managedFieldsOf(
  type: ResourceType,
  applied: readonly (readonly [manager: string, config: JsonObject])[],
): readonly JsonObject[] {
  return applied.flatMap(([manager, config]) => {
    const metadata = isObject(config.metadata) ? { ...config.metadata, ...UNOWNED_METADATA } : {};
    const fieldsV1 = fieldsOf({ ...config, ...UNOWNED, metadata });
    if (Object.keys(fieldsV1).length === 0) return [];
    const subresource = isObject(config.status) ? { subresource: "status" } : {};
    const entry = { manager, operation: "Apply", apiVersion: apiVersionOf(type), fieldsType: "FieldsV1", fieldsV1 };
    return [{ ...entry, ...subresource }];
  });
}

/** A list is one field: the emulator has no owners of items. */
function fieldsOf(config: JsonObject): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const inner = isObject(value) ? fieldsOf(value) : {};
    if (!isObject(value) || Object.keys(inner).length > 0) fields[`f:${name}`] = inner;
  }
  return fields;
}
