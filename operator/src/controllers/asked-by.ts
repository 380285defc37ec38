/** On whose behalf a controller calls a provider. */

import type { Asker, CallContext } from "../providers/call.js";

/** @param more of a call that is not part of a move, or that changes something. */
export function askedBy(
  { kind, namespace, name }: Asker,
  why: string,
  signal?: AbortSignal,
  more: Partial<Pick<CallContext, "priority" | "recheck">> = {},
): CallContext {
  return { asker: { kind, namespace, name }, why, priority: "assignment", ...(signal && { signal }), ...more };
}
