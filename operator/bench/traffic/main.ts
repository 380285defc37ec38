/**
 * `tsx bench/traffic/main.ts PLAN`: in namespaces of its own (see `run.ts`, which has the type of the plan), plays faults
 * and prints the outcomes as one line of JSON.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperatorFeature } from "cdk8s-flipop";
import { spareOne } from "../../test/e2e/support/spare.js";
import type { World } from "../../test/e2e/support/world.js";
import { AT_ONCE } from "../at-once.js";
import { buildChildren, type Child } from "../build-children.js";
import { inWorld, onPlane, QUIET } from "../whole.js";
import type { FaultName } from "./faults.js";
import { Network, prepareNamespace } from "./network.js";
import { type Act, followAssignment, type Outcome, play, type Stage } from "./play.js";
import { OUTCOMES, type TrafficPlan } from "./run.js";
import { SERVICE_LABELS, SERVICE_PORT, SimulatedNode } from "./simulated-node.js";

const SEED = Number(process.env["FLIPOP_SEED"] ?? 1);
const RATE = 200;
const NODES = ["a", "b", "c", "d"];
/** What DigitalOcean takes at its quickest. */
const ACTION_MS = 500;

const FEATURES = [OperatorFeature.POOLS, OperatorFeature.HEALTH_CHECKS];
const HEALTH_CHECK = { type: "HTTP", port: SERVICE_PORT } as const;

const plan = JSON.parse(process.argv[2] ?? "") as TrafficPlan;
console.error(`bench: traffic: packets are lost by seed ${SEED}`);
prepareNamespace();
const dir = mkdtempSync(join(tmpdir(), "flipop-traffic-"));
try {
  const scriptOf = await buildChildren(dir);
  const outcomes = await onPlane((plane) =>
    inWorld(
      plane,
      { operator: { features: FEATURES }, digitalocean: { durations: { ...AT_ONCE, assign: ACTION_MS } } },
      (world) => perform(world, scriptOf),
    ),
  );
  process.stdout.write(`${OUTCOMES}${JSON.stringify(outcomes)}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function perform(world: World, scriptOf: (child: Child) => string): Promise<readonly Outcome[]> {
  const network = await Network.create(scriptOf("router"), SEED);
  // The operator probes from here.
  network.addSelf();
  const ip = spareOne(world);
  const nodes: SimulatedNode[] = [];
  const parts = { world, network, serviceScript: scriptOf("service"), address: ip, leaseSeconds: plan.leaseSeconds };
  for (const name of NODES) nodes.push(await SimulatedNode.create(name, parts));
  const client = await (await network.add()).start(scriptOf("client"), [ip, SERVICE_PORT, RATE].map(String));
  const stage: Stage = { world, network, ip, nodes, client, pool: await poolOver(world, ip) };
  const assignment = followAssignment(stage);
  try {
    await world.start(QUIET);
    return await playAll(stage, assignment.changedAt);
  } finally {
    assignment.stop();
    for (const node of nodes) node.kubelet.stop();
    await network.close();
  }
}

function poolOver(world: World, ip: string) {
  const match = {
    nodeLabel: world.fleet.nodeLabel,
    podLabel: labelText(SERVICE_LABELS),
    podNamespace: world.namespace,
  };
  return world.pool("traffic", { ips: [ip], match, healthCheck: HEALTH_CHECK });
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map((pair) => pair.join("="))
    .join(",");
}

async function playAll(stage: Stage, changedAt: () => number): Promise<readonly Outcome[]> {
  const { faults, runs, withoutCheck, lossMs } = plan;
  const seen: Outcome[] = [];
  const playOne = async (fault: FaultName, signal: Act["signal"]) => {
    console.error(`bench: traffic: ${fault}, by ${signal}`);
    seen.push(await play(stage, { fault, signal, lossMs }, changedAt));
  };
  for (let run = 0; run < runs; run++) for (const fault of faults) await playOne(fault, "health check");
  if (!withoutCheck) return seen;
  await stage.pool.edit({ healthCheck: null });
  for (const fault of faults) await playOne(fault, "Kubernetes");
  return seen;
}
