import { isObject, listOf, textOf } from "../json.js";

/** A rule in CEL, as `x-kubernetes-validations` has it. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A structural OpenAPI v3 schema, the keywords that the emulator understands. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  /** The schema of values whose keys are data. */
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** The schema of a property, if the schema knows it by name or by `additionalProperties`. */
export function propertySchema(schema: Schema, name: string): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return isObject(additionalProperties) ? (additionalProperties as Schema) : undefined;
}

/** Path of a property, as messages write it. */
export function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** The keys that identify an item of a list of type `map`; undefined for other lists. */
export function mapKey(schema: Schema, item: unknown): string | undefined {
  if (schema["x-kubernetes-list-type"] !== "map" || !isObject(item)) return undefined;
  const keys = listOf(schema["x-kubernetes-list-map-keys"]).map(textOf);
  return JSON.stringify(keys.map((key) => item[key]));
}
