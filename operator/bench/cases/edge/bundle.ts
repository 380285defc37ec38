import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledOperator } from "../../../test/support/bundle.js";
import type { Case } from "../../bench.js";
import type { Row } from "../../table.js";

const RUNS = 5;
const START_SECONDS = 20;
const IDLE_SECONDS = 5;

/** The executable as the image has it: how fast it is there, and what it weighs when idle. */
export const bundleCase: Case = {
  name: "bundle",
  about: "the executable as the image has it: start, size, memory when idle",
  run: async (bench) => {
    const bundle = await bundledOperator();
    const seconds: number[] = [];
    const rss: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const { server, kubeconfig } = await bench.standIn({ pods: 0, bytes: 8 * 1024 });
      const operator = await bench.startOperator(kubeconfig);
      const { atMs } = await server.message("first watch", START_SECONDS);
      seconds.push((atMs - operator.startedAtMs) / 1000);
      await sleep(IDLE_SECONDS * 1000);
      rss.push(operator.memory().nowMb);
      await bench.endProcesses();
    }
    const rows: Row[] = [
      { case: "bundled executable", figure: "start to first watch, s", ours: seconds, target: 0.6 },
      { case: "bundled executable", figure: "idle RSS, MB", ours: rss, target: 60 },
      { case: "bundled executable", figure: "--version, s", ours: versionSeconds(bundle) },
      ...sizes(bundle),
    ];
    return rows;
  },
};

/** From exec to exit: what every start pays before it does anything. */
function versionSeconds(bundle: string): readonly number[] {
  return Array.from({ length: RUNS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, [bundle, "--version"]);
    return (performance.now() - began) / 1000;
  });
}

interface Metafile {
  readonly outputs: Readonly<Record<string, Output>>;
}

interface Output {
  readonly bytes: number;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

/** Sizes of the files that every start reads, and of those that the program loads only on demand: the sandbox, exec plugins. */
function sizes(bundle: string): readonly Row[] {
  const { outputs } = JSON.parse(readFileSync(join(dirname(bundle), "metafile.json"), "utf8")) as Metafile;
  const scripts = Object.keys(outputs).filter((path) => path.endsWith(".mjs"));
  const atStart = withImports(outputs, "dist/flipop.mjs");
  const later = scripts.filter((path) => !atStart.has(path));
  const bytes = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
  return [
    { case: "bundled executable", figure: "code read at start, KB", ours: [Math.ceil(bytes(atStart) / 1024)] },
    { case: "bundled executable", figure: "code read when asked for, KB", ours: [Math.ceil(bytes(later) / 1024)] },
  ];
}

/** The file, and those that it can't do without. */
function withImports(outputs: Metafile["outputs"], path: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(path);
  for (const { path: next, kind } of outputs[path]?.imports ?? []) {
    if (kind === "import-statement" && outputs[next] !== undefined && !seen.has(next)) withImports(outputs, next, seen);
  }
  return seen;
}
