/** The operators that do the same work in one run: ours, and the Go operator where its executable is at hand. */

import { join } from "node:path";
import { freePort } from "flipop-testbed";
import type { World } from "../test/e2e/support/world.js";
import { QUIET } from "./in-world.js";
import type { Row } from "./table.js";

/** A process under measurement. */
interface Started {
  readonly pid: number;
  kill(): Promise<void>;
}

export interface Contender {
  readonly name: "ours" | "go";
  start(world: World): Promise<Started>;
}

const OURS: Contender = {
  name: "ours",
  start: async (world) => {
    const { pid } = await world.launch(QUIET);
    return { pid, kill: () => world.kill() };
  },
};

/** With the rights of an admin, because the rights of our install are not those that it needs. */
function goOperator(file: string): Contender {
  return {
    name: "go",
    start: async ({ plane, clouds, install }) => {
      const running = await plane.supervisor.run({
        file,
        args: [`--kubeconfig=${await plane.kubeconfig()}`, `--metrics-bind-addr=127.0.0.1:${await freePort()}`],
        env: { PATH: process.env["PATH"] ?? "", NAMESPACE: install.namespace, ...clouds.env },
        log: join(plane.dir, `${install.namespace}-go.log`),
      });
      const kill = async () => {
        await running.signal("SIGKILL");
        await running.exited;
      };
      return { pid: running.pid, kill };
    },
  };
}

/** @param goFile executable of the Go operator. */
export function contenders(goFile: string | undefined): readonly Contender[] {
  return goFile === undefined ? [OURS] : [OURS, goOperator(goFile)];
}

/** Values of figures that both operators have, by the name of the figure. */
export type Figures<K extends string> = Readonly<Record<K, readonly number[]>>;

/** Runs the same work with each of them, one after the other. */
export async function compare<K extends string>(
  goFile: string | undefined,
  measure: (contender: Contender) => Promise<Figures<K>>,
  toRows: (ours: Figures<K>) => readonly (Row & { readonly key: K })[],
): Promise<readonly Row[]> {
  const seen = new Map<Contender["name"], Figures<K>>();
  for (const contender of contenders(goFile)) seen.set(contender.name, await measure(contender));
  const [ours, go] = [seen.get("ours"), seen.get("go")];
  if (ours === undefined) throw new Error("our own operator was not measured");
  return toRows(ours).map(({ key, ...row }) => (go === undefined ? row : { ...row, go: go[key] }));
}
