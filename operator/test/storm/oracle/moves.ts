/** Where addresses may go from, and where to. */

import type { Fact, History, NodeState, ObjectFact, ResourceState, Span, Violation } from "../history.js";
import {
  answers,
  certainly,
  holderBefore,
  isDone,
  type Move,
  matches,
  movesOf,
  nodeOfDroplet,
  overlaps,
  ownerOf,
  possible,
  refusals,
  stableSpec,
} from "../truth.js";
import { BOUNDS, SECOND_MS } from "./bounds.js";
import { isCutOff, probedFacts, recoveryMs } from "./health.js";

export const AGE_MS = BOUNDS.decisionMs + BOUNDS.observationMs;

/** An address never leaves a healthy holder that matches. Moves by hand and edits of the resource excuse it. */
export function healthyHolderKeeps(history: History): readonly Violation[] {
  return departures(history).flatMap(({ move, node, spec, resource }) => {
    const { at } = move.call;
    const span = { from: at - AGE_MS, to: at };
    if (!isCertainlyWell(history, { spec, node, span })) return [];
    const message = `${move.ip} of ${resource} was taken from ${node}, which had matched for at least ${AGE_MS} ms`;
    return [{ check: "healthy holder keeps its address", at, message }];
  });
}

/** Whether a node matched for all of a time, and no health check could take it for failed. */
export function isCertainlyWell(history: History, { spec, node, span }: Subject): boolean {
  const { check } = spec;
  if (check === undefined) return certainly(history.nodes, node, span, (state) => matches(spec, state, node));
  const seen = { from: span.from - recoveryMs(check), to: span.to };
  // A silent kubelet confirms what the leader alone sees: the two together count as a dead node.
  const needsKubelet = isCutOff(history, node, seen);
  const known = needsKubelet ? seen : span;
  const isWell = (state: NodeState) => matches(spec, state, node) && (!needsKubelet || state.kubelet);
  return (
    certainly(probedFacts(history.nodes, check), node, known, isWell) && !overlaps(history.unsure, seen.from, seen.to)
  );
}

export interface Subject {
  readonly spec: ResourceState;
  readonly node: string;
  readonly span: Pick<Span, "from" | "to">;
}

/** A holder that may recover keeps its address for the grace period, measured at the cloud. */
export function graceHolds(history: History): readonly Violation[] {
  return departures(history).flatMap(({ move, node, spec, resource, since }) => {
    const { at } = move.call;
    const ill = illSince(history, { spec, node, at });
    if (ill === undefined || spec.graceSeconds === 0 || since > ill || !wasStable(history, resource, ill)) return [];
    const waited = at - ill;
    if (waited >= spec.graceSeconds * SECOND_MS - BOUNDS.graceRoundingMs) return [];
    const message = `${move.ip} of ${resource} left ${node} ${waited} ms after that failed; gracePeriodSeconds is ${spec.graceSeconds}`;
    return [{ check: "grace period", at, message }];
  });
}

/** A call is never sent for a target that has been unfit for longer than a decision may be old. */
export function targetIsFit(history: History): readonly Violation[] {
  return movesOf(history).flatMap((move) => {
    const { call, ip, target } = move;
    if (target === undefined || isBlind(history, call.at)) return [];
    const from = call.at - AGE_MS;
    const names = nodeNames(history, target, from, call.at);
    if (names.some((name) => mayBeReady(history, { name, target, from, to: call.at }))) return [];
    const message = `${ip} was sent to droplet ${target} (${names.join(", ") || "no node"}), which had not been a Ready node for ${AGE_MS} ms`;
    return [{ check: "target is fit", at: call.at, message }];
  });
}

function mayBeReady(history: History, { name, target, from, to }: Place): boolean {
  return possible(history.nodes, name, from, to).some((state) => state?.droplet === target && state.ready);
}

interface Place {
  readonly name: string;
  readonly target: number;
  readonly from: number;
  readonly to: number;
}

