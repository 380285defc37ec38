/** The operator and the kinds of an earlier commit, from this repository's history: no network, no second installation. */

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { AnyKind } from "cdk8s-flipop/api";

const ROOT = resolve(import.meta.dirname, "../../../..");
/** The last commit whose operator and kinds know no health checks, holder labels, limits of moves and publications. */
const COMMIT = "f301baffcc513ff6b2623ca1aff7608d21e71f69";

export interface Previous {
  /** Its bundle. */
  readonly executable: string;
  readonly kinds: readonly AnyKind[];
}

/** Why it cannot be built here; `undefined`: it can. */
export function previousMissing(): string | undefined {
  try {
    execFileSync("git", ["cat-file", "-e", `${COMMIT}^{tree}`], { cwd: ROOT, stdio: "ignore" });
    return undefined;
  } catch {
    return `this clone has no commit ${COMMIT.slice(0, 8)}, whose operator is the previous one: fetch the whole history`;
  }
}

/** The folder is removed when this process ends. Its dependencies are those of this checkout. */
export async function buildPrevious(): Promise<Previous> {
  const folder = mkdtempSync(join(tmpdir(), "flipop-previous-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const archive = join(folder, "previous.tar");
  const run = promisify(execFile);
  await run("git", ["archive", "-o", archive, COMMIT, "operator", "constructs", "tsconfig.json"], { cwd: ROOT });
  await run("tar", ["-xf", archive, "-C", folder]);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const out = join(folder, "bundle");
  await run(process.execPath, ["--import", "tsx", "bundle.ts", "--outdir", out], { cwd: join(folder, "operator") });
  const api = pathToFileURL(join(folder, "constructs/src/api/index.ts")).href;
  const { ALL_KINDS } = (await import(api)) as { readonly ALL_KINDS: readonly AnyKind[] };
  return { executable: join(out, "flipop.mjs"), kinds: ALL_KINDS };
}
