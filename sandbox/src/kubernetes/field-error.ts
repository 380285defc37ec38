import { ApiStatus, qualified, type Subject } from "./api-status.js";

/** What is wrong with one field. */
export interface FieldError {
  readonly reason: string;
  /** Path such as `spec.ips[1]`; undefined for the object as a whole. */
  readonly field: string | undefined;
  /** Without the path. */
  readonly detail: string;
}

export function invalidValue(field: string | undefined, value: unknown, why: string): FieldError {
  return { reason: "FieldValueInvalid", field, detail: `Invalid value: ${shown(value)}${why}` };
}

/** A wrong type; the value is named by its type. */
export function wrongType(field: string, type: string, why: string): FieldError {
  return { reason: "FieldValueTypeInvalid", field, detail: `Invalid value: "${type}": ${why}` };
}

export function requiredValue(field: string, why = ""): FieldError {
  return { reason: "FieldValueRequired", field, detail: why === "" ? "Required value" : `Required value: ${why}` };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((one) => JSON.stringify(one)).join(", ");
  const detail = `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`;
  return { reason: "FieldValueNotSupported", field, detail };
}

export function forbiddenField(field: string | undefined, why: string): FieldError {
  return { reason: "FieldValueForbidden", field, detail: `Forbidden: ${why}` };
}

export function tooLong(field: string, most: number): FieldError {
  return { reason: "FieldValueTooLong", field, detail: `Too long: may not be more than ${most} bytes` };
}

export function tooMany(field: string, count: number, most: number): FieldError {
  const items = most === 1 ? "item" : "items";
  return { reason: "FieldValueTooMany", field, detail: `Too many: ${count}: must have at most ${most} ${items}` };
}

export function duplicateValue(field: string, value: unknown): FieldError {
  return { reason: "FieldValueDuplicate", field, detail: `Duplicate value: ${JSON.stringify(value)}` };
}

// Objects and lists are left out of messages.
function shown(value: unknown): string {
  return typeof value === "object" && value !== null ? "" : `${JSON.stringify(value)}: `;
}

/** 422 with all errors, as the server words it. */
export function invalid(
  subject: Pick<Subject, "group" | "kind">,
  name: string,
  errors: readonly FieldError[],
): ApiStatus {
  const lines = errors.map(({ field, detail }) => `${field ?? "<nil>"}: ${detail}`);
  const list = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const causes = errors.map(({ reason, detail, field }) => ({ reason, message: detail, field: field ?? "<nil>" }));
  return new ApiStatus({
    code: 422,
    reason: "Invalid",
    message: `${qualified(subject.kind, subject.group)} "${name}" is invalid: ${list}`,
    details: { name, group: subject.group, kind: subject.kind, causes },
  });
}

/** 422 for a wrong query parameter or option. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): ApiStatus {
  return invalid({ group: "meta.k8s.io", kind }, "", errors);
}
