import type { ControlPlane } from "flipop-testbed";
import { ROUTES } from "../../../test/e2e/support/clouds.js";
import type { Machine } from "../../../test/e2e/support/fleet.js";
import { spare } from "../../../test/e2e/support/spare.js";
import type { World } from "../../../test/e2e/support/world.js";
import type { Case } from "../../bench.js";
import { followCalls, inWorld, onPlane, QUIET } from "../../in-world.js";
import { AT_ONCE } from "../../instant-cloud.js";
import { NodeWatch } from "../../node-watch.js";
import type { Row } from "../../table.js";

const FLIPS = 20;
const SPARE_NODES = 2;
/** Before a move, what is older than 15 s is read anew. */
const STALE_MS = 20_000;
const PAUSE_MS = 300;
const STARTS = 10;
const SMALL_CLUSTER = 3;

/** From a node's event to the calls that it leads to. The cloud takes no time of its own. */
export const latencyCase: Case = {
  name: "latency",
  about: "from a node event to the calls that it leads to",
  run: () => onPlane((plane) => inWorld(plane, { digitalocean: { durations: AT_ONCE } }, flips)),
};

interface Flip {
  /** ms from the moment at which a watch of nodes shows that a holder has failed. */
  readonly toFirstCall: number;
  readonly toAssign: number;
  /** ms from the moment at which the benchmark began to write that. */
  readonly writeToAssign: number;
}

async function flips(world: World): Promise<readonly Row[]> {
  await world.fleet.addAll(Array.from({ length: FLIPS + SPARE_NODES }, (_, index) => `n${index}`));
  const ips = spare(world, FLIPS);
  const pool = await world.pool("web", { ips });
  await world.start(QUIET);
  await pool.is("Fulfilled", "True");
  await new Promise((resolve) => setTimeout(resolve, STALE_MS));
  const watch = new NodeWatch(world);
  const seen: Flip[] = [];
  for (const ip of ips) seen.push(await flip(world, watch, ip));
  await watch.close();
  const of = (key: keyof Flip) => seen.map((one) => one[key]);
  const figure = (what: string, ours: readonly number[], target?: number): Row => ({
    case: `a holder fails, kube-apiserver, median of ${FLIPS}`,
    ...{ figure: what, ours, by: "median" },
    ...(target === undefined ? {} : { target }),
  });
  return [
    { ...figure("node event to first cloud call, ms", of("toFirstCall"), 15), go: 10 },
    // On data up to 5 min old.
    { ...figure("node event to assign call, one read included, ms", of("toAssign"), 15), go: 10 },
    figure("write of the node's status to assign call, ms", of("writeToAssign")),
  ];
}

async function flip(world: World, watch: NodeWatch, ip: string): Promise<Flip> {
  const calls = followCalls(world);
  const holder = holderOf(world, ip);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  calls.mark();
  const seen = watch.notReady(holder.name);
  const written = performance.now();
  await holder.node.setReady(false);
  const at = await seen;
  await world.until(`${ip} to move`, () => world.fleet.holderOf(ip)?.name !== holder.name);
  const [first, assigned] = [calls.first(), calls.first(ROUTES.act)];
  calls.close();
  if (first === undefined || assigned === undefined) throw new Error(`${ip} has moved without a call`);
  await holder.node.setReady(true);
  return { toFirstCall: first - at, toAssign: assigned - at, writeToAssign: assigned - written };
}

function holderOf(world: World, ip: string): Machine {
  const holder = world.fleet.holderOf(ip);
  if (holder === undefined) throw new Error(`no node holds ${ip}`);
  return holder;
}

/** From exec to the first assignment: the Lease included, as a user has it. */
export const startCase: Case = {
  name: "start",
  about: "from exec to the first assignment",
  run: () =>
    onPlane(async (plane) => {
      const seconds: number[] = [];
      for (let run = 0; run < STARTS; run++) seconds.push(await start(plane));
      const name = `start, ${SMALL_CLUSTER} nodes, kube-apiserver, ${STARTS} runs`;
      const figure = "to the first assign call, s, median";
      return [{ case: name, figure, ours: seconds, by: "median", target: 1.2, go: 1.2 }];
    }),
};

function start(plane: ControlPlane): Promise<number> {
  return inWorld(plane, { digitalocean: { durations: AT_ONCE } }, async (world) => {
    await world.fleet.addAll(Array.from({ length: SMALL_CLUSTER }, (_, index) => `n${index}`));
    const pool = await world.pool("web", { ips: spare(world, 1) });
    const calls = followCalls(world);
    const begun = performance.now();
    await world.launch(QUIET);
    await pool.is("Fulfilled", "True");
    const assigned = calls.first(ROUTES.act) ?? Number.POSITIVE_INFINITY;
    calls.close();
    return (assigned - begun) / 1000;
  });
}
