import { type ApiStatus, badRequest } from "../api-status.js";
import { invalid, invalidOptions, notSupported } from "../field-error.js";
import type { ResourceType } from "../resources/resource-type.js";

const FIELD_VALIDATION = ["Ignore", "Strict", "Warn"] as const;

/** Options of a create, replacement or patch. */
export interface WriteOptions {
  /** Everything but the write. */
  readonly dryRun: boolean;
  /** What to do with fields that are not known. */
  readonly fieldValidation: (typeof FIELD_VALIDATION)[number];
  /** The `metadata.managedFields` of the object after an apply. @default those that it has */
  readonly managedFields?: readonly unknown[];
}

/** Reads the options from a query; throws 422. @param kind kind of the options, for the message */
export function readWriteOptions(query: URLSearchParams, kind: string): WriteOptions {
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const fieldValidation = query.get("fieldValidation") || "Warn";
  const known = FIELD_VALIDATION.find((one) => one === fieldValidation);
  if (known === undefined) {
    throw invalidOptions(kind, [notSupported("fieldValidation", fieldValidation, ["", ...FIELD_VALIDATION])]);
  }
  if (dryRun.some((value) => value !== "All")) throw invalidOptions(kind, [notSupported("dryRun", dryRun, ["All"])]);
  return { dryRun: dryRun.length > 0, fieldValidation: known };
}

/** The warnings about unknown fields; throws where they are not allowed. */
export function unknownFieldWarnings(
  type: ResourceType,
  unknown: readonly string[],
  { fieldValidation }: WriteOptions,
  request: "object" | "patch",
): readonly string[] {
  if (unknown.length === 0 || fieldValidation === "Ignore") return [];
  const warnings = unknown.map((path) => `unknown field "${path}"`);
  if (fieldValidation === "Warn") return warnings;
  const why = `strict decoding error: ${warnings.join(", ")}`;
  throw request === "patch" ? strictPatch(why) : strictObject(type, why);
}

function strictObject({ kind, version }: ResourceType, why: string): ApiStatus {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

function strictPatch(why: string): ApiStatus {
  return invalid({ group: "", kind: "" }, "", [
    { reason: "FieldValueInvalid", field: "patch", detail: `Invalid value: ${why}` },
  ]);
}
