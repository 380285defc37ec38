/** The operator and the kinds of an earlier commit, from this repository's history: no network, no second installation. */

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { AnyKind } from "cdk8s-flipop/api";

const ROOT = resolve(import.meta.dirname, "../../../..");
/** The last commit whose operator and kinds know no health checks, holder labels, limits of moves and publications. */
const COMMIT = "a4aac4f223137cd8d08fc36e491fbdf8a015595c";

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

/** The dependencies of this checkout, but the type model of the earlier commit. */
function linkDependencies(modules: string): void {
  mkdirSync(modules);
  const installed = join(ROOT, "node_modules");
  for (const name of readdirSync(installed)) {
    if (name !== "cdk8s-flipop") symlinkSync(join(installed, name), join(modules, name));
  }
  symlinkSync("../constructs", join(modules, "cdk8s-flipop"));
}

/** The bundler reads its sources: there is no need to compile them. */
function exportSources(constructs: string): void {
  const path = join(constructs, "package.json");
  const declared = JSON.parse(readFileSync(path, "utf8")) as object;
  const sources = { "./api": "./src/api/index.ts", ".": "./src/index.ts" };
  writeFileSync(path, JSON.stringify({ ...declared, exports: sources }));
}

/** The folder is removed when this process ends. */
export async function buildPrevious(): Promise<Previous> {
  const folder = mkdtempSync(join(tmpdir(), "flipop-previous-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const archive = join(folder, "previous.tar");
  const run = promisify(execFile);
  await run("git", ["archive", "-o", archive, COMMIT, "operator", "constructs", "tsconfig.json"], { cwd: ROOT });
  await run("tar", ["-xf", archive, "-C", folder]);
  linkDependencies(join(folder, "node_modules"));
  exportSources(join(folder, "constructs"));
  const out = join(folder, "bundle");
  await run(process.execPath, ["--import", "tsx", "bundle.ts", "--outdir", out], { cwd: join(folder, "operator") });
  const api = pathToFileURL(join(folder, "constructs/src/api/index.ts")).href;
  const { ALL_KINDS } = (await import(api)) as { readonly ALL_KINDS: readonly AnyKind[] };
  return { executable: join(out, "flipop.mjs"), kinds: ALL_KINDS };
}
