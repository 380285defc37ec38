/** Hundreds of nodes change at once, at DigitalOcean's real limits: for a test, and for the benchmark. */

import { AccountInventory } from "../../../src/inventory/account-inventory.js";
import { type CallContext, sharedRead } from "../../../src/providers/call.js";
import type { ProviderId } from "../../../src/providers/types.js";
import { ACTION_POLL_SECONDS } from "../../../src/timings.js";
import { ASKER } from "../conformance/benches.js";
import type { startAddressBench } from "./address-bench.js";

export const STORM = { moves: 500, checks: 400, pools: 40 } as const;

export interface StormFigures {
  /** Requests. */
  readonly calls: number;
  /** Of them, answered with 429. */
  readonly refused: number;
  /** On the virtual clock, from the first change until each address is where it should be. */
  readonly seconds: number;
  /** Checks among the calls, from the second minute on, until the last assignment was sent. */
  readonly checksAhead: number;
  /** Addresses that are not where they should be. */
  readonly astray: number;
}

interface Move {
  readonly ip: string;
  readonly from: ProviderId;
  readonly node: ProviderId;
}

type StormBench = Awaited<ReturnType<typeof startAddressBench>>;

/** As the operator does it: each move reads the address, assigns it and looks at the action until it is over. */
export async function runStorm(bench: StormBench): Promise<StormFigures> {
  const { clock, provider, simulator } = bench;
  const inventory = new AccountInventory(provider, "IPv4", clock);
  const moves = Array.from({ length: STORM.moves }, (): Move => {
    const from = bench.addNode();
    return { ip: bench.addAddress("IPv4", from), from, node: bench.addNode() };
  });
  const checked = Array.from({ length: STORM.checks }, () => bench.addAddress("IPv4"));
  await bench.drive(inventory.ensure({ maxAgeSeconds: 0 }));
  // The nodes change while the list is no longer fresh enough for a move, and the calls of that minute are forgotten.
  await bench.pass(120_000);
  const [begun, mark] = [clock.monotonic(), simulator.journal.mark];

  const checks = checked.map((ip) => withPatience(() => provider.get(sharedRead("a check"), ip)));
  const done = moves.map((move, index) => moveOne({ inventory, bench }, contextOf(index), move));
  await bench.drive(Promise.all([...done, ...checks]));

  const calls = simulator.journal.calls({ after: mark });
  return {
    calls: calls.length,
    refused: calls.filter(({ status }) => status === 429).length,
    seconds: (clock.monotonic() - begun) / 1000,
    checksAhead: checksAhead(calls, new Set(checked)),
    astray: moves.filter(({ ip, node }) => bench.addresses().get(ip) !== node).length,
  };
}

interface Tools {
  readonly inventory: AccountInventory;
  readonly bench: StormBench;
}

async function moveOne({ inventory, bench }: Tools, context: CallContext, move: Move): Promise<void> {
  const { ip, node, from } = move;
  const { provider, clock } = bench;
  await withPatience(() => inventory.confirm(context, ip));
  let action = await withPatience(() => inventory.assign(provider, context, { ip, node, from }));
  for (let evaluate = 0; action.state === "in-progress"; evaluate++) {
    await clock.sleep(1000 * (ACTION_POLL_SECONDS[evaluate] ?? ACTION_POLL_SECONDS.at(-1) ?? 0));
    action = await withPatience(() => inventory.poll(provider, context, { ...action, expected: node }));
  }
}

function contextOf(index: number): CallContext {
  return { ...ASKER, requester: { ...ASKER.requester, name: `pool-${index % STORM.pools}` } };
}

/** The checks came first, and may use their share of the first minute up. */
function checksAhead(calls: StormCalls, checked: ReadonlySet<string>): number {
  const start = calls[0]?.at ?? 0;
  const last = calls.findLastIndex(({ method }) => method === "POST");
  const late = calls.slice(0, last).filter(({ at }) => at >= start + 60_000);
  return late.filter(({ path }) => checked.has(path.split("/").at(-1) ?? "")).length;
}

type StormCalls = ReturnType<StormBench["simulator"]["journal"]["calls"]>;

/** As the operator does: a call that waited for too long is made again in another run. */
async function withPatience<T>(call: () => Promise<T>, triesLeft = 30): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (triesLeft === 0) throw error;
    return withPatience(call, triesLeft - 1);
  }
}
