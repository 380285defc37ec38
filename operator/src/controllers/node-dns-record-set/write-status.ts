/** Writes the status where it differs, and notices a server that drops fields of it. */

import type { NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { CRD_PROBE_MS } from "../../bounds.js";
import { jsonEqual } from "../../kube/equal.js";
import { mergeConditions, statusPatch } from "../../kube/patch.js";
import type { StatusWish } from "./status.js";
import type { Overlay, RecordSetUnit } from "./unit.js";

export interface StatusWrite {
  readonly wish: StatusWish;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** `old CRD`: the server drops fields, which this process keeps in their place. Rejects as the writer does. */
export async function writeStatus(
  unit: RecordSetUnit,
  { wish, now, signal }: StatusWrite,
): Promise<"kept" | "old CRD"> {
  const old = unit.droppedAt !== undefined && now - unit.droppedAt < CRD_PROBE_MS;
  const sent = old ? { state: wish.state, error: wish.error } : wish;
  const after = await unit.writer.write({ patch: (seen) => statusPatch(seen, sent), subresource: "status", signal });
  const kept = !old && isKept(after.status, wish);
  unit.overlay = kept ? {} : dropped(unit.overlay, wish);
  if (kept) unit.droppedAt = undefined;
  else if (!old) unit.droppedAt = now;
  return kept ? "kept" : "old CRD";
}

/** An older CRD has state and error only. */
function isKept(stored: NodeDNSRecordSetStatus | undefined, { conditions, dns }: StatusWish): boolean {
  return (conditions === undefined || stored?.conditions !== undefined) && jsonEqual(stored?.dns, dns);
}

function dropped(former: Overlay, wish: StatusWish): Overlay {
  const { addresses, dns, counts, observedGeneration } = wish;
  const conditions = mergeConditions(former.conditions, wish.conditions) as NonNullable<StatusWish["conditions"]>;
  return { addresses, dns, counts, observedGeneration, conditions };
}
