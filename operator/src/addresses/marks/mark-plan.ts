/**
 * The label on the nodes that have the addresses of a resource, and the taint on those that wait for one. Pure. One action
 * removes the label from all other nodes before it sets it, so that the previous and the next node never both have it.
 */

import type { NodeFacts } from "../../match/node-facts.js";
import { compareText, listed } from "../../values.js";
import type { LabelAction, MarkAction, TaintUntilAction } from "../actions.js";
import { isOurs, type Placement } from "../placements.js";
import type { MarkFacts, ResourceMarks } from "./holder-labels-and-taints.js";

/** Where the addresses of a resource are. */
export interface HolderNodes {
  readonly names: readonly string[];
  /** Nodes that may have an address: their marks stay as they are. */
  readonly possible: readonly string[];
  /** Where an address is has not been read, or a read contradicts it. */
  readonly uncertain: boolean;
}

/** What a decision about marks reads. */
export interface MarkSnapshot extends ResourceMarks {
  /** Nodes that match, holders included. */
  readonly candidates: readonly NodeFacts[];
}

/** One chain each. */
export function markChains(
  snapshot: MarkSnapshot,
  placements: readonly Placement[],
): readonly (readonly MarkAction[])[] {
  return markChainsFor(snapshot, holderNodes(placements));
}

export function markChainsFor(snapshot: MarkSnapshot, holders: HolderNodes): readonly (readonly MarkAction[])[] {
  const { holderLabel } = snapshot;
  const labels = holderLabel === undefined ? [] : labelActionsFor(holderLabel, holders);
  return [labels, ...taintActions(snapshot, holders).map((action) => [action])].filter(({ length }) => length > 0);
}

/** The nodes that have wanted addresses. While an address moves, no node has it. */
function holderNodes(placements: readonly Placement[]): HolderNodes {
  const wanted = placements.filter((placement) => isOurs(placement) && placement.address.wanted);
  const nodes = (isSo: (placement: Placement) => boolean) =>
    wanted.filter(isSo).flatMap(({ verdict }) => verdict?.node.name ?? []);
  return {
    names: [...new Set(nodes(({ certainty }) => certainty === "seen"))].sort(compareText),
    possible: nodes(mayBeThere),
    uncertain: wanted.some(({ certainty }) => certainty === "unread" || certainty === "doubted"),
  };
}

/** A read contradicts the cached state, or an action may never have begun. */
function mayBeThere({ certainty, action }: Placement): boolean {
  return certainty === "doubted" || (certainty === "moving" && action?.id === "");
}

/** Nothing while a label would have to go from a node on which an address may still be: then no other node gets it. */
export function labelActionsFor(facts: MarkFacts, holders: HolderNodes): readonly LabelAction[] {
  const { key, asked, bearers } = facts;
  const stay = holders.possible.filter((name) => bearers.includes(name));
  const nodes = asked ? [...new Set([...holders.names, ...stay])].sort(compareText) : [];
  const strays = bearers.filter((name) => !nodes.includes(name));
  const missing = nodes.filter((name) => !bearers.includes(name));
  if (strays.length + missing.length === 0 || (asked && holders.uncertain && strays.length > 0)) return [];
  return [{ do: "label-holders", key, nodes, why: whyLabel({ strays, missing }) }];
}

function whyLabel({ strays, missing }: { readonly strays: readonly string[]; readonly missing: readonly string[] }) {
  const gone = strays.length === 0 ? [] : [`the address is not on ${listed(strays)}`];
  const there = missing.length === 0 ? [] : [`the address is on ${listed(missing)}`];
  return [...gone, ...there].join("; ");
}

const MOST_TAINTS = 20;

/** A few at a time: the next plan has the others. */
function taintActions(snapshot: MarkSnapshot, { names, possible }: HolderNodes): readonly TaintUntilAction[] {
  const { untilTaint, candidates } = snapshot;
  if (untilTaint === undefined) return [];
  const { key, asked, bearers, unmatched = [] } = untilTaint;
  const waiting = asked ? candidates.map(({ name }) => name).filter((name) => !names.includes(name)) : [];
  // A node that is not ready for the moment keeps its taint.
  const kept = (name: string) => possible.includes(name) || !(names.includes(name) || unmatched.includes(name));
  const added = waiting.filter((node) => !bearers.includes(node) && !possible.includes(node));
  const removed = bearers.filter((node) => !asked || !kept(node));
  const taints = [
    ...removed.map((node) => ({ node, present: false, why: asked ? "the node waits for no address" : NOT_ASKED })),
    ...added.map((node) => ({ node, present: true, why: "the node has no address of the resource" })),
  ];
  return taints.slice(0, MOST_TAINTS).map((taint): TaintUntilAction => ({ do: "taint-until", key, ...taint }));
}

const NOT_ASKED = "the spec does not ask for the taint";

/** Of a resource that is being deleted. */
export function markRemovals({ holderLabel, untilTaint }: ResourceMarks): readonly (readonly MarkAction[])[] {
  const why = "the resource is being deleted";
  const labels: readonly LabelAction[] =
    holderLabel === undefined || holderLabel.bearers.length === 0
      ? []
      : [{ do: "label-holders", key: holderLabel.key, nodes: [], why }];
  const bearers = untilTaint?.bearers.slice(0, MOST_TAINTS) ?? [];
  const taints = bearers.map(
    (node): MarkAction => ({ do: "taint-until", key: untilTaint?.key ?? "", node, present: false, why }),
  );
  return [labels, ...taints.map((action) => [action])].filter(({ length }) => length > 0);
}

/** In words, for a cleanup that does not end; empty: no node has a mark. */
export function markTraces({ holderLabel, untilTaint }: ResourceMarks): readonly string[] {
  const labels = (holderLabel?.bearers ?? []).map((name) => `label ${holderLabel?.key} on node ${name}`);
  const taints = (untilTaint?.bearers ?? []).map((name) => `taint ${untilTaint?.key} on node ${name}`);
  return [...labels, ...taints];
}
