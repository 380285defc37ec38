import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Skippable, skip } from "flipop-testbed";
import { pack } from "../../tools/packs/pack.js";
import { type Language, missingTools } from "../../tools/packs/toolchains.js";
import { type Manifests, readManifests } from "./examples.js";

const PACK_TIMEOUT_MS = 10 * 60_000;
const packed = new Set<Language>();

/** The required part of mocha's context: `this` in a hook. */
interface SuiteContext extends Skippable {
  timeout(ms: number): unknown;
}

/**
 * For a `before` hook: packs the library for a language, once for all suites of the process. If the language's tools
 * are missing, the suite logs one line and counts as skipped.
 */
export function packOrSkip(context: SuiteContext, language: Language): void {
  const missing = missingTools(language);
  if (missing !== undefined) {
    skip(context, `no ${language} here: needs ${missing}`);
  }
  context.timeout(PACK_TIMEOUT_MS);
  if (!packed.has(language)) pack(language);
  packed.add(language);
}

/** Runs an app, and returns its synthesised files. */
export function manifestsOf(runApp: (outdir: string) => void): Manifests {
  const outdir = mkdtempSync(join(tmpdir(), "flipop-app-"));
  try {
    runApp(outdir);
    return readManifests(outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}
