/** The health check of one resource: the nodes that it probes, and the health of each. */

import type { HealthCheck } from "cdk8s-flipop/api";
import { jsonEqual } from "../kube/objects.js";
import type { NodeFacts } from "../match/node-facts.js";
import { FLAP_WINDOW_MS, IDLE_PROBE_INTERVALS } from "../timings.js";
import type { MachineReader } from "./machine-states.js";
import { afterResult, dampedUntil, type ProbeResult, suspectedAt, UNPROBED, withoutDamping } from "./probe-state.js";
import {
  doubtsOf,
  type Entry,
  failuresOf,
  type Named,
  peersOf,
  type ResourceHealthProps,
  standingOf,
  type Wanted,
} from "./probed-nodes.js";
import { keyOf, type PodAddresses, type ProbeTarget, targetOf, targetText, thresholdsOf } from "./target.js";
import { UnprobedHolders } from "./unprobed-holders.js";
import { type HealthInput, healthDueAt, type NodeDoubt, type NodeHealth, nodeHealth, type Peers } from "./witness.js";

const WELL: NodeHealth = { is: "well" };

export class ResourceHealth {
  private readonly entries = new Map<string, Entry>();
  /** Those of the last call of `markHolders`, by name. */
  private marked: ReadonlyMap<string, Named> = new Map();
  private readonly unprobed = new UnprobedHolders((node) => this.props.onChange(node));
  private check: HealthCheck | undefined;
  private peers: Peers = "awaited";
  private machineReader: MachineReader | undefined;
  private podAddress: PodAddresses = () => undefined;

  constructor(private readonly props: ResourceHealthProps) {}

  /** Why a node counts as failed; `undefined`: nothing is known against it. */
  failureOf({ name, uid }: Pick<NodeFacts, "name" | "uid">): string | undefined {
    const entry = this.entries.get(name);
    return entry?.uid === uid && entry.health.is === "failed" ? entry.health.detail : undefined;
  }

  /** Whether a node counts as failed although its kubelet renews its Lease. */
  isContested({ name }: Pick<NodeFacts, "name">): boolean {
    const health = this.entries.get(name)?.health;
    return health?.is === "failed" && health.isContested === true;
  }

  /** Whether only probes say that a node fails, of this replica and of the standby. */
  isByProbesAlone({ name }: Pick<NodeFacts, "name">): boolean {
    const health = this.entries.get(name)?.health;
    return health?.is === "failed" && health.isByProbesAlone === true;
  }

  /** Whether results of the node's own show that it passes. */
  hasPassed({ name, uid }: Pick<NodeFacts, "name" | "uid">): boolean {
    const entry = this.entries.get(name);
    return entry?.uid === uid && standingOf(entry) === "passes";
  }

  /** Whether a node is refused although its probes succeed again. */
  isDamped({ name }: Pick<NodeFacts, "name">): boolean {
    const health = this.entries.get(name)?.health;
    return health?.is === "failed" && health.isDamped === true;
  }

  /** Failed probes first; by name of the node. */
  doubts(): readonly NodeDoubt[] {
    return [...doubtsOf(this.entries.values()), ...this.unprobed.doubts()];
  }

  /** Nodes whose probes fail, whatever the operator concludes from that; by name. */
  failures(): readonly { readonly nodeName: string; readonly error: string }[] {
    return failuresOf(this.entries.values());
  }

  holders(): readonly { readonly name: string; readonly target: ProbeTarget; readonly isSuspected: boolean }[] {
    return [...this.entries.values()].flatMap(({ name, target, held, state }) =>
      held ? [{ name, target, isSuspected: suspectedAt(state) !== undefined }] : [],
    );
  }

  /** Whether the latest probe of any node failed. */
  get isSuspicious(): boolean {
    return [...this.entries.values()].some(
      ({ state, subscription }) => subscription !== undefined && suspectedAt(state) !== undefined,
    );
  }

