import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../field-error.js";
import type { Metadata } from "../objects.js";
import { ownersOf } from "./read-metadata.js";

const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const NAME_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const KEY_RULE = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;
const VALUE_RULE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;

const MAX_NAME = 253;
const MAX_LABEL = 63;
const MAX_ANNOTATIONS = 256 * 1024;

const subdomain = new RegExp(`^${SUBDOMAIN}$`);
const qualifiedName = new RegExp(`^${QUALIFIED_NAME}$`);

/** What of the metadata of a new object is not allowed. RBAC names may have any character but "/" and "%". */
export function createErrors(metadata: Metadata, group: string): FieldError[] {
  if (metadata.name === "") return [requiredValue("metadata.name", "name or generateName is required")];
  return [...nameErrors(metadata.name, group), ...commonErrors(metadata)];
}

function nameErrors(name: string, group: string): FieldError[] {
  const valid = group === "rbac.authorization.k8s.io" ? !/[/%]/.test(name) : subdomain.test(name);
  if (!valid) return [invalidValue("metadata.name", name, NAME_RULE)];
  return name.length > MAX_NAME ? [invalidValue("metadata.name", name, `must be no more than ${MAX_NAME} bytes`)] : [];
}

/** What of a change of metadata is not allowed. */
export function updateErrors(metadata: Metadata, given: Metadata, old: Metadata): FieldError[] {
  const found: FieldError[] = [];
  const immutable = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;
  for (const field of immutable) {
    const value = given[field];
    if (value !== undefined && value !== "" && value !== old[field]) {
      found.push(invalidValue(`metadata.${field}`, value, "field is immutable"));
    }
  }
  return [...found, ...finalizerErrors(metadata, old), ...commonErrors(metadata)];
}

function finalizerErrors({ finalizers = [] }: Metadata, old: Metadata): FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const added = finalizers.filter((one) => !(old.finalizers ?? []).includes(one));
  if (added.length === 0) return [];
  const list = added.map((one) => JSON.stringify(one)).join(", ");
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbiddenField("metadata.finalizers", why)];
}

function commonErrors(metadata: Metadata): FieldError[] {
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  return [
    ...Object.keys(labels).flatMap((key) => keyErrors(key, "metadata.labels")),
    ...Object.values(labels).flatMap(labelValueErrors),
    ...annotationErrors(annotations),
    ...finalizers.flatMap((one) => keyErrors(one, "metadata.finalizers")),
    ...ownersOf(metadata).flatMap(ownerErrors),
  ];
}

function keyErrors(key: string, field: string): FieldError[] {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  const prefixFits = slash < 0 || (subdomain.test(key.slice(0, slash)) && slash <= MAX_NAME);
  const fits = prefixFits && qualifiedName.test(name);
  if (!fits) return [invalidValue(field, key, KEY_RULE)];
  const long = `name part must be no more than ${MAX_LABEL} bytes`;
  return name.length > MAX_LABEL ? [invalidValue(field, key, long)] : [];
}

function labelValueErrors(value: string): FieldError[] {
  if (value.length > MAX_LABEL)
    return [invalidValue("metadata.labels", value, `must be no more than ${MAX_LABEL} bytes`)];
  return value === "" || qualifiedName.test(value) ? [] : [invalidValue("metadata.labels", value, VALUE_RULE)];
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  const long = {
    reason: "FieldValueTooLong",
    field: "metadata.annotations",
    detail: `Too long: may not be more than ${MAX_ANNOTATIONS} bytes`,
  };
  // Keys may have capital letters in the prefix.
  const keys = Object.keys(annotations).flatMap((key) => keyErrors(key.toLowerCase(), "metadata.annotations"));
  return size > MAX_ANNOTATIONS ? [...keys, long] : keys;
}

function ownerErrors(owner: { apiVersion?: string; kind?: string; name?: string; uid?: string }): FieldError[] {
  const path = "metadata.ownerReferences";
  const found = owner.apiVersion ? [] : [invalidValue(`${path}.apiVersion`, "", "version must not be empty")];
  const rest = (["kind", "name", "uid"] as const).filter((field) => !owner[field]);
  return [...found, ...rest.map((field) => invalidValue(`${path}.${field}`, "", "must not be empty"))];
}
