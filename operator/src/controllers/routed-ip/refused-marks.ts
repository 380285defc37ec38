/** The labels and taints of a RoutedIP, and the taint of its class, that the API server refuses to change. Pure. */

import type { MarkAction } from "../../addresses/actions.js";
import { type MarkChange, markChanges, refusedMark } from "../../addresses/marks/refused-marks.js";
import type { Problem } from "../../messages/message.js";
import { type ActionChain, JOB_KEY, TAINTS } from "./actions.js";
import { isDeleting } from "./deletion.js";
import type { JobAction } from "./jobs/actions.js";
import type { JobSnapshot } from "./jobs/snapshot.js";
import type { Snapshot } from "./snapshot.js";
import type { Decision, Step } from "./update/steps.js";

interface Acts {
  readonly steps: readonly Step[];
  readonly chains: readonly ActionChain[];
}

export function refusedMarkOf(
  snapshot: Snapshot,
  { target, holder }: Pick<Decision, "target" | "holder">,
  { steps, chains }: Acts,
): Problem | undefined {
  if (isDeleting(snapshot.routed)) return undefined;
  // A taint that stays on another node is not what the spec of this one asks for.
  const own = [target?.name, holder?.name];
  const elected = steps.flatMap(({ name, actions }) => (name === "elect" ? actions : []));
  const taints = elected.flatMap((action) => (action.do === "set-taints" && own.includes(action.node) ? [action] : []));
  const ofClass = taints.map(({ node }) => taintOf(snapshot, node, TAINTS));
  const marks = chains.map((chain) => chain.filter(isMark));
  return refusedMark([...ofClass, ...markChanges(marks)], snapshot.memory.refusedWrites);
}

/** A Job waits for the taint: what was refused last is the first of its chain. */
export function refusedMarkOfJobs(
  snapshot: JobSnapshot,
  [first]: readonly JobAction[],
  marks: readonly (readonly MarkAction[])[],
): Problem | undefined {
  if (isDeleting(snapshot.routed)) return undefined;
  const ofClass = first?.do === "set-taints" ? [taintOf(snapshot, first.node, JOB_KEY)] : [];
  return refusedMark([...ofClass, ...markChanges(marks)], snapshot.refusedWrites);
}

function taintOf(
  { resolvedClass }: { readonly resolvedClass?: { readonly taint: { readonly key: string } } },
  node: string,
  retryKey: string,
): MarkChange {
  return { what: "taint", key: resolvedClass?.taint.key ?? "", nodes: [node], retryKey };
}

function isMark(action: { readonly do: string }): action is MarkAction {
  return action.do === "label-holders" || action.do === "taint-until";
}