  /** Probes these nodes and no others. @param check absent: none */
  follow(check: HealthCheck | undefined, nodes: Wanted, podAddress = this.podAddress): void {
    const { holders, others, machineReader, matches = () => true } = nodes;
    if (!jsonEqual(check, this.check)) this.forgetAll();
    this.check = check;
    this.machineReader = machineReader;
    this.podAddress = podAddress;
    // A marked node that were no holder here would change at each decision.
    const marked = [...this.marked.values()].filter(({ name }) => this.entries.has(name));
    const held = new Set([...marked, ...holders].map(({ name }) => name));
    const wanted = new Map([...others, ...marked, ...holders].map((node) => [node.name, node]));
    for (const entry of [...this.entries.values()]) if (!wanted.has(entry.name)) this.rest(entry);
    if (check !== undefined) for (const node of wanted.values()) this.probe(node, check, held.has(node.name));
    this.unprobed.follow(
      check,
      holders.filter(({ name }) => matches(name)),
      podAddress,
    );
    this.notePeers();
    this.props.onDemand();
  }

  /** Other nodes that `follow` took for holders, such as the goal of a move, stay holders. */
  markHolders(holders: readonly Named[]): void {
    const before = this.marked;
    this.marked = new Map(holders.map((node) => [node.name, node]));
    for (const entry of [...this.entries.values()]) {
      const held = this.marked.has(entry.name);
      if (held || before.has(entry.name)) this.hold(entry, held);
    }
  }

  /** A witness has spoken. */
  reconsider(node: string): void {
    const entry = this.entries.get(node);
    if (entry !== undefined) this.judge(entry);
  }

  /** A failed probe of the standby counts like one of this process. @param failure absent: it reaches the target, or is silent */
  heardFromStandby(target: ProbeTarget, failure?: string): void {
    const now = this.props.clock.monotonic();
    for (const entry of [...this.entries.values()]) {
      const since = suspectedAt(entry.state);
      if (!entry.held || since === undefined || keyOf(entry.target) !== keyOf(target)) continue;
      const counts = failure !== undefined && this.props.standbyOf(entry.name, target, since) === "unreached";
      if (counts && this.check !== undefined) {
        entry.state = afterResult(entry.state, { ok: false, error: failure }, now, thresholdsOf(this.check));
      }
      this.judge(entry);
    }
  }

  reconsiderAll(): void {
    for (const entry of [...this.entries.values()]) this.judge(entry);
  }

  close(): void {
    for (const entry of this.entries.values()) this.end(entry);
    this.entries.clear();
    this.unprobed.close();
    this.check = undefined;
    this.props.onClose();
  }

  private probe(node: Named, check: HealthCheck, held: boolean): void {
    const target = targetOf(check, node, this.podAddress);
    const entry = this.entryOf(node, target, held);
    if (entry === undefined) return;
    const thresholds = thresholdsOf(check);
    const intervalMs = thresholds.intervalMs * (held ? 1 : IDLE_PROBE_INTERVALS);
    entry.subscription?.setInterval(intervalMs);
    entry.subscription ??= this.props.prober.subscribe(entry.target, intervalMs, (result, at) =>
      this.heard(entry, result, { at, thresholds }),
    );
    this.hold(entry, held);
  }

  private hold(entry: Entry, held: boolean): void {
    if (entry.held === held) return;
    entry.held = held;
    // Its address is there: it must not lose it for what it did before.
    if (held) entry.state = withoutDamping(entry.state);
    this.judge(entry);
  }

  /** A node of the same name that is another one, or that has another address, starts anew. */
  private entryOf(node: Named, target: ProbeTarget | undefined, held: boolean): Entry | undefined {
    const known = this.entries.get(node.name);
    if (
      known !== undefined &&
      known.uid === node.uid &&
      target !== undefined &&
      keyOf(target) === keyOf(known.target)
    ) {
      return known;
    }
    if (known !== undefined) this.forget(known);
    if (target === undefined) return undefined;
    const { name, uid } = node;
    const entry: Entry = { name, uid, node, target, held, state: UNPROBED, health: WELL };
    this.entries.set(node.name, entry);
    return entry;
  }

