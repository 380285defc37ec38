/** The operator as it is shipped: bundled once for all suites of this process. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const OPERATOR = resolve(import.meta.dirname, "../../..");

let bundled: Promise<string> | undefined;

/** Path of the executable. The folder is removed when this process ends. */
export function bundledOperator(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "flipop-e2e-bundle-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const args = ["--import", "tsx", "bundle.ts", "--outdir", folder];
  await promisify(execFile)(process.execPath, args, { cwd: OPERATOR });
  return join(folder, "flipop.mjs");
}
