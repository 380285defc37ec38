import { badRequest } from "../api-status.js";
import { type FieldError, invalidValue } from "../field-error.js";
import { at } from "../json.js";
import type { ApiObject } from "../objects.js";
import { builtin, textColumn } from "./define-built-in.js";

/** Leases. A replacement needs the resourceVersion; one of a missing Lease creates it. */
export const leases = builtin({
  group: "coordination.k8s.io",
  plural: "leases",
  kind: "Lease",
  unconditionalUpdate: false,
  createOnUpdate: true,
  behaviour: { normalise, validate: (lease) => ({ errors: errors(lease), warnings: [] }) },
  columns: [textColumn("Holder", ["spec", "holderIdentity"])],
});

function normalise(lease: ApiObject): readonly string[] {
  for (const field of ["renewTime", "acquireTime"]) requireMicroTime(lease.kind, at(lease, "spec", field));
  return [];
}

/** Throws 400 unless the value is absent or a time with exactly 6 digits of a second, the only form the server reads. */
export function requireMicroTime(kind: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/.test(value)) return;
  const why = `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05.000000Z07:00": cannot parse it`;
  throw badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${why}`);
}

function errors(lease: ApiObject): FieldError[] {
  const duration = at(lease, "spec", "leaseDurationSeconds");
  if (duration === undefined || (typeof duration === "number" && duration > 0)) return [];
  return [invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0")];
}
