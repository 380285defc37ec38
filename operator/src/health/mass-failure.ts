/**
 * Whether so many holders fail at once that the cause may be the control plane or its network, as the node lifecycle
 * controller stops evictions then. Pure.
 */

import type { Refusal, Verdict } from "../match/checks.js";
import type { ProviderId } from "../providers/types.js";
import { MASS_FAILURE_LEAST, MASS_FAILURE_SHARE, MASS_FAILURE_WINDOW_MS } from "../timings.js";

/** One machine that holds an address of ours or is in a DNS name, or did so when it failed. */
export interface HolderFacts {
  readonly machine: ProviderId;
  /** Empty: its node names none. */
  readonly zone: string;
  /** Whether it does so now. */
  readonly held: boolean;
  /** Absent: it serves, or a person has taken it out of service. */
  readonly failure?: NodeFailure;
}

export interface NodeFailure {
  /** ms since the epoch. */
  readonly at: number;
  /** A witness other than the control plane confirms it. */
  readonly confirmed: boolean;
}

/** A stop of moves off failed holders, and of removals of failed nodes from DNS names. */
export interface MassFailure {
  /** Nodes whose addresses are in DNS names count among the holders. Absent: only holders of addresses do. */
  readonly withNames?: true;
  /** A former leader reported it: holders that lost their addresses then are not among these. */
  readonly former?: true;
  /** Absent: the whole cluster. */
  readonly zone?: string;
  readonly lost: number;
  readonly holders: number;
  /** ms since the epoch: when the window of these failures ends. */
  readonly until: number;
}

const ZONE_LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** Nodes of a cloud without zones have a region. */
export function zoneOf({ node: { labels } }: Verdict): string {
  return ZONE_LABELS.map((label) => labels[label] ?? "").find((zone) => zone !== "") ?? "";
}

/** A failure of the node itself, and no act of a person or an autoscaler. */
export function failureOf({ refusals }: Verdict, now: number): NodeFailure | undefined {
  const failed = refusals.filter(isOfNode);
  if (failed.length === 0 || refusals.some(isIntended)) return undefined;
  const times = failed.map(({ since = now }) => since);
  // Where kubelets live, the replicas of the operator may share a fault of the network.
  const isConfirmed = ({ reason, isContested }: Refusal) => reason === "ProbeFailed" && isContested !== true;
  return { at: Math.min(now, ...times), confirmed: failed.some(isConfirmed) };
}

/** A node that is well again has not failed, although it is no candidate for a while. */
function isOfNode({ reason, isDamped }: Refusal): boolean {
  if (isDamped === true) return false;
  return reason === "NodeNotReady" || reason === "NodeUnwell" || reason === "ProbeFailed";
}

function isIntended({ reason }: Refusal): boolean {
  return reason === "Cordoned" || reason === "NodeDeleting" || reason === "LabelsDiffer";
}

/** The whole cluster first, then zones. */
export function massFailuresOf(holders: readonly HolderFacts[], now: number): readonly MassFailure[] {
  const all = stopOf(holders, now);
  const zones = [...new Set(holders.map(({ zone }) => zone))].filter((zone) => zone !== "").sort();
  const ofZones = zones.flatMap((zone) => {
    const stop = stopOf(
      holders.filter((holder) => holder.zone === zone),
      now,
    );
    return stop === undefined ? [] : [{ ...stop, zone }];
  });
  return [...(all === undefined ? [] : [all]), ...ofZones];
}

function stopOf(holders: readonly HolderFacts[], now: number): MassFailure | undefined {
  const held = holders.filter((holder) => holder.held).length;
  const failures = holders.flatMap(({ failure }) => (failure !== undefined && isRecent(failure, now) ? [failure] : []));
  const needed = Math.max(MASS_FAILURE_LEAST, Math.floor(held * MASS_FAILURE_SHARE) + 1);
  // A clock that was set back prolongs no stop.
  const last = failures.map(({ at }) => Math.min(at, now)).sort((a, b) => b - a)[needed - 1];
  if (last === undefined || failures.every(({ confirmed }) => confirmed)) return undefined;
  return { lost: failures.length, holders: held, until: last + MASS_FAILURE_WINDOW_MS };
}

export function isRecent({ at }: Pick<NodeFailure, "at">, now: number): boolean {
  return now - at < MASS_FAILURE_WINDOW_MS;
}
