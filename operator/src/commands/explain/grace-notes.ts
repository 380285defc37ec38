/** Pure: what `gracePeriodSeconds` means for the nodes of a resource, where it matters. */

import { type FloatingIPPoolSpec, KINDS, REFUSALS, type RefusalReason } from "cdk8s-flipop/api";
import { secondsText } from "../../clock.js";
import { notableRefusals, type Refusal, refusalsOf } from "../../match/checks.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { noGraceOf, noGraceText } from "../../messages/action-reasons.js";
import { omitUndefined } from "../../values.js";
import type { OwnObject } from "../list-objects.js";
import { type Asking, inputOf } from "./check-values.js";
import type { NodeExplanation } from "./node-explanation.js";

interface Graced {
  readonly kind: string;
  readonly object: OwnObject;
  readonly asking: Asking;
  readonly factsOf: (node: string) => NodeFacts | undefined;
}

interface Notes {
  readonly nodes: readonly NodeExplanation[];
  /** Of the resource. */
  readonly grace?: string;
}

const LEAVES_NAME = "an address leaves the DNS name at once";
const LEAVES_NODE = "an address leaves its node at once if another node can take it";

/** No address of a resource that is paused or goes moves. */
export function withGrace(nodes: readonly NodeExplanation[], { kind, object, asking, factsOf }: Graced): Notes {
  const { gracePeriodSeconds: seconds = 0, paused } = (object.spec ?? {}) as Partial<FloatingIPPoolSpec>;
  if (object.metadata.deletionTimestamp !== undefined || paused === true) return { nodes };
  const leaves = kind === KINDS.NodeDNSRecordSet.kind ? LEAVES_NAME : LEAVES_NODE;
  const refused = nodes.map((explained) => {
    const facts = factsOf(explained.node);
    return { explained, refusals: facts === undefined ? [] : refusalsOf(inputOf(facts, asking)) };
  });
  if (seconds === 0) {
    const grace = atOnceText(leaves, asking);
    const concerned = (one: Refused) => hasAddress(one.explained) || noGraceOf(one.refusals, 0) === "zero";
    return { nodes: refused.map((one) => (concerned(one) ? { ...one.explained, grace } : one.explained)), grace };
  }
  const period = { leaves, seconds };
  const uncovered = [...new Set(refused.flatMap((one) => uncoveredOf(one, seconds)))];
  return {
    nodes: refused.map((one) => ({ ...one.explained, ...omitUndefined({ grace: periodText(one, period) }) })),
    ...omitUndefined({ grace: uncoveredText(uncovered, period) }),
  };
}

interface Refused {
  readonly explained: NodeExplanation;
  readonly refusals: readonly Refusal[];
}

interface Period {
  /** What happens to an address. */
  readonly leaves: string;
  readonly seconds: number;
}

function periodText(one: Refused, period: Period): string | undefined {
  const { explained, refusals } = one;
  const text = uncoveredText(uncoveredOf(one, period.seconds), period);
  return text ?? (hasAddress(explained) ? coveredText(refusals, period.seconds) : undefined);
}

function hasAddress({ result }: NodeExplanation): boolean {
  return result === "holds" || result === "published";
}

/** Reasons that come about while a node has an address: whoever asks about a node without one may look for the cause. */
const COME_ABOUT: ReadonlySet<RefusalReason> = new Set(["Cordoned", "Tainted"]);

function uncoveredOf({ explained, refusals }: Refused, seconds: number): readonly RefusalReason[] {
  const none = noGraceOf(refusals, seconds * 1000);
  if (none === undefined || none === "zero") return [];
  if (hasAddress(explained)) return none;
  return explained.meant ? none.filter((reason) => COME_ABOUT.has(reason)) : [];
}

function atOnceText(leaves: string, { workload }: Asking): string {
  const [what, them] = workload === undefined ? ["the node is", "it"] : ["the node or its pods are", "them"];
  return `${noGraceText("zero")}: when ${what} not ready, ${leaves}; a higher value gives ${them} that time to recover`;
}

function uncoveredText(reasons: readonly RefusalReason[], { leaves, seconds }: Period): string | undefined {
  if (reasons.length === 0) return undefined;
  const covered = Object.entries(REFUSALS).flatMap(([reason, { recoverable }]) => (recoverable ? [reason] : []));
  return `${noGraceText(reasons, seconds)}: then ${leaves}; it covers ${covered.join(", ")}`;
}

function coveredText(refusals: readonly Refusal[], seconds: number): string | undefined {
  if (refusals.length === 0) return undefined;
  const reasons = notableRefusals(refusals)
    .map(({ reason }) => reason)
    .join(", ");
  return `gracePeriodSeconds (${secondsText(seconds)}) covers ${reasons}: the node keeps its address for this time, as it may recover`;
}