function nodeNames(history: History, droplet: number, from: number, to: number): readonly string[] {
  const names = new Set(history.nodes.map(({ name }) => name));
  return [...names].filter((name) =>
    possible(history.nodes, name, from, to).some((state) => state?.droplet === droplet),
  );
}

export interface Departure {
  readonly move: Move;
  /** The node that loses the address. */
  readonly node: string;
  /** Since when it held it. */
  readonly since: number;
  readonly resource: string;
  readonly spec: ResourceState;
}

/** Moves away from a node, by a resource whose spec was stable and wants the address. */
export function departures(history: History): readonly Departure[] {
  return movesOf(history).flatMap((move) => {
    const { at } = move.call;
    const from = leftNode(history, move);
    const owner = ownerOf(history, move.ip, at);
    if (from === undefined || owner === undefined || isBlind(history, at)) return [];
    const spec = stableSpec(history, owner.name, at - BOUNDS.settledMs, at);
    if (spec === undefined || spec.paused || !isWanted(owner, spec, move.ip)) return [];
    return [{ move, ...from, resource: owner.name, spec }];
  });
}

/** The node that a move takes an address from, unless a person put it there. */
function leftNode(history: History, { call, ip, target }: Move): Pick<Departure, "node" | "since"> | undefined {
  const held = holderBefore(history, ip, call.at);
  if (!isDone(call) || typeof held?.holder !== "number" || held.by === "hand" || held.holder === target)
    return undefined;
  const node = nodeOfDroplet(history, held.holder, call.at);
  return node === undefined ? undefined : { node, since: held.at };
}

/** Whether the resource wants the address for sure: one beyond `desiredIPs` may be taken from anywhere. */
function isWanted(owner: ObjectFact, { kind, desired, listed }: ResourceState, ip: string): boolean {
  if (kind === "routed") return true;
  return desired === 0 ? listed.includes(ip) : owner.known.length <= desired;
}

export function isBlind(history: History, at: number): boolean {
  return overlaps([...recovering(history), ...history.unsure], at - AGE_MS, at);
}

/** Times at which the operators may not see the cluster as it is. */
export function recovering({ blind }: History): readonly Span[] {
  return blind.map((span) => ({ ...span, to: span.to + recoveryOf(span) }));
}

/** A connection that was cut comes back at once; a server that answers with errors is left alone for longer. */
function recoveryOf({ what }: Span): number {
  return what === "reset" || what === "freeze" ? BOUNDS.reconnectMs : BOUNDS.recoveryMs;
}

/** The earliest moment at which the illness of a node may have begun; undefined: it is not, or not only, a recoverable one. */
function illSince(
  history: History,
  { spec, node, at }: { readonly spec: ResourceState; readonly node: string; readonly at: number },
): number | undefined {
  const facts = certainFacts(history, spec).filter((fact) => fact.name === node && fact.from <= at);
  const isIll = (state: NodeState | undefined) => state !== undefined && onlyRecoverable(spec, state, node);
  const lastWell = facts.findLastIndex(({ value }) => !isIll(value));
  if (!isIll(facts.at(-1)?.value) || facts[lastWell]?.value === undefined) return undefined;
  if (!matches(spec, facts[lastWell].value, node)) return undefined;
  return facts[lastWell + 1]?.from;
}

/** Without moments at which a service was back, but not for long enough to count as well. */
function certainFacts({ nodes }: History, { check }: ResourceState): readonly Fact<NodeState>[] {
  if (check === undefined) return nodes;
  const seen = probedFacts(nodes, check);
  return seen.filter((fact, place) => {
    const next = seen.slice(place + 1).find(({ name }) => name === fact.name);
    return fact.value === undefined || !answers(check, fact.value) || next === undefined || next.from >= fact.by;
  });
}

function onlyRecoverable(spec: ResourceState, state: NodeState, node: string): boolean {
  const found = refusals(spec, state, node);
  return found.length > 0 && found.every((refusal) => refusal === "recoverable");
}

function wasStable(history: History, resource: string, from: number): boolean {
  return stableSpec(history, resource, from - BOUNDS.settledMs, history.until) !== undefined;
}
