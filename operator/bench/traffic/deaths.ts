/**
 * `tsx bench/traffic/deaths.ts PLAN`: in namespaces of its own (see `run.ts`, which has the type of the plan), lets
 * holders die in silence, many pools at a time, and prints the seconds until each address is assigned elsewhere.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperatorFeature } from "cdk8s-flipop";
import type { ControlPlane } from "flipop-testbed";
import { ROUTES } from "../../test/e2e/support/clouds.js";
import { World } from "../../test/e2e/support/world.js";
import { buildChildren } from "../build-children.js";
import { onPlane } from "../in-world.js";
import { AT_ONCE, NO_LIMITS } from "../instant-cloud.js";
import { DyingPool, type Farm } from "./dying-pool.js";
import { hostClock } from "./messages.js";
import { Network, prepareNamespace } from "./network.js";
import { Operators } from "./operator-replicas.js";
import { type DeathsPlan, OUTCOMES } from "./run.js";
import { SERVICE_PORT } from "./simulated-node.js";

/** With one operator. */
const MOST_POOLS = 20;
/** With one pool each: their leaders die. */
const MOST_INSTALLS = 6;
const FEATURES = [OperatorFeature.POOLS, OperatorFeature.HEALTH_CHECKS];

const plan = JSON.parse(process.argv[2] ?? "") as DeathsPlan;
prepareNamespace();
const dir = mkdtempSync(join(tmpdir(), "flipop-deaths-"));
try {
  const scriptOf = await buildChildren(dir);
  const seconds = await onPlane(async (plane) => {
    const network = await Network.create(scriptOf("router"), 1);
    try {
      // The operators probe from here.
      network.addSelf();
      return await allDeaths(plane, await farmOf(network, scriptOf("service")));
    } finally {
      await network.close();
    }
  });
  process.stdout.write(`${OUTCOMES}${JSON.stringify(seconds)}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function farmOf(network: Network, service: string): Promise<Farm> {
  const farm = await network.add();
  await farm.start(service, ["farm", farm.address, String(SERVICE_PORT)]);
  return { network, farm, leaseSeconds: plan.leaseSeconds };
}

async function allDeaths(plane: ControlPlane, parts: Farm): Promise<readonly number[]> {
  const { runs, withLeader } = plan;
  const pools = Math.min(withLeader ? MOST_INSTALLS : MOST_POOLS, runs);
  const numbers = Array.from({ length: pools }, (_, index) => index);
  const shareOf = (index: number) => Math.floor((runs + index) / pools);
  const groups = withLeader ? numbers.map((index) => [index]) : [numbers];
  const worlds: World[] = [];
  try {
    for (const _ of groups) worlds.push(await createWorld(plane));
    const seen = await Promise.all(
      worlds.map((world, index) => {
        const own = (groups[index] ?? []).map((number) => ({ number, deaths: shareOf(number) }));
        return deathsIn(world, parts, own);
      }),
    );
    return seen.flat();
  } finally {
    for (const world of worlds) await world.close();
  }
}

/** An install of its own, with its own Lease. */
function createWorld(plane: ControlPlane): Promise<World> {
  const digitalocean = { durations: AT_ONCE, limits: NO_LIMITS, account: { reservedIpLimit: MOST_POOLS } };
  return World.create(plane, { operator: { features: FEATURES }, alone: true, digitalocean });
}

interface Share {
  /** Of the pool. */
  readonly number: number;
  readonly deaths: number;
}

async function deathsIn(world: World, parts: Farm, shares: readonly Share[]): Promise<readonly number[]> {
  const pools = await Promise.all(
    shares.map(async ({ number, deaths: count }) => {
      return { count, pool: await new DyingPool(world, parts, number).prepare(count) };
    }),
  );
  const assigned = followAssigns(world);
  const operators = new Operators(world, { isFast: plan.withLeader });
  await operators.start();
  const standBy = (node: string) => operators.leadOn(node);
  const deaths = { nextAssign: assigned.next, ...(plan.withLeader && { standBy }) };
  const seen = await Promise.all(pools.map(({ pool, count }) => pool.play({ ...deaths, count })));
  assigned.stop();
  return seen.flat();
}

/** Resolves when the cloud gets the next call that assigns the address. */
function followAssigns({ clouds: { digitalocean } }: World) {
  const waiting = new Map<string, (at: number) => void>();
  const stop = digitalocean.journal.subscribe(({ route, params }) => {
    if (route !== ROUTES.act) return;
    const ip = Object.values(params)[0] ?? "";
    waiting.get(ip)?.(hostClock());
    waiting.delete(ip);
  });
  const next = (ip: string) => new Promise<number>((resolve) => waiting.set(ip, resolve));
  return { next, stop };
}
