import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { GROUP_VERSION } from "cdk8s-flipop/api";
import { bundledOperator } from "../../../test/support/bundle.js";
import type { Case } from "../../bench.js";
import { LargeCluster, SIZE } from "../../large-cluster.js";
import type { Row } from "../../table.js";

const RUNS = 3;
const PAGE = 500;
/** Beyond the API server's own time. */
const TARGET_SECONDS = 1;

const KINDS = ["floatingippools", "nodednsrecordsets", "routedips", "routedipissuers", "clusterroutedipclasses"];
const POOLS = `/apis/${GROUP_VERSION}/floatingippools`;

/** What people wait for: the commands that read a large cluster, and the same lists read without any work on them. */
export const commandsCase: Case = {
  name: "commands",
  about: `flipop status and explain with ${SIZE.pools} pools on ${SIZE.pools * SIZE.nodesOfPool} nodes`,
  run: async (bench) => {
    await bundledOperator();
    const cluster = await LargeCluster.start();
    try {
      const kubeconfig = join(bench.dir, "commands-kubeconfig");
      writeFileSync(kubeconfig, cluster.kubernetes.kubeconfig());
      const status = KINDS.map((plural) => `/apis/${GROUP_VERSION}/${plural}`);
      const explain = [POOLS, `/apis/${GROUP_VERSION}/routedips`, "/api/v1/nodes"];
      return [
        ...(await rows(cluster, kubeconfig, { args: ["status"], lists: status })),
        ...(await rows(cluster, kubeconfig, { args: ["explain", "pool/pool-7"], lists: explain })),
      ];
    } finally {
      await cluster.close();
    }
  },
};

interface Measured {
  readonly args: readonly string[];
  /** Collections that the command reads at the same time. */
  readonly lists: readonly string[];
}

async function rows({ kubernetes }: LargeCluster, kubeconfig: string, { args, lists }: Measured): Promise<Row[]> {
  const whole: number[] = [];
  const beyond: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const server = await timed(() => Promise.all(lists.map((path) => readAll(kubernetes, path))));
    const all = await timed(() => flipop(kubeconfig, args));
    whole.push(all);
    beyond.push(Math.max(0, all - server));
  }
  const figure = `flipop ${args[0]}`;
  return [
    { case: "commands", figure: `${figure}, s`, ours: whole },
    { case: "commands", figure: `${figure} beyond the API server, s`, ours: beyond, target: TARGET_SECONDS },
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function flipop(kubeconfig: string, args: readonly string[]): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", KUBECONFIG: kubeconfig };
  const stdio: ["ignore", "ignore", "inherit"] = ["ignore", "ignore", "inherit"];
  const child = spawn(process.execPath, [await bundledOperator(), ...args, "-n", "default"], { env, stdio });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`flipop ${args.join(" ")} ended with code ${code}`);
}

/** Page by page, as the commands read; the bytes are thrown away. */
async function readAll(kubernetes: LargeCluster["kubernetes"], path: string): Promise<void> {
  const headers = { authorization: `Bearer ${kubernetes.adminToken}`, accept: "application/json" };
  for (let token = ""; ; ) {
    const query = `limit=${PAGE}${token === "" ? "" : `&continue=${encodeURIComponent(token)}`}`;
    const answer = await fetch(`${kubernetes.url}${path}?${query}`, { headers });
    const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
    token = /"continue":"([^"]+)"/.exec(text)?.[1] ?? "";
    if (token === "") return;
  }
}
