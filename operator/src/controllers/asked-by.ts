/** On whose behalf a controller calls a provider. */

import type { Asker, CallContext } from "../providers/call.js";

/** Of a call that a plan asks for. @param why see `CallContext` */
export function askedBy({ kind, namespace, name }: Asker, why: string, signal?: AbortSignal): CallContext {
  return { asker: { kind, namespace, name }, why, priority: "assignment", ...(signal && { signal }) };
}
