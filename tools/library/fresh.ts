/** Whether what was compiled is still what the sources give. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Build {
  /** Files and folders that it is made from. */
  readonly inputs: readonly string[];
  /** Files and folders that it makes. */
  readonly outputs: readonly string[];
  /** File that remembers the last one. */
  readonly stamp: string;
  /** Throws where it fails. */
  readonly run: () => void;
}

/** Runs a build, unless neither its inputs nor its outputs have changed since the last one. Returns whether it ran. */
export function buildIfStale({ inputs, outputs, stamp, run }: Build): boolean {
  // Taken before: what changes meanwhile is built the next time.
  const source = digest(inputs);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === `${source} ${digest(outputs)}`) return false;
  run();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, `${source} ${digest(outputs)}`);
  return true;
}

/** Of names and contents; what is missing counts, too. */
function digest(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    for (const file of filesOf(path)) {
      const text = readFileSync(file);
      hash.update(`${file} ${text.length} `).update(text);
    }
  }
  return hash.digest("hex");
}

function filesOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}
