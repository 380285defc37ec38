import { FLAG_LIMITS_SIZE, POLICY_LIMITS_SIZE, tenantLimitsProblems } from "../../api/access/tenant-limits";
import type { FlipopOperatorProps } from "../../operator-props";
import type { Draft } from "../../private/refusal-collector";

/** Checks the limits of tenants as the operator does at its start, and their length for the policy. */
export function checkTenantLimits({ tenantLimits, admissionPolicy }: FlipopOperatorProps, draft: Draft): void {
  if (tenantLimits === undefined) return;
  const size = admissionPolicy === false ? FLAG_LIMITS_SIZE : POLICY_LIMITS_SIZE;
  for (const { path, message } of tenantLimitsProblems(tenantLimits, "tenantLimits", size)) {
    draft.at(path).refuse(message);
  }
}
