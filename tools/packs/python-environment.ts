import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { VERSIONS } from "../../projenrc/versions.js";
import { CACHE } from "./paths.js";
import { run } from "./run-command.js";

/** Imports of the Python apps, except flipop's library, in the versions of the TypeScript apps. */
const REQUIREMENTS = [
  `constructs==${VERSIONS.constructs}`,
  `cdk8s==${VERSIONS.cdk8s}`,
  `cdk8s-plus-28==${VERSIONS.cdk8sPlus}`,
  // The newest cdk8s-plus; npm may not have it yet.
  "cdk8s-plus-37==2.0.3",
];

/** The formatter and the linter of Python code. */
export const PYTHON_LINTERS = ["black==26.10.1", "ruff==0.17.6"];

/**
 * A virtual environment, by default with the imports of the Python apps, except flipop's library; it is created once and
 * cached.
 */
export function pythonEnvironment(requirements: readonly string[] = REQUIREMENTS): string {
  const key = createHash("sha256").update(requirements.join(" ")).digest("hex").slice(0, 12);
  const folder = join(CACHE, `python-${key}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  run("python3", ["-m", "venv", folder]);
  try {
    installPackages(folder, requirements);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return folder;
}

/** Installs packages into a virtual environment. */
export function installPackages(folder: string, requirements: readonly string[]): void {
  run(join(folder, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", ...requirements]);
}
