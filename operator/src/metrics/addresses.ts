/** What the metrics of pools and of RoutedIPs share about addresses. */

import type { FlipopMetrics } from "./definitions.js";

/** Labels of the resource that has the addresses. */
export interface ResourceLabels {
  readonly namespace: string;
  readonly name: string;
  readonly provider: string;
  /** The full record name; empty without DNS. */
  readonly dns: string;
}

interface ArrivalCounters {
  readonly assignments: FlipopMetrics["assignments"];
  readonly errors: FlipopMetrics["assignmentErrors"];
}

interface EndedAction {
  readonly action: { readonly do: string; readonly ip?: string; readonly expected?: string | undefined };
  readonly outcome: { readonly is: string };
}

/** Counts an address that arrived at its node, or that the provider refused to assign. */
export function countArrival(
  { assignments, errors }: ArrivalCounters,
  resource: ResourceLabels,
  { action, outcome }: EndedAction,
): void {
  const isArrival = action.do === "assign" || (action.do === "poll" && action.expected !== undefined);
  if (!isArrival || action.ip === undefined) return;
  const labels = { ...resource, ip: action.ip };
  if (outcome.is === "done") assignments.inc(labels);
  if (outcome.is === "refused") errors.inc(labels);
}
