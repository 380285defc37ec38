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
import { buildChildren, type Child } from "../build-children.js";
import { inWorld, onPlane } from "../in-world.js";
import { AT_ONCE } from "../instant-cloud.js";
import { FAULT_OF, type FaultName } from "./faults.js";
import { Network, prepareNamespace } from "./network.js";
import { Operators } from "./operator-replicas.js";
import { type Act, followAssignment, type Outcome, play, type Stage } from "./play.js";
import { OUTCOMES, type TrafficPlan } from "./run.js";
import { FRESH_LABELS, SERVICE_LABELS, SERVICE_PORT, SimulatedNode } from "./simulated-node.js";

const SEED = Number(process.env["FLIPOP_SEED"] ?? 1);
const RATE = 200;
/** Candidates for the last fault. */
const SPARE_NODES = 2;
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
  for (let number = 0; number < nodesOf(plan); number++) nodes.push(await SimulatedNode.create(`n${number}`, parts));
  const client = await (await network.add()).start(scriptOf("client"), [ip, SERVICE_PORT, RATE].map(String));
  const scene = { world, network, ip, nodes, client, pool: await poolOver(world, ip) };
  const assignment = followAssignment(scene);
  try {
    const leader = await new Operators(world, { isAlone: plan.replicas === 1 }).start();
    return await playAll({ ...scene, leader }, assignment.changedAt);
  } finally {
    assignment.stop();
    for (const node of nodes) node.kubelet.stop();
    await network.close();
  }
}

/** A node that a fault has moved the address away from plays no further part. */
function nodesOf({ faults, runs, withoutCheck }: TrafficPlan): number {
  const moving = faults.filter((fault) => FAULT_OF[fault].reported !== undefined).length;
  return moving * (runs + (withoutCheck ? 1 : 0)) + SPARE_NODES;
}

function poolOver(world: World, ip: string) {
  const match = {
    nodeLabel: `${world.fleet.nodeLabel},${labelText(FRESH_LABELS)}`,
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
