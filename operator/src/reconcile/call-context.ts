/** On whose behalf a controller calls a provider. */

import type { CallContext, Requester } from "../providers/call.js";

/** @param more of a call that is not part of a move, or that changes something. */
export function callContext(
  { kind, namespace, name }: Requester,
  why: string,
  signal?: AbortSignal,
  more: Partial<Pick<CallContext, "priority" | "recheck">> = {},
): CallContext {
  return { requester: { kind, namespace, name }, why, priority: "assignment", ...(signal && { signal }), ...more };
}
