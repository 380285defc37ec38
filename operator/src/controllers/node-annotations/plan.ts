/**
 * Which address annotations of a node are stale: those of owners that are gone, and those that no resource owns. The same for
 * labels and taints of resources that are gone. Pure.
 */

import type { IpFamily } from "cdk8s-flipop/api";
import { type Action as EngineAction, type Plan as EnginePlan, inOrder } from "../../reconcile/plan.js";
import { JANITOR_RETRY_MS } from "../../timings.js";
import type { AnnotationFacts, Snapshot } from "./gather.js";

interface RemoveAnnotation extends EngineAction {
  readonly do: "remove-annotation";
  readonly node: string;
  readonly family: IpFamily;
  readonly ip?: string;
}

/** Of a label or a taint. */
interface RemoveMark extends EngineAction {
  readonly do: "remove-mark";
  readonly node: string;
  readonly key: string;
}

export type Action = RemoveAnnotation | RemoveMark;

export type Plan = EnginePlan<Action>;

type Judgement = { readonly stale: string } | "keep" | "unknown";

export function plan({ node, now, annotations, leftMarks }: Snapshot): Plan {
  const judged = annotations.map((facts) => ({ facts, judgement: judge(facts) }));
  const actions = judged.flatMap(({ facts: { family, ip }, judgement }): readonly RemoveAnnotation[] => {
    if (typeof judgement === "string") return [];
    return [{ do: "remove-annotation", node, family, ...(ip === undefined ? {} : { ip }), why: judgement.stale }];
  });
  const removals = leftMarks.map((key): RemoveMark => ({ do: "remove-mark", node, key, why: `${key}: ${GONE}` }));
  const unknown = judged.some(({ judgement }) => judgement === "unknown");
  return {
    sequences: [
      ...actions.flatMap((action) => inOrder<Action>(`annotation ${action.family}`, [action])),
      ...removals.flatMap((action) => inOrder<Action>(action.key, [action])),
    ],
    conditions: [],
    ...(unknown ? { requeueAt: now + JANITOR_RETRY_MS } : {}),
    explanation: [
      ...actions.map(({ ip, why }) => `${ip ?? "the annotation"}: ${why}`),
      ...removals.map(({ why }) => why),
    ].join("; "),
  };
}

const GONE = "no resource has this label or taint";

/** The resource that owns an annotation looks after it, as long as it exists. */
function judge({ owner, ip, claimed, place }: AnnotationFacts): Judgement {
  if (owner === "gone") return { stale: "the resource that set the annotation is gone" };
  if (owner === "exists" || place === undefined || place === "on the node") return "keep";
  if (owner === undefined && (ip === undefined || claimed)) return "keep";
  if (place === "unknown") return "unknown";
  return { stale: `${owner === undefined ? "no resource owns the address, and " : ""}the provider shows it elsewhere` };
}
