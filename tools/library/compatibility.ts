import { join } from "node:path";
import { CONSTRUCTS, ROOT } from "../packs/paths.js";
import { run } from "../packs/run-command.js";
import { type Assembly, withPackageFolder } from "./assembly.js";

/** The last release of the library: `.jsii` and `package.json`. */
export const BASELINE = join(CONSTRUCTS, "baseline");

/**
 * Compares the library with the baseline. It throws an error with a line for each breaking change.
 *
 * @param assembly the library to compare; by default that of the last compilation
 */
export function checkCompatible(assembly?: Assembly): void {
  const compare = (folder: string): unknown =>
    run(join(ROOT, "node_modules/.bin/jsii-diff"), ["--error-on=all", "--keys", BASELINE, folder], { cwd: ROOT });
  withPackageFolder(compare, { assembly });
}
