/** Runs a build only if its inputs or outputs have changed. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Build {
  /** Files and folders that the build reads. */
  readonly inputs: readonly string[];
  /** Files and folders that the build writes. */
  readonly outputs: readonly string[];
  /** File with the digests of the last build. */
  readonly stamp: string;
  /** Throws if the build fails. */
  readonly run: () => void;
}

/** Runs a build, unless neither its inputs nor its outputs have changed since the last one. Returns whether it ran. */
export function buildIfStale({ inputs, outputs, stamp, run }: Build): boolean {
  // Computed before the build, so that a change during the build triggers the next one.
  const source = digest(inputs);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === `${source} ${digest(outputs)}`) return false;
  run();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, `${source} ${digest(outputs)}`);
  return true;
}

/** A digest of names and contents; missing files also count. */
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
