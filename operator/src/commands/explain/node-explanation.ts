/** Pure: what the operator's own checks say of each node for one resource. */

import { type IpFamily, REFUSALS, type RefusalReason, selectorMatches } from "cdk8s-flipop/api";
import { isIn, regionOf } from "../../addresses/moves/addresses-by-region.js";
import { type CheckInput, nearToleration, notableRefusals, type Refusal } from "../../match/checks.js";
import type { CompiledMatch } from "../../match/compile-match.js";
import { isElectionTaint, keepsPodsAway, type NodeFacts } from "../../match/node-facts.js";
import { UNMEANT } from "../../match/tally.js";
import { contradictionOf, HAVE_ADMINISTRATOR } from "../../messages/nodes/label-remedies.js";
import { autoscalerRemedy, runPodOn, startRemedy, TOLERATE_TAINT } from "../../messages/nodes/refused-nodes.js";
import type { ProviderId } from "../../providers/types.js";
import { addressesOf, offeredFamily, type PublishedKind, publishedText } from "../../records/node-addresses.js";
import { listed, omitUndefined } from "../../values.js";
import { type Asking, type CheckValue, checkValues, inputOf } from "./check-values.js";
import type { Held } from "./held-addresses.js";
import { type PodFacts, servedText } from "./pods.js";
import { roomOn } from "./room-on-node.js";

export interface Question extends Asking {
  /** All that the match or the Service selects. Absent: pods play no part. */
  readonly pods?: readonly PodFacts[];
  /** Whether a pod of the workload is on the node, though no endpoint may show it. Absent: `workload` knows. */
  readonly runsPod?: (node: string) => boolean;
  /** Nodes that lately refused an address, as the status has them. Absent: none. */
  readonly refusing?: ReadonlySet<string>;
  /** The type of the address of a node that the operator probes. Absent: it probes no node, or its pods. */
  readonly probes?: string;
  /** Absent: the resource gives nodes no address. */
  readonly room?: {
    readonly limit: number;
    readonly heldBy: ReadonlyMap<ProviderId, readonly Held[]>;
    /** By node: the resource that gets it first, as the conditions say. */
    readonly keptFor: ReadonlyMap<string, string>;
  };
  /** Those of the addresses that exist, and of those to create: a node elsewhere gets none. Absent: any. */
  readonly regions?: ReadonlySet<string>;
  /** Absent: the resource publishes no addresses of nodes. */
  readonly publishes?: PublishedKind;
  /** Nodes whose addresses are in the record set. Absent: none. */
  readonly published?: ReadonlySet<string>;
}

export interface ShownCheck {
  readonly check: string;
  readonly passed: boolean;
  readonly seen: string;
  /** `noted`: the node passes it, but people should know what was seen. `skipped`: another check says it, or nothing is asked for. */
  readonly special?: "noted" | "skipped";
  /** Of a check that the node does not pass: what would change that. */
  readonly reason?: string;
  readonly remedy?: string;
}

export interface NodeExplanation {
  readonly node: string;
  /** `candidate`: it may get an address. `occupied`: an address of another resource takes its place, or will. */
  readonly result: "holds" | "published" | "candidate" | "occupied" | "no";
  readonly holds: readonly Held[];
  readonly checks: readonly ShownCheck[];
  /** People mean such a node: the labels and the workload that are asked for are there, or it waits for an address. */
  readonly meant: boolean;
  /** Checks that keep it back, the notable ones first. */
  readonly obstacles: readonly ShownCheck[];
  /** What `gracePeriodSeconds` means for it. Absent: nothing. */
  readonly grace?: string;
}

