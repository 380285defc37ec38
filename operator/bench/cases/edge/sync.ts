import type { Bench, Case, Sync } from "../../bench.js";
import type { Row } from "../../table.js";

interface Size {
  readonly name: string;
  readonly pods: number;
  /** Of a pod as JSON. */
  readonly kb: number;
  readonly runs: number;
  readonly libraryRuns: number;
  /** At most. */
  readonly targets: Partial<Record<Exclude<keyof Sync, "objects">, number>>;
}

const SIZES: readonly Size[] = [
  {
    name: "10k",
    pods: 10_000,
    kb: 8,
    runs: 3,
    libraryRuns: 3,
    targets: { seconds: 2, peakMb: 225, blockMs: 141, heapPerObject: 1_200 },
  },
  {
    name: "50k",
    pods: 50_000,
    kb: 8,
    runs: 3,
    libraryRuns: 1,
    targets: { seconds: 5.9, peakMb: 231, blockMs: 100, heapPerObject: 1_200 },
  },
  {
    name: "100k",
    pods: 100_000,
    kb: 11,
    runs: 1,
    libraryRuns: 1,
    targets: { seconds: 10, peakMb: 200, heapPerObject: 1_200 },
  },
];

/** From start to a complete cache of all pods, ours and the library's, each in a fresh process. */
export const syncCases: readonly Case[] = SIZES.map((size) => ({
  name: size.name,
  about: `sync of ${size.name} pods, ours and the library's informer`,
  run: async (bench) => {
    const { kubeconfig } = await bench.standIn({ pods: size.pods, bytes: size.kb * 1024 });
    const ours: Sync[] = [];
    for (let run = 0; run < size.runs; run++) ours.push(await bench.sync("ours", kubeconfig));
    return syncRows(
      `${size.name} pods of ${size.kb} KB`,
      ours,
      await library(bench, kubeconfig, size.libraryRuns),
      size.targets,
    );
  },
}));

export function syncRows(
  name: string,
  ours: readonly Sync[],
  theirs: readonly Sync[] | string,
  targets: Size["targets"],
): Row[] {
  const row = (figure: string, key: Exclude<keyof Sync, "objects">): Row => ({
    case: name,
    figure,
    ours: ours.map((sync) => sync[key]),
    library: typeof theirs === "string" ? theirs : theirs.map((sync) => sync[key]),
    ...(targets[key] === undefined ? {} : { target: targets[key] }),
  });
  return [
    row("start to synced, s", "seconds"),
    row("CPU until synced, s", "cpuSeconds"),
    row("peak RSS, MB", "peakMb"),
    row("longest block, ms", "blockMs"),
    row("heap an object, bytes", "heapPerObject"),
  ];
}

/** Its runs, or the reason why it did not get there. */
export async function library(bench: Bench, kubeconfig: string, runs: number): Promise<readonly Sync[] | string> {
  const seen: Sync[] = [];
  try {
    for (let run = 0; run < runs; run++) seen.push(await bench.sync("library", kubeconfig));
    return seen;
  } catch (error) {
    return `fails: ${String(error)
      .replace(/^(Error: )+/, "")
      .slice(0, 40)}`;
  }
}
