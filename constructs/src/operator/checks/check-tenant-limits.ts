import { tenantLimitsProblems } from "../../api/access/tenant-limits";
import type { FlipopOperatorProps } from "../../operator-props";
import type { Draft } from "../../private/spec-refusals";

/** Checks the limits of tenants as the operator does at its start. */
export function checkTenantLimits({ tenantLimits }: FlipopOperatorProps, draft: Draft): void {
  if (tenantLimits === undefined) return;
  for (const { path, message } of tenantLimitsProblems(tenantLimits, "tenantLimits")) draft.at(path).refuse(message);
}