export function explainNode(node: NodeFacts, question: Question): NodeExplanation {
  const { match, workload, room } = question;
  const input = inputOf(node, question);
  const values = checkValues(input);
  const refusals = values.flatMap(({ refusal }) => refusal ?? []);
  const own = { ...ownRemedies(node, match), ...refusalRemedies(refusals) };
  const holds = heldOn(node, room);
  const unprobed = unprobedText(node, question);
  const serving = workload && servedText(workload, node.name);
  const seenOf = ({ reason, seen, refusal }: CheckValue) => {
    if (refusal !== undefined) return seen;
    if (reason === "ProbeFailed") return unprobed ?? seen;
    return reason === "NoPod" ? (serving ?? seen) : seen;
  };
  const matching = values.map((value) => ({
    ...shown({ ...value, own, seen: seenOf(value) }),
    ...specialOf(value, input, serving),
  }));
  const further = [regionCheck, roomCheck, machineCheck, addressCheck].flatMap(
    (check) => check(node, question, holds) ?? [],
  );
  const notable = new Set(notableRefusals(refusals).map(({ reason }) => reason));
  const refused = values.flatMap((value) =>
    value.refusal !== undefined && notable.has(value.refusal.reason) ? [shown({ ...value, own })] : [],
  );
  const against = further.filter(({ passed }) => !passed);
  return {
    node: node.name,
    result: question.published?.has(node.name)
      ? "published"
      : resultOf({ refused: refused.length > 0, holds, against }),
    holds,
    checks: [...matching, ...further],
    meant: question.runsPod?.(node.name) === true || isMeant(input, refusals),
    obstacles: [...refused, ...against],
  };
}

/** It has the labels that the resource asks for, or all that it asks for. */
function isMeant({ match }: CheckInput, refusals: readonly Refusal[]): boolean {
  const reasons = new Set(refusals.map(({ reason }) => reason));
  if (match.nodeLabels.length > 0) return !reasons.has("LabelsDiffer");
  return ![...UNMEANT].some((reason) => reasons.has(reason));
}

/** Of two nodes of one machine, the one that stands for the machine has its addresses. */
function heldOn({ machine, standIn }: NodeFacts, room: Question["room"]): readonly Held[] {
  return machine === undefined || standIn !== undefined ? [] : (room?.heldBy.get(machine) ?? []);
}

/** `undefined`: the operator probes the node, or is not asked to. */
export function unprobedText({ addresses }: NodeFacts, { probes }: Question): string | undefined {
  if (probes === undefined || addresses.some(({ type }) => type === probes)) return undefined;
  return `not probed: the node has no ${probes}`;
}

function shown({ check, seen, refusal, own }: Omit<CheckValue, "reason"> & { readonly own: OwnRemedies }): ShownCheck {
  if (refusal === undefined) return { check, passed: true, seen };
  const { reason } = refusal;
  const remedy = own[reason] ?? REFUSALS[reason].remedy;
  return { check, passed: false, seen, reason, ...(remedy === "" ? {} : { remedy }) };
}

/** @param serving what makes the node match */
function specialOf(
  { reason, refusal }: CheckValue,
  { node, workload }: CheckInput,
  serving: string | undefined,
): Pick<ShownCheck, "special"> {
  if (refusal !== undefined) return {};
  if (reason === "NoPod" && serving !== undefined) return { special: "noted" };
  if (reason === "Cordoned" && node.cordoned) return { special: "noted" };
  return skips(reason, workload) ? { special: "skipped" } : {};
}

/** Of pods that nothing asks for, and of the state of pods that are not there, no check says anything. */
function skips(reason: CheckValue["reason"], workload: CheckInput["workload"]): boolean {
  if (workload === undefined) return reason === "NoPod" || reason === "PodNotReady";
  return reason === "PodNotReady" && workload.state === "absent";
}

/** In place of the general ones. */
type OwnRemedies = Readonly<Partial<Record<RefusalReason, string>>>;

