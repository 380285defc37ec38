/** Limits of tenants, where nothing counts addresses. */

import type { TenantLimits } from "cdk8s-flipop/api";
import { CreationRegistry } from "../../../src/addresses/creation/creation-registry.js";
import { CreatedAddresses } from "../../../src/limits/addresses-per-namespace.js";
import { TenantAccess } from "../../../src/limits/tenant-limits.js";

export function limitedTo(limits: TenantLimits): TenantAccess {
  return new TenantAccess(limits, { created: new CreatedAddresses(), creations: new CreationRegistry() });
}
