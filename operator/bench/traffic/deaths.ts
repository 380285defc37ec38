/**
 * `tsx bench/traffic/deaths.ts PLAN`: in namespaces of its own (see `run.ts`, which has the type of the plan), lets
 * holders die in silence, many pools at a time, and prints the seconds until each address is assigned elsewhere.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperatorFeature } from "cdk8s-flipop";
import { ROUTES } from "../../test/e2e/support/clouds.js";
import type { World } from "../../test/e2e/support/world.js";
import { AT_ONCE, NO_LIMITS } from "../at-once.js";
import { buildChildren } from "../build-children.js";
import { inWorld, onPlane } from "../whole.js";
import { DyingPool, type Farm } from "./dying-pool.js";
import { hostClock } from "./messages.js";
import { Network, prepareNamespace } from "./network.js";
import { Operators } from "./operators.js";
import { type DeathsPlan, OUTCOMES } from "./run.js";
import { SERVICE_PORT } from "./simulated-node.js";

const MOST_POOLS = 20;
const FEATURES = [OperatorFeature.POOLS, OperatorFeature.HEALTH_CHECKS];

const plan = JSON.parse(process.argv[2] ?? "") as DeathsPlan;
prepareNamespace();
const dir = mkdtempSync(join(tmpdir(), "flipop-deaths-"));
try {
  const scriptOf = await buildChildren(dir);
  const cloud = { durations: AT_ONCE, limits: NO_LIMITS, account: { reservedIpLimit: MOST_POOLS } };
  const seconds = await onPlane((plane) =>
    inWorld(plane, { operator: { features: FEATURES }, digitalocean: cloud }, async (world) => {
      const network = await Network.create(scriptOf("router"), 1);
      try {
        // The operator probes from here.
        network.addSelf();
        return await allDeaths(world, await farmOf(network, scriptOf("service")));
      } finally {
        await network.close();
      }
    }),
  );
  process.stdout.write(`${OUTCOMES}${JSON.stringify(seconds)}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function farmOf(network: Network, service: string): Promise<Farm> {
  const farm = await network.add();
  await farm.start(service, ["farm", farm.address, String(SERVICE_PORT)]);
  return { network, farm, leaseSeconds: plan.leaseSeconds };
}

async function allDeaths(world: World, parts: Farm): Promise<readonly number[]> {
  const pools = plan.withLeader ? 1 : Math.min(MOST_POOLS, plan.runs);
  const shares = Array.from({ length: pools }, (_, index) => Math.floor((plan.runs + index) / pools));
  const all = await Promise.all(shares.map((share, index) => new DyingPool(world, parts, index).prepare(share)));
  const assigned = followAssigns(world);
  const operators = new Operators(world, plan.withLeader);
  await operators.start();
  const standBy = (node: string) => operators.leadOn(node);
  const deaths = { nextAssign: assigned.next, ...(plan.withLeader && { standBy }) };
  const seen = await Promise.all(all.map((pool, index) => pool.play({ ...deaths, count: shares[index] ?? 0 })));
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