  private heard(
    entry: Entry,
    result: ProbeResult,
    { at, thresholds }: { readonly at: number; readonly thresholds: ReturnType<typeof thresholdsOf> },
  ): void {
    if (this.isReplaced(entry)) return;
    const suspected = suspectedAt(entry.state) !== undefined;
    const standing = standingOf(entry);
    entry.state = afterResult(entry.state, result, at, thresholds);
    if (entry.held && (suspectedAt(entry.state) !== undefined) !== suspected) this.props.onDemand();
    this.judge(entry);
    if (standingOf(entry) === standing) return;
    this.notePeers();
    // An address may wait for a candidate that passes, though the candidate counted as well before.
    if (!entry.held) this.props.onChange(entry.name);
  }

  /** A wrong health check fails on each node, so a holder is measured by the others. */
  private notePeers(): void {
    const before = this.peers;
    this.peers = peersOf(this.entries.values(), before);
    if (this.peers !== before) this.reconsiderAll();
  }

  /** Another pod serves on the node: it is probed from here on, and the result of the former one does not count. */
  private isReplaced({ node, target, held }: Entry): boolean {
    const { check } = this;
    if (check?.address !== "PodIP") return false;
    const now = targetOf(check, node, this.podAddress);
    if (now === undefined || keyOf(now) === keyOf(target)) return false;
    this.probe(node, check, held);
    return true;
  }

  /** No longer probed. What it did lately is not forgotten: a node that flaps must not gain by it. */
  private rest(entry: Entry): void {
    const last = entry.state.failedAt.at(-1);
    if (last === undefined || this.props.clock.monotonic() - last >= FLAP_WINDOW_MS) {
      this.forget(entry);
      return;
    }
    this.end(entry);
    entry.held = false;
    const { run: _ended, ...state } = entry.state;
    entry.state = state;
    this.judge(entry);
  }

  private judge(entry: Entry): void {
    const { clock, leaseOf, standbyOf, machines, controlFailed, onChange } = this.props;
    const now = clock.monotonic();
    // Once it has stayed well for long enough, it stays a candidate while an address is on its way and no probe is sent.
    if (entry.state.run?.ok === true && dampedUntil(entry.state, now) === undefined) {
      entry.state = withoutDamping(entry.state);
    }
    const { state, held, name } = entry;
    const target = targetText(entry.target);
    const input: HealthInput = {
      ...{ state, target, held, now, peers: this.peers },
      controlFailed: controlFailed(),
      ...{ lease: leaseOf(name), offAt: machines?.offAt(entry.node.machine) },
      standby: standbyOf(name, entry.target, suspectedAt(state) ?? now),
    };
    const before = entry.health;
    entry.health = nodeHealth(input);
    this.askCloud(entry);
    this.lookAgain(entry, healthDueAt(input), now);
    if (!jsonEqual(before, entry.health)) onChange(name);
  }

  private askCloud(entry: Entry): void {
    const { held, state, health, name: node } = entry;
    const { machine } = entry.node;
    const isSuspected = held && state.verdict === "failed" && suspectedAt(state) !== undefined;
    if (isSuspected) this.props.machines?.suspect(entry, { node, machine, health, reader: this.machineReader });
    else this.props.machines?.clear(entry, machine);
  }

  private lookAgain(entry: Entry, dueAt: number | undefined, now: number): void {
    entry.timer?.cancel();
    delete entry.timer;
    if (dueAt === undefined) return;
    entry.timer = this.props.clock.setTimer(dueAt - now, () => this.judge(entry));
  }

  private forgetAll(): void {
    this.peers = "awaited";
    for (const entry of [...this.entries.values()]) this.forget(entry);
  }

  private forget(entry: Entry): void {
    this.end(entry);
    if (this.entries.get(entry.name) === entry) this.entries.delete(entry.name);
    if (entry.health.is !== "well") this.props.onChange(entry.name);
  }

  private end(entry: Entry): void {
    this.props.machines?.clear(entry, entry.node.machine);
    entry.subscription?.end();
    delete entry.subscription;
    entry.timer?.cancel();
    delete entry.timer;
  }
}
