/** The holders of all resources and their failures: what one resource sees of its own holders counts for all. */

import type { Condition } from "cdk8s-flipop/api";
import { type Clock, timeOf } from "../clock.js";
import type { Verdict } from "../match/checks.js";
import type { NodeDirectory } from "../match/node-directory.js";
import type { NodeFacts } from "../match/node-facts.js";
import type { ProviderId } from "../providers/types.js";
import { MASS_FAILURE_LEAST, MASS_FAILURE_WINDOW_MS } from "../timings.js";
import { failureOf, type HolderFacts, isRecent, type MassFailure, massFailuresOf, zoneOf } from "./mass-failure.js";

/** The stop that keeps an address on this machine; `undefined`: none does. */
export type MassFailureView = (machine: ProviderId) => MassFailure | undefined;

type Holders = ReadonlyMap<ProviderId, HolderFacts>;

/** What a resource has on its holders: addresses, or the nodes' own addresses in a DNS name. */
export type Held = "addresses" | "names";

/** Begins the key of a node whose machine is not known. */
const NODE = "node:";

/** Of a node in a DNS name, which may have no machine that is known. */
export function holderKey({ name, machine = `${NODE}${name}` }: Pick<NodeFacts, "name" | "machine">): ProviderId {
  return machine;
}

/** Of a node without a machine; empty for a machine. */
export function nameOfHolder(key: ProviderId): string {
  return key.startsWith(NODE) ? key.slice(NODE.length) : "";
}

export interface ObservedResource {
  readonly uid: string;
  /** @default addresses */
  readonly held?: Held;
  /** Of its status. A stop that a former leader reported there stays in force: this process does not know the holders that it moved off. */
  readonly conditions?: readonly Condition[] | undefined;
}

interface Observed {
  readonly held: Held;
  readonly holders: Holders;
  /** Until when a former leader's stop keeps these holders, ms since the epoch. */
  readonly stoppedUntil: number;
  /** Of the latest failure among them, ms since the epoch. */
  readonly failedAt: number;
}

const NO_HOLDERS: Holders = new Map();

/**
 * In the past: no stop was in force. It had begun by the time of the condition, so its window ends no later. A time in the
 * future is of a clock that was ahead: counting from now keeps the stop bounded by one window.
 */
function endOfStop(conditions: readonly Condition[] = [], now: number): number {
  const stop = conditions.find(({ type, status }) => type === "MassFailure" && status === "True");
  return Math.min(timeOf(stop?.lastTransitionTime) ?? Number.NEGATIVE_INFINITY, now) + MASS_FAILURE_WINDOW_MS;
}

const NO_STOP: MassFailureView = () => undefined;

export class HolderRegistry {
  private readonly resources = new Map<string, Observed>();
  /** The stops that the resources were last notified of. */
  private known = "";

  /**
   * @param notify resources whose moves a stop holds back, or no longer does.
   * @param nodes all nodes of the cluster, to see what has become of holders that a former leader moved addresses off
   */
  constructor(
    private readonly clock: Pick<Clock, "now">,
    private readonly notify: (uids: readonly string[]) => void,
    private readonly nodes: Pick<NodeDirectory, "list">,
  ) {}

  /**
   * Records what a resource sees of its holders, in the turn of its decision.
   * @param verdictOf `undefined`: no node of this cluster stands for the machine, so the provider has removed it
   */
  observe(
    { uid, held: what = "addresses", conditions }: ObservedResource,
    machines: readonly ProviderId[],
    verdictOf: (machine: ProviderId) => Verdict | undefined,
  ): MassFailureView {
    const now = this.clock.now();
    const held = new Set(machines);
    const { holders: before = NO_HOLDERS, stoppedUntil = endOfStop(conditions, now) } = this.resources.get(uid) ?? {};
    const left = [...before.values()].filter(({ machine, failure }) => failure !== undefined && !held.has(machine));
    const facts = [
      ...[...held].flatMap((machine) =>
        factsOf(machine, { verdict: verdictOf(machine), now, before: before.get(machine) }),
      ),
      // A move of the first of them must not hide that most holders were lost.
      ...left.flatMap((lost) => stillLost(lost, verdictOf(lost.machine), now)),
    ];
    const failedAt = facts.reduce((last, { failure }) => Math.max(last, failure?.at ?? last), Number.NEGATIVE_INFINITY);
    const holders = new Map(facts.map((each) => [each.machine, each]));
    // A clock that was set back prolongs no stop.
    const until = Math.min(stoppedUntil, now + MASS_FAILURE_WINDOW_MS);
    this.resources.set(uid, { held: what, holders, stoppedUntil: until, failedAt });
    const stops = this.ownStops();
    this.noteChange(uid, stops);
    return this.viewOf(stops);
  }

  /** Whether a stop keeps addresses on the machine now. */
  isStopped(machine: ProviderId): boolean {
    return this.viewOf(this.ownStops())(machine) !== undefined;
  }

  drop(uid: string): void {
    this.resources.delete(uid);
  }

