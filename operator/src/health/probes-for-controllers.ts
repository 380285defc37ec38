/** The health check of one resource as its controller uses it: the nodes to probe, and what the snapshot and the conditions say of them. */

import type { Condition, FailedProbe, HealthCheck } from "cdk8s-flipop/api";
import { MAX_ERROR, MAX_FAILED_PROBES } from "cdk8s-flipop/api";
import type { Verdict } from "../match/checks.js";
import type { MatchIndex } from "../match/match-index.js";
import type { NodeFacts } from "../match/node-facts.js";
import { healthMessages, PROBES_OFF } from "../messages/health.js";
import { cut, no, type PlannedCondition, yes } from "../reconcile/conditions.js";
import { PROBED_CANDIDATES } from "../timings.js";
import type { MachineReader } from "./machine-states.js";
import type { ResourceHealth } from "./resource-health.js";
import type { NodeDoubt } from "./witness.js";

export interface ProbesSnapshot {
  /** Nodes whose probes fail without a witness, and holders that cannot be probed. Absent: the operator probes no node for the resource. */
  readonly doubts?: readonly NodeDoubt[];
  /** Nodes whose probes fail, with the last error. */
  readonly failedProbes?: readonly FailedProbe[];
  /** Whether results of its own show that a node passes the health check. Absent: the operator probes no node for the resource. */
  readonly hasPassed?: (node: Pick<NodeFacts, "name" | "uid">) => boolean;
}

export interface ProbedNodes {
  /** An address depends on each of them. */
  readonly holders: readonly NodeFacts[];
  /** Candidates without an address, the preferred ones first. */
  readonly waiting: readonly NodeFacts[];
  /** Reads whether the machine of a holder is off. @default the provider of the environment */
  readonly machineReader?: MachineReader | undefined;
}

const NO_NODES: ProbedNodes = { holders: [], waiting: [] };

/** Those of the names or machines that stand for nodes of this cluster. */
export function nodesOf(
  names: readonly string[],
  verdictOf: (name: string) => Verdict | undefined,
): readonly NodeFacts[] {
  return names.flatMap((name) => verdictOf(name)?.node ?? []);
}

/**
 * Call it before a decision reads the candidates and their refusals: a node that got its address since the last decision
 * fails only if a witness confirms it, as every holder.
 */
export function markHolders(
  health: ResourceHealth | undefined,
  check: HealthCheck | undefined,
  holders: () => readonly NodeFacts[],
): void {
  if (check !== undefined) health?.markHolders(holders());
}

/** Probes the holders, the next candidates, and the nodes that are no candidates only because their probes failed. */
export function followHealth(
  health: ResourceHealth | undefined,
  index: MatchIndex | undefined,
  check: HealthCheck | undefined,
  nodes: () => ProbedNodes,
): void {
  if (health === undefined || index === undefined) return;
  const { holders, waiting, machineReader } = check === undefined ? NO_NODES : nodes();
  const others = [...waiting.slice(0, PROBED_CANDIDATES), ...index.refusedByProbes()];
  // A node that does not match has a reason of its own, such as a pod that is being replaced.
  const matches = (node: string) =>
    index.verdict(node)?.refusals.every(({ reason }) => reason === "ProbeFailed") === true;
  health.follow(check, { holders, others, machineReader, matches }, (node) => index.workload?.addressOn?.(node));
}

/** What of the spec is passed over, while the rest is served. */
export interface PassedOver {
  readonly passedOver: readonly string[];
  /** That part of it which is of `match`. @default none */
  readonly ignoredOfMatch?: readonly string[];
}

/** What the snapshot says of the probes. @param ignored what else of the spec, and of its match, is ignored */
export function probesOf(
  health: ResourceHealth | undefined,
  check: HealthCheck | undefined,
  ignored: { readonly ofSpec: readonly string[] | undefined; readonly ofMatch?: readonly string[] },
): ProbesSnapshot & PassedOver {
  const { ofMatch: ignoredOfMatch = [] } = ignored;
  const passedOver = [...(ignored.ofSpec ?? []), ...ignoredOfMatch];
  if (check === undefined) return { passedOver, ignoredOfMatch };
  if (health === undefined) return { passedOver: [...passedOver, PROBES_OFF], ignoredOfMatch };
  const found = { doubts: health.doubts(), failedProbes: health.failures() };
  return { passedOver, ignoredOfMatch, ...found, hasPassed: (node) => health.hasPassed(node) };
}

/** Of the status; `undefined` removes it. */
export function shownProbes({ failedProbes = [] }: ProbesSnapshot): readonly FailedProbe[] | undefined {
  if (failedProbes.length === 0) return undefined;
  return failedProbes
    .slice(0, MAX_FAILED_PROBES)
    .map(({ nodeName, error }) => ({ nodeName, error: cut(error, MAX_ERROR) }));
}

/** Empty: the resource has no health check, and had none. */
export function probesDoubted(
  { doubts }: ProbesSnapshot,
  before: readonly Condition[] | undefined,
): readonly PlannedCondition[] {
  if (doubts !== undefined) return [doubtsCondition(doubts)];
  const known = before?.some(({ type }) => type === "ProbesDoubted") === true;
  return known ? [no("ProbesDoubted", healthMessages.notAsked())] : [];
}

function doubtsCondition(doubts: readonly NodeDoubt[]): PlannedCondition {
  const [first] = doubts;
  if (first === undefined) return no("ProbesDoubted", healthMessages.reliable());
  const nodes = doubts.filter(({ doubt }) => doubt === first.doubt).map(({ node, detail }) => ({ node, detail }));
  return yes("ProbesDoubted", MESSAGES[first.doubt]({ nodes }));
}

const MESSAGES = {
  LeaseRenewed: healthMessages.leaseRenewed,
  StandbyReached: healthMessages.standbyReached,
  NoWitness: healthMessages.noWitness,
  NoNodePasses: healthMessages.noNodePasses,
  ControlProbeFailed: healthMessages.controlFailed,
  NotProbed: healthMessages.notProbed,
} as const satisfies Readonly<Record<NodeDoubt["doubt"], unknown>>;
