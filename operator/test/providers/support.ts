import type { ApiCall, CallPriority } from "../../src/providers/call.js";
import { ProviderError, type ProviderErrorProps } from "../../src/providers/errors.js";

/** A read of the resource `name`. */
export function callOf(name = "web", more: Partial<ApiCall> & { readonly priority?: CallPriority } = {}): ApiCall {
  const { priority = "check", ...rest } = more;
  const context = { requester: { kind: "FloatingIPPool", namespace: "apps", name }, why: "a test asks", priority };
  return {
    provider: "cloud",
    name: "IPToProviderID",
    subject: "read 203.0.113.7",
    write: false,
    repeatable: true,
    context,
    ...rest,
  };
}

export function failure(props: Partial<ProviderErrorProps> = {}): ProviderError {
  const base = {
    kind: "Unavailable",
    where: "cloud: read",
    seen: "answer 503",
    remedy: "wait",
    outcome: "unknown",
  } as const;
  return new ProviderError({ ...base, ...props });
}
