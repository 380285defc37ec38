import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Case } from "../bench.js";
import type { Row } from "../table.js";
import { BUNDLE } from "./cluster.js";

const RUNS = 5;
const START_SECONDS = 20;
const IDLE_SECONDS = 5;

/** The executable as the image has it: how fast it is there, and what it weighs when idle. */
export const bundleCase: Case = {
  name: "bundle",
  run: async (bench) => {
    if (!existsSync(BUNDLE)) return [];
    const seconds: number[] = [];
    const rss: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const { server, kubeconfig } = await bench.standIn({ pods: 0, bytes: 8 * 1024 });
      const args = ["run", "--metrics-bind-addr=127.0.0.1:0", "--health-bind-addr=127.0.0.1:0"];
      const operator = bench.startScript(BUNDLE, args, { KUBECONFIG: kubeconfig });
      const { atMs } = await server.message("first watch", START_SECONDS);
      seconds.push((atMs - operator.startedAtMs) / 1000);
      await sleep(IDLE_SECONDS * 1000);
      rss.push(operator.memory().nowMb);
      await bench.endProcesses();
    }
    const rows: Row[] = [
      { case: "bundled executable", figure: "start to first watch, s", ours: seconds, target: 0.6 },
      { case: "bundled executable", figure: "idle RSS, MB", ours: rss, target: 90 },
    ];
    return rows;
  },
};
