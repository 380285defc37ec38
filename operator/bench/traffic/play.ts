/** Plays faults under traffic, and measures what the client sees. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ROUTES } from "../../test/e2e/support/clouds.js";
import type { OperatorProcess } from "../../test/e2e/support/operator-process.js";
import type { PoolResource } from "../../test/e2e/support/resource.js";
import type { World } from "../../test/e2e/support/world.js";
import { until } from "../../test/support/time/until.js";
import { FAULT_OF, type Fault, type FaultName } from "./faults.js";
import { answeredShare, longestGap, type Moments, type Split, splitOf } from "./gaps.js";
import { hostClock, type Protocol, type Sample } from "./messages.js";
import type { Network } from "./network.js";
import type { SimulatedNode } from "./simulated-node.js";

/** What the operator learns of the fault by: its own probes and what Kubernetes reports, or the latter alone. */
export type Signal = "health check" | "Kubernetes";

export interface Act {
  readonly fault: FaultName;
  readonly signal: Signal;
  /** How long a fault lasts that moves nothing. */
  readonly lossMs: number;
}

/** What one fault did. Times in ms. */
export interface Outcome {
  readonly fault: FaultName;
  readonly signal: Signal;
  readonly gap: Readonly<Record<Protocol, number>>;
  /** Of the requests while the fault lasted and after it, 0 to 1. */
  readonly answered: Readonly<Record<Protocol, number>>;
  readonly moves: number;
  /** Absent: the address has not moved. */
  readonly split?: Split;
  /** Who answered last. */
  readonly lastNode: string;
  /** Who holds the address now. */
  readonly holder: string;
}

export interface Scene {
  readonly world: World;
  readonly network: Network;
  readonly pool: PoolResource;
  readonly client: ChildProcess;
  readonly nodes: readonly SimulatedNode[];
  readonly ip: string;
}

export interface Stage extends Scene {
  readonly leader: OperatorProcess;
}

/** For requests that are still open, and those after the move. */
const AFTER_MS = 2_000;
const POLL_MS = 5;

/** Leads the address as the cloud does. Returns how to stop, and when the route last changed. */
export function followAssignment({ world, network, nodes, ip }: Scene) {
  let routed: { readonly link: number | undefined; readonly at: number } = { link: undefined, at: hostClock() };
  const timer = setInterval(() => {
    const name = world.fleet.holderOf(ip)?.name;
    const link = nodes.find((node) => node.name === name)?.link;
    if (link === routed.link) return;
    routed = { link, at: hostClock() };
    network.route(ip, link);
  }, POLL_MS);
  return { stop: () => clearInterval(timer), changedAt: () => routed.at };
}

export async function play(stage: Stage, act: Act, changedAt: () => number): Promise<Outcome> {
  const { world, client, ip } = stage;
  const node = await ready(stage);
  const fault = FAULT_OF[act.fault];
  const calls = followActs(world);
  const begun = hostClock();
  await fault.begin(node);
  const report = new AbortController();
  const reporting = reportLater(node, fault, report.signal);
  if (fault.reported === undefined) await sleep(act.lossMs);
  else await stage.pool.until(`${ip} to move`, () => ![undefined, node.name].includes(world.fleet.holderOf(ip)?.name));
  await sleep(AFTER_MS);
  const moments = { fault: begun, routed: changedAt(), assignCall: calls.seen[0] ?? Number.NaN };
  const taken = await samples(client);
  calls.stop();
  report.abort();
  await reporting;
  const split = calls.seen.length > 0 ? await splitFrom(stage, moments) : undefined;
  const holder = world.fleet.holderOf(ip)?.name ?? "";
  if (calls.seen.length > 0) await node.retire();
  await fault.end(node);
  await fault.reported?.end(node);
  return {
    fault: act.fault,
    signal: act.signal,
    ...seenBy(taken, begun),
    moves: calls.seen.length,
    holder,
    ...(split && { split }),
  };
}

/** The holder, as soon as all is well. */
async function ready({ world, pool, nodes, ip, client }: Scene): Promise<SimulatedNode> {
  await pool.is("Fulfilled", "True");
  await pool.is("Ready", "True");
  const holder = () => nodes.find(({ name }) => name === world.fleet.holderOf(ip)?.name);
  await samples(client);
  await until("the holder answers the client", async () => {
    await sleep(100);
    return (await samples(client)).some(({ node }) => node !== undefined && node === holder()?.name);
  });
  const node = holder();
  if (node === undefined) throw new Error(`${ip} is on no node`);
  return node;
}

/** What Kubernetes finds out by itself, later than the operator's probes or without them. */
async function reportLater(node: SimulatedNode, { reported }: Fault, signal: AbortSignal): Promise<void> {
  if (reported === undefined) return;
  const slept = await sleep(reported.afterMs, true, { signal }).catch(() => false);
  if (slept) await reported.begin(node);
}

/** When the cloud got the calls that assign an address. */
function followActs({ clouds: { digitalocean } }: World) {
  const seen: number[] = [];
  const stop = digitalocean.journal.subscribe(({ route }) => {
    if (route === ROUTES.act) seen.push(hostClock());
  });
  return { seen, stop };
}

/** All requests that have ended since the last call. */
async function samples(client: ChildProcess): Promise<readonly Sample[]> {
  client.send({ kind: "samples" });
  const [taken] = (await once(client, "message")) as [readonly Sample[]];
  return taken;
}

/** The operator logs its plan when it has decided. */
async function splitFrom({ leader, ip }: Stage, moments: Omit<Moments, "detected">): Promise<Split> {
  const clockOffset = Date.now() - hostClock();
  const planned = await leader.lines("Planned");
  const times = planned
    .filter(({ plan }) => String(plan).includes(ip))
    .map(({ time }) => Date.parse(String(time)) - clockOffset)
    .filter((time) => time > moments.fault && time <= moments.assignCall + 1);
  return splitOf({ ...moments, detected: times.at(-1) ?? Number.NaN });
}

function seenBy(taken: readonly Sample[], since: number) {
  const gapOf = (protocol: Protocol) => {
    const { from, until: end } = longestGap(taken, protocol, since);
    return end - from;
  };
  const last = taken.filter(({ node }) => node !== undefined).sort((a, b) => b.sentAt - a.sentAt)[0];
  return {
    gap: { tcp: gapOf("tcp"), udp: gapOf("udp") },
    answered: { tcp: answeredShare(taken, "tcp", since), udp: answeredShare(taken, "udp", since) },
    lastNode: last?.node ?? "",
  };
}