function ownRemedies({ ownTaints = [], taints, labels }: NodeFacts, match: CompiledMatch): OwnRemedies {
  const contradiction = contradictionOf(match.nodeLabels);
  const kept = ownTaints.filter(keepsPodsAway);
  const texts = kept.map((taint) => `${taint.key} (${isElectionTaint(taint) ? "electedNodeTaint" : "untilAssigned"})`);
  const taint = `If the pods have no toleration for taint ${listed(texts)}, add it (with operator: Exists): the taint keeps them off the node.`;
  return {
    ...(contradiction !== undefined && { LabelsDiffer: sentence(contradiction) }),
    ...(nearToleration(taints, match) !== undefined && {
      Tainted: sentence(`${TOLERATE_TAINT}, or ${HAVE_ADMINISTRATOR} remove the taint`),
    }),
    // A node that has the labels is meant.
    ...(match.nodeLabels.length > 0 &&
      selectorMatches(match.nodeLabels, labels) && { NoPod: sentence(runPodOn("the node")) }),
    ...(kept.length > 0 && { NoPod: taint }),
  };
}

/** Without the name of the pod or node, which the row has: one remedy serves many rows. */
function refusalRemedies(refusals: readonly Refusal[]): OwnRemedies {
  const remedies = refusals.flatMap(({ reason, ending, autoscaler }): readonly (readonly [RefusalReason, string])[] => {
    if (reason === "PodNotReady") return [[reason, startRemedy(omitUndefined({ ending }))]];
    return autoscaler ? [[reason, autoscalerRemedy(autoscaler, "the node", "either")]] : [];
  });
  return Object.fromEntries(remedies.map(([reason, text]) => [reason, sentence(text)]));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

interface Outcome {
  readonly refused: boolean;
  readonly holds: readonly Held[];
  readonly against: readonly ShownCheck[];
}

function resultOf({ refused, holds, against }: Outcome): NodeExplanation["result"] {
  if (holds.some(({ ours }) => ours)) return "holds";
  if (refused) return "no";
  if (against.length > 0) return against.every(({ check }) => check === ROOM) ? "occupied" : "no";
  return "candidate";
}

type FurtherCheck = (node: NodeFacts, question: Question, holds: readonly Held[]) => ShownCheck | undefined;

const ROOM = "room";

const regionCheck: FurtherCheck = (node, { regions }) => {
  if (regions === undefined) return undefined;
  const seen = regionOf(node) || "not named";
  if (isIn(node, regions)) return { check: "region", passed: true, seen };
  return {
    ...{ check: "region", passed: false, reason: "WrongRegion" },
    seen: `the node is in region ${seen}, the addresses are in ${[...regions].join(", ")}`,
    remedy:
      "Use nodes of the region of the addresses. Where the operator has yet to create them, the region can be corrected instead: spec.region, or that of the RoutedIP's issuer.",
  };
};

const roomCheck: FurtherCheck = ({ name }, { room }, holds) =>
  room && { check: ROOM, ...roomOn(room.limit, holds, room.keptFor.get(name)) };

const machineCheck: FurtherCheck = (node, { refusing }) => {
  if (refusing === undefined) return undefined;
  if (!refusing.has(node.name)) return { check: "assignment", passed: true, seen: "no refusal is known" };
  return {
    ...{ check: "assignment", passed: false, reason: "Refused" },
    seen: "the provider lately refused to assign an address to its machine",
    remedy: "The operator tries again by itself. Its log has each refusal with its cause (message: Action failed).",
  };
};

const addressCheck: FurtherCheck = (node, { publishes }) => {
  if (publishes === undefined) return undefined;
  const addresses = addressesOf(node, publishes);
  if (addresses.length > 0) return { check: "address", passed: true, seen: addresses.join(", ") };
  return {
    ...{ check: "address", passed: false, reason: "NoAddress" },
    seen: `it has no ${publishedText(publishes)}`,
    remedy: `${changeFor(offeredFamily(node, publishes))}, or give the node such an address.`,
  };
};

function changeFor(offered: IpFamily | undefined): string {
  return offered === undefined ? "Publish another addressType" : `Add ${offered} to spec.ipFamilies`;
}
