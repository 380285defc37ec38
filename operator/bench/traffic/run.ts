/** Starts `main.ts` and `deaths.ts` in namespaces of their own, if this machine can make them. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { FaultName } from "./faults.js";
import type { Outcome } from "./play.js";

/** What the line with the outcomes starts with. */
export const OUTCOMES = "outcomes: ";
/** All processes of the namespaces end with the first one. */
const UNSHARE = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
/** All that the simulated network needs of the kernel and of iproute2. */
const TRIAL = [
  "ip link add up1 type veth peer name down1",
  "ip link add flip type vxlan id 1 remote 127.0.0.1 dstport 4789 nolearning",
];

/** Why this machine cannot run the simulated network; undefined: it can. */
export function networkProblem(): string | undefined {
  const { status, error, stderr } = spawnSync("unshare", [...UNSHARE, "sh", "-ec", TRIAL.join("\n")], {
    encoding: "utf8",
  });
  if (status === 0) return undefined;
  const [cause = ""] = (error?.message ?? stderr).trim().split("\n");
  return `it needs Linux, root, iproute2, and the kernel's veth and vxlan devices: ${cause}`;
}

export interface TrafficPlan {
  readonly faults: readonly FaultName[];
  /** Of each fault, with a health check. */
  readonly runs: number;
  /** Of the operator. With two, the standby is a witness. */
  readonly replicas: 1 | 2;
  /** Whether each fault is also played once without a health check. */
  readonly withoutCheck: boolean;
  /** How long the Leases of the kubelets last. */
  readonly leaseSeconds: number;
  /** How long packets are lost. */
  readonly lossMs: number;
}

export function runTraffic(plan: TrafficPlan): Promise<readonly Outcome[]> {
  return runInside("main.ts", plan);
}

export interface DeathsPlan {
  readonly runs: number;
  /** How long the Leases of the kubelets last. */
  readonly leaseSeconds: number;
  /** Whether the leader of the operator dies with each holder. Then each pool has an install of its own. */
  readonly withLeader: boolean;
}

/** @returns seconds from the death of a holder to the call that assigns its address, for each run */
export function runDeaths(plan: DeathsPlan): Promise<readonly number[]> {
  return runInside("deaths.ts", plan);
}

async function runInside<T>(script: string, plan: unknown): Promise<T> {
  const main = join(import.meta.dirname, script);
  const args = [...UNSHARE, process.execPath, "--import", "tsx", main, JSON.stringify(plan)];
  const child = spawn("unshare", args, { stdio: ["pipe", "pipe", "inherit"] });
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const line = printed.split("\n").find((one) => one.startsWith(OUTCOMES));
  if (line === undefined) throw new Error(`the simulated network ended with code ${child.exitCode}`);
  return JSON.parse(line.slice(OUTCOMES.length)) as T;
}
