/** Executables as they are shipped: each is bundled once for all suites of this process. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const OPERATOR = resolve(import.meta.dirname, "../..");

const bundles = new Map<string, Promise<string>>();

/** Path of the operator's executable. */
export async function bundledOperator(): Promise<string> {
  return join(await bundleOf(OPERATOR), "flipop.mjs");
}

/** The folder with the bundle of a workspace, which has a `bundle.ts`. It is removed when this process ends. */
export function bundleOf(workspace: string): Promise<string> {
  const known = bundles.get(workspace) ?? bundle(workspace);
  bundles.set(workspace, known);
  return known;
}

async function bundle(workspace: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "flipop-bundle-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const args = ["--import", "tsx", "bundle.ts", "--outdir", folder];
  await promisify(execFile)(process.execPath, args, { cwd: workspace });
  return folder;
}
