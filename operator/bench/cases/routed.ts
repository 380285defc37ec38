import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JournalEntry } from "flipop-sandbox/http";
import { ROUTES } from "../../test/e2e/support/clouds.js";
import { bundledOperator } from "../../test/support/bundle.js";
import { until } from "../../test/support/time/until.js";
import type { Bench, Case } from "../bench.js";
import type { MeasuredProcess } from "../measured-process.js";
import { ROUTED, type Routed, SharedFirewalls } from "../routed-cluster.js";
import type { Row } from "../table.js";

const LONG_MS = 120_000;
/** Before a move, an address is read anew when what was seen of it is older than 15 s. */
const STALE_MS = 20_000;
const PAUSE_MS = 500;
const NAME = `${ROUTED} RoutedIPs, 9 on each firewall`;
/** One in each firewall. */
const MOVED = 20;

/** RoutedIPs on the emulator; the operator is a process of its own. */
export const routedCase: Case = {
  name: "routed",
  about: "200 RoutedIPs on shared firewalls",
  run: async (bench) => {
    const world = await SharedFirewalls.start();
    try {
      return await measure(bench, world);
    } finally {
      await bench.endProcesses();
      await world.close();
    }
  },
};

interface Move {
  /** From the write of the endpoints to the assign call. */
  readonly ms: number;
  readonly calls: readonly JournalEntry[];
  /** Those that have to do with another RoutedIP. */
  readonly foreign: number;
}

async function measure(bench: Bench, world: SharedFirewalls): Promise<readonly Row[]> {
  const operator = await start(bench, world);
  await until("all RoutedIPs are ready", () => world.routed.every((one) => world.isReady(one)), LONG_MS);
  const movers = Array.from({ length: MOVED }, (_, index) => moverOf(world, index));
  await sleep(STALE_MS);
  const [there, back]: [Move[], Move[]] = [[], []];
  for (const mover of movers) there.push(await move(world, mover, mover.spare));
  for (const mover of movers) back.push(await move(world, mover, mover.home));
  const all = [...there, ...back];
  const mutating = (moves: readonly Move[]) => moves.map(({ calls }) => calls.filter(isMutating).length);
  return [
    row(
      "a change of one: calls for another one",
      all.map(({ foreign }) => foreign),
      0,
    ),
    // Assign, and the former node leaves the firewall.
    row("a change of one: mutating calls, the new node behind the firewall", mutating(there), 2),
    // The node joins, and the former one stays: it is not ours to take out.
    row("a change of one: mutating calls, the new node not yet", mutating(back), 2),
    row(
      "a change of one: calls",
      all.map(({ calls }) => calls.length),
    ),
    {
      ...row(
        "endpoint event to assign call, no rule missing, ms",
        there.map(({ ms }) => ms),
        20,
      ),
      by: "median",
    },
    {
      ...row(
        "endpoint event to assign call, the node joins first, ms",
        back.map(({ ms }) => ms),
      ),
      by: "median",
    },
    row("peak RSS, MB", [operator.memory().peakMb]),
  ];
}

function row(figure: string, ours: readonly number[], target?: number): Row {
  return { case: NAME, figure, ours, ...(target === undefined ? {} : { target }) };
}

async function start(bench: Bench, { kubernetes, cloud }: SharedFirewalls): Promise<MeasuredProcess> {
  const kubeconfig = join(bench.dir, "routed.kubeconfig");
  writeFileSync(kubeconfig, kubernetes.kubeconfig());
  const binds = ["--metrics-bind-addr=127.0.0.1:0", "--health-bind-addr=127.0.0.1:0"];
  const env = { KUBECONFIG: kubeconfig, DIGITALOCEAN_API_URL: cloud.url, DIGITALOCEAN_ACCESS_TOKEN: cloud.token };
  return bench.startScript(await bundledOperator(), ["run", "--namespace=default", ...binds], env);
}

/** The first of each firewall. */
function moverOf({ routed }: SharedFirewalls, firewall: number): Routed {
  const found = routed.find(({ spare }) => spare === `spare-${firewall}`);
  if (found === undefined) throw new Error(`nothing is behind firewall ${firewall}`);
  return found;
}

/** Until the former node has left the firewall. */
async function move(world: SharedFirewalls, mover: Routed, to: string): Promise<Move> {
  const { journal } = world.cloud;
  const after = journal.mark;
  const assigned = new Promise<number>((resolve) => {
    const end = journal.subscribe(({ route }) => {
      if (route !== ROUTES.act) return;
      end();
      resolve(performance.now());
    });
  });
  const begun = performance.now();
  world.serve(mover.home, to);
  const ms = (await assigned) - begun;
  await until(`${mover.name} to be on ${to}`, () => world.holderOf(mover) === to && world.isReady(mover), LONG_MS);
  await sleep(PAUSE_MS);
  const calls = journal.calls({ after });
  return { ms, calls, foreign: calls.filter((call) => isOfAnother(world, mover, call)).length };
}

/** About another address, or a change of another firewall. A list of addresses, or of firewalls, serves all. */
function isOfAnother(world: SharedFirewalls, mover: Routed, call: JournalEntry): boolean {
  const { path } = call;
  const itsOwn = path.includes(`/${mover.ip}`) || path.includes(`/${world.firewallOf(mover)}`);
  return !itsOwn && (isMutating(call) || path.includes("/reserved_ips/"));
}

function isMutating({ method }: JournalEntry): boolean {
  return method !== "GET";
}
