import { setTimeout as sleep } from "node:timers/promises";
import { ROUTES } from "../../../test/e2e/support/clouds.js";
import { spareOne } from "../../../test/e2e/support/spare.js";
import type { World } from "../../../test/e2e/support/world.js";
import { until } from "../../../test/support/time/until.js";
import type { Case } from "../../bench.js";
import { type Contender, compare, type Figures } from "../../contenders.js";
import { followCalls, inWorld, onPlane } from "../../in-world.js";
import { AT_ONCE } from "../../instant-cloud.js";
import { NodeWatch } from "../../node-watch.js";
import type { Row } from "../../table.js";
import { cpuSecondsOf, memoryOf } from "../../usage.js";

const NODES = ["a", "b", "c"];
const STARTS = 10;
/** What DigitalOcean takes at its quickest. */
const ACTION_MS = 500;
const CLOUD = { digitalocean: { durations: { ...AT_ONCE, assign: ACTION_MS } } };
const REST_MS = 120_000;
const MINUTE_MS = 60_000;
const START_CASE = `small cluster, ${NODES.length} nodes, action of ${ACTION_MS / 1000} s`;

const DECISION = "first decision: node event to assign call, ms, median";

type StartFigure = "assigned" | "decision";

/** What a person sees of an operator in a small cluster: how soon it acts after a start. */
export const smallCase: Case = {
  name: "small",
  about: "a small cluster: start to assigned, and the first decision after a start",
  run: ({ options: { goFile } }) =>
    onPlane((plane) =>
      compare<StartFigure>(
        goFile,
        async (contender) => {
          const runs: Run[] = [];
          for (let run = 0; run < STARTS; run++) {
            runs.push(await inWorld(plane, CLOUD, (world) => startAndMove(world, contender)));
          }
          return { assigned: runs.map(({ assigned }) => assigned), decision: runs.map(({ decision }) => decision) };
        },
        ({ assigned, decision }) => [
          median("assigned", { case: START_CASE, figure: "start to assigned, s, median" }, assigned, 1.3),
          median("decision", { case: START_CASE, figure: DECISION }, decision, 14),
        ],
      ),
    ),
};

type QuietFigure = "cpu" | "rss";

/** What an operator costs while nothing happens, seen from outside. */
export const quietCase: Case = {
  name: "quiet",
  about: "a small cluster at rest: CPU of a minute and memory, from outside",
  run: ({ options: { goFile, quietMinutes } }) =>
    onPlane((plane) =>
      compare<QuietFigure>(
        goFile,
        (contender) => inWorld(plane, CLOUD, (world) => rest(world, contender, quietMinutes)),
        ({ cpu, rss }) => {
          const name = `small cluster at rest, ${quietMinutes} minutes`;
          return [
            { key: "cpu", case: name, figure: "CPU of a minute, s", ours: cpu, target: 0.25 },
            { key: "rss", case: name, figure: "RSS, MB", ours: rss, target: 60 },
          ];
        },
      ),
    ),
};

type Name = Pick<Row, "case" | "figure">;

function median<K extends string>(key: K, name: Name, ours: readonly number[], target: number) {
  return { ...name, key, ours, target, by: "median" as const };
}

interface Run {
  /** Seconds from exec until the cloud has assigned the address. */
  readonly assigned: number;
  /** ms from the moment in which a watch of nodes reports the failure of the holder. */
  readonly decision: number;
}

async function startAndMove(world: World, contender: Contender): Promise<Run> {
  const ip = await prepare(world);
  const begun = performance.now();
  const { kill } = await contender.start(world);
  await until("the address is assigned", () => world.fleet.holderOf(ip) !== undefined);
  const assigned = (performance.now() - begun) / 1000;
  const watch = new NodeWatch(world);
  const calls = followCalls(world);
  await sleep(MINUTE_MS / 60);
  calls.mark();
  const holder = world.fleet.holderOf(ip);
  if (holder === undefined) throw new Error(`${ip} has no holder`);
  const reported = watch.notReady(holder.name);
  await holder.node.setReady(false);
  const at = await reported;
  await until("the address moves", () => calls.first(ROUTES.act) !== undefined);
  const decision = (calls.first(ROUTES.act) ?? Number.NaN) - at;
  calls.close();
  await watch.close();
  await kill();
  return { assigned, decision };
}

async function rest(world: World, contender: Contender, minutes: number): Promise<Figures<QuietFigure>> {
  const ip = await prepare(world);
  const { pid, kill } = await contender.start(world);
  await until("the address is assigned", () => world.fleet.holderOf(ip) !== undefined);
  await sleep(REST_MS);
  const before = cpuSecondsOf(pid);
  await sleep(minutes * MINUTE_MS);
  const figures = { cpu: [(cpuSecondsOf(pid) - before) / minutes], rss: [memoryOf(pid).nowMb] };
  await kill();
  return figures;
}

async function prepare(world: World): Promise<string> {
  await world.fleet.addAll(NODES);
  const ip = spareOne(world);
  await world.pool("web", { ips: [ip] });
  return ip;
}