  /** Those that are in force now. */
  stops(): readonly MassFailure[] {
    const own = this.ownStops();
    const former = own.length > 0 ? undefined : this.formerStop(this.formerlyStopped());
    return former === undefined ? own : [former];
  }

  /** By what this process has seen. Many nodes in DNS names must not hide that most holders of addresses failed. */
  private ownStops(): readonly MassFailure[] {
    const now = this.clock.now();
    // The usual case, at each decision of each resource.
    if (![...this.resources.values()].some(({ failedAt: at }) => isRecent({ at }, now))) return [];
    const stops = massFailuresOf([...merged(this.facts("addresses")).values()], now);
    const known = new Set(stops.map(({ zone }) => zone));
    const others = massFailuresOf([...merged(this.facts()).values()], now).filter(({ zone }) => !known.has(zone));
    return [...stops, ...others.map((stop) => ({ ...stop, withNames: true as const }))];
  }

  private facts(held?: Held): readonly HolderFacts[] {
    const observed = [...this.resources.values()].filter((each) => held === undefined || each.held === held);
    return observed.flatMap(({ holders }) => [...holders.values()]);
  }

  private viewOf(stops: readonly MassFailure[]): MassFailureView {
    const stopped = this.formerlyStopped();
    if (stops.length === 0 && stopped.length === 0) return NO_STOP;
    const zones = new Map(this.facts().map(({ machine, zone }) => [machine, zone]));
    return (machine) => {
      const own = stops.find(({ zone }) => zone === undefined || zone === zones.get(machine));
      return own ?? this.formerStop(stopped.filter(({ holders }) => holders.has(machine)));
    };
  }

  private formerlyStopped(): readonly Observed[] {
    const now = this.clock.now();
    return [...this.resources.values()].filter(({ stoppedUntil }) => stoppedUntil > now);
  }

  private formerStop(stopped: readonly Observed[]): MassFailure | undefined {
    if (stopped.length === 0) return undefined;
    const facts = [...merged(this.facts()).values()];
    const failed = facts.filter(({ failure }) => failure !== undefined);
    const lost = new Set([...failed.map((each) => each.machine), ...this.notReady()]).size;
    if (lost < MASS_FAILURE_LEAST || failed.every(({ failure }) => failure?.confirmed)) return undefined;
    const until = Math.max(...stopped.map(({ stoppedUntil }) => stoppedUntil));
    return { lost, holders: facts.filter(({ held }) => held).length, until, former: true };
  }

  /** Those that no longer hold anything have no verdict here. */
  private notReady(): readonly ProviderId[] {
    const now = this.clock.now();
    const lost = [...this.nodes.list()].filter(
      ({ notReady, notReadySince: at = now, cordoned, deletingSince }) =>
        notReady !== undefined && isRecent({ at }, now) && !cordoned && deletingSince === undefined,
    );
    return lost.map(holderKey);
  }

  private noteChange(uid: string, stops: readonly MassFailure[]): void {
    const text = JSON.stringify(stops.map(({ zone, until }) => [zone, until]));
    if (text === this.known || (stops.length === 0 && this.known === "")) return;
    this.known = stops.length === 0 ? "" : text;
    const concerned = [...this.resources].filter(
      ([other, { holders }]) => other !== uid && [...holders.values()].some(({ failure }) => failure !== undefined),
    );
    this.notify(concerned.map(([other]) => other));
  }
}

interface Seen {
  readonly verdict: Verdict | undefined;
  readonly now: number;
  readonly before: HolderFacts | undefined;
}

function factsOf(machine: ProviderId, { verdict, now, before }: Seen): readonly HolderFacts[] {
  if (verdict === undefined) return [];
  const found = failureOf(verdict, now);
  // Not every refusal says when it began.
  const failure = found && { ...found, at: Math.min(found.at, before?.failure?.at ?? now) };
  return [{ machine, zone: zoneOf(verdict), held: true, ...(failure && { failure }) }];
}

/** Its node has not recovered, and the window of its failure has not ended. */
function stillLost(lost: HolderFacts, verdict: Verdict | undefined, now: number): readonly HolderFacts[] {
  const { failure } = lost;
  if (failure === undefined || !isRecent(failure, now)) return [];
  if (verdict === undefined || failureOf(verdict, now) === undefined) return [];
  return [{ ...lost, held: false, failure: { ...failure, at: Math.min(failure.at, now) } }];
}

/** One for each machine: it is lost if any resource finds it so, from the earliest time on. */
function merged(facts: readonly HolderFacts[]): ReadonlyMap<ProviderId, HolderFacts> {
  const machines = new Map<ProviderId, HolderFacts>();
  for (const each of facts) {
    const known = machines.get(each.machine);
    machines.set(each.machine, known === undefined ? each : both(known, each));
  }
  return machines;
}

function both(a: HolderFacts, b: HolderFacts): HolderFacts {
  const held = a.held || b.held;
  if (a.failure === undefined || b.failure === undefined) return { ...a, ...b, held };
  const at = Math.min(a.failure.at, b.failure.at);
  return { ...a, held, failure: { at, confirmed: a.failure.confirmed || b.failure.confirmed } };
}
