import { join } from "node:path";
import { CONSTRUCTS, ROOT } from "../packs/paths.js";
import { run } from "../packs/run.js";
import { type Assembly, withPackageFolder } from "./assembly.js";

/** The library as it was last released: `.jsii` and `package.json`. */
export const BASELINE = join(CONSTRUCTS, "baseline");

/**
 * Compares the library with the baseline. Throws, with a line for each break, when something that compiled against the
 * baseline does not compile any more.
 *
 * @param assembly the library to compare; that of the last compilation where it is left out
 */
export function checkCompatible(assembly?: Assembly): void {
  const compare = (folder: string): unknown =>
    run(join(ROOT, "node_modules/.bin/jsii-diff"), ["--error-on=all", "--keys", BASELINE, folder], { cwd: ROOT });
  withPackageFolder(compare, { assembly });
}
