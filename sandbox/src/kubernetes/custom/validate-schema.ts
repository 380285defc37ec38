import { duplicateValue, type FieldError, requiredValue, tooMany, wrongType } from "../field-error.js";
import { equal, isObject, typeName } from "../json.js";
import { oldItem, oldProperty, unchanged } from "./correlation.js";
import { childPath, mapKey, propertySchema, type Schema } from "./schema.js";
import { type SchemaVisit, scalarErrors } from "./validate-scalar.js";

/** What of a value is not as the schema says. What has not changed is not looked at. */
export function validateSchema(visit: SchemaVisit): readonly FieldError[] {
  if (unchanged(visit.old, visit.value)) return [];
  const { schema, value } = visit;
  if (value === null && schema.nullable) return [];
  const mismatch = typeError(visit);
  if (mismatch) return [mismatch, ...scalarErrors(visit).filter(({ reason }) => reason === "FieldValueNotSupported")];
  if (Array.isArray(value)) return listErrors(visit, value);
  return isObject(value) ? objectErrors(visit, value) : scalarErrors(visit);
}

function typeError({ schema, value, path, name }: SchemaVisit): FieldError | undefined {
  const seen = typeName(value);
  const wanted = schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : schema.type ? [schema.type] : [];
  const fits = wanted.length === 0 || wanted.includes(seen) || (seen === "integer" && wanted.includes("number"));
  if (fits) return undefined;
  return wrongType(path, seen, `${name} in body must be of type ${wanted.join(",")}: "${seen}"`);
}

function listErrors(visit: SchemaVisit, value: readonly unknown[]): readonly FieldError[] {
  const { schema, path, name, old } = visit;
  const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
  const many = value.length > maxItems ? [tooMany(path, value.length, maxItems)] : [];
  const inside = items
    ? value.flatMap((item, index) =>
        validateSchema({
          schema: items,
          path: `${path}[${index}]`,
          name: `${name}[${index}]`,
          value: item,
          old: oldItem(old, schema, item),
        }),
      )
    : [];
  return [...many, ...inside];
}

function objectErrors(visit: SchemaVisit, value: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const { schema, path, name, old } = visit;
  const { required = [], maxProperties = Number.POSITIVE_INFINITY } = schema;
  const names = Object.keys(value).sort();
  const many = names.length > maxProperties ? [tooMany(path, names.length, maxProperties)] : [];
  const missing = required.filter((field) => !Object.hasOwn(value, field));
  const inside = names.flatMap((field) => {
    const known = propertySchema(schema, field);
    if (!known) return [];
    const place = { path: childPath(path, field), name: childPath(name, field) };
    return validateSchema({ schema: known, ...place, value: value[field], old: oldProperty(old, field) });
  });
  return [...many, ...missing.map((field) => requiredValue(childPath(path, field))), ...inside];
}

/** Duplicates in lists that are sets or maps; checked on the whole value, changed or not. */
export function validateListTypes({ schema, path, value, ...rest }: SchemaVisit): readonly FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const inside = items
      ? value.flatMap((item, index) =>
          validateListTypes({ ...rest, schema: items, path: `${path}[${index}]`, value: item }),
        )
      : [];
    return [...duplicates(schema, path, value), ...inside];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) => {
    const known = propertySchema(schema, field);
    return known ? validateListTypes({ ...rest, schema: known, path: childPath(path, field), value: inner }) : [];
  });
}

function duplicates(schema: Schema, path: string, value: readonly unknown[]): readonly FieldError[] {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return [];
  const same = (a: unknown, b: unknown) =>
    type === "set" ? equal(a, b) : isObject(a) && mapKey(schema, a) === mapKey(schema, b);
  const again = value.flatMap((item, index) =>
    value.slice(0, index).some((before) => same(item, before)) ? [{ item, index }] : [],
  );
  return again.map(({ item, index }) => duplicateValue(`${path}[${index}]`, shownKey(schema, item)));
}

function shownKey(schema: Schema, item: unknown): unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  return keys && isObject(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item;
}
